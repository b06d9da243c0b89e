//===- Check.cpp - is what the kernel gave right? -------------------------===//

#include "Check.h"

#include "smx/Analysis/Traffic.h"
#include "smx/Evaluator/Evaluator.h"
#include "smx/IR/Smx.h"
#include "smx/Reference/Attention.h"
#include "smx/RegisterAll.h"
#include "smx/Runtime/Road.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Parser/Parser.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/MathExtras.h"
#include "llvm/Support/SourceMgr.h"

#include <cmath>
#include <cstring>

using namespace smx::run;
namespace reference = smx::reference;
using llvm::createStringError;
using mlir::smx::Stage;
using reference::DType;
using reference::OpFamily;
using reference::Tensor;

struct CheckedModule::State {
  State(const mlir::DialectRegistry &registry, mlir::smx::Target target)
      : context(registry, mlir::MLIRContext::Threading::DISABLED),
        target(target) {}

  /// The function to evaluate in `module`; `parse` made sure that there is one.
  mlir::func::FuncOp getEntry(mlir::ModuleOp module) const {
    return module.lookupSymbol<mlir::func::FuncOp>(entry);
  }

  llvm::SourceMgr sourceMgr;
  mlir::MLIRContext context;
  mlir::OwningOpRef<mlir::ModuleOp> input, raised;
  std::string entry;
  const mlir::smx::Target target;
};

CheckedModule::CheckedModule() = default;
CheckedModule::~CheckedModule() = default;

llvm::Expected<std::unique_ptr<CheckedModule>>
CheckedModule::parse(llvm::StringRef text, llvm::StringRef sourceName,
                     llvm::StringRef entry, Stage from,
                     const mlir::smx::RoadOptions &road) {
  mlir::DialectRegistry registry;
  mlir::smx::registerAllDialects(registry);
  std::unique_ptr<CheckedModule> result(new CheckedModule);
  result->state = std::make_unique<State>(registry, road.target);
  State &state = *result->state;
  state.entry = entry.str();
  state.context.printOpOnDiagnostic(false);
  state.sourceMgr.AddNewSourceBuffer(
      llvm::MemoryBuffer::getMemBufferCopy(text, sourceName), llvm::SMLoc());
  mlir::SourceMgrDiagnosticHandler handler(state.sourceMgr, &state.context);
  state.input = mlir::parseSourceFile<mlir::ModuleOp>(
      state.sourceMgr, mlir::ParserConfig(&state.context));
  if (!state.input)
    return createStringError("'" + sourceName + "' is not valid MLIR");
  state.raised = state.input->clone();
  if (from < Stage::Naive)
    if (llvm::Error error =
            mlir::smx::runRoad(*state.raised, from, Stage::Naive, road))
      return error;
  if (!state.getEntry(*state.raised))
    return createStringError("'" + entry + "' is gone after raising");
  return result;
}

llvm::Expected<std::vector<Tensor>>
CheckedModule::evaluate(llvm::ArrayRef<Tensor> inputs, CheckAgainst against) {
  mlir::ModuleOp module =
      against == CheckAgainst::Raised ? *state->raised : *state->input;
  return mlir::smx::evaluate(state->getEntry(module), inputs);
}

llvm::Expected<std::vector<Tensor>>
CheckedModule::evaluateAsTyped(llvm::ArrayRef<Tensor> inputs) {
  return mlir::smx::evaluate(state->getEntry(*state->input), inputs,
                             mlir::smx::Rounding::AsTyped);
}

//===----------------------------------------------------------------------===//
// What to expect of a result
//===----------------------------------------------------------------------===//

/// The family of an smx op's result, and the extent of the axis it reduces (1
/// if open).
static std::optional<std::pair<OpFamily, int64_t>>
familyOf(mlir::OpResult value) {
  using Found = std::pair<OpFamily, int64_t>;
  auto extent = [](mlir::Value tensor, int64_t axis) {
    int64_t size =
        mlir::cast<mlir::RankedTensorType>(tensor.getType()).getDimSize(axis);
    return mlir::ShapedType::isDynamic(size) ? int64_t(1) : size;
  };
  using namespace mlir::smx;
  return llvm::TypeSwitch<mlir::Operation *, std::optional<Found>>(
             value.getOwner())
      .Case([&](SoftmaxOp op) {
        return Found(OpFamily::Softmax, extent(op.getInput(), op.getAxis()));
      })
      .Case([&](TopKSoftmaxOp op) {
        return Found(OpFamily::Softmax, extent(op.getInput(), op.getAxis()));
      })
      .Case<LogSoftmaxOp, LogSumExpOp, CrossEntropyOp>([&](auto op) {
        return Found(OpFamily::LogSumExp, extent(op.getInput(), op.getAxis()));
      })
      .Case([&](SoftmaxDotOp op) {
        return Found(
            OpFamily::WeightedSum,
            extent(op.getScores(), op.getScores().getType().getRank() - 1));
      })
      .Case<LayerNormOp, RmsNormOp>([&](auto op) {
        return Found(OpFamily::Norm, extent(op.getInput(), op.getAxis()));
      })
      .Case<CrossEntropyBackwardOp, SoftmaxBackwardOp, LogSoftmaxBackwardOp>(
          [&](auto op) {
            return Found(OpFamily::WeightedSum,
                         extent(op->getOperand(0), op.getAxis()));
          })
      .Case([&](AttentionOp op) {
        return Found(value.getResultNumber() == 0 ? OpFamily::WeightedSum
                                                  : OpFamily::LogSumExp,
                     extent(op.getKey(), op.getKey().getType().getRank() - 2));
      })
      .Default(std::nullopt);
}

/// The value that `value` only gives another shape or element type.
static mlir::Value lookThrough(mlir::Value value) {
  while (mlir::Operation *op = value.getDefiningOp()) {
    if (mlir::isa<mlir::tensor::CastOp, mlir::tensor::ExpandShapeOp,
                  mlir::tensor::CollapseShapeOp, mlir::tensor::ReshapeOp,
                  mlir::linalg::TransposeOp>(op)) {
      value = op->getOperand(0);
      continue;
    }
    auto generic = mlir::dyn_cast<mlir::linalg::GenericOp>(op);
    const bool converts =
        generic && generic.getNumDpsInputs() == 1 &&
        llvm::all_of(
            generic.getBody()->without_terminator(),
            [](mlir::Operation &inner) {
              return mlir::isa<mlir::arith::ExtFOp, mlir::arith::TruncFOp>(
                  inner);
            });
    if (!converts)
      break;
    value = generic.getDpsInputs()[0];
  }
  return value;
}

/// True if `op` reduces numbers that the function computes itself: what
/// rounding did to them is there in the result, however it is reduced.
static bool areScoresComputed(mlir::Operation *op) {
  return mlir::isa<mlir::smx::AttentionOp>(op) ||
         llvm::any_of(op->getOperands(), [](mlir::Value operand) {
           return lookThrough(operand).getDefiningOp() != nullptr;
         });
}

/// How exact a weighted sum in `result` can be that is computed from
/// `operands`. On a GPU weights are rounded to the type of the values that they
/// are multiplied by; a CPU computes in f32 what is not of f64.
static DType precisionOf(DType result, mlir::Type operands,
                         mlir::smx::Target target) {
  if (reference::isLowPrecision(result) || operands.isF64())
    return result;
  if (operands.isF32() || target == mlir::smx::Target::Cpu)
    return DType::F32;
  // Those of 8 bits are widened to f16.
  return operands.isBF16() ? DType::BF16 : DType::F16;
}

/// The largest score of `attention`, of some of its queries and all keys, if
/// these are what the function gets; else 0, which allows least.
static double largestScoreOf(mlir::smx::AttentionOp attention,
                             llvm::ArrayRef<Tensor> inputs) {
  auto query = mlir::dyn_cast<mlir::BlockArgument>(attention.getQuery());
  auto key = mlir::dyn_cast<mlir::BlockArgument>(attention.getKey());
  if (!query || !key)
    return 0;
  const Tensor &q = inputs[query.getArgNumber()],
               &k = inputs[key.getArgNumber()];
  const auto shape = reference::AttentionShape::of(q, k, k);
  if (!shape || q.size() == 0 || k.size() == 0)
    return 0;
  constexpr int64_t mostQueries = 64;
  const int64_t rows = q.size() / shape->headDim;
  double largest = 0;
  for (int64_t n : llvm::seq(std::min(rows, mostQueries))) {
    const int64_t row = n * rows / std::min(rows, mostQueries);
    const int64_t head =
        row / shape->queries / (shape->queryHeads / shape->keyHeads);
    for (int64_t j : llvm::seq(shape->keys)) {
      double score = 0;
      for (int64_t d : llvm::seq(shape->headDim))
        score += q[row * shape->headDim + d] *
                 k[(head * shape->keys + j) * shape->headDim + d];
      if (std::isfinite(score))
        largest = std::max(largest, std::abs(score));
    }
  }
  return std::abs(attention.getScale().convertToDouble()) * largest;
}

Expectation CheckedModule::expect(size_t number, DType dtype,
                                  llvm::ArrayRef<Tensor> inputs) {
  Expectation expectation;
  expectation.how.dtype = dtype;
  // Anything that is not recognised is some sum of products.
  expectation.how.family = OpFamily::WeightedSum;
  mlir::Operation *terminator =
      state->getEntry(*state->raised).getBody().front().getTerminator();
  auto result = mlir::dyn_cast<mlir::OpResult>(
      lookThrough(terminator->getOperand(number)));
  if (auto found = result ? familyOf(result) : std::nullopt) {
    std::tie(expectation.how.family, expectation.how.rowLength) = *found;
    expectation.isRecognised = true;
    expectation.how.areScoresComputed = areScoresComputed(result.getOwner());
    auto attention = result.getDefiningOp<mlir::smx::AttentionOp>();
    if (attention)
      expectation.how.largestScore = largestScoreOf(attention, inputs);
    if (attention && result == attention.getResult())
      expectation.how.dtype =
          precisionOf(dtype, attention.getQuery().getType().getElementType(),
                      state->target);
  }
  return expectation;
}

std::optional<double>
CheckedModule::countProductFlops(llvm::ArrayRef<Tensor> inputs) {
  mlir::smx::TrafficOptions options;
  options.stage = Stage::Naive;
  auto function = state->getEntry(*state->raised);
  for (auto [type, input] : llvm::zip(function.getArgumentTypes(), inputs))
    if (auto tensor = mlir::dyn_cast<mlir::RankedTensorType>(type))
      for (int64_t d = 0; d < tensor.getRank(); ++d)
        if (tensor.isDynamicDim(d))
          options.extents.push_back(input.dim(d));
  auto counted = mlir::smx::analyzeTraffic(*state->raised, options);
  if (mlir::failed(counted))
    return std::nullopt;
  for (const mlir::smx::FunctionTraffic &traffic : *counted)
    if (traffic.function == state->entry && traffic.notCounted.empty())
      return static_cast<double>(traffic.work.productFlops());
  return std::nullopt;
}

//===----------------------------------------------------------------------===//
// Comparison
//===----------------------------------------------------------------------===//

/// `tolerance` with every part `factor` times as large.
static reference::Tolerance scaled(reference::Tolerance tolerance,
                                   double factor) {
  for (double *part :
       {&tolerance.ulps, &tolerance.ulpsBelowFloor, &tolerance.mixed,
        &tolerance.ofLargest, &tolerance.ulpsOfLargest, &tolerance.ofNaive,
        &tolerance.ulpsOfNaive})
    *part *= factor;
  return tolerance;
}

Tensor smx::run::withErrorOf(Tensor expected, const Tensor &typed,
                             const Tensor &exact) {
  for (int64_t i = 0; i < expected.size(); ++i)
    expected[i] += 1.5 * (typed[i] - exact[i]);
  return expected;
}

Tensor smx::run::withClassesOf(Tensor exact, const Tensor &typed,
                               reference::DType dtype) {
  if (!reference::isFloat(dtype))
    return exact;
  for (int64_t i = 0; i < exact.size(); ++i)
    if (!reference::sameClass(typed[i], exact[i], dtype))
      exact[i] = typed[i];
  return exact;
}

/// Elements have to be the same; `shape` is theirs.
template <typename Element>
static Checked checkEqual(const std::vector<Element> &out,
                          const std::vector<Element> &reference,
                          const reference::Shape &shape) {
  Checked checked;
  reference::Report &report = checked.report;
  for (size_t i = 0; i < out.size(); ++i) {
    if (out[i] == reference[i])
      continue;
    if (report.wrongElements++ == 0)
      report.firstWrong = Tensor(shape).indexOf(static_cast<int64_t>(i));
  }
  report.pass = report.wrongElements == 0;
  report.text = report.pass ? "pass: all elements are equal"
                            : "fail: " + std::to_string(report.wrongElements) +
                                  " elements differ, first " +
                                  reference::indexToString(report.firstWrong);
  return checked;
}

Checked smx::run::checkOutput(const Tensor &out, const Tensor &reference,
                              const Tensor *naive,
                              const reference::Comparison &how) {
  if (!reference::isFloat(how.dtype))
    return checkEqual(out.values(), reference.values(), out.shape());
  Checked checked;
  checked.report = reference::compare(out, reference, naive, how);
  constexpr int64_t largest = int64_t(1) << 22;
  if (!checked.report.pass || out.size() > largest)
    return checked;
  const reference::Tolerance tolerance = reference::toleranceFor(how);
  double low = 0, high = 1;
  for (int step = 0; step < 7; ++step) {
    const double middle = (low + high) / 2;
    const bool passes =
        reference::compareWithin(out, reference, naive, how.dtype,
                                 scaled(tolerance, middle), how.axis)
            .pass;
    (passes ? high : low) = middle;
  }
  checked.ofTolerance = high;
  return checked;
}

/// Elements of an integer type as they are: doubles have no more than 53 bits.
static std::vector<int64_t> integersOf(const reference::NpyArray &array) {
  const int64_t width = byteWidth(array.dtype);
  const bool isSigned = array.dtype != DType::U8 && array.dtype != DType::I1;
  std::vector<int64_t> integers(array.bytes.size() / width);
  for (size_t i = 0; i < integers.size(); ++i) {
    uint64_t bits = 0;
    std::memcpy(&bits, array.bytes.data() + i * width, width);
    integers[i] =
        isSigned ? llvm::SignExtend64(bits, 8 * width) : int64_t(bits);
  }
  return integers;
}

std::optional<Checked>
smx::run::checkIntegers(const reference::NpyArray &out,
                        const reference::NpyArray &expected) {
  if (reference::isFloat(out.dtype) || reference::isFloat(expected.dtype))
    return std::nullopt;
  return checkEqual(integersOf(out), integersOf(expected), out.shape);
}
