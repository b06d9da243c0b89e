//===- CudaLauncher.cpp - kernels on a CUDA device ------------------------===//

#include "CudaLauncher.h"

#include "StepTimer.h"
#include "TensorMaps.h"
#include "smx/CUDA/StreamMemory.h"

#include <map>
#include <mutex>
#include <optional>

using namespace smx;
using llvm::Error;
using llvm::Expected;
using mlir::smx::LaunchPlan;

Expected<cuda::Device> smx::findDevice(const CompileOptions &options) {
  static std::mutex mutex;
  // Never destroyed: the driver may be gone when statics are.
  static auto &drivers = *new std::map<std::string, cuda::Driver>;
  static auto &devices =
      *new std::map<std::pair<std::string, int>, cuda::Device>;
  std::lock_guard<std::mutex> lock(mutex);
  auto driver = drivers.find(options.cudaDriver);
  if (driver == drivers.end()) {
    auto loaded = cuda::Driver::load(options.cudaDriver);
    if (!loaded)
      return loaded.takeError();
    driver = drivers.emplace(options.cudaDriver, *loaded).first;
  }
  const std::pair place(options.cudaDriver, options.device);
  auto known = devices.find(place);
  if (known != devices.end())
    return known->second;
  auto opened = cuda::Device::open(driver->second, options.device);
  if (!opened)
    return opened.takeError();
  devices.emplace(place, *opened);
  return *opened;
}

namespace {
class CudaLauncher : public Launcher {
public:
  /// What a step of the plan launches; nothing for a copy.
  struct Code {
    cuda::Function function;
    cuda::LaunchConfig config;
    /// Parameters behind the operands.
    std::vector<mlir::smx::TensorMapUse> tensorMaps;
  };
  explicit CudaLauncher(cuda::Stream own) : own(std::move(own)) {}

  void *ownStream() const override { return own.handle(); }
  Error synchronize(void *stream) const override {
    return borrow(stream).synchronize();
  }
  Expected<void *> allocate(int64_t bytes, void *stream) const override {
    auto address = cuda::allocateOnStream(borrow(stream), bytes);
    if (!address)
      return address.takeError();
    return reinterpret_cast<void *>(*address);
  }
  Error release(void *memory, void *stream) const override {
    return cuda::freeOnStream(borrow(stream),
                              reinterpret_cast<uint64_t>(memory));
  }
  Error launch(size_t number, const std::array<int64_t, 3> &grid,
               llvm::ArrayRef<LaunchOperand> operands,
               void *stream) const override;
  Error copy(const RowCopy &copy, void *stream) const override {
    return cuda::copyRows(borrow(stream), reinterpret_cast<uint64_t>(copy.to),
                          copy.toPitch, reinterpret_cast<uint64_t>(copy.from),
                          copy.fromPitch, copy.rowBytes, copy.rows);
  }

  Expected<void *> keep(llvm::ArrayRef<char> bytes) override;

  std::vector<std::optional<Code>> steps;

private:
  cuda::Stream borrow(void *stream) const {
    return stream == own.handle() ? own
                                  : cuda::Stream::borrow(own.device(), stream);
  }
  cuda::Stream own;
  std::vector<cuda::Buffer> kept;
};
} // namespace

Expected<void *> CudaLauncher::keep(llvm::ArrayRef<char> bytes) {
  auto buffer = cuda::Buffer::allocate(own.device(), bytes.size());
  if (!buffer)
    return buffer.takeError();
  if (Error error = buffer->copyFromHost(own, bytes.data(), bytes.size()))
    return error;
  if (Error error = own.synchronize())
    return error;
  kept.push_back(std::move(*buffer));
  return reinterpret_cast<void *>(kept.back().address());
}

Error CudaLauncher::launch(size_t number, const std::array<int64_t, 3> &grid,
                           llvm::ArrayRef<LaunchOperand> operands,
                           void *stream) const {
  cuda::LaunchConfig config = steps[number]->config;
  config.grid = {uint32_t(grid[0]), uint32_t(grid[1]), uint32_t(grid[2])};
  cuda::KernelArgs args;
  for (const LaunchOperand &operand : operands) {
    if (operand.isMemory)
      args.add(reinterpret_cast<uint64_t>(operand.memory));
    for (int64_t value : operand.numbers)
      args.addBytes(&value, operand.isMemory ? 8 : operand.elementBytes);
  }
  for (const mlir::smx::TensorMapUse &use : steps[number]->tensorMaps) {
    const LaunchOperand &operand = operands[use.argument];
    auto map = encodeTensorMap(own.device(), use,
                               reinterpret_cast<uint64_t>(operand.memory),
                               operand.numbers);
    if (!map)
      return map.takeError();
    args.add(*map);
  }
  return cuda::launch(steps[number]->function, borrow(stream), config, args);
}

Expected<std::unique_ptr<Launcher>>
smx::createCudaLauncher(const DeviceImage &image, const LaunchPlan &plan,
                        const cuda::Device &device,
                        const CompileOptions &options,
                        std::vector<CompileStep> &steps) {
  StepTimer timer(steps);
  auto stream = cuda::Stream::create(device);
  if (!stream)
    return stream.takeError();
  auto launcher = std::make_unique<CudaLauncher>(std::move(*stream));
  launcher->steps.resize(plan.getSteps().size());
  std::optional<cuda::Module> loaded;
  for (auto [number, step] : llvm::enumerate(plan.getSteps())) {
    const auto *launch = std::get_if<LaunchPlan::Launch>(&step);
    if (!launch)
      continue;
    if (!loaded) {
      cuda::ModuleOptions load;
      load.name = options.sourceName;
      auto made = cuda::Module::load(device, image.ptx, load);
      if (!made)
        return made.takeError();
      loaded = std::move(*made);
    }
    auto needs = image.launches.find(launch->kernel);
    if (needs == image.launches.end())
      return llvm::createStringError("the image lacks the kernel '" +
                                     launch->kernel + "'");
    auto function = loaded->function(launch->kernel);
    if (!function)
      return function.takeError();
    cuda::LaunchConfig config;
    config.block.x = needs->second.threads;
    config.cluster.x = needs->second.cluster;
    config.dynamicShared = needs->second.sharedBytes;
    config.overlapsPrevious = needs->second.overlapsPrevious;
    launcher->steps[number] =
        CudaLauncher::Code{*function, config, needs->second.tensorMaps};
  }
  timer.finish("load");
  return launcher;
}
