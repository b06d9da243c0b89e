//===- PositionSum.cpp - places of a tile's elements ----------------------===//

#include "PositionSum.h"
#include "smx/GPU/ClusterValues.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace mlir::smx;

bool PositionSum::add(Value tile, int64_t factor) {
  if (auto op = tile.getDefiningOp<gpu::PositionOp>()) {
    gpu::SliceAttr slice = gpu::getSlice(op.getTile().getType());
    bool isColumn = slice && rank == 2 ? slice.getDim() == 0 : op.getDim();
    factors[isColumn] += factor;
    return true;
  }
  if (auto op = tile.getDefiningOp<gpu::BroadcastOp>()) {
    const PositionSum before = *this;
    if (add(op.getValues(), factor))
      return true;
    *this = before;
    if (!mayHaveRows || rows.second)
      return false;
    rows = {factor, op};
    return true;
  }
  if (auto op = tile.getDefiningOp<tensor::SplatOp>()) {
    shared.push_back({factor, op.getInput()});
    return true;
  }
  if (auto op = tile.getDefiningOp<arith::ConstantOp>()) {
    auto value = dyn_cast<SplatElementsAttr>(op.getValue());
    if (!value)
      return false;
    constant += factor * value.getSplatValue<APInt>().getSExtValue();
    return true;
  }
  if (auto op = tile.getDefiningOp<arith::AddIOp>())
    return add(op.getLhs(), factor) && add(op.getRhs(), factor);
  if (auto op = tile.getDefiningOp<arith::SubIOp>())
    return add(op.getLhs(), factor) && add(op.getRhs(), -factor);
  return false;
}

int64_t PositionSum::ofRegister(RankedTensorType tile, int64_t i) const {
  ::smx::gpu::Coordinate at = gpu::getElement(tile, 0, i);
  return factors[0] * at.row + factors[1] * at.column;
}

bool PositionSum::fitsWord() const {
  constexpr int64_t large = 1 << 29;
  auto isPlain = [](int64_t factor) { return std::abs(factor) <= 1; };
  return std::abs(constant) < large && llvm::all_of(factors, isPlain) &&
         llvm::all_of(llvm::make_first_range(shared), isPlain) &&
         isPlain(rows.first);
}

int64_t PositionSum::mostOfPositions(RankedTensorType tile) const {
  int64_t most = 0;
  for (auto [factor, extent] : llvm::zip(factors, tile.getShape()))
    most += std::abs(factor) * extent;
  return most;
}

std::optional<int64_t> PositionSum::slidesOfRows() const {
  gpu::BroadcastOp op = rows.second;
  auto slide =
      op ? op.getValues().getDefiningOp<gpu::SlideOp>() : gpu::SlideOp();
  return slide ? std::optional(slide.getUnit()) : std::nullopt;
}

SmallVector<int64_t> PositionSum::knownOfTile(int64_t blocks) const {
  SmallVector<int64_t> known;
  std::optional<int64_t> slides = slidesOfRows();
  if (rows.second && !slides)
    return known;
  for (int64_t rank : llvm::seq(blocks)) {
    int64_t sum = constant;
    for (auto [factor, value] : shared) {
      std::optional<int64_t> term = gpu::valueInBlock(value, rank);
      if (!term)
        return {};
      sum += factor * *term;
    }
    for (int64_t slide : llvm::seq(slides.value_or(1)))
      known.push_back(sum + rows.first * slide);
  }
  llvm::sort(known);
  known.erase(llvm::unique(known), known.end());
  return known;
}

SmallVector<int64_t>
PositionSum::ofFirstRegisters(RankedTensorType tile) const {
  SmallVector<int64_t> sums;
  for (int64_t thread : llvm::seq(gpu::getLayout(tile).getThreads())) {
    ::smx::gpu::Coordinate at = gpu::getElement(tile, thread, 0);
    sums.push_back(factors[0] * at.row + factors[1] * at.column);
  }
  llvm::sort(sums);
  sums.erase(llvm::unique(sums), sums.end());
  return sums;
}

/// `sum` and `factor * value`, of the type of `sum`; `sum` may be null.
static Value addMultiple(ThreadCode &code, Value sum, int64_t factor,
                         Value value) {
  Type type = value.getType();
  Value multiple = code.mul(
      value,
      LLVM::ConstantOp::create(code, type, code.getIntegerAttr(type, factor)));
  return sum ? code.add(sum, multiple) : multiple;
}

Value PositionSum::ofFirstRegister(ThreadCode &code,
                                   RankedTensorType tile) const {
  ThreadCoordinate at = code.threadPart(tile);
  Value sum;
  for (auto [factor, place] :
       {std::pair(factors[0], at.row), {factors[1], at.column}})
    if (factor)
      sum = addMultiple(code, sum, factor, place);
  return sum ? sum : code.i32(0);
}

Value PositionSum::ofTile(ThreadCode &code,
                          ConversionPatternRewriter &rewriter) const {
  Value sum = code.i64(constant);
  for (auto [factor, value] : shared)
    sum = addMultiple(code, sum, factor, rewriter.getRemappedValue(value));
  return sum;
}

SmallVector<Value>
PositionSum::ofRows(ThreadCode &code, RankedTensorType tile,
                    ConversionPatternRewriter &rewriter,
                    llvm::function_ref<Value(Value)> make) const {
  auto [factor, op] = rows;
  if (!op)
    return {};
  SmallVector<Value> values =
      valuesOfRegisters(code, op.getValues().getType(),
                        rewriter.getRemappedValue(op.getValues()), tile);
  // Registers of a row have one value.
  llvm::SmallDenseMap<Value, Value> made;
  for (Value &value : values) {
    Value &ofRow = made[value];
    if (!ofRow)
      ofRow = make(addMultiple(code, Value(), factor, value));
    value = ofRow;
  }
  return values;
}

Value PositionSum::ofThread(ThreadCode &code, RankedTensorType tile,
                            ConversionPatternRewriter &rewriter) const {
  Value first = LLVM::SExtOp::create(code, code.getI64Type(),
                                     ofFirstRegister(code, tile));
  return code.add(first, ofTile(code, rewriter));
}
