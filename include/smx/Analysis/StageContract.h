//===- StageContract.h - what holds at a stage ------------------*- C++ -*-===//
#ifndef SMX_ANALYSIS_STAGECONTRACT_H
#define SMX_ANALYSIS_STAGECONTRACT_H

#include "smx/Pipeline/Stages.h"

#include "mlir/IR/BuiltinOps.h"

namespace mlir::smx {

/// Checks the contract of `stage` in one walk; the first op that breaks it gets
/// an error that names the pass which should have removed it. An update outside
/// of all loops counts as one tile if its inputs are static and take at most 16
/// MiB.
LogicalResult verifyStage(ModuleOp module, Stage stage);

} // namespace mlir::smx

#endif // SMX_ANALYSIS_STAGECONTRACT_H
