//===- PositionTable.cpp - integers that one position decides -------------===//
//
// Front ends spell a floor division by signs and remainders. Instead of proving
// such spellings, what an expression of one position is at each place of it is
// computed, and read as steps.
//
//===----------------------------------------------------------------------===//

#include "Element.h"

#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/InferIntRangeInterface.h"

using namespace mlir;
using namespace mlir::smx;

/// Positions beyond this are not tried one by one.
constexpr int64_t mostPlaces = 1 << 16;
/// Operations of an expression that is tried.
constexpr unsigned mostSteps = 64;

namespace {
/// The operations of an expression, each after those that it reads.
class PositionProgram {
public:
  explicit PositionProgram(ElementReader &reader) : reader(reader) {}
  /// Adds what `e` is computed of. False if it reads more than constants and
  /// one position.
  bool build(const Element &e) { return add(e) && position; }
  unsigned getPosition() const { return *position; }
  /// The value of the last operation where the position is `place`.
  std::optional<int64_t> evaluate(int64_t place);

private:
  struct Step {
    Element element;
    /// Numbers, one or those of a table that `index` looks up, or else an
    /// operation. Without either, `index` is the value.
    DenseIntElementsAttr table;
    AffineMap index;
    InferIntRangeInterface op;
    SmallVector<unsigned> operands;
  };

  std::optional<unsigned> add(Element e);
  bool addLeaf(Step &step);
  bool readPositions(Step &step, ArrayRef<AffineExpr> at);

  ElementReader &reader;
  std::optional<unsigned> position;
  SmallVector<Step> steps;
};
} // namespace

bool PositionProgram::readPositions(Step &step, ArrayRef<AffineExpr> at) {
  const Positions &positions = reader.getPositions();
  for (AffineExpr expr : at)
    for (unsigned n = 0; n < positions.size(); ++n) {
      if (!expr.isFunctionOfDim(n))
        continue;
      if (position.value_or(n) != n)
        return false;
      position = n;
    }
  step.index = AffineMap::get(positions.size(), 0, at, positions.getContext());
  return true;
}

bool PositionProgram::addLeaf(Step &step) {
  const Element &e = step.element;
  if (TypedAttr number = reader.literal(e)) {
    auto integer = dyn_cast<IntegerAttr>(number);
    if (!integer)
      return false;
    step.table = DenseIntElementsAttr::get(
        RankedTensorType::get({}, integer.getType()), integer.getValue());
    step.index = AffineMap::get(reader.getPositions().getContext());
    return true;
  }
  Operation *op = reader.arithmetic(e);
  if (auto index = dyn_cast_or_null<linalg::IndexOp>(op))
    return readPositions(step, e.at[index.getDim()]);
  return e.isTensor() && matchPattern(e.value, m_Constant(&step.table)) &&
         readPositions(step, e.at);
}

std::optional<unsigned> PositionProgram::add(Element e) {
  e = reader.peel(e);
  for (auto [n, step] : llvm::enumerate(steps))
    if (step.element == e)
      return n;
  if (!e.getType().isIntOrIndex() || steps.size() >= mostSteps)
    return std::nullopt;
  Step step{e, {}, {}, {}, {}};
  if (!addLeaf(step)) {
    Operation *op = reader.arithmetic(e);
    step.op = dyn_cast_or_null<InferIntRangeInterface>(op);
    if (!step.op)
      return std::nullopt;
    for (unsigned n = 0; n < op->getNumOperands(); ++n) {
      std::optional<unsigned> operand = add(reader.operand(e, n));
      if (!operand)
        return std::nullopt;
      step.operands.push_back(*operand);
    }
  }
  steps.push_back(std::move(step));
  return steps.size() - 1;
}

std::optional<int64_t> PositionProgram::evaluate(int64_t place) {
  SmallVector<int64_t> point(reader.getPositions().size(), 0);
  point[*position] = place;
  SmallVector<ConstantIntRanges> values;
  for (Step &step : steps) {
    unsigned width =
        ConstantIntRanges::getStorageBitwidth(step.element.getType());
    if (step.table) {
      int64_t at = 0;
      for (auto [index, extent] : llvm::zip_equal(
               step.index.compose(point), step.table.getType().getShape())) {
        if (index < 0 || index >= extent)
          return std::nullopt;
        at = at * extent + index;
      }
      values.push_back(
          ConstantIntRanges::constant(step.table.getValues<APInt>()[at]));
      continue;
    }
    if (step.index) {
      int64_t index = step.index.compose(point).front();
      if (!llvm::isIntN(width, index))
        return std::nullopt;
      values.push_back(
          ConstantIntRanges::constant(APInt(width, index, /*isSigned=*/true)));
      continue;
    }
    SmallVector<ConstantIntRanges> operands;
    for (unsigned n : step.operands)
      operands.push_back(values[n]);
    std::optional<ConstantIntRanges> result;
    step.op.inferResultRanges(
        operands,
        [&](Value, const ConstantIntRanges &range) { result = range; });
    // Of numbers a number, but where an operation has none (a division by 0).
    if (!result || !result->getConstantValue())
      return std::nullopt;
    values.push_back(*result);
  }
  return values.back().getConstantValue()->getSExtValue();
}

/// Reads the values of a position at 0, 1, .. as `height` times
/// floor((position + shift) / size), and a number.
AffineExpr ElementReader::readSteps(const Element &e) {
  PositionProgram program(*this);
  if (!program.build(e))
    return {};
  AffineExpr position = positions.get(program.getPosition());
  int64_t extent = positions.extent(program.getPosition());
  if (ShapedType::isDynamic(extent) || extent > mostPlaces)
    return {};
  SmallVector<int64_t> values, rises;
  for (int64_t place = 0; place < extent; ++place) {
    std::optional<int64_t> value = program.evaluate(place);
    if (!value || std::abs(*value) > maxExactInteger)
      return {};
    values.push_back(*value);
    if (place == 0 || *value == values[place - 1])
      continue;
    rises.push_back(place);
    // Steps are even: nothing that is not will be so further on.
    if (rises.size() > 2 && rises[rises.size() - 1] - rises[rises.size() - 2] !=
                                rises[1] - rises[0])
      return {};
    if (*value - values[place - 1] != values[rises[0]] - values[0])
      return {};
  }
  if (values.empty())
    return {};
  if (rises.empty())
    return positions.constant(values[0]);
  int64_t height = values[rises[0]] - values[0];
  // Of one rise alone, the steps are as long as the longer side.
  int64_t size = rises.size() > 1 ? rises[1] - rises[0]
                                  : std::max(rises[0], extent - rises[0]);
  int64_t shift = size - rises[0];
  if (shift < 0 || extent - rises.back() > size)
    return {};
  return positions.simplify((position + shift).floorDiv(size) * height +
                            values[0]);
}
