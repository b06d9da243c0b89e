//===- GridTest.cpp - a seeded random grid of configurations --------------===//
//
// Sizes are chosen where things break: 0, 1, primes, one less and one more than
// a tile.
//
//===----------------------------------------------------------------------===//

#include "LossCases.h"
#include "TargetUnderTest.h"

#include "llvm/Support/SaveAndRestore.h"

#include "gtest/gtest.h"

#include <atomic>
#include <chrono>
#include <cmath>
#include <iterator>
#include <mutex>
#include <random>
#include <thread>

using namespace smx;
using namespace smx::test;
using llvm::StringRef;
using llvm::Twine;
using reference::Band;
using reference::BandAnchor;

namespace {

class CaseMaker {
public:
  explicit CaseMaker(uint64_t seed) : random(seed) {}

  NumericCase rowOp(Op op) {
    NumericCase c = common(op);
    if (isNorm(op)) {
      c.scale = 1.0;
      c.generator = pick<const char *>({"normal", "uniform", "ramp"});
      if (op == Op::RmsNorm && pick<int>({0, 0, 1}))
        c.generator = pick<const char *>(
            {"alternating", "denormals", "staircase", "one_nan", "one_inf"});
    } else {
      c.generator = pick<const char *>(
          {"normal", "normal", "uniform", "staircase", "falling", "spike_last",
           "all_equal", "alternating", "denormals", "all_neg_inf", "one_nan",
           "one_inf", "huge_jump", "ramp"});
    }
    int64_t rank = op == Op::SoftmaxDot ? pick<int64_t>({1, 2, 3})
                                        : pick<int64_t>({1, 2, 2, 3});
    for (int64_t dim = 0; dim < rank; ++dim)
      c.shape.push_back(pick<int64_t>({1, 2, 3, 5, 17}));
    c.axis = op == Op::SoftmaxDot
                 ? rank - 1
                 : pick<int64_t>({0, rank / 2, rank - 1, rank - 1});
    c.shape[c.axis] = extent();
    // A norm of nothing is NaN by any reading; softmax of nothing is nothing.
    if (isNorm(op) && c.shape[c.axis] == 0)
      c.shape[c.axis] = 1;
    c.columns = pick<int64_t>({1, 3, 8, 16, 33});
    c.zeroForMaskedRow = op == Op::Softmax && pick<int>({0, 0, 1});
    // From the seed of the case: the cases that follow stay as they were.
    if (op == Op::LogSoftmax)
      c.zeroForMaskedRow = c.seed % 5 == 0;
    // No type holds these: some round up, others down.
    constexpr double inexact[] = {0.1, 1.0 / 3, 0.7, 1e-3};
    if (!isNorm(op) && c.seed % 4 == 1)
      c.scale = inexact[c.seed / 4 % std::size(inexact)];
    constexpr DType results[] = {DType::F32, DType::BF16, DType::F16,
                                 DType::F64};
    if ((op == Op::Softmax || op == Op::LogSoftmax || op == Op::LogSumExp ||
         isNorm(op)) &&
        c.seed % 3 == 0 && c.generator != "denormals")
      c.resultType = results[c.seed / 3 % 4];
    if (isLossOrGradient(op)) {
      c.smoothing = pick<double>({0, 0, 0.1, 0.5});
      if (pick<int>({0, 1}))
        c.ignored = pick<int64_t>({-100, 0, 3});
      c.targetType = pick<DType>({DType::I64, DType::I32});
      c.isLossWide = pick<int>({0, 1});
      if (op == Op::TopK && c.dtype == DType::F64)
        c.dtype = DType::F32;
      c.k = pick<int64_t>({1, 2, 5, 8, 17});
      if (op == Op::TopK && !c.isDynamic)
        c.k = std::min(c.k, std::max<int64_t>(c.shape[c.axis], 1));
      if (op == Op::TopK)
        c.shape[c.axis] = std::max<int64_t>(c.shape[c.axis], 1);
      // The log-sum-exp of these is beyond its type.
      if (op == Op::CrossEntropyBackward && c.generator == "alternating")
        c.generator = "normal";
    }
    return c;
  }

  /// Rows as long as the registers of a block or of a cluster, and longer.
  NumericCase longRow(Op op) {
    NumericCase c = rowOp(op);
    c.shape = {
        pick<int64_t>({1, 2}),
        pick<int64_t>({4095, 4096, 4097, 8191, 8192, 12345, 16384, 32768, 32769,
                       50257, 65537, 70000, 99991, 131072, 262144, 300007})};
    c.axis = 1;
    // Across rows of memory.
    if (!isNorm(op) && pick<int>({0, 0, 1})) {
      c.shape = {pick<int64_t>({4097, 8191, 16384}), pick<int64_t>({1, 3, 33})};
      c.axis = 0;
    }
    c.isDynamic = false;
    c.road = {};
    return c;
  }

  /// Rows of 16-bit elements that one or two blocks have in registers, where
  /// they start at whole accesses.
  NumericCase quarterRow(Op op) {
    NumericCase c = longRow(op);
    c.dtype = pick<DType>({DType::F16, DType::BF16});
    c.shape = {pick<int64_t>({1, 3}), pick<int64_t>({16384, 24576, 32768})};
    c.axis = 1;
    c.gap = pick<int64_t>({0, 0, 8, 1});
    return c;
  }

  /// Rows that a cluster of 2 to 16 blocks has in registers, where they start
  /// at whole accesses: with a rest or without, and a few that are too long.
  NumericCase clusterRow(Op op) {
    NumericCase c = longRow(op);
    c.dtype = pick<DType>({DType::F32, DType::F16, DType::BF16});
    c.shape = {pick<int64_t>({1, 3}),
               pick<int64_t>({16640, 32768, 33000, 40960, 50256, 60000, 65536,
                              98308, 100000, 131072, 151936, 262144})};
    c.axis = 1;
    c.gap = pick<int64_t>({0, 0, 8, 1});
    return c;
  }

  NumericCase attention() {
    NumericCase c = common(Op::Attention);
    c.scale = pick<double>({0.125, 0.25, 1.0, 0.0883883});
    c.generator = pick<const char *>({"normal", "normal", "normal", "staircase",
                                      "falling", "spike_last", "all_equal"});
    c.batch = pick<int64_t>({1, 1, 2, 0});
    c.keyHeads = pick<int64_t>({1, 1, 2, 3});
    c.queryHeads = c.keyHeads * pick<int64_t>({1, 1, 2, 4});
    c.queries = pick<int64_t>({1, 5, 16, 17, 31, 63, 64, 65, 100, 0});
    c.keys = pick<int64_t>({1, 7, 32, 33, 64, 101, 127, 128, 129, 200, 257, 0});
    c.headDim = pick<int64_t>({1, 8, 16, 24, 40, 64});
    c.valueDim = pick<int64_t>({c.headDim, c.headDim, 1, 8, 20, 48});
    auto anchor =
        pick<BandAnchor>({BandAnchor::TopLeft, BandAnchor::BottomRight});
    switch (pick<int>({0, 0, 1, 1, 2, 3, 4})) {
    case 1:
      c.band = Band::causal(anchor);
      break;
    case 2:
      c.band = Band{anchor, pick<int64_t>({0, 1, 16, 50}),
                    pick<int64_t>({0, 3, 20})};
      break;
    case 3:
      c.band = Band{anchor, pick<int64_t>({0, 5, 40}), std::nullopt};
      break;
    case 4:
      c.band = Band::causal(anchor);
      c.prefix = pick<int64_t>({1, 16, 70});
      break;
    }
    return c;
  }

  /// With masks that hold together, data that decide, or sinks.
  NumericCase masked(NumericCase c) {
    c.targetType = pick<DType>({DType::I64, DType::I32});
    if (!c.prefix && pick<int>({0, 0, 1}))
      c.chunk = pick<int64_t>({1, 16, 50, 64, 100});
    c.maskData = pick<NumericCase::MaskData>(
        {NumericCase::MaskData::None, NumericCase::MaskData::Lengths,
         NumericCase::MaskData::Ranges, NumericCase::MaskData::Documents,
         NumericCase::MaskData::Documents});
    c.isMaskPerHead =
        c.maskData == NumericCase::MaskData::Lengths && pick<int>({0, 1});
    c.hasSinks = pick<int>({0, 0, 1});
    return c;
  }

  /// With marked blocks, smaller than tiles, as large, or larger.
  NumericCase withBlocks(NumericCase c) {
    c.targetType = pick<DType>({DType::I64, DType::I32, DType::I8, DType::I1});
    c.blocks = {{pick<int64_t>({1, 16, 64, 64, 128, 128, 24, 96}),
                 pick<int64_t>({16, 64, 64, 128, 128, 40, 96})}};
    // A second mask, of blocks that hold no tile, or as large. From the seed of
    // the case: the cases that follow stay as they were.
    constexpr NumericCase::MarkedBlocks others[] = {
        {8, 8}, {64, 64}, {1, 40}, {24, 16}};
    if (c.seed % 3 == 0)
      c.blocks.push_back(others[c.seed / 3 % std::size(others)]);
    c.isMaskPerHead = pick<int>({0, 1});
    c.hasSinks = pick<int>({0, 0, 1});
    if (c.targetType == DType::I64 || c.targetType == DType::I32)
      c.maskData = pick<NumericCase::MaskData>(
          {NumericCase::MaskData::None, NumericCase::MaskData::Lengths,
           NumericCase::MaskData::CausalLengths,
           NumericCase::MaskData::Documents});
    if (!c.prefix && pick<int>({0, 0, 0, 1}))
      c.chunk = pick<int64_t>({50, 64, 100});
    return c;
  }

  /// With keys in pages, for one or many queries.
  NumericCase paged(NumericCase c) {
    c.page = pick<int64_t>({16, 16, 32, 64, 128, 48});
    c.keys = c.page * pick<int64_t>({1, 2, 5, 12, 20});
    if (c.road.tileStream)
      c.road.tileStream = 16;
    c.batch = pick<int64_t>({1, 2, 3});
    c.band = std::nullopt;
    c.prefix = 0;
    c.targetType = pick<DType>({DType::I64, DType::I32});
    c.maskData = pick<NumericCase::MaskData>(
        {NumericCase::MaskData::Lengths, NumericCase::MaskData::CausalLengths});
    c.hasSinks = pick<int>({0, 0, 1});
    return c;
  }

  /// With tiles of several warpgroups, and of head dims up to the largest one.
  NumericCase longAttention() {
    NumericCase c = attention();
    c.dtype = pick<DType>({DType::F16, DType::BF16, DType::BF16, DType::F32});
    c.gap = pick<int64_t>({0, 0, 8});
    c.road.tileRows = c.road.tileStream = 0;
    c.road.splits = pick<int64_t>({1, 1, 2});
    c.batch = 1;
    c.queries = pick<int64_t>({127, 128, 129, 192, 193, 257, 300});
    c.keys = pick<int64_t>({1, 64, 127, 128, 129, 255, 300, 513});
    c.headDim = pick<int64_t>({32, 64, 64, 72, 96, 128, 128, 192, 256});
    c.valueDim = pick<int64_t>({c.headDim, c.headDim, c.headDim, 64, 128});
    c.scale = 1.0 / std::sqrt(static_cast<double>(c.headDim));
    return c;
  }

  /// With tiles that the model may never choose: what a user asks for is right
  /// or refused.
  NumericCase tiledAttention() {
    NumericCase c = longAttention();
    c.dtype = pick<DType>({DType::F16, DType::BF16});
    c.road.tileRows = pick<int64_t>({16, 32, 64, 64, 128, 128, 192, 256});
    c.road.tileStream = pick<int64_t>({16, 32, 48, 64, 80, 96, 128, 176});
    c.headDim = pick<int64_t>({32, 64, 64, 96, 128, 128, 256});
    // Larger ones are beyond the shared memory of the portable kernel.
    if (c.headDim == 256)
      c.road.tileStream = std::min<int64_t>(c.road.tileStream, 128);
    c.valueDim = pick<int64_t>({c.headDim, c.headDim, c.headDim, 64});
    c.scale = 1.0 / std::sqrt(static_cast<double>(c.headDim));
    return c;
  }

  /// Few queries and many keys.
  NumericCase decoding() {
    NumericCase c = attention();
    c.road = {};
    c.road.splits = pick<int64_t>({0, 0, 0, 1, 3});
    c.road.tileStream = pick<int64_t>({0, 0, 0, 32});
    c.gap = pick<int64_t>({0, 0, 8});
    c.keyHeads = pick<int64_t>({1, 2, 3});
    c.queryHeads = c.keyHeads * pick<int64_t>({1, 2, 3, 4, 8, 17});
    c.queries = pick<int64_t>({1, 1, 1, 2, 4, 7, 16});
    c.keys = pick<int64_t>({64, 129, 255, 512, 1000, 1025, 2048, 3001});
    c.headDim = pick<int64_t>({16, 40, 64, 128, 128, 256});
    // A tile of so many columns of f64 is beyond shared memory.
    if (c.headDim == 256)
      c.dtype = DType::BF16;
    c.valueDim = pick<int64_t>({c.headDim, c.headDim, c.headDim, 48});
    c.scale = pick<double>({0.125, 0.0625});
    return c;
  }

  /// Keys and values, or queries too, of 8 bits; `c` is of 16.
  NumericCase quantized(NumericCase c) {
    c.dtype = pick<DType>({DType::F16, DType::BF16, DType::BF16});
    c.quantized = pick<NumericCase::Quantized>(
        {NumericCase::Quantized::KeysAndValues,
         NumericCase::Quantized::KeysAndValues, NumericCase::Quantized::All});
    if (c.quantized == NumericCase::Quantized::KeysAndValues)
      c.scales = pick<NumericCase::Scales>({NumericCase::Scales::None,
                                            NumericCase::Scales::PerHead,
                                            NumericCase::Scales::PerToken});
    return c;
  }

  /// Any head dims up to 512, and 576, any ratio of heads, in any layout.
  NumericCase headDims() {
    NumericCase c = attention();
    c.road = {};
    c.gap = pick<int64_t>({0, 0, 1, 8});
    c.batch = pick<int64_t>({1, 1, 2});
    c.keyHeads = pick<int64_t>({1, 1, 2, 3});
    c.queryHeads = c.keyHeads * pick<int64_t>({1, 1, 2, 3, 5, 7});
    c.queries = pick<int64_t>({1, 5, 17, 33, 65});
    c.keys = pick<int64_t>({1, 16, 33, 70, 129});
    c.headDim = headDim();
    c.valueDim = pick<int>({0, 0, 1}) ? headDim() : c.headDim;
    if (pick<int>({0, 0, 0, 0, 0, 0, 0, 1})) {
      c.headDim = 576;
      c.valueDim = 512;
    }
    c.scale = 1.0 / std::sqrt(static_cast<double>(c.headDim));
    c.layout = pick<NumericCase::Layout>(
        {NumericCase::Layout::HeadsOutside, NumericCase::Layout::HeadsInside,
         NumericCase::Layout::Packed, NumericCase::Layout::Strided,
         NumericCase::Layout::Columns});
    if (c.layout == NumericCase::Layout::Packed) {
      c.keys = c.queries;
      c.valueDim = c.headDim;
    }
    if (c.layout != NumericCase::Layout::HeadsOutside)
      c.isDynamic = false;
    return c;
  }

private:
  int64_t headDim() {
    int64_t multiple = pick<int64_t>({16, 32, 64, 128, 256});
    int64_t about =
        multiple * static_cast<int64_t>(random() % (512 / multiple) + 1);
    return pick<int>({0, 0, 1})
               ? static_cast<int64_t>(random() % 512 + 1)
               : std::min<int64_t>(about + pick<int64_t>({-1, 0, 0, 1}), 512);
  }
  template <typename T>
  T pick(std::vector<T> choices) {
    return choices[random() % choices.size()];
  }
  int64_t extent() {
    return pick<int64_t>(
        {0, 1, 2, 15, 16, 17, 31, 32, 33, 63, 64, 65, 127, 128, 129, 257, 509});
  }
  NumericCase common(Op op) {
    NumericCase c;
    c.op = op;
    c.seed = random();
    c.dtype = pick<DType>(
        {DType::F32, DType::F32, DType::F64, DType::F16, DType::BF16});
    c.scale = pick<double>({1.0, 1.0, 0.5, -0.75, 2.0});
    c.isDynamic = pick<int>({0, 0, 1});
    c.gap = pick<int64_t>({0, 0, 1, 7});
    c.road.tileRows = pick<int64_t>({0, 0, 4, 16, 7});
    c.road.tileStream = pick<int64_t>({0, 16, 32, 64, 50});
    c.road.splits = pick<int64_t>({1, 1, 1, 2, 5});
    c.road.threads = pick<int>({0, 0, 0, 1});
    return c;
  }

  std::mt19937_64 random;
};

/// Checks all cases on all cores; prints how many there were. The first one is
/// number `first` of its op.
void checkAll(int first, const std::vector<NumericCase> &cases) {
  std::atomic<size_t> next = 0;
  std::mutex mutex;
  std::vector<std::string> failures;
  std::vector<std::thread> workers;
  for (unsigned i = 0; i < std::max(1u, std::thread::hardware_concurrency());
       ++i)
    workers.emplace_back([&] {
      for (size_t at = next++; at < cases.size(); at = next++) {
        auto begin = std::chrono::steady_clock::now();
        if (targetUnderTest().showsProgress)
          std::fprintf(stderr, "%zu begins: %s\n", first + at,
                       cases[at].describe().c_str());
        std::string failure = checkCase(cases[at]);
        std::chrono::duration<double> took =
            std::chrono::steady_clock::now() - begin;
        if (targetUnderTest().showsProgress)
          std::fprintf(stderr, "%zu ends: %.1f s\n", first + at, took.count());
        std::lock_guard<std::mutex> lock(mutex);
        if (!failure.empty())
          failures.push_back(failure);
      }
    });
  for (std::thread &worker : workers)
    worker.join();
  for (size_t i = 0; i < failures.size() && i < 5; ++i)
    ADD_FAILURE() << failures[i];
  EXPECT_EQ(failures.size(), 0u) << "of " << cases.size() << " configurations";
  // integration/gpu/check.py reads both.
  std::printf("[ WRONG    ] %zu\n[ CONFIGS  ] %zu\n", failures.size(),
              cases.size());
}

enum class Family {
  Rows,
  LongRows,
  QuarterRows,
  ClusterRows,
  Attention,
  LongAttention,
  Decoding,
  MaskedAttention,
  LongMaskedAttention,
  TiledAttention,
  BlockAttention,
  LongBlockAttention,
  PagedAttention,
  HeadDims,
  QuantizedAttention
};

/// Configurations `first` to `first + count` of a family. Small parts are
/// shared out over processes by GoogleTest's sharding: in one process the CUDA
/// driver compiles one module at a time.
struct Part {
  std::string name, chip;
  Family family;
  Op op;
  int first, count;
};

std::vector<Part> allParts() {
  const TargetUnderTest &target = targetUnderTest();
  std::vector<Part> parts;
  auto add = [&](StringRef name, Family family, Op op, int total) {
    std::vector<std::string> chips = target.chips();
    // Attention and long rows have kernels of their own for all of them.
    if (op != Op::Attention && family == Family::Rows)
      chips.resize(1);
    if (target.mostCases)
      total = std::min(total, target.mostCases);
    constexpr int most = 20;
    for (const std::string &chip : chips)
      for (int first = 0; first < total; first += most)
        parts.push_back(
            {(name + "_" + chip + (chip.empty() ? "" : "_") + Twine(first))
                 .str(),
             chip, family, op, first, std::min(most, total - first)});
  };
  add("softmax", Family::Rows, Op::Softmax, 260);
  add("log_softmax", Family::Rows, Op::LogSoftmax, 120);
  add("logsumexp", Family::Rows, Op::LogSumExp, 120);
  add("softmax_dot", Family::Rows, Op::SoftmaxDot, 120);
  add("layer_norm", Family::Rows, Op::LayerNorm, 80);
  add("rms_norm", Family::Rows, Op::RmsNorm, 80);
  add("cross_entropy", Family::Rows, Op::CrossEntropy, 160);
  add("cross_entropy_backward", Family::Rows, Op::CrossEntropyBackward, 60);
  add("softmax_backward", Family::Rows, Op::SoftmaxBackward, 80);
  add("log_softmax_backward", Family::Rows, Op::LogSoftmaxBackward, 60);
  add("topk", Family::Rows, Op::TopK, 120);
  add("long_topk", Family::LongRows, Op::TopK, 4);
  add("long_cross_entropy", Family::LongRows, Op::CrossEntropy, 8);
  add("long_cross_entropy_backward", Family::LongRows, Op::CrossEntropyBackward,
      4);
  add("long_softmax_backward", Family::LongRows, Op::SoftmaxBackward, 6);
  add("long_log_softmax_backward", Family::LongRows, Op::LogSoftmaxBackward, 4);
  add("long_softmax", Family::LongRows, Op::Softmax, 16);
  add("long_log_softmax", Family::LongRows, Op::LogSoftmax, 6);
  add("long_logsumexp", Family::LongRows, Op::LogSumExp, 6);
  add("long_layer_norm", Family::LongRows, Op::LayerNorm, 6);
  add("long_rms_norm", Family::LongRows, Op::RmsNorm, 6);
  add("quarter_softmax", Family::QuarterRows, Op::Softmax, 8);
  add("quarter_log_softmax", Family::QuarterRows, Op::LogSoftmax, 6);
  add("quarter_layer_norm", Family::QuarterRows, Op::LayerNorm, 8);
  add("quarter_rms_norm", Family::QuarterRows, Op::RmsNorm, 8);
  add("cluster_softmax", Family::ClusterRows, Op::Softmax, 16);
  add("cluster_log_softmax", Family::ClusterRows, Op::LogSoftmax, 8);
  add("cluster_rms_norm", Family::ClusterRows, Op::RmsNorm, 8);
  add("cluster_softmax_backward", Family::ClusterRows, Op::SoftmaxBackward, 8);
  add("cluster_log_softmax_backward", Family::ClusterRows,
      Op::LogSoftmaxBackward, 6);
  add("attention", Family::Attention, Op::Attention, 320);
  add("masked_attention", Family::MaskedAttention, Op::Attention, 160);
  // A CPU has no tiles that only long attention reaches.
  auto onCpuOrGpu = [&](int cpu, int gpu) {
    return target.target == mlir::smx::Target::Cpu ? cpu : gpu;
  };
  add("long_attention", Family::LongAttention, Op::Attention,
      onCpuOrGpu(20, 80));
  add("decoding", Family::Decoding, Op::Attention, onCpuOrGpu(40, 100));
  add("long_masked_attention", Family::LongMaskedAttention, Op::Attention,
      onCpuOrGpu(20, 60));
  add("tiled_attention", Family::TiledAttention, Op::Attention,
      onCpuOrGpu(20, 60));
  add("block_attention", Family::BlockAttention, Op::Attention, 100);
  add("long_block_attention", Family::LongBlockAttention, Op::Attention,
      onCpuOrGpu(20, 60));
  add("paged_attention", Family::PagedAttention, Op::Attention,
      onCpuOrGpu(60, 100));
  add("quantized_attention", Family::QuantizedAttention, Op::Attention,
      onCpuOrGpu(80, 120));
  add("head_dims", Family::HeadDims, Op::Attention,
      onCpuOrGpu(260, target.isDevice() ? 800 : 60));
  return parts;
}

/// How a case multiplies f32 and f64, whatever its maker made of its road. From
/// the seed of the case: the other choices stay as they were.
mlir::smx::WideProducts widePicked(uint64_t seed) {
  return seed / 7 % 2 ? mlir::smx::WideProducts::MatrixUnit
                      : mlir::smx::WideProducts::Fma;
}

class Grid : public testing::TestWithParam<Part> {};

TEST_P(Grid, MatchesTheReference) {
  const Part &part = GetParam();
  llvm::SaveAndRestore chip(targetUnderTest().chip, part.chip);
  CaseMaker maker(1000 + static_cast<int>(part.op) +
                  100 * (part.family >= Family::LongAttention) *
                      (1 + static_cast<int>(part.family) -
                       static_cast<int>(Family::LongAttention)));
  std::vector<NumericCase> cases;
  for (int i = 0; i < part.first + part.count; ++i) {
    NumericCase made =
        part.family == Family::Rows          ? maker.rowOp(part.op)
        : part.family == Family::LongRows    ? maker.longRow(part.op)
        : part.family == Family::QuarterRows ? maker.quarterRow(part.op)
        : part.family == Family::ClusterRows ? maker.clusterRow(part.op)
        : part.family == Family::Attention   ? maker.attention()
        : part.family == Family::Decoding
            ? i % 2 ? maker.masked(maker.decoding()) : maker.decoding()
        : part.family == Family::MaskedAttention
            ? maker.masked(maker.attention())
        : part.family == Family::TiledAttention ? maker.tiledAttention()
        : part.family == Family::BlockAttention
            ? maker.withBlocks(i % 4 == 3 ? maker.decoding()
                                          : maker.attention())
        : part.family == Family::PagedAttention
            ? maker.paged(i % 2   ? maker.decoding()
                          : i % 4 ? maker.longAttention()
                                  : maker.attention())
        : part.family == Family::QuantizedAttention
            ? maker.quantized(i % 4 == 0   ? maker.attention()
                              : i % 4 == 1 ? maker.masked(maker.decoding())
                              : i % 4 == 2 ? maker.decoding()
                                           : maker.longAttention())
        : part.family == Family::LongBlockAttention
            ? maker.withBlocks(maker.longAttention())
        : part.family == Family::LongMaskedAttention
            ? maker.masked(maker.longAttention())
        : part.family == Family::HeadDims ? maker.headDims()
                                          : maker.longAttention();
    if (made.op == Op::Attention)
      made.road.wideProducts = widePicked(made.seed);
    if (i >= part.first)
      cases.push_back(made);
  }
  checkAll(part.first, cases);
}

INSTANTIATE_TEST_SUITE_P(Seeded, Grid, testing::ValuesIn(allParts()),
                         [](const testing::TestParamInfo<Part> &info) {
                           return info.param.name;
                         });

} // namespace
