//===- GPUToNVVMPass.cpp - kernels of whole tiles to per-thread code ------===//

#include "Assembly.h"
#include "KernelLowering.h"
#include "LaunchOrder.h"

#include "smx/NVVM/Chip.h"
#include "smx/NVVM/Passes.h"
#include "smx/NVVM/Pipeline.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Transforms/Passes.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/SCF/Transforms/Patterns.h"
#include "mlir/IR/Remarks.h"
#include "mlir/Transforms/DialectConversion.h"
#include "mlir/Transforms/WalkPatternRewriteDriver.h"

namespace mlir::smx {
#define GEN_PASS_DEF_SMXGPUTONVVMPASS
#include "smx/NVVM/Passes.h.inc"

/// The newest PTX that the driver has to know: 8.0 is the oldest for sm_90a,
/// and 8.1 for values that clusters exchange. Chips that it does not know have
/// later ones for their oldest, which LLVM takes of itself.
static StringRef ptxFeature(ModuleOp module, Chip chip) {
  if (!llvm::is_contained({80u, 86u, 87u, 89u, 90u}, chip.version))
    return "";
  bool hasClusters =
      llvm::any_of(module.getOps<gpu::KernelOp>(), [](gpu::KernelOp kernel) {
        return kernel.getCluster() > 1;
      });
  return hasClusters ? "+ptx81" : "+ptx80";
}

/// Moves the kernels into a new gpu.module with the dynamic shared memory.
static mlir::gpu::GPUModuleOp moveKernels(ModuleOp module, StringRef chip) {
  MLIRContext *context = module.getContext();
  OpBuilder b = OpBuilder::atBlockEnd(module.getBody());
  auto target =
      NVVM::NVVMTargetAttr::get(context, /*optLevel=*/3, "nvptx64-nvidia-cuda",
                                chip, ptxFeature(module, Chip::named(chip)));
  auto device = mlir::gpu::GPUModuleOp::create(b, module.getLoc(), "kernels",
                                               b.getArrayAttr(target));
  b.setInsertionPointToStart(device.getBody());
  auto bytes = LLVM::LLVMArrayType::get(b.getI8Type(), 0);
  LLVM::GlobalOp::create(b, module.getLoc(), bytes, /*isConstant=*/false,
                         LLVM::Linkage::External, sharedSymbol, Attribute(),
                         /*alignment=*/1024, sharedSpace);
  for (auto kernel : llvm::make_early_inc_range(module.getOps<gpu::KernelOp>()))
    kernel->moveBefore(device.getBody(), device.getBody()->end());
  return device;
}

static void dropHostFunctions(ModuleOp module) {
  for (auto function :
       llvm::make_early_inc_range(module.getOps<func::FuncOp>())) {
    WalkResult launches =
        function.walk([](gpu::LaunchOp) { return WalkResult::interrupt(); });
    if (launches.wasInterrupted())
      function.erase();
  }
}

/// Tiles of 8-bit floats are bytes: they can be moved and widened, and nothing
/// is computed on them.
static LogicalResult refuseNarrowArithmetic(gpu::KernelOp kernel) {
  auto isNarrow = [](Type type) {
    auto tile = dyn_cast<RankedTensorType>(type);
    return tile && isa<FloatType>(tile.getElementType()) &&
           tile.getElementTypeBitWidth() == 8;
  };
  WalkResult walked = kernel.walk([&](Operation *op) {
    auto isF8 = [](Value value) {
      return isa<Float8E4M3FNType>(getElementTypeOrSelf(value.getType()));
    };
    auto extension = dyn_cast<arith::ExtFOp>(op);
    auto truncation = dyn_cast<arith::TruncFOp>(op);
    if ((extension && isF8(extension.getIn())) ||
        (truncation && isF8(truncation)) ||
        isa<gpu::LoadOp, gpu::StoreOp, gpu::ReadOp, gpu::WriteOp,
            gpu::GatherOp>(op) ||
        (llvm::none_of(op->getOperandTypes(), isNarrow) &&
         llvm::none_of(op->getResultTypes(), isNarrow)))
      return WalkResult::advance();
    op->emitOpError("has no form on floats of 8 bits; f8E4M3FN can be "
                    "converted by 'arith.extf' and 'arith.truncf', and f16 has "
                    "all its numbers");
    return WalkResult::interrupt();
  });
  return failure(walked.wasInterrupted());
}

/// The last op of a round of `loop` that is a loop or has one, or null.
static Operation *lastLoopIn(Operation &loop) {
  if (!isa<scf::ForOp, scf::WhileOp>(loop))
    return nullptr;
  auto hasLoop = [](Operation &op) {
    return op.walk([](LoopLikeOpInterface) { return WalkResult::interrupt(); })
        .wasInterrupted();
  };
  // What a while loop asks in front of a round is a region of its own.
  auto ops = llvm::reverse(loop.getRegions().back().front());
  auto found = llvm::find_if(ops, hasLoop);
  return found == ops.end() ? nullptr : &*found;
}

/// The ops of a range read the thread's number together, in front of `place`,
/// out of LLVM's sight.
static void readThread(llvm::iterator_range<Block::iterator> ops,
                       Operation *place) {
  SmallVector<NVVM::ThreadIdXOp> reads;
  for (Operation &op : ops)
    op.walk([&](NVVM::ThreadIdXOp read) { reads.push_back(read); });
  if (reads.empty())
    return;
  ImplicitLocOpBuilder b(place->getLoc(), place);
  Value number = emitAssembly(b, b.getI32Type(), ValueRange(),
                              "mov.u32 $0, %tid.x;", "=r", Effects::Order);
  for (NVVM::ThreadIdXOp read : reads) {
    read.replaceAllUsesWith(number);
    read.erase();
  }
}

/// For every outermost loop, and after it, the thread reads its number again.
/// What one loop computes from the number, which is quick to compute again, is
/// then not kept in registers for the next one. Where a round has loops of its
/// own, it reads the number itself, and again after them: what it computes from
/// the number takes no registers across a round, or across these loops.
static void readThreadPerLoop(Block &block) {
  Block::iterator afterLoop = block.end();
  for (Block::iterator at = block.begin(); at != block.end();) {
    Operation &op = *at++;
    if (!isa<LoopLikeOpInterface>(op)) {
      if (afterLoop == block.end())
        for (Region &region : op.getRegions())
          for (Block &inner : region)
            readThreadPerLoop(inner);
      continue;
    }
    if (afterLoop != block.end())
      readThread({afterLoop, op.getIterator()}, &*afterLoop);
    if (Operation *last = lastLoopIn(op)) {
      Block::iterator end = std::next(last->getIterator());
      Block &body = *last->getBlock();
      // The op behind the loop may itself be a read.
      readThread({body.begin(), end}, &body.front());
      readThread({end, body.end()}, &*end);
    } else {
      readThread({op.getIterator(), at}, &op);
    }
    afterLoop = at;
  }
  if (afterLoop != block.end())
    readThread({afterLoop, block.end()}, &*afterLoop);
}

namespace {
struct SmxGPUToNVVMPass : impl::SmxGPUToNVVMPassBase<SmxGPUToNVVMPass> {
  using SmxGPUToNVVMPassBase::SmxGPUToNVVMPassBase;

  void runOnOperation() override {
    ModuleOp module = getOperation();
    MLIRContext *context = &getContext();
    if (module.getOps<gpu::KernelOp>().empty())
      return;
    if (llvm::Error error = checkChip(chip)) {
      module.emitError() << llvm::toString(std::move(error));
      return signalPassFailure();
    }
    // A place in a tile is bounded by its shape, and comparisons of places are
    // limited to what a tile can tell apart; nothing bounds a tensor.
    for (gpu::KernelOp kernel : module.getOps<gpu::KernelOp>())
      remark::analysis(
          kernel.getLoc(),
          remark::RemarkOpts::name("IndexWidth").category("smx-gpu-to-nvvm"))
          << remark::metric("places-in-tiles", 32)
          << remark::metric("offsets-in-memory", 64);
    for (gpu::KernelOp kernel : module.getOps<gpu::KernelOp>())
      if (failed(refuseNarrowArithmetic(kernel)))
        return signalPassFailure();
    LaunchOrder order(module);
    dropHostFunctions(module);
    mlir::gpu::GPUModuleOp device = moveKernels(module, chip);

    RewritePatternSet expansions(context);
    arith::populateCeilFloorDivExpandOpsPatterns(expansions);
    walkAndApplyPatterns(device, std::move(expansions));

    FailureOr<KernelPlan> plan = KernelPlan::make(module);
    if (failed(plan))
      return signalPassFailure();
    TileTypeConverter converter(context);
    ConversionTarget target(*context);
    target.addLegalDialect<LLVM::LLVMDialect, NVVM::NVVMDialect>();
    target.addLegalOp<mlir::gpu::GPUModuleOp>();
    target.addDynamicallyLegalDialect<arith::ArithDialect, math::MathDialect>(
        [&](Operation *op) { return converter.isLegal(op); });
    RewritePatternSet patterns(context);
    scf::populateSCFStructuralTypeConversionsAndLegality(converter, patterns,
                                                         target);
    populateKernelPatterns(converter, *plan, patterns);
    populateRolePatterns(converter, *plan,
                         Chip::named(chip).reallocatesRegisters(), patterns);
    populateClusterPatterns(converter, *plan, patterns);
    populateElementwisePatterns(converter, *plan, patterns);
    populateWideningPatterns(converter, *plan, patterns);
    populatePositionPatterns(converter, *plan, patterns);
    populateGlobalTilePatterns(converter, *plan, patterns);
    populateAssertPatterns(converter, *plan, patterns);
    populateGatherPatterns(converter, *plan, patterns);
    populateReductionPatterns(converter, *plan, patterns);
    populateLargestPatterns(converter, *plan, patterns);
    populateHoldPatterns(converter, *plan, patterns);
    populatePartPatterns(converter, *plan, patterns);
    populateOrderPatterns(converter, *plan, patterns);
    populateSharedTilePatterns(converter, *plan, patterns);
    populateChannelPatterns(converter, *plan, patterns);
    populateTensorStorePatterns(converter, *plan, patterns);
    populateProductPatterns(converter, *plan, doublesOnMatrixUnit, patterns);
    populateAsyncProductPatterns(converter, *plan, patterns);
    ConversionConfig config;
    // Folders look at what surrounds an op; here that is half converted.
    config.foldingMode = DialectConversionFoldingMode::Never;
    if (failed(
            applyFullConversion(device, target, std::move(patterns), config)))
      return signalPassFailure();
    for (auto function : device.getOps<LLVM::LLVMFuncOp>())
      for (Block &block : function.getBody())
        readThreadPerLoop(block);
    order.addTo(device);
  }
};
} // namespace

} // namespace mlir::smx
