//===- Check.cpp - is what the kernel gave right? -------------------------===//

#include "Check.h"

#include "smx/Analysis/Traffic.h"
#include "smx/Evaluator/Evaluator.h"
#include "smx/Pipeline/Entry.h"
#include "smx/RegisterAll.h"
#include "smx/Runtime/Road.h"

#include "mlir/Parser/Parser.h"
#include "llvm/Support/SourceMgr.h"

#include <cmath>
#include <cstring>

using namespace smx::run;
namespace reference = smx::reference;
using llvm::createStringError;
using mlir::smx::Stage;
using reference::DType;
using reference::Tensor;

struct CheckedModule::State {
  State(const mlir::DialectRegistry &registry,
        const mlir::smx::RoadOptions &road)
      : context(registry, mlir::MLIRContext::Threading::DISABLED), road(road) {}

  /// The function to evaluate in `module`; `parse` made sure that there is one.
  mlir::func::FuncOp getEntry(mlir::ModuleOp module) const {
    return module.lookupSymbol<mlir::func::FuncOp>(entry);
  }

  llvm::SourceMgr sourceMgr;
  mlir::MLIRContext context;
  mlir::OwningOpRef<mlir::ModuleOp> input, raised;
  std::string entry;
  /// Of `raised`; and how far each of its results moves with the means in it.
  mlir::smx::EvaluationNotes notes;
  std::vector<double> ofMeans;
  const mlir::smx::RoadOptions road;
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
  result->state = std::make_unique<State>(registry, road);
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
  if (mlir::func::FuncOp function = state.getEntry(*state.raised))
    mlir::smx::keepWhatIsCalled(function);
  if (from < Stage::Naive)
    if (llvm::Error error =
            mlir::smx::runRoad(*state.raised, from, Stage::Naive, road))
      return error;
  if (!state.getEntry(*state.raised))
    return createStringError("'" + entry + "' is gone after raising");
  return result;
}

llvm::Error CheckedModule::measureMeans(llvm::ArrayRef<Tensor> inputs,
                                        llvm::ArrayRef<Tensor> exact) {
  state->ofMeans.clear();
  // Less than what an element of magnitude 1 is rounded by is in the tolerance
  // of any norm, and not worth a second evaluation.
  if (state->notes.ulpsOfMeans < 1)
    return llvm::Error::success();
  auto moved = mlir::smx::evaluate(state->getEntry(*state->raised), inputs,
                                   mlir::smx::Rounding::OfMeans);
  if (!moved)
    return moved.takeError();
  for (auto [to, from] : llvm::zip_equal(*moved, exact)) {
    double &largest = state->ofMeans.emplace_back(0);
    for (auto [a, b] : llvm::zip_equal(to.values(), from.values()))
      if (const double distance = std::abs(a - b); std::isfinite(distance))
        largest = std::max(largest, distance);
  }
  return llvm::Error::success();
}

llvm::Expected<std::vector<Tensor>>
CheckedModule::evaluate(llvm::ArrayRef<Tensor> inputs, CheckAgainst against) {
  auto evaluateRaised = [&]() -> llvm::Expected<std::vector<Tensor>> {
    auto exact = mlir::smx::evaluate(state->getEntry(*state->raised), inputs,
                                     mlir::smx::Rounding::None, &state->notes);
    if (!exact)
      return exact.takeError();
    if (llvm::Error error = measureMeans(inputs, *exact))
      return std::move(error);
    return exact;
  };
  if (against == CheckAgainst::Raised)
    return evaluateRaised();
  // What is noted is of ops that the module as written does not have.
  auto isNoted = [](mlir::Operation *op) {
    using namespace mlir::smx;
    return mlir::isa<AttentionOp, LayerNormOp, SoftmaxOp, TopKSoftmaxOp>(op)
               ? mlir::WalkResult::interrupt()
               : mlir::WalkResult::advance();
  };
  if (state->raised->walk(isNoted).wasInterrupted())
    llvm::consumeError(evaluateRaised().takeError());
  return mlir::smx::evaluate(state->getEntry(*state->input), inputs);
}

llvm::Expected<std::vector<Tensor>>
CheckedModule::evaluateAsTyped(llvm::ArrayRef<Tensor> inputs) {
  return mlir::smx::evaluate(state->getEntry(*state->input), inputs,
                             mlir::smx::Rounding::AsTyped);
}

Expectation CheckedModule::expect(size_t number, DType dtype) {
  Expectation expectation =
      expectationOf(state->getEntry(*state->raised), number, dtype, state->road,
                    state->notes);
  if (!state->ofMeans.empty())
    expectation.how.ofMeans = state->ofMeans[number];
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
       {&tolerance.ulps, &tolerance.ulpsBelowFloor, &tolerance.relative,
        &tolerance.absolute, &tolerance.mixed, &tolerance.ofLargest,
        &tolerance.ulpsOfLargest, &tolerance.ofNaive, &tolerance.ulpsOfNaive})
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

Tensor smx::run::withInfinitiesOf(Tensor exact, reference::DType dtype) {
  if (!reference::isFloat(dtype))
    return exact;
  for (int64_t i = 0; i < exact.size(); ++i)
    if (double stored = reference::roundTo(dtype, exact[i]); std::isinf(stored))
      exact[i] = stored;
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
    const bool passes = reference::compareWithin(out, reference, naive, how,
                                                 scaled(tolerance, middle))
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
