//===- CarriedSums.cpp - sums that loops carry ----------------------------===//

#include "CarriedSums.h"

#include "smx/IR/Smx.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace mlir::smx;

namespace {
/// Replaces sums of one type by those of another, along chains of loops.
class CarriedSums {
public:
  void visit(scf::ForOp loop);

private:
  /// A sum that a loop starts from: nothing, which `identity` gives, or what
  /// another loop carried.
  struct Start {
    IdentityOp identity;
    unsigned component;
    /// In f64; null where it is nothing.
    Value wide;
  };
  std::optional<Start> startOf(Value init) const;
  void carry(scf::ForOp loop, UpdateOp update, unsigned component,
             unsigned number);
  void narrowForOthers(OpBuilder &builder, Value wide, Start start,
                       Operation *reader);

  /// What was rounded, by what it was rounded to.
  llvm::DenseMap<Value, Start> rounded;
};
} // namespace

/// An uninitialised tensor of the shape of a component of `identity`, whose
/// extents are known from outside of all loops.
static Value emptyLike(OpBuilder &builder, IdentityOp identity,
                       unsigned component, Type element) {
  ValueRange extents = identity.getExtents();
  for (unsigned i = 0; i < component; ++i)
    extents = extents.drop_front(
        cast<RankedTensorType>(identity.getResult(i).getType())
            .getNumDynamicDims());
  auto type = cast<RankedTensorType>(identity.getResult(component).getType());
  return tensor::EmptyOp::create(builder, identity.getLoc(), type.getShape(),
                                 element,
                                 extents.take_front(type.getNumDynamicDims()));
}

std::optional<CarriedSums::Start> CarriedSums::startOf(Value init) const {
  if (auto identity = init.getDefiningOp<IdentityOp>())
    return Start{identity, cast<OpResult>(init).getResultNumber(), Value()};
  auto known = rounded.find(init);
  if (known == rounded.end())
    return std::nullopt;
  return known->second;
}

/// The number among a loop's arguments of the one that `update` adds to and the
/// loop carries on.
static std::optional<unsigned> argumentOf(scf::ForOp loop, UpdateOp update,
                                          unsigned component) {
  auto argument = dyn_cast<BlockArgument>(update.getStates()[component]);
  if (!argument || argument.getOwner() != loop.getBody())
    return std::nullopt;
  unsigned number = argument.getArgNumber() - loop.getNumInductionVars();
  if (loop.getYieldedValues()[number] != update.getResult(component))
    return std::nullopt;
  return number;
}

/// Whoever reads `wide`, but for `reader`, gets it as it was.
void CarriedSums::narrowForOthers(OpBuilder &builder, Value wide, Start start,
                                  Operation *reader) {
  if (llvm::all_of(wide.getUsers(),
                   [&](Operation *user) { return user == reader; }))
    return;
  Location loc = wide.getLoc();
  Type narrow =
      getElementTypeOrSelf(start.identity.getResult(start.component).getType());
  auto type = cast<RankedTensorType>(wide.getType());
  Value empty = emptyLike(builder, start.identity, start.component, narrow);
  SmallVector<AffineMap> maps(2,
                              builder.getMultiDimIdentityMap(type.getRank()));
  SmallVector<utils::IteratorType> iterators(type.getRank(),
                                             utils::IteratorType::parallel);
  auto op = linalg::GenericOp::create(
      builder, loc, empty.getType(), wide, empty, maps, iterators,
      [&](OpBuilder &b, Location loc, ValueRange values) {
        linalg::YieldOp::create(
            b, loc,
            arith::TruncFOp::create(b, loc, narrow, values[0]).getResult());
      });
  llvm::SmallPtrSet<Operation *, 2> readers{reader, op};
  wide.replaceAllUsesExcept(op.getResult(0), readers);
  rounded[op.getResult(0)] = {start.identity, start.component, wide};
}

void CarriedSums::carry(scf::ForOp loop, UpdateOp update, unsigned component,
                        unsigned number) {
  std::optional<Start> start = startOf(loop.getInitArgs()[number]);
  if (!start)
    return;
  OpBuilder builder(loop);
  Type wide = builder.getF64Type();
  if (!start->wide) {
    Value zero = arith::ConstantOp::create(builder, loop.getLoc(),
                                           builder.getF64FloatAttr(0));
    Value empty = emptyLike(builder, start->identity, start->component, wide);
    start->wide = linalg::FillOp::create(builder, loop.getLoc(), zero, empty)
                      .getResult(0);
  }
  loop.getInitArgsMutable()[number].set(start->wide);
  Value argument = loop.getRegionIterArg(number),
        sum = update.getResult(component), result = loop.getResult(number);
  for (Value value : {argument, sum, result})
    value.setType(cast<RankedTensorType>(value.getType()).clone(wide));

  builder.setInsertionPointToStart(loop.getBody());
  narrowForOthers(builder, argument, *start, update);
  builder.setInsertionPointAfter(update);
  narrowForOthers(builder, sum, *start, loop.getBody()->getTerminator());
  builder.setInsertionPointAfter(loop);
  narrowForOthers(builder, result, *start, /*reader=*/nullptr);
}

void CarriedSums::visit(scf::ForOp loop) {
  for (auto update : loop.getBody()->getOps<UpdateOp>())
    if (std::optional<unsigned> component =
            update.getAlgebra().getDoubleSum(update))
      if (std::optional<unsigned> number = argumentOf(loop, update, *component))
        carry(loop, update, *component, *number);
}

void mlir::smx::carryDoubleSums(Operation *root) {
  CarriedSums sums;
  root->walk<WalkOrder::PreOrder>([&](scf::ForOp loop) { sums.visit(loop); });
}
