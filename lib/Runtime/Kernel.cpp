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

llvm::Error Kernel::run(llvm::ArrayRef<TensorView> inputs,
                        llvm::ArrayRef<TensorView> outputs) const {
  static_assert(sizeof(void *) == sizeof(int64_t),
                "descriptors are made of 64-bit words");
  if (llvm::Error error =
          checkCall(state->name, state->signature, inputs, outputs))
    return error;
  if (!outputs.empty() && llvm::all_of(outputs, [](const TensorView &view) {
        return view.elementCount() == 0;
      }))
    return llvm::Error::success();

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
