//===- RolesPass.cpp - a role that fetches, and groups that compute -------===//

#include "ChannelDepth.h"
#include "DealtTiles.h"
#include "FetchCode.h"
#include "FetchLoops.h"
#include "GroupCode.h"

#include "smx/GPU/Passes.h"
#include "smx/IR/OptionBounds.h"

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

/// Registers of a thread: those that the fetching warps do without go to the
/// others.
struct RoleRegisters {
  int64_t fetching, computing;
};

static RoleRegisters registersOfRoles(const GroupShape &shape) {
  return shape.groups == 2 ? RoleRegisters{56, 224} : RoleRegisters{32, 160};
}

namespace {
/// The code of a kernel before it is divided.
struct KernelCode {
  explicit KernelCode(KernelOp kernel);

  /// All but the channels.
  SmallVector<Operation *> ops;
  /// What roles see of the kernel: its arguments and channels.
  SmallVector<Value> captures;
  Operation *lastChannel = nullptr;
};

struct RolesPass : impl::RolesPassBase<RolesPass> {
  using RolesPassBase::RolesPassBase;

  LogicalResult initialize(MLIRContext *context) override {
    return checkOptions(context, {{"depth", depth, /*least=*/1}});
  }

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
  /// Fills the role. False if that can not be, or if terms have no room.
  bool fetch(RoleOp role, OpBuilder &builder, const KernelCode &code,
             FetchCode &fetched, const DealtTiles &operands);
  /// Null if `fetch` is false.
  RoleOp makeFetchingRole(OpBuilder &builder, const GroupShape &shape,
                          const KernelCode &code, const DealtTiles &operands);
  /// The groups take turns by `order`, if it is not null.
  RoleOp makeComputingRole(OpBuilder &builder, const GroupShape &shape,
                           const KernelCode &code, const DealtTiles &operands,
                           Value order);
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

KernelCode::KernelCode(KernelOp kernel)
    : captures(kernel.getBody().front().getArguments()) {
  for (Operation &op : kernel.getBody().front().without_terminator()) {
    if (auto channel = dyn_cast<MakeChannelOp>(op)) {
      captures.push_back(channel.getChannel());
      lastChannel = &op;
    } else {
      ops.push_back(&op);
    }
  }
}

bool RolesPass::fetch(RoleOp role, OpBuilder &builder, const KernelCode &code,
                      FetchCode &fetched, const DealtTiles &operands) {
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPoint(role.getBody().front().getTerminator());
  if (llvm::any_of(code.ops,
                   [&](Operation *op) { return failed(fetched.clone(*op)); }))
    return false;
  if (!operands.haveTerms() || depthOfChannels(getOperation(), depth) == depth)
    return true;
  remark::missed(getOperation().getLoc(),
                 remark::RemarkOpts::name("Terms").category("smx-gpu-roles"))
      << "what scores read is read by the threads: shared memory has no "
         "room for it beside keys and values"
      << remark::metric("stages", int64_t(depth));
  return false;
}

RoleOp RolesPass::makeFetchingRole(OpBuilder &builder, const GroupShape &shape,
                                   const KernelCode &code,
                                   const DealtTiles &operands) {
  // Two loops around the copies, and open extents, take about 48.
  constexpr int64_t registersOfTwoLoops = 48;
  const int64_t registers = registersOfRoles(shape).fetching;
  FetchCode fetched(builder, operands);
  RoleOp role = makeRole(builder, "load", warpgroupWarps, warpgroupWarps,
                         registers, code.captures, fetched.mapping);
  if (!fetch(role, builder, code, fetched, operands))
    return {};
  if (registers < registersOfTwoLoops)
    joinLoops(role);
  return role;
}

RoleOp RolesPass::makeComputingRole(OpBuilder &builder, const GroupShape &shape,
                                    const KernelCode &code,
                                    const DealtTiles &operands, Value order) {
  IRMapping mapping;
  RoleOp role = makeRole(builder, "compute", shape.groups * warpgroupWarps,
                         warpgroupWarps, registersOfRoles(shape).computing,
                         code.captures, mapping);
  builder.setInsertionPoint(role.getBody().front().getTerminator());
  GroupCode computed(builder, shape, operands,
                     order ? mapping.lookup(order) : Value());
  for (auto [from, to] :
       llvm::zip(code.captures, role.getBody().front().getArguments()))
    computed.mapping.map(from, to);
  for (Operation *op : code.ops)
    computed.clone(*op);
  computed.releaseOperandsOf(*getOperation().getBody().front().getTerminator());
  return role;
}

/// What the role captures may have another type than when it was made.
static void retypeCaptures(RoleOp role) {
  Block &body = role.getBody().front();
  for (OpOperand &captured : role.getCapturesMutable())
    body.getArgument(captured.getOperandNumber())
        .setType(captured.get().getType());
}

/// A product of so many columns takes longer than the weights of its rows:
/// groups that compute those meet no other one. Where rounds read numbers for
/// scores, turns beside wide sums cost 1 to 6 %.
static bool turnsPay(const GroupShape &shape, bool readsScores) {
  constexpr int64_t mostColumnsInTurn = 128;
  return (shape.sumColumns <= narrowSum || !readsScores) &&
         shape.columns <= mostColumnsInTurn;
}

bool RolesPass::divide(KernelOp kernel, const GroupShape &shape, bool terms) {
  DealtTiles operands(kernel, shape, terms);
  KernelCode code(kernel);
  if (!code.lastChannel)
    return false;
  bool readsScores = readsForScores(kernel);
  OpBuilder builder(code.lastChannel->getNextNode());
  operands.makeChannels(builder);
  llvm::append_range(code.captures, operands.getChannels());
  builder.setInsertionPoint(kernel.getBody().front().getTerminator());
  auto roles = WarpSpecializeOp::create(builder, kernel.getLoc());
  builder.createBlock(&roles.getBody());
  RoleOp load = makeFetchingRole(builder, shape, code, operands);
  if (!load) {
    roles.erase();
    operands.eraseChannels();
    return false;
  }
  guardProducts(kernel);
  deepenChannels(kernel, depth, "smx-gpu-roles");
  retypeCaptures(load);
  Value order;
  if (turns && overlap && turnsPay(shape, readsScores)) {
    OpBuilder before(roles);
    order = TurnsOp::create(before, kernel.getLoc(),
                            TurnsType::get(&getContext(), shape.groups));
    code.captures.push_back(order);
  }
  RoleOp compute = makeComputingRole(builder, shape, code, operands, order);
  for (Operation *op : llvm::reverse(code.ops))
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
