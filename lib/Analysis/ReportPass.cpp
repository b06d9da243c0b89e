//===- ReportPass.cpp - a table of traffic, flops and roofline time -------===//

#include "smx/Analysis/Passes.h"
#include "smx/Analysis/Traffic.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/JSON.h"

namespace mlir::smx {
#define GEN_PASS_DEF_REPORTPASS
#include "smx/Analysis/Passes.h.inc"
} // namespace mlir::smx

using namespace mlir;
using namespace mlir::smx;
using ::smx::ChipPeaks;
using ::smx::Work;

static void printTable(raw_ostream &os, ArrayRef<FunctionTraffic> functions,
                       const ChipPeaks &chip) {
  size_t width = 8;
  for (const FunctionTraffic &traffic : functions)
    width = std::max(width, traffic.function.size() + 1);
  os << "roofline of " << chip.name << "\n";
  os << llvm::left_justify("function", width)
     << "  stage        bytes read   bytes written     product flops"
        "       other flops      exponentials  flop/byte  microseconds  "
        "limit\n";
  for (const FunctionTraffic &traffic : functions) {
    const Work &work = traffic.work;
    os << llvm::left_justify("@" + traffic.function, width) << "  "
       << llvm::left_justify(getStageInfo(traffic.stage).name, 6);
    if (!traffic.notCounted.empty()) {
      os << "  not counted: " << llvm::join(traffic.notCounted, ", ") << "\n";
      continue;
    }
    auto time = ::smx::getRooflineTime(work, chip);
    os << llvm::format("  %15lld %15lld %17lld %17lld %17lld %10.2f %13.3f  ",
                       (long long)work.bytesRead, (long long)work.bytesWritten,
                       (long long)work.productFlops(),
                       (long long)work.otherFlops, (long long)work.exponentials,
                       work.intensity(), time.seconds * 1e6)
       << time.limit << "\n";
  }
}

static void printJson(raw_ostream &os, ArrayRef<FunctionTraffic> functions,
                      const ChipPeaks &chip) {
  llvm::json::OStream json(os, /*IndentSize=*/2);
  json.object([&] {
    json.attribute("chip", chip.name);
    json.attributeArray("functions", [&] {
      for (const FunctionTraffic &traffic : functions)
        json.object([&] {
          const Work &work = traffic.work;
          json.attribute("function", traffic.function);
          json.attribute("stage", getStageInfo(traffic.stage).name);
          if (!traffic.notCounted.empty()) {
            json.attributeArray("not_counted", [&] {
              for (const std::string &reason : traffic.notCounted)
                json.value(reason);
            });
            return;
          }
          auto time = ::smx::getRooflineTime(work, chip);
          json.attribute("bytes_read", work.bytesRead);
          json.attribute("bytes_written", work.bytesWritten);
          json.attribute("product_flops", work.productFlops());
          json.attribute("other_flops", work.otherFlops);
          json.attribute("exponentials", work.exponentials);
          json.attribute("flops_per_byte", work.intensity());
          json.attribute("roofline_seconds", time.seconds);
          json.attribute("limit", time.limit);
        });
    });
  });
  os << "\n";
}

namespace {
struct ReportPass : mlir::smx::impl::ReportPassBase<ReportPass> {
  using ReportPassBase::ReportPassBase;

  LogicalResult initialize(MLIRContext *context) override {
    auto error = [&]() {
      return emitError(UnknownLoc::get(context)) << "smx-report: ";
    };
    if (!stage.empty() && !(options.stage = parseStage(stage)))
      return error() << "unknown stage '" << stage << "'; stages are "
                     << getStageNames();
    options.extents.assign(extents.begin(), extents.end());
    for (int64_t extent : options.extents)
      if (extent < 0)
        return error() << "extents must not be negative, got " << extent;
    std::optional<ChipPeaks> found = ::smx::findPeaks(chip.getValue());
    if (found) {
      peaks = *found;
      return success();
    }
    if (chip != "host")
      return error() << "unknown chip '" << chip << "'; chips are "
                     << ::smx::getChipNames()
                     << ", and host with peak-gflops and peak-gbs";
    if (!(peakGflops > 0 && peakGbs > 0))
      return error() << "chip 'host' takes its measured peaks from peak-gflops "
                        "and peak-gbs, both above 0; got "
                     << peakGflops << " and " << peakGbs;
    double flops = peakGflops * 1e9;
    peaks = {"host", peakGbs * 1e9, flops, flops, /*exponentials=*/0};
    return success();
  }

  void runOnOperation() override {
    markAllAnalysesPreserved();
    FailureOr<SmallVector<FunctionTraffic>> functions =
        analyzeTraffic(getOperation(), options);
    if (failed(functions))
      return signalPassFailure();
    if (json)
      printJson(llvm::outs(), *functions, peaks);
    else
      printTable(llvm::outs(), *functions, peaks);
    llvm::outs().flush();
  }

  TrafficOptions options;
  ChipPeaks peaks;
};
} // namespace
