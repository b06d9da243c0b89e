//===- DeviceRun.cpp - run a kernel in a device's memory ------------------===//

#include "DeviceRun.h"

#include "smx/CUDA/Buffer.h"

#include "llvm/ADT/STLExtras.h"

using namespace smx;
using namespace smx::run;

static llvm::Expected<cuda::Buffer> allocate(DeviceMemory memory,
                                             const cuda::Stream &stream,
                                             int64_t bytes,
                                             const llvm::Twine &name) {
  bytes = std::max<int64_t>(bytes, 1);
  return memory == DeviceMemory::Exact
             ? cuda::Buffer::allocate(stream.device(), bytes)
             : cuda::Buffer::allocateGuarded(stream, bytes, name.str());
}

static TensorView onDevice(TensorView view, const cuda::Buffer &buffer) {
  view.data = reinterpret_cast<void *>(buffer.address());
  return view;
}

llvm::Error smx::run::runOnDevice(const cuda::Device &device,
                                  const Kernel &kernel,
                                  llvm::ArrayRef<TensorView> inputs,
                                  llvm::ArrayRef<HostTensor> outputs,
                                  DeviceMemory memory, TimedRuns &runs) {
  auto stream = cuda::Stream::create(device);
  if (!stream)
    return stream.takeError();
  std::vector<cuda::Buffer> buffers;
  std::vector<TensorView> inputViews, outputViews;
  for (auto [number, view] : llvm::enumerate(inputs)) {
    if (!kernel.inputs()[number].isTensor) {
      inputViews.push_back(view);
      continue;
    }
    int64_t bytes = view.elementCount() * reference::byteWidth(view.dtype);
    auto buffer =
        allocate(memory, *stream, bytes, "input " + llvm::Twine(number));
    if (!buffer)
      return buffer.takeError();
    if (llvm::Error error = buffer->copyFromHost(*stream, view.data, bytes))
      return error;
    inputViews.push_back(onDevice(view, *buffer));
    buffers.push_back(std::move(*buffer));
  }
  const size_t firstOutput = buffers.size();
  for (auto [number, output] : llvm::enumerate(outputs)) {
    auto buffer = allocate(memory, *stream, output.byteCount(),
                           "output " + llvm::Twine(number));
    if (!buffer)
      return buffer.takeError();
    outputViews.push_back(onDevice(output.view(), *buffer));
    buffers.push_back(std::move(*buffer));
  }

  auto begin = cuda::Event::create(device);
  if (!begin)
    return begin.takeError();
  auto end = cuda::Event::create(device);
  if (!end)
    return end.takeError();
  for (int i = 0; i < runs.warmup + runs.repeat || i == 0; ++i) {
    if (llvm::Error error = begin->record(*stream))
      return error;
    if (llvm::Error error =
            kernel.launch(inputViews, outputViews, stream->handle()))
      return error;
    if (llvm::Error error = end->record(*stream))
      return error;
    auto time = end->millisecondsSince(*begin);
    if (!time)
      return time.takeError();
    if (i >= runs.warmup && runs.repeat > 0)
      runs.milliseconds.push_back(*time);
  }
  llvm::sort(runs.milliseconds);

  for (auto [number, output] : llvm::enumerate(outputs))
    if (llvm::Error error = buffers[firstOutput + number].copyToHost(
            *stream, output.view().data, output.byteCount()))
      return error;
  if (llvm::Error error = stream->synchronize())
    return error;
  for (const cuda::Buffer &buffer : buffers)
    if (llvm::Error error = buffer.checkCanaries(*stream))
      return error;
  return llvm::Error::success();
}
