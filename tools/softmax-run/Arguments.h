//===- Arguments.h - inputs from files and generators -----------*- C++ -*-===//
#ifndef SMX_TOOLS_SOFTMAXRUN_ARGUMENTS_H
#define SMX_TOOLS_SOFTMAXRUN_ARGUMENTS_H

#include "HostTensor.h"

#include "smx/Runtime/Kernel.h"

namespace smx::run {

/// An input and where it came from.
struct Argument {
  HostTensor tensor;
  std::string source;
};

/// What the command line says about inputs.
struct ArgumentFlags {
  /// One per input, in order: a .npy file or, for a scalar, a number. Missing
  /// ones are generated.
  std::vector<std::string> inputs;
  /// "<generator>[:seed]" per generated input; the last one serves the rest.
  std::vector<std::string> random;
  /// "2x8x128x64" per input, those that come from files counted, or one number
  /// for every dynamic extent.
  std::vector<std::string> dims;
};

/// An input for every entry of `specs`.
llvm::Expected<std::vector<Argument>>
makeArguments(llvm::ArrayRef<TensorSpec> specs, const ArgumentFlags &flags);

} // namespace smx::run

#endif // SMX_TOOLS_SOFTMAXRUN_ARGUMENTS_H
