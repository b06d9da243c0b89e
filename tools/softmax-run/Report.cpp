//===- Report.cpp - what a run found, as a table or JSON ------------------===//

#include "Report.h"

#include "smx/Runtime/Median.h"

#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/JSON.h"

#include <cmath>

using namespace smx::run;
using llvm::formatv;
using llvm::StringRef;
namespace reference = smx::reference;

bool RunReport::passes() const {
  return llvm::all_of(checks, [](const std::vector<OutputCheck> &ofOutput) {
    return llvm::all_of(ofOutput, [](const OutputCheck &check) {
      return check.checked.report.pass;
    });
  });
}

int64_t RunReport::byteCount() const {
  int64_t bytes = 0;
  for (const Argument &input : inputs)
    bytes += input.tensor.byteCount();
  for (const HostTensor &output : outputs)
    bytes += output.byteCount();
  return bytes;
}

double RunReport::median() const { return medianOf(milliseconds); }

static std::string describe(const HostTensor &tensor) {
  return formatv("{0,-4} {1,-20}", StringRef(nameOf(tensor.dtype())),
                 reference::toString(tensor.shape()));
}

/// " (71 % of the measured 121)", or nothing without a measurement.
static std::string ofPeak(double rate, std::optional<double> peak) {
  if (!peak)
    return "";
  return formatv(" ({0:f0} % of the measured {1:f1})", 100 * rate / *peak,
                 *peak);
}

static void printCheck(const OutputCheck &check, llvm::raw_ostream &os) {
  const reference::Report &report = check.checked.report;
  os << formatv("          against {0}: ", check.against) << report.text;
  if (check.checked.ofTolerance)
    os << formatv("; {0:f2} of the tolerance", *check.checked.ofTolerance);
  os << "\n";
}

static void printRates(const RunReport &report, llvm::raw_ostream &os) {
  if (report.milliseconds.empty())
    return;
  const double median = report.median();
  os << formatv("time      {0:f3} ms median, {1:f3} ms best of {2}, ", median,
                report.milliseconds.front(), report.milliseconds.size());
  if (report.device.empty())
    os << report.threads << " threads\n";
  else
    os << report.device << "\n";
  const double gbs = static_cast<double>(report.byteCount()) / median * 1e-6;
  std::optional<double> copy, flops;
  if (report.peaks) {
    copy = report.peaks->copyGBs;
    flops = report.peaks->f32GFlops;
  }
  os << formatv("rate      {0:f2} GB/s{1}", gbs, ofPeak(gbs, copy));
  if (report.productFlops && *report.productFlops > 0) {
    const double rate = *report.productFlops / median * 1e-6;
    os << formatv(", {0:f1} GFLOP/s{1}", rate, ofPeak(rate, flops));
  }
  os << "\n";
}

void smx::run::printTable(const RunReport &report, bool timing,
                          llvm::raw_ostream &os) {
  os << formatv("kernel    {0}, compiled in {1:f1} ms\n", report.kernel,
                report.compileMilliseconds);
  if (timing)
    for (const CompileStep &step : report.compileSteps)
      os << formatv("          {0,-10} {1,8:f2} ms\n", step.name,
                    step.milliseconds);
  for (auto [i, input] : llvm::enumerate(report.inputs))
    os << formatv("input {0,-3} {1} {2}\n", i, describe(input.tensor),
                  input.source);
  for (auto [i, output] : llvm::enumerate(report.outputs)) {
    os << formatv("output {0,-2} {1}\n", i, describe(output));
    for (const OutputCheck &check : report.checks[i])
      printCheck(check, os);
  }
  printRates(report, os);
}

//===----------------------------------------------------------------------===//
// JSON
//===----------------------------------------------------------------------===//

static llvm::json::Object toJson(const HostTensor &tensor) {
  return llvm::json::Object{{"dtype", StringRef(nameOf(tensor.dtype()))},
                            {"shape", llvm::json::Array(tensor.shape())}};
}

/// JSON has no number for infinity and NaN: null.
static llvm::json::Value toJson(double number) {
  return std::isfinite(number) ? llvm::json::Value(number) : nullptr;
}

static llvm::json::Object toJson(const OutputCheck &check) {
  const reference::Report &report = check.checked.report;
  llvm::json::Object object{{"against", check.against},
                            {"pass", report.pass},
                            {"worst_absolute", toJson(report.worstAbsolute)},
                            {"worst_relative", toJson(report.worstRelative)},
                            {"worst_ulps", toJson(report.worstUlps)},
                            {"wrong_elements", report.wrongElements},
                            {"text", report.text}};
  if (check.checked.ofTolerance)
    object["of_tolerance"] = toJson(*check.checked.ofTolerance);
  return object;
}

void smx::run::printJson(const RunReport &report, llvm::raw_ostream &os) {
  llvm::json::Array inputs, outputs;
  for (const Argument &input : report.inputs) {
    llvm::json::Object object = toJson(input.tensor);
    object["source"] = input.source;
    inputs.push_back(std::move(object));
  }
  for (auto [i, output] : llvm::enumerate(report.outputs)) {
    llvm::json::Object object = toJson(output);
    llvm::json::Array checks;
    for (const OutputCheck &check : report.checks[i])
      checks.push_back(toJson(check));
    object["checks"] = std::move(checks);
    outputs.push_back(std::move(object));
  }
  llvm::json::Object steps;
  for (const CompileStep &step : report.compileSteps)
    steps[step.name] = step.milliseconds;
  llvm::json::Object object{{"kernel", report.kernel},
                            {"pass", report.passes()},
                            {"inputs", std::move(inputs)},
                            {"outputs", std::move(outputs)},
                            {"threads", report.threads},
                            {"device", report.device},
                            {"compile_ms", report.compileMilliseconds},
                            {"compile_steps_ms", std::move(steps)},
                            {"bytes", report.byteCount()}};
  if (!report.milliseconds.empty()) {
    object["median_ms"] = report.median();
    object["best_ms"] = report.milliseconds.front();
    object["gbs"] =
        static_cast<double>(report.byteCount()) / report.median() * 1e-6;
    if (report.productFlops)
      object["gflops"] = *report.productFlops / report.median() * 1e-6;
  }
  if (report.peaks) {
    object["peak_gflops"] = report.peaks->f32GFlops;
    object["peak_gbs"] = report.peaks->copyGBs;
  }
  os << llvm::json::Value(std::move(object)) << "\n";
}
