//===- Layouts.cpp - how attention's tensors lie in memory ----------------===//

#include "Layouts.h"

#include "llvm/Support/FormatVariadic.h"

#include <numeric>

using namespace smx;
using namespace smx::test;
using Layout = NumericCase::Layout;

static std::string typeOf(const NumericCase &config, const Shape &shape) {
  std::string text = "tensor<";
  for (auto [dim, extent] : llvm::enumerate(shape))
    text += (config.isDynamic && dim != 1 ? "?" : std::to_string(extent)) + "x";
  return text + std::string(nameOf(config.dtype)) + ">";
}

static Shape swapped(const Shape &shape) {
  return {shape[0], shape[2], shape[1], shape[3]};
}

/// `[b, h, s, d]` to `[b, s, h, d]`, or back.
static Tensor swapped(const Tensor &tensor) {
  Tensor result(swapped(tensor.shape()));
  for (int64_t at = 0; at < result.size(); ++at)
    result[at] = tensor.at(swapped(result.indexOf(at)));
  return result;
}

/// `to = transpose(from)`, where `to` has `shape`.
static std::string transposed(const NumericCase &config, llvm::StringRef from,
                              llvm::StringRef to, const Shape &shape) {
  return llvm::formatv(
      "  %e_{1} = tensor.empty() : {3}\n"
      "  %{1} = linalg.transpose ins(%{0} : {2}) outs(%e_{1} : {3}) "
      "permutation = [0, 2, 1, 3]\n",
      from, to, typeOf(config, swapped(shape)), typeOf(config, shape));
}

LayoutText(::smx::test::layoutText)(const NumericCase &c) {
  Shape q{c.batch, c.queryHeads, c.queries, c.headDim},
      k{c.batch, c.keyHeads, c.keys, c.headDim},
      v{c.batch, c.keyHeads, c.keys, c.valueDim},
      o{c.batch, c.queryHeads, c.queries, c.valueDim};
  LayoutText text;
  text.result = "%o";
  text.resultType = typeOf(c, o);
  std::pair<const char *, Shape> operands[] = {{"q", q}, {"k", k}, {"v", v}};
  if (c.layout == Layout::Packed) {
    Shape all{c.batch, c.queries, c.queryHeads + 2 * c.keyHeads, c.headDim};
    text.arguments = "%x: " + typeOf(c, all);
    int64_t head = 0;
    for (auto &[name, shape] : operands) {
      text.prologue += llvm::formatv(
          "  %s_{0} = tensor.extract_slice %x[0, 0, {1}, 0] [{2}, {3}, {4}, "
          "{5}] [1, 1, 1, 1] : {6} to {7}\n",
          name, head, shape[0], shape[2], shape[1], shape[3], typeOf(c, all),
          typeOf(c, swapped(shape)));
      text.prologue += transposed(c, std::string("s_") + name, name, shape);
      head += shape[1];
    }
    return text;
  }
  for (auto &[name, shape] : operands) {
    bool isSwapped = c.layout == Layout::HeadsInside;
    text.arguments +=
        llvm::formatv("{0}%{1}{2}: {3}", text.arguments.empty() ? "" : ", ",
                      isSwapped ? "s_" : "", name,
                      typeOf(c, isSwapped ? swapped(shape) : shape));
    if (isSwapped)
      text.prologue += transposed(c, std::string("s_") + name, name, shape);
  }
  if (c.layout == Layout::HeadsInside) {
    text.epilogue = transposed(c, "o", "t", swapped(o));
    text.result = "%t";
    text.resultType = typeOf(c, swapped(o));
  }
  return text;
}

std::vector<Tensor>(::smx::test::asArguments)(
    const NumericCase &c, const std::vector<Tensor> &tensors) {
  if (c.op != Op::Attention ||
      (c.layout != Layout::HeadsInside && c.layout != Layout::Packed))
    return tensors;
  std::vector<Tensor> arguments;
  for (size_t i = 0; i < 3; ++i)
    arguments.push_back(swapped(tensors[i]));
  if (c.layout == Layout::Packed) {
    Tensor all({c.batch, c.queries, c.queryHeads + 2 * c.keyHeads, c.headDim});
    for (int64_t at = 0; at < all.size(); ++at) {
      Shape place = all.indexOf(at);
      size_t operand = 0;
      while (place[2] >= arguments[operand].shape()[2])
        place[2] -= arguments[operand++].shape()[2];
      all[at] = arguments[operand].at(place);
    }
    arguments = {all};
  }
  arguments.insert(arguments.end(), tensors.begin() + 3, tensors.end());
  return arguments;
}

Tensor(::smx::test::asResult)(const NumericCase &c, const Tensor &tensor) {
  bool isSwapped = c.op == Op::Attention && c.layout == Layout::HeadsInside &&
                   tensor.shape().size() == 4;
  return isSwapped ? swapped(tensor) : tensor;
}

std::vector<int64_t>(::smx::test::memoryOrder)(const NumericCase &c,
                                               size_t rank) {
  std::vector<int64_t> order(rank);
  std::iota(order.begin(), order.end(), 0);
  if (c.op != Op::Attention || rank != 4)
    return order;
  if (c.layout == Layout::Strided)
    std::swap(order[1], order[2]);
  if (c.layout == Layout::Columns)
    std::swap(order[2], order[3]);
  return order;
}
