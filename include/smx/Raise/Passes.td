//===- Passes.td --------------------------------------------*- tablegen -*-===//
include "mlir/Pass/PassBase.td"
