//===- CallsTest.cpp - many calls at once ---------------------------------===//
//
// Threads that compile and launch at the same time, on a device that there is
// one of several, on a stream of their own, on addresses that are multiples of
// an element only. The emulator does the same in host memory.
//
//===----------------------------------------------------------------------===//

#include "NumericCase.h"
#include "TargetUnderTest.h"

#include "smx/CUDA/Buffer.h"
#include "smx/Reference/Npy.h"

#include "gtest/gtest.h"

#include <algorithm>
#include <cstring>
#include <thread>

using namespace smx;
using namespace smx::test;
using llvm::Error;
using llvm::Expected;

namespace {
/// Memory of the target under test.
class TargetMemory {
public:
  /// `stream` is null for host memory.
  static Expected<TargetMemory> make(const cuda::Stream *stream,
                                     const std::vector<std::byte> &content) {
    TargetMemory memory;
    memory.stream = stream;
    memory.host = content;
    if (!stream)
      return memory;
    auto buffer = cuda::Buffer::allocate(stream->device(), content.size());
    if (!buffer)
      return buffer.takeError();
    if (Error error =
            buffer->copyFromHost(*stream, content.data(), content.size()))
      return error;
    memory.buffer = std::move(*buffer);
    return memory;
  }

  /// What lies `offset` bytes behind the start.
  void *at(size_t offset) {
    return buffer ? reinterpret_cast<void *>(buffer->address() + offset)
                  : host.data() + offset;
  }

  /// All bytes, after what the stream had to do.
  Expected<std::vector<std::byte>> read() const {
    std::vector<std::byte> content = host;
    if (!stream)
      return content;
    if (Error error =
            buffer->copyToHost(*stream, content.data(), content.size()))
      return error;
    if (Error error = stream->synchronize())
      return error;
    return content;
  }

private:
  const cuda::Stream *stream = nullptr;
  std::vector<std::byte> host;
  std::optional<cuda::Buffer> buffer;
};

constexpr std::byte poison{0xff};

/// `content` between 16 bytes of poison each, and further by `offset`.
std::vector<std::byte> amidPoison(const std::vector<std::byte> &content,
                                  size_t offset) {
  std::vector<std::byte> bytes(32 + offset + content.size(), poison);
  std::copy(content.begin(), content.end(), bytes.begin() + 16 + offset);
  return bytes;
}

/// Compiles the softmax of one of 4 modules and launches it again and again on
/// a stream of this thread; odd numbers have memory that is 2 bytes off.
Error callOften(const std::optional<cuda::Driver> &driver, int number) {
  NumericCase c;
  c.dtype = DType::BF16;
  c.shape = {5 + number % 4, 1000};
  c.axis = 1;
  c.seed = number;
  const TargetUnderTest &target = targetUnderTest();
  CompileOptions options;
  target.applyTo(options.road);
  const std::vector<std::string> chips = target.chips();
  options.road.chip = chips[number / 2 % chips.size()];
  std::optional<cuda::Stream> stream;
  if (driver) {
    options.device = number % driver->deviceCount();
    auto device = cuda::Device::open(*driver, options.device);
    if (!device)
      return device.takeError();
    auto created = cuda::Stream::create(*device);
    if (!created)
      return created.takeError();
    stream = *created;
  }
  auto kernel = compile(c.text(), options);
  if (!kernel)
    return kernel.takeError();

  const std::vector<Tensor> inputs = c.makeInputs();
  auto x = reference::NpyArray::fromTensor(inputs[0], c.dtype);
  const size_t offset = number % 2 ? 2 : 0, first = 16 + offset;
  const std::vector<std::byte> unwritten(x.bytes.size(), poison);
  auto in = TargetMemory::make(stream ? &*stream : nullptr,
                               amidPoison(x.bytes, offset));
  if (!in)
    return in.takeError();
  auto out = TargetMemory::make(stream ? &*stream : nullptr,
                                amidPoison(unwritten, offset));
  if (!out)
    return out.takeError();
  for (int i = 0; i < 8; ++i)
    if (Error error =
            kernel->launch({TensorView(in->at(first), c.dtype, c.shape)},
                           {TensorView(out->at(first), c.dtype, c.shape)},
                           stream ? stream->handle() : nullptr))
      return error;
  auto bytes = out->read();
  if (!bytes)
    return bytes.takeError();
  reference::NpyArray y;
  y.dtype = c.dtype;
  y.shape = c.shape;
  y.bytes.assign(bytes->begin() + first,
                 bytes->begin() + first + x.bytes.size());
  if (*bytes != amidPoison(y.bytes, offset))
    return llvm::createStringError("memory around the result was written");
  const NumericCase::Expected expected = c.expect(inputs)[0];
  reference::Report report = reference::compare(
      y.toTensor(), expected.exact, expected.naive ? &*expected.naive : nullptr,
      expected.how);
  return report.pass ? Error::success() : llvm::createStringError(report.text);
}
} // namespace

TEST(CallContract, ThreadsHaveAStreamAndADeviceEach) {
  const TargetUnderTest &target = targetUnderTest();
  if (target.target == mlir::smx::Target::Cpu)
    GTEST_SKIP() << "a CPU has neither devices nor streams";
  std::optional<cuda::Driver> driver;
  if (target.isDevice()) {
    auto loaded = cuda::Driver::load();
    ASSERT_TRUE(bool(loaded)) << llvm::toString(loaded.takeError());
    driver = *loaded;
  }
  std::vector<std::string> failures(32);
  std::vector<std::thread> threads;
  for (int i = 0; i < 32; ++i)
    threads.emplace_back(
        [&, i] { failures[i] = llvm::toString(callOften(driver, i)); });
  for (std::thread &thread : threads)
    thread.join();
  for (int i = 0; i < 32; ++i)
    EXPECT_EQ(failures[i], "") << "thread " << i;
}
