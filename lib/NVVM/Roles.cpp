//===- Roles.cpp - warps that do different things -------------------------===//
//
// Roles become branches on the number of the warp. A turn is a named barrier of
// each group, at which the group waits and its predecessor arrives.
//
//===----------------------------------------------------------------------===//

#include "Assembly.h"
#include "TensorStores.h"

#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

namespace mlir::smx {

/// Waits for the threads of a turn's two groups, or only says that this thread
/// is there.
static void meetAtTurn(ThreadCode &code, StringRef instruction, Value barrier) {
  Value threads = code.i32(2 * code.team.groupThreads());
  emitAssembly(code, TypeRange(), {barrier, threads},
               (instruction + " $0, $1;").str(), "r,r", Effects::Memory);
}

/// The barrier of the group that comes `steps` after this one.
static Value barrierOfTurn(ThreadCode &code, Value turns, int64_t steps) {
  Value group = code.add(code.group(), code.i32(steps));
  return code.add(turns, code.remainder(group, code.team.groups()));
}

namespace {
struct LowerWarpSpecialize : TilePattern<gpu::WarpSpecializeOp> {
  using TilePattern::TilePattern;

  LogicalResult
  matchAndRewrite(gpu::WarpSpecializeOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    ThreadCode code(rewriter, op, plan);
    Value warp = code.uniformWarp();
    auto roles = llvm::to_vector(op.getBody().front().getOps<gpu::RoleOp>());
    // The last role has the warps that no other has.
    Operation *place = op;
    for (gpu::RoleOp role : llvm::ArrayRef(roles).drop_back()) {
      const Team &team = plan.team(role);
      Value isRole = code.less(warp, code.i32(team.firstWarp + team.warps));
      auto branch = scf::IfOp::create(code, isRole, /*withElseRegion=*/true);
      rewriter.moveOpBefore(role, branch.thenYield());
      place = branch.elseYield();
      code.setInsertionPoint(place);
    }
    rewriter.moveOpBefore(roles.back(), place);
    rewriter.eraseOp(op);
    return success();
  }
};

struct LowerRole : TilePattern<gpu::RoleOp> {
  LowerRole(const TileTypeConverter &converter, const KernelPlan &plan,
            bool setsRegisters)
      : TilePattern(converter, plan), setsRegisters(setsRegisters) {}

  LogicalResult
  matchAndRewrite(gpu::RoleOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    ThreadCode code(rewriter, op, plan);
    requestRegisters(code, op.getRegisters());
    for (auto [type, turns] :
         llvm::zip(op.getOperandTypes(), adaptor.getCaptures()))
      if (isa<gpu::TurnsType>(type) && code.team.groups() > 1)
        openFirstTurn(code, turns);
    Block *body = &op.getBody().front();
    rewriter.eraseOp(body->getTerminator());
    rewriter.inlineBlockBefore(body, op, adaptor.getCaptures());
    if (plan.storesTensors(op)) {
      code.setInsertionPoint(op);
      waitForTensorStores(code, /*later=*/0);
    }
    rewriter.eraseOp(op);
    return success();
  }

private:
  /// Registers change hands between whole warpgroups.
  void requestRegisters(ThreadCode &code, int64_t registers) const {
    constexpr int64_t warpgroup = 4;
    const Team &team = code.team;
    if (!setsRegisters || !registers || registers == team.launchRegisters ||
        team.firstWarp % warpgroup || team.warps % warpgroup)
      return;
    NVVM::SetMaxRegisterOp::create(code, registers,
                                   registers > team.launchRegisters
                                       ? NVVM::SetMaxRegisterAction::increase
                                       : NVVM::SetMaxRegisterAction::decrease);
  }

  /// The last group arrives once for the first one, which nobody passes its
  /// first turn to.
  void openFirstTurn(ThreadCode &code, Value turns) const {
    Value isLast =
        LLVM::ICmpOp::create(code, LLVM::ICmpPredicate::eq, code.group(),
                             code.i32(code.team.groups() - 1));
    code.when(isLast, [&] { meetAtTurn(code, "bar.arrive", turns); });
  }

  bool setsRegisters;
};

struct LowerGroupId : TilePattern<gpu::GroupIdOp> {
  using TilePattern::TilePattern;

  LogicalResult
  matchAndRewrite(gpu::GroupIdOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    ThreadCode code(rewriter, op, plan);
    rewriter.replaceOpWithNewOp<LLVM::ZExtOp>(op, rewriter.getI64Type(),
                                              code.group());
    return success();
  }
};

struct LowerTurns : TilePattern<gpu::TurnsOp> {
  using TilePattern::TilePattern;

  LogicalResult
  matchAndRewrite(gpu::TurnsOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    ThreadCode code(rewriter, op, plan);
    rewriter.replaceOp(op, code.i32(plan.turns(op)));
    return success();
  }
};

/// take_turn waits at the group's own barrier, pass_turn arrives at the next
/// group's. One group alone has its turn always.
template <typename OpTy>
struct LowerTurn : TilePattern<OpTy> {
  LowerTurn(const TileTypeConverter &converter, const KernelPlan &plan,
            StringRef instruction, int64_t steps)
      : TilePattern<OpTy>(converter, plan), instruction(instruction),
        steps(steps) {}
  using OpAdaptor = typename OpTy::Adaptor;

  LogicalResult
  matchAndRewrite(OpTy op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    ThreadCode code(rewriter, op, this->plan);
    if (code.team.groups() > 1)
      meetAtTurn(code, instruction,
                 barrierOfTurn(code, adaptor.getTurns(), steps));
    rewriter.eraseOp(op);
    return success();
  }

  StringRef instruction;
  int64_t steps;
};
} // namespace

void populateRolePatterns(const TileTypeConverter &converter,
                          const KernelPlan &plan, bool setsRegisters,
                          RewritePatternSet &patterns) {
  patterns.add<LowerWarpSpecialize, LowerGroupId, LowerTurns>(converter, plan);
  patterns.add<LowerRole>(converter, plan, setsRegisters);
  patterns.add<LowerTurn<gpu::TakeTurnOp>>(converter, plan, "bar.sync",
                                           /*steps=*/0);
  patterns.add<LowerTurn<gpu::PassTurnOp>>(converter, plan, "bar.arrive",
                                           /*steps=*/1);
}

} // namespace mlir::smx
