//===- StreamBF16Pass.cpp - streaming stores that the backend drops -------===//

#include "smx/CPU/Passes.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/PatternMatch.h"

namespace mlir::smx {
#define GEN_PASS_DEF_SMXCPUSTREAMBF16PASS
#include "smx/CPU/Passes.h.inc"
} // namespace mlir::smx

using namespace mlir;

namespace {
struct StreamBF16Pass : smx::impl::SmxCPUStreamBF16PassBase<StreamBF16Pass> {
  using SmxCPUStreamBF16PassBase::SmxCPUStreamBF16PassBase;

  void runOnOperation() override {
    IRRewriter b(&getContext());
    SmallVector<LLVM::StoreOp> stores;
    getOperation()->walk([&](LLVM::StoreOp store) {
      auto type = dyn_cast<VectorType>(store.getValue().getType());
      if (!store.getNontemporal() || !type || !type.getElementType().isBF16())
        return;
      int64_t bytes = type.getNumElements() * 2;
      bool isRegister = bytes == 16 || bytes == 32 || bytes == 64;
      if (isRegister && store.getAlignment().value_or(1) % bytes == 0)
        stores.push_back(store);
    });
    for (LLVM::StoreOp store : stores) {
      int64_t words =
          cast<VectorType>(store.getValue().getType()).getNumElements() / 4;
      b.setInsertionPoint(store);
      Value bits = LLVM::BitcastOp::create(
          b, store.getLoc(), VectorType::get({words}, b.getI64Type()),
          store.getValue());
      LLVM::InlineAsmOp::create(
          b, store.getLoc(), TypeRange{}, ValueRange{bits, store.getAddr()},
          "vmovntdq $0, ($1)", words == 8 ? "v,r,~{memory}" : "x,r,~{memory}",
          /*has_side_effects=*/true, /*is_align_stack=*/false,
          LLVM::TailCallKind::None, /*asm_dialect=*/nullptr,
          /*operand_attrs=*/nullptr);
      b.eraseOp(store);
    }
  }
};
} // namespace
