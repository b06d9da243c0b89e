//===- TensorStoresPass.cpp - results leave through shared memory ---------===//

#include "FetchCode.h"
#include "SharedOperands.h"
#include "Swizzle.h"

#include "smx/GPU/Passes.h"
#include "smx/IR/OptionBounds.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Remarks.h"
#include "llvm/ADT/MapVector.h"

namespace mlir::smx::gpu {
#define GEN_PASS_DEF_TENSORSTORESPASS
#include "smx/GPU/Passes.h.inc"

/// The shared tile that a store of all groups goes through.
static SharedType sharedTypeOf(StoreOp store, RoleOp role) {
  RankedTensorType tile = store.getTile().getType();
  const int64_t groups = role.getWarps() / role.getGroup();
  return SharedType::get(
      store.getContext(), {groups * tile.getDimSize(0), tile.getDimSize(1)},
      tile.getElementType(),
      widestSwizzle(tile.getDimSize(1) * tile.getElementTypeBitWidth() / 8));
}

/// The widest part of `type` that has at most `bytes`: as many columns, or a
/// number of spans of the swizzle that divides theirs; null if there is none.
static SharedType fittingPart(SharedType type, int64_t bytes) {
  const int64_t rows = type.getShape()[0], columns = type.getShape()[1],
                span = type.getSwizzle() * columns * rows / type.getBytes();
  for (int64_t part = columns; part >= span; part -= span) {
    if (columns % part != 0)
      continue;
    auto found = SharedType::get(type.getContext(), {rows, part},
                                 type.getElementType(), type.getSwizzle());
    if (found.getBytes() <= bytes)
      return found;
  }
  return {};
}

/// True if rows that are not valid are those beyond the end of the memref:
///   valid == min(rows, extent - first) - group,   offset == first + group
/// where all groups have `rows`, and `group` is the first one of this group.
static bool hasRowsOfMemory(StoreOp store, int64_t rows) {
  const int64_t dim = store.getDims()[0],
                extent = store.getDestination().getType().getDimSize(dim);
  Value valid = store.getValid()[0], offset = store.getOffsets()[dim];
  if (getConstantIntValue(valid) == store.getTile().getType().getDimSize(0))
    return true;
  if (ShapedType::isDynamic(extent))
    return false;
  auto less = valid.getDefiningOp<arith::SubIOp>();
  auto more = offset.getDefiningOp<arith::AddIOp>();
  if (!less || !more)
    return isRest(valid, rows, extent, offset);
  for (Value first : more->getOperands()) {
    Value group = first == more.getLhs() ? more.getRhs() : more.getLhs();
    if (group == less.getRhs() && isRest(less.getLhs(), rows, extent, first))
      return true;
  }
  return false;
}

/// Why a store can not go through shared memory, or "".
static StringRef whyNoTensorStore(StoreOp store, RoleOp role) {
  RankedTensorType tile = store.getTile().getType();
  if (!isa_and_nonnull<FragmentAttr>(tile.getEncoding()) ||
      !isa<FloatType>(tile.getElementType()) ||
      tile.getElementTypeBitWidth() != 16)
    return "a tile is no fragment of a 16-bit type";
  auto inside = dyn_cast<BlockArgument>(store.getDestination());
  if (!inside || inside.getOwner() != &role.getBody().front())
    return "a tile goes to memory that the role does not capture";
  SharedType shared = sharedTypeOf(store, role);
  TensorCopy copy{role.getCaptures()[inside.getArgNumber()],
                  store.getOffsets(),
                  store.getValid(),
                  store.getDims(),
                  shared.getShape(),
                  shared.getSwizzle(),
                  static_cast<int64_t>(store.getAligned())};
  if (StringRef why = whyNoTensorCopy(copy); !why.empty())
    return why;
  if (!store.getValid().empty() &&
      !hasRowsOfMemory(store, shared.getShape()[0]))
    return "the rows of a tile are not known to be those of memory";
  return "";
}

namespace {
struct TensorStoresPass : impl::TensorStoresPassBase<TensorStoresPass> {
  using TensorStoresPassBase::TensorStoresPassBase;

  LogicalResult initialize(MLIRContext *context) override {
    return checkOptions(context, {{"bytes", bytes}});
  }

  void runOnOperation() override {
    left = bytes;
    getOperation().walk([&](RoleOp role) { rewrite(role); });
  }

private:
  void rewrite(RoleOp role);
  /// The shared tile of the stores that go through it, in a role that is to
  /// capture it.
  Value makeShared(RoleOp role, SharedType type, Location loc);

  /// Bytes of shared memory that may be taken yet.
  int64_t left = 0;
};
} // namespace

void TensorStoresPass::rewrite(RoleOp role) {
  constexpr llvm::StringLiteral category = "smx-gpu-tensor-stores";
  auto options = remark::RemarkOpts::name("TensorStores").category(category);
  llvm::MapVector<Type, SmallVector<StoreOp>> stores;
  role.walk([&](StoreOp store) {
    if (StringRef why = whyNoTensorStore(store, role); !why.empty())
      remark::missed(store.getLoc(), options) << why;
    else
      stores[sharedTypeOf(store, role)].push_back(store);
  });
  for (auto &[type, through] : stores) {
    auto whole = cast<SharedType>(type);
    KernelOp kernel = getOperation();
    const int64_t room = int64_t(kernel.getSharedLimit()) -
                         kernel.getSharedBytes() - sharedOperandReserve;
    SharedType part = fittingPart(whole, std::min(left, room));
    if (!part) {
      remark::missed(role.getLoc(), options)
          << "shared memory has no room for results"
          << remark::metric("wanted", whole.getBytes())
          << remark::metric("left", room);
      continue;
    }
    left -= part.getBytes();
    Value shared = makeShared(role, part, through.front().getLoc());
    for (StoreOp store : through) {
      OpBuilder builder(store);
      TensorStoreOp::create(builder, store.getLoc(), store.getTile(),
                            store.getDestination(), store.getOffsets(), shared,
                            store.getDims(), store.getAligned());
      store.erase();
    }
    remark::passed(role.getLoc(), options)
        << "results leave through shared memory"
        << remark::metric("wanted", whole.getBytes())
        << remark::metric("bytes", part.getBytes());
  }
}

Value TensorStoresPass::makeShared(RoleOp role, SharedType type, Location loc) {
  OpBuilder builder(role->getParentOp());
  Value shared = AllocOp::create(builder, loc, type);
  return role.capture(shared);
}

} // namespace mlir::smx::gpu
