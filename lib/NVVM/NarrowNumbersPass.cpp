//===- NarrowNumbersPass.cpp - numbers of roles in 32 bits ----------------===//
//
// A number of 64 bits takes two registers of a thread, and most arithmetic on
// it two instructions or more. Those of a role, its counters of loops and
// coordinates, are small:
//
//   for i = a to b step s, all of them and b + s - 1 within 32 bits
//     =>  i = a, a + s, .. never passes b + s - 1, so it is within them, too
//
//===----------------------------------------------------------------------===//

#include "smx/GPU/Launches.h"
#include "smx/NVVM/Passes.h"

#include "mlir/Analysis/DataFlow/IntegerRangeAnalysis.h"
#include "mlir/Analysis/DataFlow/Utils.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Transforms/Passes.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/Pass/PassManager.h"

namespace mlir::smx {
#define GEN_PASS_DEF_SMXNVVMNARROWNUMBERSPASS
#include "smx/NVVM/Passes.h.inc"

/// Constants that the launch passes are constants of the roles.
static void foldArguments(gpu::KernelOp kernel, gpu::LaunchOp launch) {
  kernel.walk([&](gpu::RoleOp role) {
    OpBuilder b = OpBuilder::atBlockBegin(&role.getBody().front());
    for (auto [captured, inRole] :
         llvm::zip(role.getCaptures(), role.getBody().getArguments())) {
      Value passed = gpu::valueOfLaunch(launch, captured);
      if (!passed || !passed.getType().isIndex())
        continue;
      if (std::optional<int64_t> value = getConstantIntValue(passed))
        inRole.replaceAllUsesWith(
            arith::ConstantIndexOp::create(b, role.getLoc(), *value));
    }
  });
}

/// How many blocks there are bounds their numbers.
static void boundBlocks(gpu::KernelOp kernel, gpu::LaunchOp launch) {
  std::optional<int64_t> blocks = getConstantIntValue(launch.getGridX());
  if (!blocks || *blocks < 1)
    return;
  IntegerAttr bound = OpBuilder(kernel).getIndexAttr(*blocks);
  kernel.walk([&](Operation *op) {
    if (auto id = dyn_cast<mlir::gpu::BlockIdOp>(op);
        id && id.getDimension() == mlir::gpu::Dimension::x)
      id.setUpperBoundAttr(bound);
    else if (auto count = dyn_cast<mlir::gpu::GridDimOp>(op);
             count && count.getDimension() == mlir::gpu::Dimension::x)
      count.setUpperBoundAttr(bound);
  });
}

/// The range of `number`, of 64 bits, if anything is known of it.
static std::optional<ConstantIntRanges> rangeOf(DataFlowSolver &solver,
                                                Value number) {
  auto *known = solver.lookupState<dataflow::IntegerValueRangeLattice>(number);
  if (!known || known->getValue().isUninitialized())
    return std::nullopt;
  return known->getValue().getValue();
}

/// True if what the loop counts, and what ends it, is within 32 bits.
static bool isNarrow(DataFlowSolver &solver, scf::ForOp loop) {
  auto first = rangeOf(solver, loop.getLowerBound()),
       end = rangeOf(solver, loop.getUpperBound()),
       step = rangeOf(solver, loop.getStep());
  if (!loop.getInductionVar().getType().isIndex() || loop.getUnsignedCmp() ||
      !first || !end || !step)
    return false;
  bool overflows = false;
  APInt last = end->smax().sadd_ov(step->smax(), overflows);
  return !overflows && first->smin().isSignedIntN(32) &&
         first->smax().isSignedIntN(32) && end->smin().isSignedIntN(32) &&
         last.isSignedIntN(32);
}

static void narrow(scf::ForOp loop) {
  OpBuilder b(loop);
  Location loc = loop.getLoc();
  Type narrowType = b.getI32Type();
  for (OpOperand *bound :
       {&loop.getLowerBoundMutable(), &loop.getUpperBoundMutable(),
        &loop.getStepMutable()})
    bound->set(
        b.createOrFold<arith::IndexCastOp>(loc, narrowType, bound->get()));
  Value counter = loop.getInductionVar();
  counter.setType(narrowType);
  b.setInsertionPointToStart(loop.getBody());
  auto wide = arith::IndexCastOp::create(b, loc, b.getIndexType(), counter);
  counter.replaceAllUsesExcept(wide, wide);
}

namespace {
struct SmxNVVMNarrowNumbersPass
    : impl::SmxNVVMNarrowNumbersPassBase<SmxNVVMNarrowNumbersPass> {
  void runOnOperation() override {
    for (auto &[kernel, starts] : gpu::launchesIn(getOperation()))
      if (starts.size() == 1) {
        foldArguments(kernel, starts.front());
        boundBlocks(kernel, starts.front());
      }
    WalkResult walk = getOperation().walk([&](gpu::RoleOp role) {
      return failed(narrowNumbers(role)) ? WalkResult::interrupt()
                                         : WalkResult::skip();
    });
    if (walk.wasInterrupted())
      signalPassFailure();
  }

  LogicalResult narrowNumbers(gpu::RoleOp role) {
    DataFlowSolver solver;
    dataflow::loadBaselineAnalyses(solver);
    solver.load<dataflow::IntegerRangeAnalysis>();
    if (failed(solver.initializeAndRun(role)))
      return failure();
    SmallVector<scf::ForOp> loops;
    role.walk([&](scf::ForOp loop) {
      if (isNarrow(solver, loop))
        loops.push_back(loop);
    });
    llvm::for_each(loops, narrow);
    OpPassManager arithmetic(gpu::RoleOp::getOperationName());
    arith::ArithIntRangeNarrowingOptions options;
    options.bitwidthsSupported = {32};
    arithmetic.addPass(arith::createArithIntRangeNarrowing(options));
    return runPipeline(arithmetic, role);
  }
};
} // namespace

} // namespace mlir::smx
