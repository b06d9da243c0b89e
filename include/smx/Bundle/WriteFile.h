//===- WriteFile.h - a whole file or none -----------------------*- C++ -*-===//
#ifndef SMX_BUNDLE_WRITEFILE_H
#define SMX_BUNDLE_WRITEFILE_H

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

namespace mlir::smx {

/// Makes `text` the content of the file `path`; "-" is the standard output. A
/// regular file is complete when it appears under its name, and an older one
/// stays as it was if this fails. Devices, pipes, links, and names with a '%'
/// are written in place.
llvm::Error writeFile(llvm::StringRef path, llvm::StringRef text);

} // namespace mlir::smx

#endif // SMX_BUNDLE_WRITEFILE_H
