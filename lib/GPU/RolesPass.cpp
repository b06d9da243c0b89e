//===- RolesPass.cpp - a role that fetches, and groups that compute -------===//

#include "ChannelDepth.h"
#include "DealtTiles.h"
#include "FetchCode.h"
#include "FetchLoops.h"
#include "GroupCode.h"

#include "smx/GPU/Passes.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Remarks.h"

namespace mlir::smx::gpu {
#define GEN_PASS_DEF_ROLESPASS
#include "smx/GPU/Passes.h.inc"

//===----------------------------------------------------------------------===//
// What can be divided
//===----------------------------------------------------------------------===//

/// Why the rows of the kernel's tiles can not be given to groups, or "".
/// `shape.rows` becomes those of a group.
static StringRef whyNoGroups(KernelOp kernel, GroupShape &shape) {
  FragmentAttr layout;
  int64_t rows = 0, &columns = shape.columns;
  StringRef reason;
  kernel.getBody().walk([&](Operation *op) {
    if (isa<ConvertOp, CopyOp, ReadOp, WriteOp, AllocOp, BarrierOp,
            WarpSpecializeOp, ClusterReduceOp, ClusterBarrierOp, MmaAsyncOp,
            scf::WhileOp>(op))
      reason = "it has ops that all warps execute together";
    if (auto reduce = dyn_cast<ReduceOp>(op); reduce && reduce.getDim() != 1)
      reason = "it reduces along the rows";
    if (auto product = dyn_cast<MmaOp>(op)) {
      if (isa<SharedType>(product.getA().getType()) ||
          product.getB().getType().getElementType().getIntOrFloatBitWidth() !=
              16)
        reason = "it has products that a warpgroup does not make";
      int64_t width = product.getResult().getType().getDimSize(1);
      columns = std::max(columns, width);
      if (!product.getTransposeB())
        shape.sumColumns = std::max(shape.sumColumns, width);
    }
    for (Type type : op->getResultTypes()) {
      auto tile = dyn_cast<RankedTensorType>(type);
      if (!tile)
        continue;
      SliceAttr slice = getSlice(tile);
      auto ofTile = dyn_cast_or_null<FragmentAttr>(
          slice ? Attribute(slice.getParent()) : Attribute(getLayout(tile)));
      if (!ofTile || (layout && layout != ofTile))
        reason = "its tiles have different layouts, or none of a product";
      layout = ofTile;
      if (slice && slice.getDim() == 0)
        continue;
      if (rows && rows != tile.getDimSize(0))
        reason = "its tiles have different numbers of rows";
      rows = tile.getDimSize(0);
    }
  });
  if (!reason.empty())
    return reason;
  if (!layout || kernel.getCluster() != 1)
    return "it has no products";
  shape.groups = layout.getWarps() / warpgroupWarps;
  if (layout.getWarps() % warpgroupWarps || shape.groups < 2 ||
      shape.groups > 3 || rows % (64 * shape.groups) != 0)
    return "it has not 2 or 3 warpgroups with 64 rows each";
  shape.rows = rows / shape.groups;
  // The assembler counts the registers that threads begin with, and wants some
  // beside an instruction's accumulators: columns / 2 for its 64 rows.
  constexpr int64_t besides = 30;
  int64_t threads =
      (shape.groups + 1) * warpgroupWarps * ::smx::gpu::warpThreads;
  if (std::min<int64_t>(columns, 256) / 2 + besides >
      ::smx::gpu::registerFile / threads)
    return "a product of so many columns has no registers beside so many "
           "groups";
  return "";
}

//===----------------------------------------------------------------------===//
// The pass
//===----------------------------------------------------------------------===//

/// The most columns of a sum for which a turn ends with the products, not with
/// their issue: at 64 columns that gains up to 6 %, at 128 it loses up to 18.
static constexpr int64_t narrowSum = 64;

namespace {
struct RolesPass : impl::RolesPassBase<RolesPass> {
  using RolesPassBase::RolesPassBase;

  void runOnOperation() override {
    KernelOp kernel = getOperation();
    GroupShape shape;
    shape.overlapsProducts = overlap;
    shape.splitsRounds = split;
    shape.sumsApart = apart;
    shape.asksApart = askApart;
    StringRef reason = whyNoGroups(kernel, shape);
    shape.keepsTurns = keepTurns && shape.sumColumns <= narrowSum;
    kernel.walk([&](PutOp put) {
      if (reason.empty())
        reason = whyNoTensorCopy(TensorCopy::of(put));
    });
    if (reason.empty() && !(terms && divide(kernel, shape, /*terms=*/true)) &&
        !divide(kernel, shape, /*terms=*/false))
      reason = "an address is computed from a tile";
    if (!reason.empty())
      remark::missed(
          kernel.getLoc(),
          remark::RemarkOpts::name("Roles").category("smx-gpu-roles"))
          << reason;
  }

  /// False, and nothing is changed, if the fetching role can not be made, or if
  /// `terms`, what scores read, has no room beside two stages of keys and
  /// values.
  bool divide(KernelOp kernel, const GroupShape &shape, bool terms);
  RoleOp makeRole(OpBuilder &builder, StringRef name, int64_t warps,
                  int64_t group, int64_t registers, ValueRange captures,
                  IRMapping &mapping);
  void guardProducts(KernelOp kernel);
};
} // namespace

/// A role without code. What it captures is mapped to its arguments.
RoleOp RolesPass::makeRole(OpBuilder &builder, StringRef name, int64_t warps,
                           int64_t group, int64_t registers,
                           ValueRange captures, IRMapping &mapping) {
  Location loc = getOperation().getLoc();
  auto role =
      RoleOp::create(builder, loc, name, warps, group, registers, captures);
  OpBuilder::InsertionGuard guard(builder);
  Block *body =
      builder.createBlock(&role.getBody(), {}, captures.getTypes(),
                          SmallVector<Location>(captures.size(), loc));
  mapping.map(captures, body->getArguments());
  ReturnOp::create(builder, loc);
  return role;
}

/// Captures that the role has no use for.
static void dropUnusedCaptures(RoleOp role) {
  Block &body = role.getBody().front();
  for (int64_t i = body.getNumArguments() - 1; i >= 0; --i)
    if (body.getArgument(i).use_empty()) {
      body.eraseArgument(i);
      role.getCapturesMutable().erase(i);
    }
}

/// True if rows of the tile that is put may not be valid. Columns that are not
/// (of a head dim that is padded) are 0: they are beyond the tensor's end.
static bool mayLackRows(PutOp put) {
  const int64_t rows = put.getChannel().getType().getShape()[0];
  return !put.getValid().empty() &&
         getConstantIntValue(put.getValid()[0]) != rows;
}

/// Rows of a tile that are not valid will hold what lies there in memory: the
/// weights of such rows are 0, which must hide it.
void RolesPass::guardProducts(KernelOp kernel) {
  kernel.walk([&](MmaOp product) {
    auto get = product.getB().getDefiningOp<GetOp>();
    auto weights = product.getA().getDefiningOp();
    if (!get || !weights || weights->getBlock() != product->getBlock())
      return;
    for (Operation *user : get.getChannel().getUsers()) {
      auto put = dyn_cast<PutOp>(user);
      if (put && put->getBlock() == product->getBlock() && mayLackRows(put))
        product.setGuarded(true);
    }
  });
}

/// A round reads a number for each of its scores from memory.
static bool readsForScores(KernelOp kernel) {
  auto isOfScores = [](Operation &op) {
    return isa<GatherOp, LoadOp>(op) &&
           cast<RankedTensorType>(op.getResult(0).getType()).getRank() == 2;
  };
  WalkResult walk = kernel.walk([&](scf::ForOp loop) {
    Block &body = *loop.getBody();
    // Not a walk over tiles of rows, which reads the rows.
    bool isRound =
        body.getOps<scf::ForOp>().empty() && !body.getOps<MmaOp>().empty();
    return isRound && llvm::any_of(body, isOfScores) ? WalkResult::interrupt()
                                                     : WalkResult::advance();
  });
  return walk.wasInterrupted();
}

bool RolesPass::divide(KernelOp kernel, const GroupShape &shape, bool terms) {
  Block &body = kernel.getBody().front();
  SmallVector<Operation *> old;
  SmallVector<Value> captures(body.getArguments());
  Operation *lastChannel = nullptr;
  DealtTiles operands(kernel, shape, terms);
  for (Operation &op : body.without_terminator()) {
    if (auto channel = dyn_cast<MakeChannelOp>(op)) {
      captures.push_back(channel.getChannel());
      lastChannel = &op;
    } else {
      old.push_back(&op);
    }
  }
  if (!lastChannel)
    return false;
  bool readsScores = readsForScores(kernel);
  OpBuilder builder(lastChannel->getNextNode());
  operands.makeChannels(builder);
  llvm::append_range(captures, operands.getChannels());
  builder.setInsertionPoint(body.getTerminator());
  Location loc = kernel.getLoc();
  auto roles = WarpSpecializeOp::create(builder, loc);
  builder.createBlock(&roles.getBody());

  // The registers that the fetching warps do without go to the others. Two
  // loops around the copies, and open extents, take about 48.
  constexpr int64_t registersOfTwoLoops = 48;
  int64_t few = shape.groups == 2 ? 56 : 32,
          many = shape.groups == 2 ? 224 : 160;
  FetchCode fetch(builder, operands);
  RoleOp load = makeRole(builder, "load", warpgroupWarps, warpgroupWarps, few,
                         captures, fetch.mapping);
  {
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPoint(load.getBody().front().getTerminator());
    bool isFetched = llvm::none_of(
        old, [&](Operation *op) { return failed(fetch.clone(*op)); });
    bool fits = !isFetched || !operands.haveTerms() ||
                depthOfChannels(kernel, depth) == depth;
    if (!fits)
      remark::missed(
          loc, remark::RemarkOpts::name("Terms").category("smx-gpu-roles"))
          << "what scores read is read by the threads: shared memory has no "
             "room for it beside keys and values"
          << remark::metric("stages", int64_t(depth));
    if (!isFetched || !fits) {
      roles.erase();
      operands.eraseChannels();
      return false;
    }
    if (few < registersOfTwoLoops)
      joinLoops(load);
  }
  guardProducts(kernel);
  deepenChannels(kernel, depth, "smx-gpu-roles");
  for (OpOperand &captured : load.getCapturesMutable())
    load.getBody()
        .front()
        .getArgument(captured.getOperandNumber())
        .setType(captured.get().getType());
  Value order;
  // A product of so many columns takes longer than the weights of its rows:
  // groups that compute those meet no other one. Where rounds read numbers for
  // scores, turns beside wide sums cost 1 to 6 %.
  constexpr int64_t mostColumnsInTurn = 128;
  bool turnsPay = shape.sumColumns <= narrowSum || !readsScores;
  if (turns && overlap && turnsPay && shape.columns <= mostColumnsInTurn) {
    OpBuilder before(roles);
    order = TurnsOp::create(before, loc,
                            TurnsType::get(&getContext(), shape.groups));
    captures.push_back(order);
  }
  IRMapping mapping;
  RoleOp compute = makeRole(builder, "compute", shape.groups * warpgroupWarps,
                            warpgroupWarps, many, captures, mapping);
  builder.setInsertionPoint(compute.getBody().front().getTerminator());
  GroupCode code(builder, shape, operands,
                 order ? mapping.lookup(order) : Value());
  for (auto [from, to] :
       llvm::zip(captures, compute.getBody().front().getArguments()))
    code.mapping.map(from, to);
  for (Operation *op : old)
    code.clone(*op);
  code.releaseOperandsOf(*body.getTerminator());
  for (Operation *op : llvm::reverse(old))
    op->erase();
  dropUnusedCaptures(load);
  dropUnusedCaptures(compute);
  kernel.setWarps((shape.groups + 1) * warpgroupWarps);
  remark::passed(kernel.getLoc(),
                 remark::RemarkOpts::name("Roles").category("smx-gpu-roles"))
      << remark::metric("groups", shape.groups)
      << remark::metric("rows", shape.rows)
      << remark::metric("fetched", operands.getChannels().size());
  return true;
}

} // namespace mlir::smx::gpu
