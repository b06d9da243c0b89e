//===- Passes.td --------------------------------------------*- tablegen -*-===//
include "mlir/Pass/PassBase.td"

def RaisePass : Pass<"smx-raise", "::mlir::func::FuncOp"> {
  let summary = "recognise softmax and attention written as textbook linalg";
  let dependentDialects = [
    "::mlir::smx::SmxDialect", "::mlir::affine::AffineDialect", "::mlir::arith::ArithDialect",
    "::mlir::linalg::LinalgDialect", "::mlir::tensor::TensorDialect"
  ];
}
