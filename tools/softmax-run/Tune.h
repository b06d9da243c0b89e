//===- Tune.h - measure schedules and write a table -------------*- C++ -*-===//
#ifndef SMX_TOOLS_SOFTMAXRUN_TUNE_H
#define SMX_TOOLS_SOFTMAXRUN_TUNE_H

#include "CheckedRun.h"

#include "smx/Runtime/Tuner.h"

namespace smx::run {

/// Measures the schedules of the module's op on the target of `options`: every
/// candidate's result is compared with the reference before one is timed. Adds
/// the fastest, if it is faster than the model's, to the table in `path`, which
/// is made if there is none, and prints all of them as Markdown.
llvm::Error tuneModule(llvm::StringRef text, const CompileOptions &options,
                       const ArgumentFlags &arguments,
                       const CheckSettings &settings,
                       std::optional<cuda::Device> device,
                       const TunerOptions &tuner, llvm::StringRef path,
                       llvm::raw_ostream &os);

} // namespace smx::run

#endif // SMX_TOOLS_SOFTMAXRUN_TUNE_H
