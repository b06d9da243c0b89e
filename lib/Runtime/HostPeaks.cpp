//===- HostPeaks.cpp - what this machine can do ---------------------------===//

#include "smx/Runtime/HostPeaks.h"

#include "smx/Runtime/Kernel.h"
#include "smx/Runtime/Median.h"

#include "llvm/Support/FormatVariadic.h"

#include <algorithm>
#include <chrono>
#include <cstring>
#include <memory>
#include <thread>
#include <vector>

using namespace smx;
using Clock = std::chrono::steady_clock;

static double secondsSince(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

// Enough independent chains to hide the latency of an fma (4 cycles, 2 a
// cycle), few enough for the 16 registers of AVX2 at two registers a vector.
static constexpr int chains = 14, lanes = 16;

/// One task per thread, each a loop of `rounds` fmas on every chain.
static std::string fmaLoop(int threads) {
  std::string text;
  llvm::raw_string_ostream os(text);
  std::string vector = llvm::formatv("vector<{0}xf32>", lanes);
  std::string row = llvm::formatv(
      "memref<{0}x{1}xf32, strided<[?, 1], offset: ?>>", threads, lanes);
  os << "func.func @fma(%rounds: index, %out: " << row << ") {\n"
     << "  %c0 = arith.constant 0 : index\n  %c1 = arith.constant 1 : index\n"
     << "  scf.forall (%t) in (" << threads << ") {\n"
     << "    %x = vector.load %out[%t, %c0] : " << row << ", " << vector
     << "\n    %r:" << chains
     << " = scf.for %i = %c0 to %rounds step %c1 iter_args(";
  for (int chain = 0; chain < chains; ++chain)
    os << (chain ? ", " : "") << "%a" << chain << " = %x";
  os << ") -> (";
  for (int chain = 0; chain < chains; ++chain)
    os << (chain ? ", " : "") << vector;
  os << ") {\n";
  for (int chain = 0; chain < chains; ++chain)
    os << "      %b" << chain << " = vector.fma %a" << chain
       << ", %x, %x : " << vector << "\n";
  os << "      scf.yield ";
  for (int chain = 0; chain < chains; ++chain)
    os << (chain ? ", " : "") << "%b" << chain;
  os << " : ";
  for (int chain = 0; chain < chains; ++chain)
    os << (chain ? ", " : "") << vector;
  os << "\n    }\n";
  // Every chain is needed, or it would not be computed.
  for (int chain = 1; chain < chains; ++chain)
    os << "    %s" << chain << " = arith.addf %"
       << (chain == 1 ? std::string("r#0") : "s" + std::to_string(chain - 1))
       << ", %r#" << chain << " : " << vector << "\n";
  os << "    vector.store %s" << chains - 1 << ", %out[%t, %c0] : " << row
     << ", " << vector << "\n  }\n  return\n}\n";
  return text;
}

static llvm::Expected<double> measureFma(double milliseconds) {
  int threads = threadCount();
  CompileOptions options;
  options.from = mlir::smx::Stage::Cpu;
  options.sourceName = "<fma loop>";
  llvm::Expected<Kernel> kernel = compile(fmaLoop(threads), options);
  if (!kernel)
    return kernel.takeError();
  std::vector<float> out(size_t(threads) * lanes, 0.25f);
  int64_t rounds = 1 << 16;
  TensorView roundsView(&rounds, reference::DType::I64, {});
  TensorView outView(out.data(), {threads, lanes});
  double best = 0;
  const Clock::time_point start = Clock::now();
  do {
    Clock::time_point before = Clock::now();
    if (llvm::Error error = kernel->run({roundsView, outView}, {}))
      return std::move(error);
    double flops = 2.0 * threads * lanes * chains * rounds;
    best = std::max(best, flops / secondsSince(before) * 1e-9);
  } while (secondsSince(start) * 1e3 < milliseconds);
  return best;
}

static double measureCopy(double milliseconds) {
  constexpr size_t bytes = size_t(64) << 20;
  size_t threads = threadCount();
  auto source = std::make_unique<char[]>(bytes * threads);
  auto target = std::make_unique<char[]>(bytes * threads);
  std::memset(source.get(), 1, bytes * threads);
  std::memset(target.get(), 2, bytes * threads);
  std::vector<double> rates;
  const Clock::time_point start = Clock::now();
  do {
    Clock::time_point before = Clock::now();
    std::vector<std::thread> workers;
    for (size_t i = 0; i < threads; ++i)
      workers.emplace_back([&, i] {
        std::memcpy(target.get() + i * bytes, source.get() + i * bytes, bytes);
      });
    for (std::thread &worker : workers)
      worker.join();
    rates.push_back(2e-9 * bytes * threads / secondsSince(before));
  } while (secondsSince(start) * 1e3 < milliseconds);
  return medianOf(std::move(rates));
}

llvm::Expected<HostPeaks> smx::measureHostPeaks(double milliseconds) {
  llvm::Expected<double> fma = measureFma(milliseconds);
  if (!fma)
    return fma.takeError();
  return HostPeaks{*fma, measureCopy(milliseconds)};
}
