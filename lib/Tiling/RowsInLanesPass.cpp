//===- RowsInLanesPass.cpp - the CPU layout of attention tiles ------------===//

#include "smx/IR/Smx.h"
#include "smx/Tiling/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/IRMapping.h"
#include "llvm/ADT/SetVector.h"

namespace mlir::smx {
#define GEN_PASS_DEF_ROWSINLANESPASS
#include "smx/Tiling/Passes.h.inc"
} // namespace mlir::smx

using namespace mlir;
using namespace mlir::smx;

/// `map` with its last two results exchanged.
static AffineMap withLastTwoSwapped(AffineMap map) {
  SmallVector<AffineExpr> exprs(map.getResults());
  std::swap(exprs[exprs.size() - 1], exprs[exprs.size() - 2]);
  return AffineMap::get(map.getNumDims(), 0, exprs, map.getContext());
}

static RankedTensorType withLastTwoSwapped(RankedTensorType type) {
  SmallVector<int64_t> shape(type.getShape());
  std::swap(shape[shape.size() - 1], shape[shape.size() - 2]);
  return RankedTensorType::get(shape, type.getElementType());
}

/// `tensor` with elements as wide as `wide`, unless they are no narrower
/// floats; its last two dimensions exchanged if `transposes`.
static Value relaid(OpBuilder &builder, Value tensor, Type wide,
                    bool transposes) {
  auto type = cast<RankedTensorType>(tensor.getType());
  Type elementType = type.getElementType();
  if (isa<FloatType>(elementType) &&
      elementType.getIntOrFloatBitWidth() < wide.getIntOrFloatBitWidth())
    elementType = wide;
  if (type.getElementType() == elementType && !transposes)
    return tensor;
  Location loc =
      NameLoc::get(builder.getStringAttr(transposes ? "transpose" : "widen"),
                   tensor.getLoc());
  SmallVector<OpFoldResult> sizes = tensor::getMixedSizes(builder, loc, tensor);
  AffineMap in = builder.getMultiDimIdentityMap(type.getRank()), out = in;
  if (transposes) {
    std::swap(sizes[sizes.size() - 1], sizes[sizes.size() - 2]);
    in = withLastTwoSwapped(in);
  }
  Value empty = tensor::EmptyOp::create(builder, loc, sizes, elementType);
  SmallVector<utils::IteratorType> iterators(type.getRank(),
                                             utils::IteratorType::parallel);
  return linalg::GenericOp::create(
             builder, loc, empty.getType(), tensor, empty,
             ArrayRef<AffineMap>{in, out}, iterators,
             [&](OpBuilder &b, Location loc, ValueRange args) {
               Value x = args[0];
               if (x.getType() != elementType)
                 x = arith::ExtFOp::create(b, loc, elementType, x);
               linalg::YieldOp::create(b, loc, x);
             })
      .getResult(0);
}

namespace {
/// The producers of scores, rebuilt with the last two dimensions of their
/// results exchanged.
class TransposedScores {
public:
  explicit TransposedScores(OpBuilder &builder) : builder(builder) {}

  /// Null if `scores` has a producer that can not be rebuilt, or other users.
  Value rebuild(Value scores) {
    Operation *op = scores.getDefiningOp();
    if (!op || !llvm::all_of(op->getUsers(), [&](Operation *user) {
          return user == *op->getUsers().begin() || isa<tensor::DimOp>(user);
        }))
      return {};
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPoint(op);
    if (auto mask = dyn_cast<MaskOp>(op))
      return rebuildMask(mask);
    if (auto generic = dyn_cast<linalg::GenericOp>(op))
      return rebuildGeneric(generic);
    return {};
  }

private:
  Value rebuildMask(MaskOp mask) {
    Value input = rebuild(mask.getInput());
    int64_t rank = mask.getInput().getType().getRank();
    if (!input)
      return {};
    auto swapped = [&](int64_t dim) {
      return dim == rank - 1 ? rank - 2 : dim == rank - 2 ? rank - 1 : dim;
    };
    return MaskOp::create(builder, mask.getLoc(), input.getType(), input,
                          mask.getMask(), swapped(mask.getRowDim()),
                          swapped(mask.getKeyDim()), mask.getFirstRow(),
                          mask.getFirstKey(), mask.getRows(), mask.getKeys(),
                          mask.getData());
  }

  Value rebuildGeneric(linalg::GenericOp op) {
    if (op.getNumResults() != 1)
      return {};
    auto type = cast<RankedTensorType>(op.getResult(0).getType());
    SmallVector<AffineMap> maps = op.getIndexingMapsArray();
    SmallVector<Value> inputs(op.getInputs());
    unsigned numLoops = op.getNumLoops();
    bool isProduct = op.getNumReductionLoops() == 1;
    if (isProduct) {
      // Rows are the lanes: the operand that has them is wanted with its rows
      // fastest.
      AffineExpr row = maps.back().getResult(type.getRank() - 2);
      AffineExpr inner = builder.getAffineDimExpr(numLoops - 1);
      for (auto [index, input] : llvm::enumerate(inputs)) {
        ArrayRef<AffineExpr> exprs = maps[index].getResults();
        bool hasRowsAndInner = exprs.size() >= 2 && exprs.back() == inner &&
                               exprs[exprs.size() - 2] == row;
        Type element = isExtended(op, index) ? type.getElementType()
                                             : getElementTypeOrSelf(input);
        input = relaid(builder, input, element, hasRowsAndInner);
        if (hasRowsAndInner)
          maps[index] = withLastTwoSwapped(maps[index]);
      }
    } else {
      for (auto [index, input] : llvm::enumerate(inputs))
        if (maps[index] == maps.back())
          if (Value rebuilt = rebuild(input)) {
            input = rebuilt;
            maps[index] = withLastTwoSwapped(maps[index]);
          }
    }
    maps.back() = withLastTwoSwapped(maps.back());
    Value output = rebuildOutput(op.getOutputs()[0], type);
    if (!output)
      return {};
    auto rebuilt = linalg::GenericOp::create(builder, op.getLoc(),
                                             output.getType(), inputs, output,
                                             maps, op.getIteratorTypesArray());
    rebuilt->setDiscardableAttrs(op->getDiscardableAttrDictionary());
    IRMapping mapping;
    op.getRegion().cloneInto(&rebuilt.getRegion(), mapping);
    if (isProduct)
      dropExtensions(rebuilt);
    return rebuilt.getResult(0);
  }

  /// True if the body does nothing with input `index` but extend it to the type
  /// of the result.
  static bool isExtended(linalg::GenericOp op, unsigned index) {
    Type wide = getElementTypeOrSelf(op.getResult(0).getType());
    BlockArgument argument = op.getRegion().front().getArgument(index);
    return llvm::all_of(argument.getUsers(), [&](Operation *user) {
      return isa<arith::ExtFOp>(user) && user->getResult(0).getType() == wide;
    });
  }

  /// Operands that are wide already: the body sees them as such.
  static void dropExtensions(linalg::GenericOp op) {
    Block &body = op.getRegion().front();
    for (auto [argument, operand] :
         llvm::zip(body.getArguments(), op->getOperands()))
      argument.setType(getElementTypeOrSelf(operand.getType()));
    for (Operation &inner : llvm::make_early_inc_range(body))
      if (auto extension = dyn_cast<arith::ExtFOp>(inner);
          extension && extension.getIn().getType() == extension.getType()) {
        extension.replaceAllUsesWith(extension.getIn());
        extension.erase();
      }
  }

  Value rebuildOutput(Value output, RankedTensorType type) {
    Location loc = output.getLoc();
    SmallVector<OpFoldResult> sizes =
        tensor::getMixedSizes(builder, loc, output);
    std::swap(sizes[sizes.size() - 1], sizes[sizes.size() - 2]);
    Value empty =
        tensor::EmptyOp::create(builder, loc, sizes, type.getElementType());
    if (output.getDefiningOp<tensor::EmptyOp>())
      return empty;
    if (auto fill = output.getDefiningOp<linalg::FillOp>())
      return linalg::FillOp::create(builder, loc, fill.value(), empty)
          .getResult(0);
    return {};
  }

  OpBuilder &builder;
};

struct RowsInLanesPass : mlir::smx::impl::RowsInLanesPassBase<RowsInLanesPass> {
  void runOnOperation() override {
    SmallVector<UpdateOp> updates;
    getOperation()->walk([&](UpdateOp op) {
      if (op.getStates().size() == 3 && op.getInputs().size() == 2 &&
          op.getStates()[0].getDefiningOp<IdentityOp>())
        updates.push_back(op);
    });
    for (UpdateOp op : updates)
      relay(op);
  }

  /// Changes the layout of one update, of the identity it starts from and of
  /// its finishes.
  static void relay(UpdateOp op) {
    SmallVector<AffineMap> maps = op.getOperandMaps();
    unsigned rows = maps[0].getNumResults();
    if (rows == 0 || maps[2].getNumResults() != rows + 1 ||
        maps[3].getNumResults() < 2 ||
        maps[3].getResult(rows) != getAffineDimExpr(rows, op.getContext()) ||
        !llvm::all_of(op->getUsers(),
                      [](Operation *user) { return isa<FinishOp>(user); }))
      return;
    OpBuilder builder(op);
    Value scores = TransposedScores(builder).rebuild(op.getInputs()[0]);
    if (!scores)
      return;
    maps[3] = withLastTwoSwapped(maps[3]);
    maps[2] = withLastTwoSwapped(maps[2]);
    Type wide = getElementTypeOrSelf(scores.getType());
    Value values = relaid(builder, op.getInputs()[1], wide, false);

    // The accumulator is [.., column, row] from its identity on.
    auto identity = op.getStates()[0].getDefiningOp<IdentityOp>();
    SmallVector<Type> types(identity.getResultTypes());
    SmallVector<Value> extents(identity.getExtents());
    auto accumulator = cast<RankedTensorType>(types[2]);
    if (accumulator.isDynamicDim(accumulator.getRank() - 1) &&
        accumulator.isDynamicDim(accumulator.getRank() - 2))
      std::swap(extents[extents.size() - 1], extents[extents.size() - 2]);
    types[2] = withLastTwoSwapped(accumulator);
    auto start = IdentityOp::create(builder, op.getLoc(), types,
                                    identity.getAlgebra(), extents);
    auto update = UpdateOp::create(
        builder, op.getLoc(), start.getResultTypes(), op.getAlgebra(),
        start.getResults(), ValueRange{scores, values},
        builder.getAffineMapArrayAttr(maps), op.getMasked());
    // A finish reads several components: it is a user more than once.
    llvm::SetVector<Operation *> users(op->user_begin(), op->user_end());
    for (Operation *user : users) {
      auto finish = cast<FinishOp>(user);
      SmallVector<AffineMap> finishMaps = finish.getOperandMaps();
      finishMaps[2] = maps[2];
      finish.setMapsAttr(builder.getAffineMapArrayAttr(finishMaps));
      finish.getStatesMutable().assign(update.getResults());
    }
    op.erase();
  }
};
} // namespace
