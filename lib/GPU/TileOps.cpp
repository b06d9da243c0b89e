//===- TileOps.cpp - tiles in registers and shared memory -----------------===//

#include "smx/GPU/SmxGpu.h"

#include "mlir/IR/Builders.h"

using namespace mlir;
using namespace mlir::smx::gpu;

#define GET_OP_CLASSES
#include "smx/GPU/SmxGpuOps.cpp.inc"

int64_t MmaOp::getReducedExtent() {
  return getB().getType().getShape()[getTransposeB() ? 1 : 0];
}

LogicalResult LoadOp::verify() { return success(); }
LogicalResult StoreOp::verify() { return success(); }
LogicalResult CopyOp::verify() { return success(); }
LogicalResult PositionOp::verify() { return success(); }
LogicalResult ReduceOp::verify() { return success(); }
LogicalResult BroadcastOp::verify() { return success(); }
LogicalResult ConvertOp::verify() { return success(); }
LogicalResult ReadOp::verify() { return success(); }
LogicalResult WriteOp::verify() { return success(); }
LogicalResult MmaOp::verify() { return success(); }
LogicalResult MmaAsyncOp::verify() { return success(); }
LogicalResult WaitOp::verify() { return success(); }
LogicalResult ClusterReduceOp::verify() { return success(); }
LogicalResult PutOp::verify() { return success(); }
LogicalResult GetOp::verify() { return success(); }
