//===- QuantizedCases.cpp - attention on f8E4M3FN -------------------------===//

#include "QuantizedCases.h"

#include "MaskCases.h"

#include "llvm/Support/FormatVariadic.h"

using namespace smx;
using namespace smx::test;
using namespace smx::reference;
using Quantized = NumericCase::Quantized;
using Scales = NumericCase::Scales;

DType smx::test::queryType(const NumericCase &config) {
  return config.quantized == Quantized::All ? DType::F8E4M3FN : config.dtype;
}

DType smx::test::keyType(const NumericCase &config) {
  return config.quantized == Quantized::None ? config.dtype : DType::F8E4M3FN;
}

std::vector<Tensor> smx::test::scaleInputs(const NumericCase &config) {
  if (config.scales == Scales::None)
    return {};
  Shape shape{config.keyHeads};
  if (config.scales == Scales::PerToken)
    shape = {config.batch, config.keyHeads, config.keys};
  Tensor keys(shape), values(shape);
  // No powers of two, and none like its neighbours.
  for (int64_t i = 0; i < keys.size(); ++i) {
    keys[i] = roundTo(DType::F32, 0.3 + 0.07 * static_cast<double>(i * 5 % 11));
    values[i] =
        roundTo(DType::F32, 0.6 + 0.11 * static_cast<double>(i * 7 % 13));
  }
  return {keys, values};
}

std::string smx::test::quantizedText(const NumericCase &config,
                                     const std::vector<std::string> &captured) {
  auto extent = [&](int64_t n) {
    return config.isDynamic ? std::string("?") : std::to_string(n);
  };
  auto type = [&](int64_t heads, int64_t rows, int64_t dim, DType dtype) {
    return llvm::formatv("tensor<{0}x{1}x{2}x{3}x{4}>", extent(config.batch),
                         heads, extent(rows), extent(dim),
                         std::string(nameOf(dtype)))
        .str();
  };
  std::string element(nameOf(config.dtype));
  std::string q = type(config.queryHeads, config.queries, config.headDim,
                       queryType(config));
  std::string o =
      type(config.queryHeads, config.queries, config.valueDim, config.dtype);
  std::string l = llvm::formatv("tensor<{0}x{1}x{2}xf32>", extent(config.batch),
                                config.queryHeads, extent(config.queries));
  auto keys = [&](int64_t dim, DType dtype) {
    return type(config.keyHeads, config.keys, dim, dtype);
  };
  std::string k = keys(config.headDim, keyType(config)),
              v = keys(config.valueDim, keyType(config));
  std::string arguments = "%q: " + q + ", %k_in: " + k + ", %v_in: " + v;
  for (size_t i = 0; i < captured.size(); ++i)
    arguments += llvm::formatv(", %c{0}: {1}", i, captured[i]);

  std::string body, names[] = {"k_in", "v_in"};
  if (config.scales != Scales::None) {
    bool isPerToken = config.scales == Scales::PerToken;
    std::string scales =
        isPerToken
            ? llvm::formatv("tensor<{0}x{1}x{2}xf32>", extent(config.batch),
                            config.keyHeads, extent(config.keys))
                  .str()
            : llvm::formatv("tensor<{0}xf32>", config.keyHeads).str();
    std::string all = "affine_map<(b, h, s, d) -> (b, h, s, d)>";
    std::string few = isPerToken ? "affine_map<(b, h, s, d) -> (b, h, s)>"
                                 : "affine_map<(b, h, s, d) -> (h)>";
    for (std::string dim : {"0", "2", "3"})
      body += "  %i" + dim + " = arith.constant " + dim + " : index\n";
    for (int side : {0, 1}) {
      std::string x = side ? "v" : "k", from = side ? v : k;
      std::string to =
          keys(side ? config.valueDim : config.headDim, config.dtype);
      arguments += ", %" + x + "_scale: " + scales;
      std::string sizes;
      if (config.isDynamic)
        for (std::string dim : {"0", "2", "3"}) {
          body += llvm::formatv("  %{0}{1} = tensor.dim %{0}_in, %i{1} : {2}\n",
                                x, dim, from);
          sizes += (sizes.empty() ? "%" : ", %") + x + dim;
        }
      body += llvm::formatv(
          "  %{0}_empty = tensor.empty({1}) : {2}\n"
          "  %{0} = linalg.generic {{indexing_maps = [{3}, {4}, {3}], "
          "iterator_types = [\"parallel\", \"parallel\", \"parallel\", "
          "\"parallel\"]} ins(%{0}_in, %{0}_scale : {5}, {6}) outs(%{0}_empty "
          ": {2}) {{\n  ^bb0(%x: f8E4M3FN, %s: f32, %unused: {7}):\n"
          "    %w = arith.extf %x : f8E4M3FN to f32\n"
          "    %p = arith.mulf %w, %s : f32\n"
          "    %r = arith.truncf %p : f32 to {7}\n"
          "    linalg.yield %r : {7}\n  } -> {2}\n",
          x, sizes, to, all, few, from, scales, element);
      (side ? v : k) = to;
      names[side] = x;
    }
  }
  return llvm::formatv("func.func @f({0}) -> ({1}, {2}) {{\n{3}"
                       "  %o, %l = smx.attention %q, %{4}, %{5} "
                       "scale({6:E16}){7} : {8}, {9}, {10} -> {1}, {2}\n"
                       "  return %o, %l : {1}, {2}\n}\n",
                       arguments, o, l, body, names[0], names[1], config.scale,
                       maskText(config, captured), q, k, v);
}

Tensor smx::test::dequantized(const NumericCase &config, const Tensor &keys,
                              const Tensor &scales) {
  Tensor result = keys;
  for (int64_t i = 0; i < result.size(); ++i) {
    Shape at = keys.indexOf(i);
    int64_t place =
        config.scales == Scales::PerToken
            ? (at[0] * config.keyHeads + at[1]) * config.keys + at[2]
            : at[1];
    result[i] =
        roundTo(config.dtype, roundTo(DType::F32, keys[i] * scales[place]));
  }
  return result;
}
