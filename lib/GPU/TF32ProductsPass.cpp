//===- TF32ProductsPass.cpp - f32 on the matrix unit ----------------------===//

#include "smx/GPU/Passes.h"
#include "smx/GPU/SmxGpu.h"

namespace mlir::smx::gpu {
#define GEN_PASS_DEF_TF32PRODUCTSPASS
#include "smx/GPU/Passes.h.inc"
} // namespace mlir::smx::gpu

using namespace mlir;
using namespace mlir::smx::gpu;

namespace {
struct TF32ProductsPass
    : mlir::smx::gpu::impl::TF32ProductsPassBase<TF32ProductsPass> {
  using TF32ProductsPassBase::TF32ProductsPassBase;

  void runOnOperation() override {
    getOperation().walk([](MmaOp product) {
      if (product.getB().getType().getElementType().isF32())
        product.setPrecision(Precision::TF32x3);
    });
  }
};
} // namespace
