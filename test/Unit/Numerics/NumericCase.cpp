//===- NumericCase.cpp - one configuration of the numeric suite -----------===//

#include "NumericCase.h"

#include "Layouts.h"
#include "LossCases.h"
#include "MaskCases.h"
#include "PagedCases.h"
#include "QuantizedCases.h"
#include "TargetUnderTest.h"
#include "smx/CUDA/Buffer.h"
#include "smx/Reference/Generators.h"
#include "smx/Reference/Naive.h"

#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/raw_ostream.h"

#include <cmath>
#include <cstring>
#include <limits>
#include <numeric>

using namespace smx;
using namespace smx::test;
using namespace smx::reference;

//===----------------------------------------------------------------------===//
// The case as MLIR
//===----------------------------------------------------------------------===//

/// "tensor<4x?xf32>"; extents in `fixed` stay static in a dynamic type.
static std::string typeText(const Shape &shape, DType dtype, bool isDynamic,
                            std::vector<int64_t> fixed = {}) {
  std::string text = "tensor<";
  for (size_t i = 0; i < shape.size(); ++i) {
    bool isFixed =
        std::find(fixed.begin(), fixed.end(), (int64_t)i) != fixed.end();
    text += isDynamic && !isFixed ? "?" : std::to_string(shape[i]);
    text += "x";
  }
  return text + std::string(nameOf(dtype)) + ">";
}

static Shape without(Shape shape, int64_t axis) {
  shape.erase(shape.begin() + axis);
  return shape;
}

static DType accumulatorType(DType dtype) {
  return dtype == DType::F64 ? DType::F64 : DType::F32;
}

std::string NumericCase::text() const {
  if (isLossOrGradient(op))
    return lossText(*this);
  std::string scaleText = llvm::formatv("scale({0:E16})", scale);
  if (op == Op::Attention) {
    auto text = [&](const Shape &shape) {
      return typeText(shape, dtype, isDynamic, {1});
    };
    std::string q = text({batch, queryHeads, queries, headDim});
    std::string k = text({batch, keyHeads, keys, headDim});
    std::string v = text({batch, keyHeads, keys, valueDim});
    auto pages = [&](int64_t dim) {
      return typeText({pageCount(*this), page, keyHeads, dim}, dtype, isDynamic,
                      {1, 2, 3});
    };
    // Types of the arguments.
    std::string kIn = page ? pages(headDim) : k,
                vIn = page ? pages(valueDim) : v;
    std::string o = text({batch, queryHeads, queries, valueDim});
    std::string l = typeText({batch, queryHeads, queries},
                             accumulatorType(dtype), isDynamic, {1});
    std::string arguments;
    std::vector<std::string> captured;
    for (const CapturedInput &input : capturedInputs(*this)) {
      // Sinks have an element for each head, as the queries.
      std::vector<int64_t> fixed;
      if (isFloat(input.dtype))
        fixed.push_back(0);
      else if (isMaskPerHead || input.values.rank() == 4)
        fixed.push_back(1);
      arguments += llvm::formatv(", %c{0}: ", captured.size());
      captured.push_back(
          typeText(input.values.shape(), input.dtype, isDynamic, fixed));
      arguments += captured.back();
    }
    if (quantized != Quantized::None)
      return quantizedText(*this, captured);
    if (page) {
      std::string gathered;
      for (auto [name, in, out] :
           {std::tuple("k", kIn, k), std::tuple("v", vIn, v)})
        gathered += llvm::formatv("  %{0} = smx.paged %{0}_in by(%c{1}, %c0 : "
                                  "{2}, {3}) : {4} -> {5}\n",
                                  name, captured.size() - 1, captured.back(),
                                  captured[0], in, out);
      return llvm::formatv(
          "func.func @f(%q: {0}, %k_in: {8}, %v_in: {9}{7}) -> ({3}, {4}) "
          "{{\n{10}"
          "  %o, %l = smx.attention %q, %k, %v {5}{6} : {0}, {1}, {2} -> {3}, "
          "{4}\n"
          "  return %o, %l : {3}, {4}\n}\n",
          q, k, v, o, l, scaleText, maskText(*this, captured), arguments, kIn,
          vIn, gathered);
    }
    LayoutText form = layoutText(*this);
    return llvm::formatv(
        "func.func @f({0}{1}) -> ({2}, {3}) {{\n{4}"
        "  %o, %l = smx.attention %q, %k, %v {5}{6} : {7}, {8}, {9} -> {10}, "
        "{3}\n{11}"
        "  return {12}, %l : {2}, {3}\n}\n",
        form.arguments, arguments, form.resultType, l, form.prologue, scaleText,
        maskText(*this, captured), q, k, v, o, form.epilogue, form.result);
  }
  std::string in = typeText(shape, dtype, isDynamic);
  DType result = resultType.value_or(dtype);
  std::string same = typeText(shape, result, isDynamic);
  std::string masked =
      zeroForMaskedRow ? " {masked_row = #smx.masked_row<zero>}" : "";
  if (op == Op::SoftmaxDot) {
    Shape values = shape, result = without(shape, (int64_t)shape.size() - 1);
    values.push_back(columns);
    result.push_back(columns);
    std::string v = typeText(values, dtype, isDynamic);
    std::string r = typeText(result, dtype, isDynamic);
    return llvm::formatv(
        "func.func @f(%x: {0}, %v: {1}) -> {2} {{\n"
        "  %y = smx.softmax_dot %x, %v {3}{4} : {0}, {1} -> {2}\n"
        "  return %y : {2}\n}\n",
        in, v, r, scaleText, masked);
  }
  if (isNorm(op))
    return llvm::formatv("func.func @f(%x: {0}) -> {3} {{\n"
                         "  %y = smx.{2} %x axis({1}) "
                         "epsilon(1.000000e-05) : {0} -> {3}\n"
                         "  return %y : {3}\n}\n",
                         in, axis,
                         op == Op::LayerNorm ? "layer_norm" : "rms_norm", same);
  std::string name = op == Op::Softmax      ? "softmax"
                     : op == Op::LogSoftmax ? "log_softmax"
                                            : "logsumexp";
  std::string out = op == Op::LogSumExp
                        ? typeText(without(shape, axis), result, isDynamic)
                        : same;
  return llvm::formatv("func.func @f(%x: {0}) -> {1} {{\n"
                       "  %y = smx.{2} %x axis({3}) {4}{5} : {0} -> {1}\n"
                       "  return %y : {1}\n}\n",
                       in, out, name, axis, scaleText, masked);
}

std::string NumericCase::describe() const {
  return llvm::formatv(
      "generator {0}, seed {1}, shape {2}, gap {3}, rows {4}, stream {5}, "
      "splits {6}, threads {7}, wide products {8}\n{9}",
      generator, seed,
      toString(op == Op::Attention ? Shape{queries, keys} : shape), gap,
      road.tileRows, road.tileStream, road.splits, road.threads,
      road.wideProducts == mlir::smx::WideProducts::MatrixUnit
          ? "on the matrix unit"
          : "by fma",
      text());
}

//===----------------------------------------------------------------------===//
// Inputs and reference
//===----------------------------------------------------------------------===//

std::vector<Tensor> NumericCase::makeInputs() const {
  GeneratorOptions options;
  options.dtype = dtype;
  options.seed = seed;
  options.tile = road.tileStream ? road.tileStream : 128;
  options.axis = axis;
  auto make = [&](std::string_view name, const Shape &shape) {
    ++options.seed;
    Result<Tensor> made = generate(name, shape, options);
    return made ? *made : Tensor(shape);
  };
  if (isLossOrGradient(op))
    return lossInputs(*this, make);
  if (op == Op::Attention) {
    options.axis = page ? 1 : 2;
    auto shapeOf = [&](int64_t dim) {
      return page ? Shape{pageCount(*this), page, keyHeads, dim}
                  : Shape{batch, keyHeads, keys, dim};
    };
    auto makeIn = [&](DType type, std::string_view name, const Shape &shape) {
      options.dtype = type;
      return make(name, shape);
    };
    std::vector<Tensor> inputs;
    inputs.push_back(makeIn(queryType(*this), "normal",
                            {batch, queryHeads, queries, headDim}));
    inputs.push_back(makeIn(keyType(*this), generator, shapeOf(headDim)));
    inputs.push_back(makeIn(keyType(*this), "normal", shapeOf(valueDim)));
    if (poisonsHiddenKeys)
      for (size_t i : {1, 2})
        for (int64_t at = 0; at < inputs[i].size(); ++at)
          if (inputs[i].indexOf(at)[2] >= queries)
            inputs[i][at] = std::numeric_limits<double>::quiet_NaN();
    for (CapturedInput &input : capturedInputs(*this))
      inputs.push_back(std::move(input.values));
    if (page)
      for (size_t i : {1, 2})
        poisonUnused(*this, inputs.back(), inputs[3], inputs[i]);
    for (Tensor &scale : scaleInputs(*this))
      inputs.push_back(std::move(scale));
    return inputs;
  }
  std::vector<Tensor> inputs{make(generator, shape)};
  if (op == Op::SoftmaxDot) {
    Shape values = shape;
    values.push_back(columns);
    inputs.push_back(make("normal", values));
  }
  return inputs;
}

std::vector<DType> NumericCase::inputTypes(size_t count) const {
  if (isLossOrGradient(op))
    return lossInputTypes(*this);
  std::vector<DType> types(count, dtype);
  if (op == Op::Attention) {
    std::vector<CapturedInput> captured = capturedInputs(*this);
    size_t first = count - captured.size() - scaleInputs(*this).size();
    for (size_t i = 0; i < captured.size(); ++i)
      types[first + i] = captured[i].dtype;
    if (quantized != Quantized::None) {
      types[0] = queryType(*this);
      types[1] = types[2] = keyType(*this);
    }
    if (scales != Scales::None)
      types[count - 2] = types[count - 1] = DType::F32;
  }
  return types;
}

/// |scale| |q| |k| for the longest finite query and key: no score is larger.
double NumericCase::largestScore(const Tensor &q, const Tensor &k) const {
  auto longest = [&](const Tensor &x) {
    double largest = 0;
    for (int64_t row = 0; headDim && row < x.size() / headDim; ++row) {
      double square = 0;
      for (int64_t d = 0; d < headDim; ++d)
        square += x[row * headDim + d] * x[row * headDim + d];
      if (square > largest)
        largest = square;
    }
    return std::sqrt(largest);
  };
  return std::abs(scale) * longest(q) * longest(k);
}

std::vector<NumericCase::Expected>
NumericCase::expect(const std::vector<Tensor> &inputs) const {
  if (isLossOrGradient(op))
    return lossExpected(*this, inputs);
  bool isLow = isLowPrecision(dtype);
  // Sums of products round in f32 as well: the naive result says how much.
  bool hasNaiveSum = dtype != DType::F64;
  auto family = [&](OpFamily f, int64_t length, DType type, Mode mode) {
    Comparison how;
    how.dtype = type;
    how.family = f;
    how.mode = mode;
    how.rowLength = length;
    return how;
  };
  if (op == Op::Attention) {
    AttentionOptions options;
    options.scale = scale;
    addMasks(*this, inputs.data() + 3, options);
    const Tensor &q = inputs[0];
    const Tensor k =
        page ? gatherPages(*this, inputs[1], inputs.back(), inputs[3])
        : scales != Scales::None
            ? dequantized(*this, inputs[1], inputs[inputs.size() - 2])
            : inputs[1];
    const Tensor v =
        page ? gatherPages(*this, inputs[2], inputs.back(), inputs[3])
        : scales != Scales::None ? dequantized(*this, inputs[2], inputs.back())
                                 : inputs[2];
    AttentionResult exact = attention(q, k, v, options);
    std::vector<Expected> expected;
    Mode mode = dtype == DType::F64 ? Mode::Precise : Mode::Fast;
    expected.push_back({exact.out, std::nullopt,
                        family(OpFamily::WeightedSum, keys, dtype, mode)});
    expected.push_back(
        {exact.logSumExp, std::nullopt,
         family(OpFamily::LogSumExp, keys, accumulatorType(dtype), mode)});
    if (isLow)
      expected[0].naive = naiveAttention(q, k, v, dtype, options).out;
    const bool isTF32 =
        dtype == DType::F32 &&
        targetUnderTest().target != mlir::smx::Target::Cpu &&
        road.wideProducts == mlir::smx::WideProducts::MatrixUnit;
    for (Expected &e : expected) {
      e.how.largestScore = largestScore(q, k);
      e.how.scoreBits = isTF32 ? 21 : 0;
    }
    return expected;
  }
  SoftmaxOptions options;
  options.axis = axis;
  options.scale = scale;
  options.maskedRow = zeroForMaskedRow ? MaskedRow::Zero : MaskedRow::NaN;
  const DType result = resultType.value_or(dtype);
  int64_t length =
      shape.empty() ? 1 : shape[op == Op::SoftmaxDot ? shape.size() - 1 : axis];
  switch (op) {
  case Op::Softmax: {
    Expected e{softmax(inputs[0], options), std::nullopt,
               family(OpFamily::Softmax, length, result, Mode::Precise)};
    if (isLowPrecision(result))
      e.naive = naiveSoftmax(inputs[0], result, options);
    e.how.axis = axis;
    return {e};
  }
  case Op::LogSoftmax:
    return {{logSoftmax(inputs[0], options), std::nullopt,
             family(OpFamily::LogSumExp, length, result, Mode::Precise)}};
  case Op::LogSumExp:
    return {{logSumExp(inputs[0], options), std::nullopt,
             family(OpFamily::LogSumExp, length, result, Mode::Precise)}};
  case Op::LayerNorm:
  case Op::RmsNorm: {
    NormOptions norm;
    norm.axis = axis;
    return {{op == Op::LayerNorm ? layerNorm(inputs[0], norm)
                                 : rmsNorm(inputs[0], norm),
             std::nullopt,
             family(OpFamily::Norm, length, result, Mode::Precise)}};
  }
  case Op::SoftmaxDot: {
    options.axis = -1;
    Expected e{softmaxDot(inputs[0], inputs[1], options), std::nullopt,
               family(OpFamily::WeightedSum, length, dtype, Mode::Precise)};
    if (hasNaiveSum)
      e.naive = naiveSoftmaxDot(inputs[0], inputs[1], dtype, options);
    return {e};
  }
  default:
    break;
  }
  return {};
}

//===----------------------------------------------------------------------===//
// Memory with gaps, poison and canaries
//===----------------------------------------------------------------------===//

namespace {
/// A tensor in memory of its type, its rows `gap` elements apart, with canaries
/// all around.
struct Memory {
  static constexpr int64_t canary = 64;
  static constexpr unsigned char poison = 0xA5;
  std::vector<unsigned char> bytes;
  Shape shape, strides;
  DType dtype;

  Memory(const Shape &shape, DType dtype, int64_t gap,
         const std::vector<int64_t> &order)
      : shape(shape), dtype(dtype) {
    strides.assign(shape.size(), 1);
    int64_t extent = 1;
    for (int64_t dim : llvm::reverse(order)) {
      strides[dim] = extent;
      extent = extent * std::max<int64_t>(shape[dim], 1) +
               (dim == order.back() ? gap : 0);
    }
    bytes.assign((extent + 2 * canary) * byteWidth(dtype), poison);
  }
  unsigned char *element(int64_t linear) {
    int64_t offset = canary;
    for (int64_t dim = (int64_t)shape.size() - 1; dim >= 0; --dim) {
      offset += linear % shape[dim] * strides[dim];
      linear /= shape[dim];
    }
    return bytes.data() + offset * byteWidth(dtype);
  }
  void store(int64_t linear, double x) {
    unsigned char *to = element(linear);
    if (!isFloat(dtype)) {
      const int64_t integer = static_cast<int64_t>(x);
      std::memcpy(to, &integer, byteWidth(dtype)); // little-endian
      return;
    }
    if (dtype == DType::F8E4M3FN) {
      *to = toF8E4M3FNBits(x);
      return;
    }
    float single = static_cast<float>(x);
    uint16_t half = dtype == DType::F16 ? toF16Bits(x) : toBF16Bits(x);
    if (dtype == DType::F64)
      std::memcpy(to, &x, 8);
    else if (dtype == DType::F32)
      std::memcpy(to, &single, 4);
    else
      std::memcpy(to, &half, 2);
  }
  double load(int64_t linear) {
    unsigned char *from = element(linear);
    if (dtype == DType::I32) {
      int32_t integer;
      return std::memcpy(&integer, from, 4), integer;
    }
    if (dtype == DType::I64) {
      int64_t integer;
      return std::memcpy(&integer, from, 8), static_cast<double>(integer);
    }
    double wide;
    float single;
    uint16_t half;
    if (dtype == DType::F64)
      return std::memcpy(&wide, from, 8), wide;
    if (dtype == DType::F32)
      return std::memcpy(&single, from, 4), single;
    std::memcpy(&half, from, 2);
    return dtype == DType::F16 ? fromF16Bits(half) : fromBF16Bits(half);
  }
  TensorView view() {
    return TensorView(bytes.data() + canary * byteWidth(dtype), dtype, shape,
                      strides);
  }
  /// True if nothing outside the elements has changed. Elements are poisoned
  /// again by this.
  bool isUnharmed(int64_t count) {
    for (int64_t i = 0; i < count; ++i)
      std::memset(element(i), poison, byteWidth(dtype));
    return llvm::all_of(bytes,
                        [](unsigned char byte) { return byte == poison; });
  }
};
} // namespace

static llvm::Expected<cuda::Device> openDevice() {
  auto driver = cuda::Driver::load();
  if (!driver)
    return driver.takeError();
  return cuda::Device::open(*driver);
}

/// Runs on copies in the device's memory, canaries included, and copies all of
/// it back.
static llvm::Error runOnDevice(const Kernel &kernel, std::vector<Memory> &in,
                               std::vector<TensorView> inViews,
                               std::vector<Memory> &out,
                               std::vector<TensorView> outViews) {
  auto device = openDevice();
  if (!device)
    return device.takeError();
  auto stream = cuda::Stream::create(*device);
  if (!stream)
    return stream.takeError();
  std::vector<cuda::Buffer> buffers;
  auto copyAll = [&](std::vector<Memory> &memory,
                     std::vector<TensorView> &views) -> llvm::Error {
    for (auto [piece, view] : llvm::zip(memory, views)) {
      auto buffer = cuda::Buffer::allocate(*device, piece.bytes.size());
      if (!buffer)
        return buffer.takeError();
      if (llvm::Error error = buffer->copyFromHost(*stream, piece.bytes.data(),
                                                   piece.bytes.size()))
        return error;
      view.data = reinterpret_cast<void *>(
          buffer->address() + Memory::canary * byteWidth(piece.dtype));
      buffers.push_back(std::move(*buffer));
    }
    return llvm::Error::success();
  };
  if (llvm::Error error = copyAll(in, inViews))
    return error;
  if (llvm::Error error = copyAll(out, outViews))
    return error;
  if (llvm::Error error = stream->synchronize())
    return error;
  if (llvm::Error error = kernel.run(inViews, outViews))
    return error;
  for (size_t i = 0; i < out.size(); ++i)
    if (llvm::Error error = buffers[in.size() + i].copyToHost(
            *stream, out[i].bytes.data(), out[i].bytes.size()))
      return error;
  return stream->synchronize();
}

llvm::Expected<std::vector<Tensor>>
smx::test::runKernel(const Kernel &kernel, const std::vector<Tensor> &inputs,
                     const std::vector<Shape> &outputShapes,
                     const std::vector<DType> &inputTypes,
                     const std::vector<DType> &outputTypes, int64_t gap,
                     llvm::function_ref<std::vector<int64_t>(size_t)> order) {
  auto orderOf = [&](size_t rank) -> std::vector<int64_t> {
    if (order)
      return order(rank);
    std::vector<int64_t> dims(rank);
    std::iota(dims.begin(), dims.end(), 0);
    return dims;
  };
  std::vector<Memory> in, out;
  std::vector<TensorView> inViews, outViews;
  for (auto [input, type] : llvm::zip_equal(inputs, inputTypes)) {
    in.emplace_back(input.shape(), type, gap, orderOf(input.shape().size()));
    for (int64_t i = 0; i < input.size(); ++i)
      in.back().store(i, input[i]);
  }
  for (size_t i = 0; i < outputShapes.size(); ++i)
    out.emplace_back(outputShapes[i], outputTypes[i], gap,
                     orderOf(outputShapes[i].size()));
  for (Memory &memory : in)
    inViews.push_back(memory.view());
  for (Memory &memory : out)
    outViews.push_back(memory.view());
  if (llvm::Error error = targetUnderTest().isDevice()
                              ? runOnDevice(kernel, in, inViews, out, outViews)
                              : kernel.run(inViews, outViews))
    return std::move(error);
  std::vector<Tensor> results;
  for (Memory &memory : out) {
    Tensor result(memory.shape);
    for (int64_t i = 0; i < result.size(); ++i)
      result[i] = memory.load(i);
    results.push_back(result);
    if (!memory.isUnharmed(result.size()))
      return llvm::createStringError("memory around an output was written");
  }
  return results;
}

static llvm::Expected<Kernel> compileText(const NumericCase &config,
                                          llvm::StringRef module,
                                          mlir::smx::Stage from,
                                          llvm::StringRef chip) {
  CompileOptions options;
  options.road = config.road;
  options.from = from;
  options.optLevel = 1;
  // Code for a size is that of static types.
  options.rowLengths = 0;
  targetUnderTest().applyTo(options.road);
  if (!chip.empty())
    options.road.chip = chip;
  return compile(module, options);
}

llvm::Expected<Kernel> smx::test::compileCase(const NumericCase &config,
                                              llvm::StringRef chip) {
  return compileText(config, config.text(), mlir::smx::Stage::Input, chip);
}

std::string smx::test::checkCase(const NumericCase &config) {
  return checkCase(config, config.text(), mlir::smx::Stage::Input);
}

std::string smx::test::checkCase(const NumericCase &config,
                                 llvm::StringRef module,
                                 mlir::smx::Stage from) {
  llvm::Expected<Kernel> kernel = compileText(config, module, from, "");
  if (!kernel)
    return config.describe() +
           "does not compile: " + llvm::toString(kernel.takeError());
  std::vector<Tensor> inputs = config.makeInputs();
  std::vector<NumericCase::Expected> expected = config.expect(inputs);
  std::vector<Shape> shapes;
  std::vector<DType> types;
  for (const NumericCase::Expected &e : expected) {
    shapes.push_back(asResult(config, e.exact).shape());
    types.push_back(e.stored.value_or(e.how.dtype));
  }
  std::vector<Tensor> arguments = asArguments(config, inputs);
  llvm::Expected<std::vector<Tensor>> results = runKernel(
      *kernel, arguments, shapes, config.inputTypes(arguments.size()), types,
      config.gap, [&](size_t rank) { return memoryOrder(config, rank); });
  if (!results)
    return config.describe() +
           "does not run: " + llvm::toString(results.takeError());
  for (size_t i = 0; i < expected.size(); ++i) {
    const NumericCase::Expected &e = expected[i];
    Report report = compare(asResult(config, (*results)[i]), e.exact,
                            e.naive ? &*e.naive : nullptr, e.how);
    if (!report.pass)
      return config.describe() + "result " + std::to_string(i) + ": " +
             report.text;
  }
  return "";
}
