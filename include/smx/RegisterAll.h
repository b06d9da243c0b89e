//===- RegisterAll.h - everything a tool registers --------------*- C++ -*-===//
#ifndef SMX_REGISTERALL_H
#define SMX_REGISTERALL_H

#include "mlir/IR/DialectRegistry.h"

namespace mlir::smx {

/// The dialects that a front end may hand over and that the road passes
/// through, with the interface implementations that the passes rely on.
void registerAllDialects(DialectRegistry &registry);

/// This project's passes and pipelines, and the upstream passes that the
/// pipelines name.
void registerAllPasses();

} // namespace mlir::smx

#endif // SMX_REGISTERALL_H
