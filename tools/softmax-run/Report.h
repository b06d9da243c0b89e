//===- Report.h - what a run found, as a table or JSON ----------*- C++ -*-===//
#ifndef SMX_TOOLS_SOFTMAXRUN_REPORT_H
#define SMX_TOOLS_SOFTMAXRUN_REPORT_H

#include "Check.h"

#include "smx/Runtime/HostPeaks.h"

#include "llvm/Support/raw_ostream.h"

namespace smx::run {

/// One comparison of one output.
struct OutputCheck {
  /// "naive", "raised", or a file's name.
  std::string against;
  Checked checked;
};

struct RunReport {
  std::string kernel;
  std::vector<Argument> inputs;
  std::vector<HostTensor> outputs;
  /// Per output.
  std::vector<std::vector<OutputCheck>> checks;
  std::vector<CompileStep> compileSteps;
  double compileMilliseconds = 0;
  /// Rising.
  std::vector<double> milliseconds;
  int threads = 0;
  /// Name of the GPU that ran the kernel; empty for the CPU.
  std::string device;
  std::optional<double> productFlops;
  std::optional<HostPeaks> peaks;

  bool passes() const;
  /// Bytes of all inputs and outputs.
  int64_t byteCount() const;
  /// Milliseconds; 0 without a run.
  double median() const;
};

/// `timing` adds the steps of the compilation.
void printTable(const RunReport &report, bool timing, llvm::raw_ostream &os);
void printJson(const RunReport &report, llvm::raw_ostream &os);

} // namespace smx::run

#endif // SMX_TOOLS_SOFTMAXRUN_REPORT_H
