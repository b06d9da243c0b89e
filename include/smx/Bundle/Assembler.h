//===- Assembler.h - ptxas, found and run -----------------------*- C++ -*-===//
//
// NVIDIA's assembler turns PTX into machine code of one architecture ahead of
// time. It comes with the CUDA toolkit and in a package of PyPI; this is the
// one place that knows where to look.
//
//===----------------------------------------------------------------------===//
#ifndef SMX_BUNDLE_ASSEMBLER_H
#define SMX_BUNDLE_ASSEMBLER_H

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

#include <string>
#include <vector>

namespace mlir::smx {

/// What the assembler says of a kernel; bytes of one thread.
struct KernelUsage {
  std::string kernel;
  int64_t registers = 0;
  int64_t stackBytes = 0;
  int64_t spillStoreBytes = 0, spillLoadBytes = 0;

  /// True if it keeps anything in memory that was meant for registers.
  bool isSpilled() const {
    return stackBytes || spillStoreBytes || spillLoadBytes;
  }
};

/// Machine code, and what was noticed on the way.
struct Assembly {
  std::string cubin;
  std::vector<KernelUsage> kernels;
  /// C7508 and the like: what was asked for and not done (products made serial,
  /// register requests ignored), in the assembler's words.
  std::vector<std::string> notices;
};

/// What ptxas -v prints, taken apart; `cubin` is left empty.
Assembly parseAssemblerLog(llvm::StringRef log);

class Assembler {
public:
  /// `path` if it is not empty. Else ptxas beside the program `argv0`, on PATH,
  /// where the CUDA toolkit usually is, or among the packages of the python3 on
  /// PATH; an error lists these places.
  static llvm::Expected<Assembler> find(llvm::StringRef path,
                                        llvm::StringRef argv0);

  llvm::StringRef getPath() const { return path; }
  /// Assembles for `chip`. An error has the assembler's text.
  llvm::Expected<Assembly> assemble(llvm::StringRef ptx,
                                    llvm::StringRef chip) const;

private:
  explicit Assembler(std::string path) : path(std::move(path)) {}
  std::string path;
};

} // namespace mlir::smx

#endif // SMX_BUNDLE_ASSEMBLER_H
