//===- SlidRowsPass.cpp - rows slid to where accesses start ---------------===//

#include "ColumnOrder.h"
#include "smx/GPU/ClusterValues.h"
#include "smx/GPU/Passes.h"
#include "smx/GPU/SmxGpu.h"
#include "smx/IR/ElementBits.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/Remarks.h"
#include "llvm/ADT/TypeSwitch.h"

namespace mlir::smx::gpu {
#define GEN_PASS_DEF_SLIDROWSPASS
#include "smx/GPU/Passes.h.inc"
} // namespace mlir::smx::gpu

using namespace mlir;
using namespace mlir::smx::gpu;
using mlir::smx::elementBytes;
using ::smx::gpu::accessBytes;

static bool isLimitBelow(arith::CmpIPredicate predicate) {
  return predicate == arith::CmpIPredicate::slt ||
         predicate == arith::CmpIPredicate::sle;
}
static bool isLimitAbove(arith::CmpIPredicate predicate) {
  return predicate == arith::CmpIPredicate::sgt ||
         predicate == arith::CmpIPredicate::sge;
}

namespace {
/// A comparison of columns with something else.
struct Comparison {
  arith::CmpIOp op;
  /// It holds for columns below, or at, some place; otherwise for those above.
  bool isTrueForFew;
};

/// The tiles of a kernel that hold the rows of one load.
class Rows {
public:
  explicit Rows(KernelOp kernel) : kernel(kernel) {}

  /// False, and nothing has changed, if rows cannot be slid.
  bool find();
  int64_t slide();

private:
  bool isTile(Type type) const;
  bool isSlidable(Operation *op);
  template <typename OpTy>
  bool add(OpTy access, MemRefType memory);
  /// Follows what is computed of columns to where it is compared.
  bool addComparisons(Value columns, bool isNegated);
  /// The op comes after the anchor.
  bool isBehind(Operation *op) const;
  /// There is room for the slide behind the row.
  bool hasRoom();
  Value makeSlide(OpBuilder &builder);
  void slidePosition(PositionOp position, Value slide);
  void slideComparison(const Comparison &comparison, Value slide);

  /// Bytes of what a thread takes of a row at a time, multiples of which rows
  /// are slid to.
  int64_t unitBytes() const { return layout.getVector() * elementBytes(type); }
  /// What is written of it is a whole access, if what is read is none.
  bool hasWholeAccesses();

  KernelOp kernel;
  LoadOp anchor;
  RankedTensorType type;
  StripedAttr layout;
  /// The columns that each access starts with, and how many are valid from
  /// there on (negative: the row ends before).
  Value column, valid;
  SmallVector<Operation *> accesses;
  SmallVector<PositionOp> positions;
  SmallVector<Comparison> comparisons;
};
} // namespace

/// The number that a count of places was before it was cut off at 0.
static Value withoutLimit(Value count) {
  auto limit = count.getDefiningOp<arith::MaxSIOp>();
  return limit && matchPattern(limit.getRhs(), m_Zero()) ? limit.getLhs()
                                                         : count;
}

/// The row, or the parts of warps.
bool Rows::isTile(Type other) const {
  auto tile = dyn_cast<RankedTensorType>(other);
  return tile && getLayout(tile) &&
         tile.getNumElements() == type.getNumElements();
}

bool Rows::isBehind(Operation *op) const {
  Operation *ancestor = anchor->getBlock()->findAncestorOpInBlock(*op);
  return ancestor && !ancestor->isBeforeInBlock(anchor);
}

template <typename OpTy>
bool Rows::add(OpTy access, MemRefType memory) {
  int64_t along = access.getDims()[1], offset = 0;
  SmallVector<int64_t> strides;
  if (access.getTile().getType() != type.clone(memory.getElementType()) ||
      !isBehind(access) || access.getSlide() || access.getValid().empty() ||
      along < 0 || failed(memory.getStridesAndOffset(strides, offset)) ||
      strides[along] != 1 || access.getOffsets()[along] != column ||
      withoutLimit(access.getValid()[1]) != valid)
    return false;
  accesses.push_back(access);
  return true;
}

bool Rows::addComparisons(Value columns, bool isNegated) {
  return llvm::all_of(columns.getUses(), [&](OpOperand &use) {
    Operation *user = use.getOwner();
    bool isRight = use.getOperandNumber() == 1;
    if (isa<arith::AddIOp, arith::IndexCastOp>(user))
      return addComparisons(user->getResult(0), isNegated);
    if (isa<arith::SubIOp>(user))
      return addComparisons(user->getResult(0), isNegated != isRight);
    auto compare = dyn_cast<arith::CmpIOp>(user);
    if (!compare)
      return false;
    arith::CmpIPredicate predicate = compare.getPredicate();
    bool isEqual = predicate == arith::CmpIPredicate::eq,
         isUnequal = predicate == arith::CmpIPredicate::ne,
         isBelow = isLimitBelow(predicate), isAbove = isLimitAbove(predicate);
    // Columns on both sides are none in the end, or twice as many.
    if ((!isEqual && !isUnequal && !isBelow && !isAbove) ||
        llvm::any_of(comparisons, [&](const Comparison &other) {
          return other.op == compare;
        }))
      return false;
    comparisons.push_back(
        {compare,
         isEqual || (!isUnequal && isBelow == (isNegated == isRight))});
    return true;
  });
}

/// Ops whose results do not depend on where in a row its elements are, or that
/// can be told.
bool Rows::isSlidable(Operation *op) {
  if (llvm::none_of(op->getOperandTypes(),
                    [&](Type operand) { return isTile(operand); }) &&
      llvm::none_of(op->getResultTypes(),
                    [&](Type result) { return isTile(result); }))
    return true;
  if (auto load = dyn_cast<LoadOp>(op))
    return !load.getAgain() && add(load, load.getSource().getType());
  if (auto store = dyn_cast<StoreOp>(op))
    return add(store, store.getDestination().getType());
  if (auto position = dyn_cast<PositionOp>(op)) {
    positions.push_back(position);
    return isBehind(position) && position.getDim() == 1 &&
           position.getTile().getType() ==
               type.clone(IndexType::get(op->getContext())) &&
           addComparisons(position.getTile(), /*isNegated=*/false);
  }
  return isa<PartsOp, PartialReduceOp>(op) || treatsColumnsAlike(op);
}

/// Blocks that each have a tile of a row, the one after the other: of
///   column = (block % tiles) columns,   valid = min(extent - column, columns)
/// the extent, if all of the row is in those tiles.
static std::optional<int64_t> extentOfTiles(Value column, Value valid,
                                            int64_t columns) {
  auto product = column.getDefiningOp<arith::MulIOp>();
  auto least = valid.getDefiningOp<affine::AffineMinOp>();
  APInt factor;
  if (!product || !matchPattern(product.getRhs(), m_ConstantInt(&factor)) ||
      factor != columns || !least || least.getOperands().size() != 1 ||
      least.getOperands()[0] != column)
    return std::nullopt;
  std::optional<int64_t> extent;
  for (AffineExpr bound : least.getMap().getResults()) {
    AffineExpr rest =
        simplifyAffineExpr(bound + getAffineSymbolExpr(0, bound.getContext()),
                           /*numDims=*/0, /*numSymbols=*/1);
    if (auto whole = dyn_cast<AffineConstantExpr>(rest); whole && !extent)
      extent = whole.getValue();
    else if (bound != getAffineConstantExpr(columns, bound.getContext()))
      return std::nullopt;
  }
  auto tile = product.getLhs().getDefiningOp<arith::RemUIOp>();
  APInt tiles;
  if (!extent || !tile ||
      !tile.getLhs().getDefiningOp<::mlir::gpu::BlockIdOp>() ||
      !matchPattern(tile.getRhs(), m_ConstantInt(&tiles)) ||
      tiles != llvm::divideCeil(*extent, columns))
    return std::nullopt;
  return extent;
}

bool Rows::hasRoom() {
  const int64_t columns = type.getDimSize(1), blocks = kernel.getCluster();
  if (std::optional<int64_t> extent = extentOfTiles(column, valid, columns))
    return *extent + layout.getVector() - 1 <=
           int64_t(llvm::alignTo(*extent, columns));
  APInt first;
  if (matchPattern(column, m_ConstantInt(&first)) && first.isZero()) {
    APInt count;
    return matchPattern(valid, m_ConstantInt(&count)) &&
           count.getSExtValue() + layout.getVector() - 1 <= columns;
  }
  // Of a row that blocks share, the last one has the end.
  std::optional<int64_t> end;
  for (int64_t rank : llvm::seq(blocks)) {
    std::optional<int64_t> start = valueInBlock(column, rank),
                           left = valueInBlock(valid, rank);
    if (start != rank * columns || !left || (end && *end != *start + *left))
      return false;
    end = *start + *left;
  }
  return *end + layout.getVector() - 1 <= blocks * columns;
}

bool Rows::hasWholeAccesses() {
  if (unitBytes() == accessBytes)
    return true;
  return llvm::any_of(
      kernel.getBody().front().getOps<StoreOp>(), [&](StoreOp store) {
        auto tile = cast<RankedTensorType>(store.getTile().getType());
        return getLayout(tile) == layout &&
               layout.getVector() * elementBytes(tile) == accessBytes;
      });
}

bool Rows::find() {
  // One row, of which as many elements as a thread takes at a time are an
  // access, where they are read or where wider ones are written. In tiles of
  // several short ones too many lanes have an edge: of 65 elements log-sum-exp
  // would be 1.4 times slower.
  for (LoadOp load : kernel.getBody().front().getOps<LoadOp>()) {
    type = load.getTile().getType();
    layout = dyn_cast_or_null<StripedAttr>(getLayout(type));
    if (layout && layout.getRowThreads() == 1 && type.getDimSize(0) == 1 &&
        !load.getValid().empty() && load.getDims()[1] >= 0 &&
        static_cast<int64_t>(load.getAligned()) < accessBytes &&
        !type.getElementType().isIndex() && hasWholeAccesses()) {
      anchor = load;
      break;
    }
  }
  if (!anchor)
    return false;
  column = anchor.getOffsets()[anchor.getDims()[1]];
  valid = withoutLimit(anchor.getValid()[1]);
  return hasRoom() && !kernel
                           .walk([&](Operation *op) {
                             return isSlidable(op) ? WalkResult::advance()
                                                   : WalkResult::interrupt();
                           })
                           .wasInterrupted();
}

Value Rows::makeSlide(OpBuilder &builder) {
  Location loc = anchor.getLoc();
  SmallVector<Value> offsets(anchor.getOffsets());
  offsets[anchor.getDims()[1]] =
      arith::ConstantIndexOp::create(builder, loc, 0);
  auto rows = RankedTensorType::get(
      {1}, builder.getIndexType(),
      SliceAttr::get(builder.getContext(), /*dim=*/1, layout));
  return SlideOp::create(builder, loc, rows, anchor.getSource(), offsets,
                         anchor.getDims());
}

/// Columns of the row (from the tile's first one on) where `position` has those
/// of the tile.
static arith::SubIOp slidPlaces(ImplicitLocOpBuilder &builder, Value position,
                                Value slide) {
  Value back = BroadcastOp::create(builder, position.getType(), slide);
  return arith::SubIOp::create(builder, position, back);
}

void Rows::slidePosition(PositionOp position, Value slide) {
  ImplicitLocOpBuilder builder(position.getLoc(), position);
  builder.setInsertionPointAfter(position);
  arith::SubIOp slid = slidPlaces(builder, position.getTile(), slide);
  position.getTile().replaceAllUsesExcept(slid, slid);
}

/// Columns before the row's first one are not smaller than anything.
void Rows::slideComparison(const Comparison &comparison, Value slide) {
  arith::CmpIOp compare = comparison.op;
  ImplicitLocOpBuilder builder(compare.getLoc(), compare);
  RankedTensorType places = type.clone(builder.getIndexType());
  Value position = PositionOp::create(builder, places, /*dim=*/1);
  Value first = tensor::SplatOp::create(builder, column, places);
  Value place = arith::AddIOp::create(
      builder, slidPlaces(builder, position, slide), first);
  Value zero = arith::ConstantOp::create(
      builder, DenseElementsAttr::get(places, builder.getIndexAttr(0)));
  Value isBefore =
      arith::CmpIOp::create(builder,
                            comparison.isTrueForFew ? arith::CmpIPredicate::sge
                                                    : arith::CmpIPredicate::slt,
                            place, zero);
  builder.setInsertionPointAfter(compare);
  Operation *both =
      comparison.isTrueForFew
          ? arith::AndIOp::create(builder, compare, isBefore).getOperation()
          : arith::OrIOp::create(builder, compare, isBefore).getOperation();
  compare.getResult().replaceAllUsesExcept(both->getResult(0), both);
}

int64_t Rows::slide() {
  OpBuilder builder(anchor);
  Value slide = makeSlide(builder);
  for (PositionOp position : positions)
    slidePosition(position, slide);
  for (const Comparison &comparison : comparisons)
    slideComparison(comparison, slide);
  for (Operation *op : accesses)
    llvm::TypeSwitch<Operation *>(op).Case<LoadOp, StoreOp>([&](auto access) {
      access.getSlideMutable().assign(slide);
      access.getValidMutable()[1].set(valid);
      // What other memory has in common with the anchor's is seen when it runs.
      access.setAligned(access == anchor ? unitBytes() : 0);
    });
  return accesses.size();
}

namespace {
struct SlidRowsPass : mlir::smx::gpu::impl::SlidRowsPassBase<SlidRowsPass> {
  using SlidRowsPassBase::SlidRowsPassBase;

  void runOnOperation() override {
    KernelOp kernel = getOperation();
    Rows rows(kernel);
    if (!rows.find())
      return;
    remark::passed(
        kernel.getLoc(),
        remark::RemarkOpts::name("SlidRows").category("smx-gpu-slid-rows"))
        << "rows are held from the place before them on at which accesses may "
           "start: "
        << remark::metric("tiles", rows.slide());
  }
};
} // namespace
