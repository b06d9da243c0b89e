//===- Kernel.cpp - call compiled code ------------------------------------===//

#include "smx/Runtime/Kernel.h"

#include "KernelState.h"

using namespace smx;

extern "C" {
void omp_set_num_threads(int count);
int omp_get_max_threads();
int omp_get_num_procs();
}

void smx::setThreadCount(int threads) {
  omp_set_num_threads(threads > 0 ? threads : omp_get_num_procs());
}

int smx::threadCount() { return omp_get_max_threads(); }

/// The value of an integer scalar; 0 for any other view.
static int64_t readInteger(const TensorView &view) {
  if (view.rank() > 0)
    return 0;
  switch (view.dtype) {
  case reference::DType::I64:
    return *static_cast<const int64_t *>(view.data);
  case reference::DType::I32:
    return *static_cast<const int32_t *>(view.data);
  case reference::DType::I8:
    return *static_cast<const int8_t *>(view.data);
  case reference::DType::U8:
  case reference::DType::I1:
    return *static_cast<const uint8_t *>(view.data);
  default:
    return 0;
  }
}

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

/// The sizes that outputs must have; inputs were checked.
static std::vector<reference::Shape>
outputShapes(const detail::KernelState &state,
             llvm::ArrayRef<TensorView> inputs) {
  if (!state.resultShapes)
    return {};
  std::vector<reference::Shape> shapes;
  std::vector<int64_t> integers;
  for (const TensorView &input : inputs) {
    shapes.emplace_back(input.sizes.begin(), input.sizes.end());
    integers.push_back(readInteger(input));
  }
  return state.resultShapes->evaluate(shapes, integers);
}

/// Everything that is checked before anything is touched. True if there is
/// something to do.
static llvm::Expected<bool> checkBeforeRun(const detail::KernelState &state,
                                           llvm::ArrayRef<TensorView> inputs,
                                           llvm::ArrayRef<TensorView> outputs) {
  if (llvm::Error error =
          checkCall(state.name, state.signature, inputs, outputs))
    return std::move(error);
  if (llvm::Error error =
          checkOutputSizes(state.name, outputShapes(state, inputs), outputs))
    return std::move(error);
  return outputs.empty() || llvm::any_of(outputs, [](const TensorView &view) {
           return view.elementCount() != 0;
         });
}

static llvm::Error runOnDevice(const DeviceCode &code,
                               llvm::ArrayRef<TensorView> inputs,
                               llvm::ArrayRef<TensorView> outputs,
                               const cuda::Stream &stream) {
  llvm::SmallVector<TensorView, 8> views(inputs);
  views.append(outputs.begin(), outputs.end());
  return code.launch(views, stream);
}

llvm::Error Kernel::launch(llvm::ArrayRef<TensorView> inputs,
                           llvm::ArrayRef<TensorView> outputs,
                           void *stream) const {
  if (!state->device)
    return llvm::createStringError("kernel '" + state->name +
                                   "' was compiled for the CPU, which has no "
                                   "streams; 'run' works");
  auto hasWork = checkBeforeRun(*state, inputs, outputs);
  if (!hasWork || !*hasWork)
    return hasWork.takeError();
  return runOnDevice(
      *state->device, inputs, outputs,
      cuda::Stream::borrow(state->device->stream().device(), stream));
}

llvm::Error Kernel::run(llvm::ArrayRef<TensorView> inputs,
                        llvm::ArrayRef<TensorView> outputs) const {
  static_assert(sizeof(void *) == sizeof(int64_t),
                "descriptors are made of 64-bit words");
  auto hasWork = checkBeforeRun(*state, inputs, outputs);
  if (!hasWork || !*hasWork)
    return hasWork.takeError();
  if (state->device) {
    const cuda::Stream &stream = state->device->stream();
    if (llvm::Error error =
            runOnDevice(*state->device, inputs, outputs, stream))
      return error;
    return stream.synchronize();
  }

  llvm::SmallVector<int64_t, 64> words;
  llvm::SmallVector<size_t, 8> starts;
  for (llvm::ArrayRef<TensorView> views : {inputs, outputs})
    for (const TensorView &view : views) {
      starts.push_back(words.size());
      appendDescriptor(words, view);
    }
  llvm::SmallVector<void *, 8> arguments;
  for (size_t start : starts)
    arguments.push_back(&words[start]);
  for (auto [i, spec] : llvm::enumerate(state->signature.inputs))
    if (!spec.isTensor)
      arguments[i] = inputs[i].data;
  state->code.call(arguments.data());
  return llvm::Error::success();
}

llvm::StringRef Kernel::name() const { return state->name; }
llvm::ArrayRef<TensorSpec> Kernel::inputs() const {
  return state->signature.inputs;
}
llvm::ArrayRef<TensorSpec> Kernel::outputs() const {
  return state->signature.outputs;
}
llvm::ArrayRef<CompileStep> Kernel::timing() const { return state->steps; }

llvm::Expected<std::vector<llvm::SmallVector<int64_t, 4>>>
Kernel::outputSizes(llvm::ArrayRef<TensorView> inputs) const {
  if (llvm::Error error = checkInputs(state->name, state->signature, inputs))
    return error;
  std::vector<llvm::SmallVector<int64_t, 4>> sizes;
  for (const reference::Shape &shape : outputShapes(*state, inputs))
    sizes.emplace_back(shape.begin(), shape.end());
  return sizes;
}
