//===- MemoryCount.h - bytes of global memory -------------------*- C++ -*-===//
#ifndef SMX_LIB_ANALYSIS_MEMORYCOUNT_H
#define SMX_LIB_ANALYSIS_MEMORYCOUNT_H

#include "LoopRounds.h"
#include "smx/Analysis/Roofline.h"
#include "smx/Pipeline/Stages.h"

namespace mlir::smx {

/// Adds what `function`, at `stage`, reads and writes in global memory to
/// `work`. Extents that are not known are left out, and noted in `rounds`.
void countMemory(func::FuncOp function, Stage stage, LoopRounds &rounds,
                 ::smx::Work &work);

} // namespace mlir::smx

#endif // SMX_LIB_ANALYSIS_MEMORYCOUNT_H
