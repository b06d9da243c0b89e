//===- ChannelDepth.cpp - stages of a kernel's channels -------------------===//

#include "ChannelDepth.h"

#include "mlir/IR/Remarks.h"
#include "llvm/Support/MathExtras.h"

namespace mlir::smx::gpu {

static int64_t fittingDepth(KernelOp kernel, int64_t wanted, StringRef pass) {
  int64_t stageBytes = 0;
  kernel.walk([&](MakeChannelOp op) {
    stageBytes += llvm::alignTo(
        op.getChannel().getType().getStageType().getBytes(), 1024);
  });
  if (stageBytes == 0)
    return 1;
  // Beside the tiles: barriers, and room to exchange values between warps.
  constexpr int64_t reserve = 4096;
  int64_t left = int64_t(kernel.getSharedLimit()) - reserve -
                 (kernel.getSharedBytes() - stageBytes);
  int64_t fitting = std::max<int64_t>(left / stageBytes, 1);
  if (fitting < wanted)
    remark::missed(kernel.getLoc(),
                   remark::RemarkOpts::name("ChannelDepth").category(pass))
        << remark::metric("wanted", wanted)
        << remark::metric("fitting", fitting);
  return std::min(fitting, wanted);
}

int64_t deepenChannels(KernelOp kernel, int64_t wanted, StringRef pass) {
  int64_t depth = fittingDepth(kernel, wanted, pass);
  kernel.walk([&](MakeChannelOp op) {
    // All that names its type follows.
    ChannelType old = op.getChannel().getType();
    op.getChannel().setType(ChannelType::get(op.getContext(), old.getShape(),
                                             old.getElementType(),
                                             old.getSwizzle(), depth));
  });
  return depth;
}

} // namespace mlir::smx::gpu
