//===- Kernel.cpp - call compiled code ------------------------------------===//

#include "smx/Runtime/Kernel.h"

#include "DenseCopies.h"
#include "KernelState.h"
#include "Scalar.h"

using namespace smx;

extern "C" {
void omp_set_num_threads(int count);
int omp_get_max_threads();
int omp_get_num_procs();
}

void smx::setThreadCount(int threads) {
  constexpr int mostPerCore = 8;
  const int cores = omp_get_num_procs();
  omp_set_num_threads(threads > 0 ? std::min(threads, mostPerCore * cores)
                                  : cores);
}

int smx::threadCount() { return omp_get_max_threads(); }

/// Appends the words of a memref descriptor: allocated, aligned, offset, sizes,
/// strides.
static void appendDescriptor(llvm::SmallVectorImpl<int64_t> &words,
                             const TensorView &view) {
  auto address = static_cast<int64_t>(reinterpret_cast<intptr_t>(view.data));
  words.append({address, address, 0});
  words.append(view.sizes.begin(), view.sizes.end());
  words.append(view.strides.begin(), view.strides.end());
  // A single element has any stride, but the code was promised a unit stride.
  if (view.rank() > 0)
    words.back() = 1;
}

/// The sizes that outputs must have; an error for inputs that do not go
/// together, of which each was checked.
static llvm::Expected<std::vector<reference::Shape>>
outputShapes(const detail::KernelState &state,
             llvm::ArrayRef<TensorView> inputs) {
  if (!state.resultShapes)
    return std::vector<reference::Shape>();
  std::vector<reference::Shape> shapes;
  std::vector<int64_t> integers;
  for (auto [input, spec] : llvm::zip(inputs, state.signature.inputs)) {
    shapes.emplace_back(input.sizes.begin(), input.sizes.end());
    integers.push_back(spec.isTensor ? 0 : readScalar(input));
  }
  auto outputs = state.resultShapes->evaluate(shapes, integers);
  if (!outputs)
    return explainInputs(state.name, inputs, outputs.takeError());
  return outputs;
}

/// Everything that is checked before anything is touched. True if there is
/// something to do.
static llvm::Expected<bool> checkBeforeRun(const detail::KernelState &state,
                                           llvm::ArrayRef<TensorView> inputs,
                                           llvm::ArrayRef<TensorView> outputs) {
  if (llvm::Error error =
          checkCall(state.name, state.signature, inputs, outputs))
    return std::move(error);
  // What a function without results writes are inputs.
  if (state.signature.outputs.empty())
    if (llvm::Error error = checkUnitStrides(state.name, inputs))
      return std::move(error);
  auto expected = outputShapes(state, inputs);
  if (!expected)
    return expected.takeError();
  if (llvm::Error error = checkOutputSizes(state.name, *expected, outputs))
    return std::move(error);
  return outputs.empty() || llvm::any_of(outputs, [](const TensorView &view) {
           return view.elementCount() != 0;
         });
}

/// Queues the code for this call on `stream`, or on its own one if there is
/// none; returns it.
static llvm::Expected<DeviceVariants::CodePtr> launchOnDevice(
    const DeviceVariants &variants, llvm::ArrayRef<TensorView> inputs,
    llvm::ArrayRef<TensorView> outputs, std::optional<void *> stream) {
  llvm::SmallVector<TensorView, 8> views(inputs);
  views.append(outputs.begin(), outputs.end());
  DenseCopies copies(views, inputs.size());
  auto code = variants.get(copies.views(), inputs.size());
  if (!code)
    return code.takeError();
  const Launcher &launcher = (*code)->launcher();
  void *on = stream.value_or(launcher.ownStream());
  LauncherMemory memory(launcher, on);
  if (llvm::Error error = copies.around(
          memory, [&] { return (*code)->launch(copies.views(), on); })) {
    // What was queued before the step that failed still uses the tensors, which
    // the caller of `run` may free as soon as it returns.
    if (!stream)
      error = llvm::joinErrors(std::move(error), launcher.synchronize(on));
    return std::move(error);
  }
  return code;
}

static llvm::Error movedFrom() {
  return llvm::createStringError("the kernel has been moved from; call the one "
                                 "that it was moved to, or a copy");
}

llvm::Error Kernel::launch(llvm::ArrayRef<TensorView> inputs,
                           llvm::ArrayRef<TensorView> outputs,
                           void *stream) const {
  if (!state)
    return movedFrom();
  if (!state->device)
    return llvm::createStringError("kernel '" + state->name +
                                   "' was compiled for the CPU, which has no "
                                   "streams; 'run' works");
  auto hasWork = checkBeforeRun(*state, inputs, outputs);
  if (!hasWork || !*hasWork)
    return hasWork.takeError();
  return launchOnDevice(*state->device, inputs, outputs, stream).takeError();
}

/// `views` are inputs, then outputs.
static void callOnHost(const detail::KernelState &state,
                       llvm::ArrayRef<TensorView> views) {
  llvm::SmallVector<int64_t, 64> words;
  llvm::SmallVector<size_t, 8> starts;
  for (const TensorView &view : views) {
    starts.push_back(words.size());
    appendDescriptor(words, view);
  }
  llvm::SmallVector<void *, 8> arguments;
  for (size_t start : starts)
    arguments.push_back(&words[start]);
  for (auto [i, spec] : llvm::enumerate(state.signature.inputs))
    if (!spec.isTensor)
      arguments[i] = views[i].data;
  state.code.call(arguments.data());
}

llvm::Error Kernel::run(llvm::ArrayRef<TensorView> inputs,
                        llvm::ArrayRef<TensorView> outputs) const {
  static_assert(sizeof(void *) == sizeof(int64_t),
                "descriptors are made of 64-bit words");
  if (!state)
    return movedFrom();
  auto hasWork = checkBeforeRun(*state, inputs, outputs);
  if (!hasWork || !*hasWork)
    return hasWork.takeError();
  if (state->device) {
    auto code = launchOnDevice(*state->device, inputs, outputs, std::nullopt);
    if (!code)
      return code.takeError();
    const Launcher &launcher = (*code)->launcher();
    return launcher.synchronize(launcher.ownStream());
  }

  llvm::SmallVector<TensorView, 8> views(inputs);
  views.append(outputs.begin(), outputs.end());
  DenseCopies copies(views, inputs.size());
  HostMemory memory;
  return copies.around(memory, [&] {
    callOnHost(*state, copies.views());
    return llvm::Error::success();
  });
}

llvm::StringRef Kernel::name() const {
  return state ? llvm::StringRef(state->name) : "";
}
llvm::ArrayRef<TensorSpec> Kernel::inputs() const {
  return state ? llvm::ArrayRef(state->signature.inputs)
               : llvm::ArrayRef<TensorSpec>();
}
llvm::ArrayRef<TensorSpec> Kernel::outputs() const {
  return state ? llvm::ArrayRef(state->signature.outputs)
               : llvm::ArrayRef<TensorSpec>();
}
llvm::ArrayRef<CompileStep> Kernel::timing() const {
  return state ? llvm::ArrayRef(state->steps) : llvm::ArrayRef<CompileStep>();
}
std::string Kernel::cacheProblems() const {
  return state ? state->files.problems() : "";
}

llvm::Expected<std::vector<llvm::SmallVector<int64_t, 4>>>
Kernel::outputSizes(llvm::ArrayRef<TensorView> inputs) const {
  if (!state)
    return movedFrom();
  if (llvm::Error error = checkInputs(state->name, state->signature, inputs))
    return error;
  auto shapes = outputShapes(*state, inputs);
  if (!shapes)
    return shapes.takeError();
  std::vector<llvm::SmallVector<int64_t, 4>> sizes;
  for (const reference::Shape &shape : *shapes)
    sizes.emplace_back(shape.begin(), shape.end());
  return sizes;
}
