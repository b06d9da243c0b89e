//===- MaskCases.cpp - masks and sinks of attention cases -----------------===//

#include "MaskCases.h"

#include "PagedCases.h"

#include "smx/Reference/Masks.h"

#include "llvm/Support/FormatVariadic.h"

#include <random>

using namespace smx;
using namespace smx::test;
using namespace smx::reference;
using MaskData = NumericCase::MaskData;
using MarkedBlocks = NumericCase::MarkedBlocks;

/// Ranges of rows: any, empty and out of range too, or the bounds of documents.
static std::pair<Tensor, Tensor> makeRanges(const NumericCase &config,
                                            std::mt19937_64 &random) {
  auto below = [&](int64_t n) { return static_cast<int64_t>(random() % n); };
  std::pair<Tensor, Tensor> ranges{Tensor({config.batch, config.queries}),
                                   Tensor({config.batch, config.queries})};
  auto &[begins, ends] = ranges;
  int64_t begin = 0, end = 0;
  for (int64_t at = 0; at < begins.size(); ++at) {
    const int64_t row = at % config.queries;
    if (config.maskData == MaskData::Ranges) {
      begin = below(config.keys + 10) - 5;
      end = begin + below(config.keys + 10) - 3;
    } else if (row == 0 || row >= end) {
      begin = row;
      end = row + 1 + below(config.queries / 2 + 1);
    }
    begins[at] = static_cast<double>(begin);
    ends[at] = static_cast<double>(end);
  }
  return ranges;
}

static bool areLengths(const NumericCase &config) {
  return config.maskData == MaskData::Lengths ||
         config.maskData == MaskData::CausalLengths;
}

/// Marks of blocks for each batch and each head or all of them; a row of blocks
/// may have none.
static Tensor makeBlocks(const NumericCase &config, MarkedBlocks blocks,
                         std::mt19937_64 &random) {
  auto blocksOf = [](int64_t extent, int64_t block) {
    return (extent + block - 1) / block;
  };
  Tensor marks({config.batch, config.isMaskPerHead ? config.queryHeads : 1,
                blocksOf(config.queries, blocks.queries),
                blocksOf(config.keys, blocks.keys)});
  for (int64_t at = 0; at < marks.size(); ++at)
    marks[at] = random() % 5 < 3;
  return marks;
}

std::vector<CapturedInput>
smx::test::capturedInputs(const NumericCase &config) {
  std::vector<CapturedInput> captured;
  std::mt19937_64 random(config.seed);
  if (areLengths(config)) {
    Shape shape{config.batch};
    if (config.isMaskPerHead)
      shape.push_back(config.queryHeads);
    Tensor lengths(shape);
    for (int64_t at = 0; at < lengths.size(); ++at)
      lengths[at] = static_cast<double>(
          config.page ? static_cast<int64_t>(random() % (config.keys + 1))
                      : static_cast<int64_t>(random() % (config.keys + 8)) - 3);
    captured.push_back({lengths, config.targetType});
  } else if (config.maskData != MaskData::None) {
    auto [begins, ends] = makeRanges(config, random);
    captured.push_back({begins, config.targetType});
    captured.push_back({ends, config.targetType});
  }
  for (MarkedBlocks blocks : config.blocks)
    captured.push_back({makeBlocks(config, blocks, random), config.targetType});
  if (config.hasSinks) {
    Tensor sinks({config.queryHeads});
    for (int64_t at = 0; at < sinks.size(); ++at)
      sinks[at] = static_cast<double>(random() % 9) - 4;
    captured.push_back(
        {sinks, config.dtype == DType::F64 ? DType::F64 : DType::F32});
  }
  if (config.page)
    captured.push_back({makePageTable(config, captured[0].values), DType::I32});
  return captured;
}

static const char *anchorText(const NumericCase &config) {
  return config.band && config.band->anchor == BandAnchor::BottomRight
             ? "bottom_right"
             : "top_left";
}

std::string smx::test::maskText(const NumericCase &config,
                                const std::vector<std::string> &types) {
  std::vector<std::string> masks;
  if (config.prefix) {
    masks.push_back(llvm::formatv("#smx.prefix<{0}, length = {1}>",
                                  anchorText(config), config.prefix));
  } else if (config.band) {
    std::string text = llvm::formatv("#smx.band<{0}", anchorText(config));
    if (config.band->left)
      text += ", left = " + std::to_string(*config.band->left);
    if (config.band->right)
      text += ", right = " + std::to_string(*config.band->right);
    masks.push_back(text + ">");
  }
  if (config.chunk)
    masks.push_back(llvm::formatv("#smx.chunks<{0}, size = {1}>",
                                  anchorText(config), *config.chunk));
  if (config.maskData != MaskData::None)
    masks.push_back(config.maskData == MaskData::Lengths ? "#smx.key_lengths"
                    : areLengths(config) ? "#smx.key_lengths<causal>"
                                         : "#smx.key_ranges");
  for (MarkedBlocks blocks : config.blocks)
    masks.push_back(llvm::formatv("#smx.blocks<rows = {0}, keys = {1}>",
                                  blocks.queries, blocks.keys));
  std::string text;
  if (masks.size() == 1)
    text = llvm::formatv(" mask({0})", masks[0]);
  else if (!masks.empty())
    text = llvm::formatv(" mask(#smx.all_of<[{0:$[, ]}]>)",
                         llvm::make_range(masks.begin(), masks.end()));
  const size_t reads = types.size() - config.hasSinks - (config.page != 0);
  if (reads != 0) {
    std::string names;
    for (size_t i = 0; i < reads; ++i)
      names += (i ? ", %c" : "%c") + std::to_string(i);
    text +=
        llvm::formatv(" reads({0} : {1:$[, ]})", names,
                      llvm::make_range(types.begin(), types.begin() + reads));
  }
  if (config.hasSinks)
    text += llvm::formatv(" sinks(%c{0} : {1})", reads, types[reads]);
  return text;
}

void smx::test::addMasks(const NumericCase &config, const Tensor *captured,
                         AttentionOptions &options) {
  options.band = config.band;
  options.prefix = config.prefix;
  std::vector<Visible> conditions;
  if (config.chunk)
    conditions.push_back(
        inChunk(config.band ? config.band->anchor : BandAnchor::TopLeft,
                *config.chunk));
  if (areLengths(config)) {
    conditions.push_back(
        beforeLength(captured[0], config.maskData == MaskData::CausalLengths));
    captured += 1;
  } else if (config.maskData != MaskData::None) {
    conditions.push_back(inRange(captured[0], captured[1]));
    captured += 2;
  }
  for (MarkedBlocks blocks : config.blocks)
    conditions.push_back(inBlocks(*captured++, blocks.queries, blocks.keys));
  if (!conditions.empty())
    options.mask = [=, all = inAll(conditions)](int64_t b, int64_t h, int64_t i,
                                                int64_t j) {
      return all({b * config.queryHeads + h, config.batch * config.queryHeads,
                  config.queries, config.keys},
                 i, j);
    };
  if (config.hasSinks)
    options.sinks = captured[0].values();
}
