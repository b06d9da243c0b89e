//===- smx-gpu-host-run.cpp - smx_gpu kernels on the host, checked --------===//
//
// Runs a function that launches kernels, or one kernel, on generated inputs,
// and compares the last argument with the float64 reference.
//
//===----------------------------------------------------------------------===//

#include "smx/GPUHost/HostExecution.h"
#include "smx/Reference/Attention.h"
#include "smx/Reference/Compare.h"
#include "smx/Reference/Generators.h"
#include "smx/Reference/Naive.h"
#include "smx/Reference/Npy.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlow.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/MemRef/Transforms/Passes.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"
#include "llvm/Support/CommandLine.h"

#include <cmath>
#include <cstring>

using namespace mlir;
namespace smxgpu = mlir::smx::gpu;
namespace cl = llvm::cl;
namespace host = mlir::smx::gpuhost;
using namespace ::smx::reference;

static cl::opt<std::string> input(cl::Positional, cl::desc("<file.mlir>"),
                                  cl::Required);
static cl::opt<std::string> entry("entry", cl::init("f"),
                                  cl::desc("function or kernel to run"));
static cl::opt<std::string>
    grid("grid", cl::init("1x1x1"),
         cl::desc("blocks of a kernel that is run by itself"));
static cl::list<std::string>
    args("arg", cl::desc("argument: <generator>:2x128x64xbf16[:seed], "
                         "poison:<shape>x<type>, index:<n>, float:<x>, "
                         "npy:<file>, expect:<file> (written by the run, "
                         "compared with the file)"));
static cl::opt<std::string> check("check", cl::init("none"),
                                  cl::desc("none, copy, attention or softmax"));
static cl::opt<double> scale("scale", cl::init(1.0),
                             cl::desc("scale of the scores, for the check"));
static cl::opt<std::string>
    causal("causal", cl::desc("the check masks keys after the query; the "
                              "diagonal starts top-left or bottom-right"));
static cl::opt<unsigned> stall("stall-ms", cl::init(10000),
                               cl::desc("limit without progress"));
static cl::opt<unsigned> clusters("clusters", cl::init(1),
                                  cl::desc("clusters that run at once"));
static cl::opt<unsigned> runs("runs", cl::init(1),
                              cl::desc("runs, each with another jitter"));
static cl::opt<bool> noVerify("no-verify",
                              cl::desc("run what the verifier refuses"));

namespace {
/// An argument, and what holds its elements.
struct Held {
  host::Argument argument;
  Tensor tensor;
  DType dtype = DType::F32;
  std::vector<char> bytes;
  /// What the run should write, if a file says so.
  std::optional<Tensor> expected;
};
} // namespace

static void fail(const llvm::Twine &message) {
  llvm::errs() << "error: " << message << "\n";
  std::exit(1);
}

/// "2x128x64xbf16" taken apart.
static std::pair<Shape, DType> parseShape(llvm::StringRef text) {
  llvm::SmallVector<llvm::StringRef> parts;
  text.split(parts, 'x');
  Shape shape;
  for (llvm::StringRef part : llvm::ArrayRef(parts).drop_back()) {
    int64_t size = 0;
    if (part.getAsInteger(10, size))
      fail("'" + text + "' is no shape");
    shape.push_back(size);
  }
  auto dtype = dtypeFromName(parts.back());
  if (!dtype)
    fail("'" + parts.back() + "' is no element type");
  return {shape, *dtype};
}

static void store(const Tensor &tensor, DType dtype, char *bytes) {
  for (int64_t i = 0; i < tensor.size(); ++i, bytes += byteWidth(dtype)) {
    if (!isFloat(dtype)) {
      const auto integer = static_cast<int64_t>(tensor[i]);
      std::memcpy(bytes, &integer, byteWidth(dtype)); // Little-endian.
      continue;
    }
    const auto narrow = static_cast<float>(tensor[i]);
    const uint16_t half =
        dtype == DType::F16 ? toF16Bits(tensor[i]) : toBF16Bits(tensor[i]);
    if (dtype == DType::F64)
      std::memcpy(bytes, tensor.data() + i, 8);
    else if (dtype == DType::F32)
      std::memcpy(bytes, &narrow, 4);
    else
      std::memcpy(bytes, &half, 2);
  }
}

/// `held`, in memory of its own.
static void bind(Held &held) {
  held.bytes.resize(held.tensor.size() * byteWidth(held.dtype));
  store(held.tensor, held.dtype, held.bytes.data());
  held.argument = host::StridedBuffer::rowMajor(held.bytes.data(), held.dtype,
                                                held.tensor.shape());
}

static Tensor load(const Shape &shape, DType dtype, const char *bytes) {
  Tensor tensor(shape);
  for (int64_t i = 0; i < tensor.size(); ++i, bytes += byteWidth(dtype)) {
    float narrow = 0;
    uint16_t half = 0;
    int64_t integer = 0;
    if (!isFloat(dtype))
      std::memcpy(&integer, bytes, byteWidth(dtype)),
          tensor[i] = static_cast<double>(integer);
    else if (dtype == DType::F64)
      std::memcpy(tensor.data() + i, bytes, 8);
    else if (dtype == DType::F32)
      std::memcpy(&narrow, bytes, 4), tensor[i] = narrow;
    else
      std::memcpy(&half, bytes, 2), tensor[i] = dtype == DType::F16
                                                    ? fromF16Bits(half)
                                                    : fromBF16Bits(half);
  }
  return tensor;
}

static Held parseArgument(llvm::StringRef text) {
  auto [kind, rest] = text.split(':');
  Held held;
  if (kind == "index") {
    int64_t value = 0;
    if (rest.getAsInteger(10, value))
      fail("'" + rest + "' is no integer");
    held.argument = value;
    return held;
  }
  if (kind == "float") {
    double value = 0;
    if (rest.getAsDouble(value))
      fail("'" + rest + "' is no number");
    held.argument = value;
    return held;
  }
  if (kind == "npy" || kind == "expect") {
    auto read = readNpy(rest.str());
    if (!read)
      fail(read.message());
    held.dtype = read->dtype;
    held.tensor = read->toTensor();
    if (kind == "expect") {
      held.expected = held.tensor;
      held.tensor = Tensor(read->shape, isFloat(held.dtype) ? std::nan("") : 1);
    }
    bind(held);
    return held;
  }
  auto [shapeText, seedText] = rest.split(':');
  auto [shape, dtype] = parseShape(shapeText);
  held.dtype = dtype;
  if (kind == "poison") {
    held.tensor = Tensor(shape, std::nan(""));
  } else {
    GeneratorOptions options;
    options.dtype = dtype;
    if (!seedText.empty() && seedText.getAsInteger(10, options.seed))
      fail("'" + seedText + "' is no seed");
    auto made = generate(std::string(kind), shape, options);
    if (!made)
      fail(made.message());
    held.tensor = std::move(*made);
  }
  bind(held);
  return held;
}

/// True if all arguments with a file of expected values hold those, up to the
/// error of another order of summation.
static bool isAsExpected(llvm::ArrayRef<Held> held) {
  bool pass = true;
  for (const Held &argument : held) {
    if (!argument.expected)
      continue;
    Tensor out =
        load(argument.tensor.shape(), argument.dtype, argument.bytes.data());
    if (!isFloat(argument.dtype)) {
      const bool isSame = out.values() == argument.expected->values();
      llvm::outs() << "expected: " << (isSame ? "pass" : "fail") << "\n";
      pass &= isSame;
      continue;
    }
    Tolerance tolerance;
    tolerance.ofLargest = argument.dtype == DType::F64   ? 1e-13
                          : argument.dtype == DType::F32 ? 5e-6
                          : argument.dtype == DType::F16 ? 4e-3
                                                         : 2e-2;
    Report report = compareWithin(out, *argument.expected, nullptr,
                                  {argument.dtype}, tolerance);
    llvm::outs() << "expected: " << report.text << "\n";
    pass &= report.pass;
  }
  return pass;
}

/// True if the last argument is what the reference says.
static bool isRight(llvm::ArrayRef<Held> held) {
  if (check == "none")
    return true;
  const Held &last = held.back();
  Tensor out = load(last.tensor.shape(), last.dtype, last.bytes.data());
  if (check == "copy") {
    const bool isSame = out.values() == held[0].tensor.values();
    llvm::outs() << "copy: " << (isSame ? "pass" : "fail") << "\n";
    return isSame;
  }
  Comparison how;
  how.dtype = last.dtype;
  how.mode = Mode::Fast;
  Tensor reference, naive;
  if (check == "softmax") {
    SoftmaxOptions options;
    options.scale = scale;
    reference = softmax(held[0].tensor, options);
    naive = naiveSoftmax(held[0].tensor, last.dtype, options);
    how.rowLength = held[0].tensor.dim(-1);
  } else if (check == "attention") {
    AttentionOptions options;
    options.scale = scale;
    if (!causal.empty())
      options.band = Band::causal(
          causal == "top-left" ? BandAnchor::TopLeft : BandAnchor::BottomRight);
    const Tensor &q = held[0].tensor, &k = held[1].tensor, &v = held[2].tensor;
    // Between values and result: a number for each score.
    if (held.size() == 5)
      options.bias = &held[3].tensor;
    reference = attention(q, k, v, options).out;
    naive = naiveAttention(q, k, v, last.dtype, options).out;
    how.family = OpFamily::WeightedSum;
    how.rowLength = k.dim(-2);
    how.largestScore = 8;
  } else {
    fail("'" + check + "' is no check; none, copy, attention and softmax are");
  }
  Report report = compare(out, reference, &naive, how);
  llvm::outs() << check << ": " << report.text << "\n";
  return report.pass;
}

int main(int argc, char **argv) {
  cl::ParseCommandLineOptions(argc, argv, "smx_gpu kernels on the host\n");
  DialectRegistry registry;
  registry
      .insert<affine::AffineDialect, arith::ArithDialect,
              cf::ControlFlowDialect, func::FuncDialect, gpu::GPUDialect,
              smxgpu::SmxGpuDialect, math::MathDialect, memref::MemRefDialect,
              scf::SCFDialect, tensor::TensorDialect>();
  // The only threads are the kernel's: a thread sanitizer does not see into
  // MLIR's own.
  MLIRContext context(registry, MLIRContext::Threading::DISABLED);
  OwningOpRef<ModuleOp> module =
      parseSourceFile<ModuleOp>(input, ParserConfig(&context, !noVerify));
  if (!module)
    return 1;
  // Reshapes of memrefs are index arithmetic.
  PassManager passes(&context);
  passes.enableVerifier(!noVerify);
  passes.addNestedPass<func::FuncOp>(memref::createExpandStridedMetadataPass());
  if (failed(passes.run(*module)))
    return 1;
  Operation *op = module->lookupSymbol(entry);
  if (!op)
    fail("there is no function or kernel '" + entry + "' in " + input);

  for (unsigned run = 0; run < runs; ++run) {
    std::vector<Held> held;
    std::vector<host::Argument> arguments;
    for (const std::string &text : args) {
      held.push_back(parseArgument(text));
      arguments.push_back(held.back().argument);
    }
    host::Options options;
    options.stallLimit = std::chrono::milliseconds(stall);
    options.concurrentClusters = clusters;
    options.jitterSeed = run;
    llvm::Error error = llvm::Error::success();
    if (auto function = dyn_cast<func::FuncOp>(op)) {
      error = host::runFunction(function, arguments, options);
    } else if (auto kernel = dyn_cast<smxgpu::KernelOp>(op)) {
      // Extents are written like a shape, whose last part is a type.
      Shape extents = parseShape(grid + "xi1").first;
      extents.resize(3, 1);
      error = host::runKernel(kernel, {extents[0], extents[1], extents[2]},
                              arguments, options);
    } else {
      fail("'" + entry + "' is neither a function nor a kernel");
    }
    if (error)
      fail(llvm::toString(std::move(error)));
    if (!isRight(held) || !isAsExpected(held))
      return 1;
  }
  llvm::outs() << "ran\n";
  return 0;
}
