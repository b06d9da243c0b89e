//===- CheckedRun.cpp - run kernels on one set of inputs, and check -------===//

#include "CheckedRun.h"

#include "Progress.h"

#include "llvm/ADT/STLExtras.h"

#include <chrono>

using namespace smx;
using namespace smx::run;
using reference::Tensor;

llvm::Expected<std::unique_ptr<CheckedRun>> CheckedRun::prepare(
    llvm::StringRef text, const Kernel &kernel, const CompileOptions &options,
    const ArgumentFlags &argumentFlags, const CheckSettings &settings,
    std::optional<cuda::Device> device) {
  const size_t files = settings.expected.size();
  if (files > kernel.outputs().size())
    return llvm::createStringError("--expected names " + llvm::Twine(files) +
                                   " results, but the function gives " +
                                   llvm::Twine(kernel.outputs().size()) +
                                   "; name one file per result");
  auto run = std::make_unique<CheckedRun>();
  run->settings = settings;
  run->device = std::move(device);
  auto arguments = makeArguments(kernel.inputs(), argumentFlags);
  if (!arguments)
    return arguments.takeError();
  run->arguments = std::move(*arguments);
  for (const Argument &argument : run->arguments) {
    run->inputViews.push_back(argument.tensor.view());
    run->inputs.push_back(argument.tensor.toTensor());
  }
  // References take it that inputs go together.
  if (auto sizes = kernel.outputSizes(run->inputViews); !sizes)
    return sizes.takeError();
  auto module = CheckedModule::parse(text, options.sourceName, kernel.name(),
                                     options.from, options.road);
  if (!module)
    return module.takeError();
  run->module = std::move(*module);
  if (llvm::Error error = run->evaluate(kernel))
    return llvm::joinErrors(
        std::move(error),
        llvm::createStringError("the results can not be checked; --check=none "
                                "runs the module without"));
  return run;
}

llvm::Error CheckedRun::evaluate(const Kernel &kernel) {
  if (settings.against == CheckAgainst::None)
    return llvm::Error::success();
  bool needsTyped = false;
  for (auto [i, spec] : llvm::enumerate(kernel.outputs())) {
    Expectation expectation = module->expect(i, spec.dtype);
    needsTyped |= reference::isLowPrecision(expectation.how.dtype) ||
                  !expectation.isRecognised ||
                  expectation.how.areScoresComputed;
  }
  if (needsTyped) {
    Progress progress("evaluating the module in its own precision");
    auto evaluated = module->evaluateAsTyped(inputs);
    if (!evaluated)
      return evaluated.takeError();
    typed = std::move(*evaluated);
  }
  Progress progress("evaluating the reference in float64");
  auto evaluated = module->evaluate(inputs, settings.against);
  if (!evaluated)
    return evaluated.takeError();
  exact = std::move(*evaluated);
  return llvm::Error::success();
}

/// Memory for the outputs; sizes that do not follow from the inputs come from
/// the reference.
llvm::Expected<std::vector<HostTensor>>
CheckedRun::makeOutputs(const Kernel &kernel) {
  auto sizes = kernel.outputSizes(inputViews);
  if (!sizes)
    return sizes.takeError();
  std::vector<HostTensor> outputs;
  for (auto [i, spec] : llvm::enumerate(kernel.outputs())) {
    reference::Shape shape((*sizes)[i].begin(), (*sizes)[i].end());
    if (llvm::is_contained(shape, -1)) {
      if (i >= exact.size())
        return llvm::createStringError(
            "the shape of output " + llvm::Twine(i) +
            " does not follow from those of the inputs; run with a --check, "
            "which finds it");
      shape = exact[i].shape();
    }
    auto output = HostTensor::make(spec.dtype, std::move(shape));
    if (!output)
      return llvm::createStringError("output " + llvm::Twine(i) + ": " +
                                     llvm::toString(output.takeError()));
    outputs.push_back(std::move(*output));
  }
  return outputs;
}

llvm::Error CheckedRun::runOnHost(const Kernel &kernel,
                                  llvm::ArrayRef<HostTensor> outputs,
                                  TimedRuns &runs) {
  std::vector<TensorView> outputViews;
  for (const HostTensor &output : outputs)
    outputViews.push_back(output.view());
  for (int i = 0; i < runs.warmup + runs.repeat || i == 0; ++i) {
    auto start = std::chrono::steady_clock::now();
    if (llvm::Error error = kernel(inputViews, outputViews))
      return error;
    std::chrono::duration<double, std::milli> time =
        std::chrono::steady_clock::now() - start;
    if (i >= runs.warmup && runs.repeat > 0)
      runs.milliseconds.push_back(time.count());
  }
  llvm::sort(runs.milliseconds);
  return llvm::Error::success();
}

llvm::Error CheckedRun::run(const Kernel &kernel, TimedRuns &runs,
                            std::vector<HostTensor> &outputs) {
  auto made = makeOutputs(kernel);
  if (!made)
    return made.takeError();
  outputs = std::move(*made);
  return device ? runOnDevice(*device, kernel, inputViews, outputs,
                              settings.memory, runs)
                : runOnHost(kernel, outputs, runs);
}

llvm::Expected<std::vector<std::vector<OutputCheck>>>
CheckedRun::check(llvm::ArrayRef<HostTensor> outputs) {
  std::vector<std::vector<OutputCheck>> checks(outputs.size());
  for (auto [i, output] : llvm::enumerate(outputs)) {
    const Tensor out = output.toTensor();
    auto [how, isRecognised] = module->expect(i, output.dtype());
    how.mode = settings.mode;
    const Tensor *reference = exact.empty() ? nullptr : &exact[i];
    const Tensor *naive = typed.empty() ? nullptr : &typed[i];
    if (reference)
      checks[i].push_back(
          {settings.against == CheckAgainst::Naive ? "naive" : "raised",
           checkOutput(out,
                       isRecognised
                           ? withInfinitiesOf(*reference, output.dtype())
                           : withClassesOf(*reference, *naive, output.dtype()),
                       naive, how)});
    if (i >= settings.expected.size())
      continue;
    const std::string &name = settings.expected[i];
    auto file = reference::readNpy(name);
    if (!file)
      return llvm::createStringError(file.message());
    const Tensor expected = file->toTensor();
    if (expected.shape() != out.shape())
      return llvm::createStringError("output " + llvm::Twine(i) + " is " +
                                     reference::toString(out.shape()) +
                                     ", but '" + name + "' is " +
                                     reference::toString(expected.shape()));
    if (std::optional<Checked> exactly = checkIntegers(output.toNpy(), *file)) {
      checks[i].push_back({name, std::move(*exactly)});
      continue;
    }
    // Somebody else's result need not be precise itself.
    how.mode = reference::Mode::Fast;
    std::optional<Tensor> withError;
    if (reference && naive)
      withError = withErrorOf(expected, *naive, *reference);
    checks[i].push_back(
        {name,
         checkOutput(out, expected, withError ? &*withError : nullptr, how)});
  }
  return checks;
}
