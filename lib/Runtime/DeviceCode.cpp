//===- DeviceCode.cpp - compiled code for a CUDA device -------------------===//

#include "DeviceCode.h"

#include "StepTimer.h"
#include "TensorMaps.h"
#include "smx/NVVM/Pipeline.h"

#include "llvm/ADT/Twine.h"

#include <map>
#include <mutex>
#include <optional>

using namespace smx;
using llvm::createStringError;
using mlir::smx::LaunchPlan;

llvm::Expected<cuda::Device> smx::findDevice(const CompileOptions &options) {
  static std::mutex mutex;
  static std::optional<cuda::Driver> driver;
  static std::map<int, cuda::Device> devices;
  std::lock_guard<std::mutex> lock(mutex);
  if (!driver) {
    auto loaded = cuda::Driver::load();
    if (!loaded)
      return loaded.takeError();
    driver = std::move(*loaded);
  }
  auto known = devices.find(options.device);
  if (known != devices.end())
    return known->second;
  auto opened = cuda::Device::open(*driver, options.device);
  if (!opened)
    return opened.takeError();
  devices.emplace(options.device, *opened);
  return *opened;
}

//===----------------------------------------------------------------------===//
// Loading
//===----------------------------------------------------------------------===//

llvm::Expected<DeviceCode> smx::generateDeviceCode(
    mlir::ModuleOp module, LaunchPlan plan, const cuda::Device &device,
    const CompileOptions &options, std::vector<CompileStep> &steps) {
  StepTimer timer(steps);
  auto stream = cuda::Stream::create(device);
  if (!stream)
    return stream.takeError();
  DeviceCode code(std::move(plan), std::move(*stream), options.road.alignment);
  if (code.plan.getLaunches().empty())
    return code;
  auto ptx = mlir::smx::emitPTX(module, code.plan.getLaunches()[0].kernel,
                                options.road.chip);
  if (!ptx)
    return ptx.takeError();
  timer.finish("ptx");
  if (options.onText)
    options.onText("ptx", *ptx);
  cuda::ModuleOptions load;
  load.name = options.sourceName;
  auto loaded = cuda::Module::load(device, *ptx, load);
  if (!loaded)
    return loaded.takeError();
  for (const LaunchPlan::Launch &launch : code.plan.getLaunches()) {
    auto needs = mlir::smx::getKernelLaunch(module, launch.kernel);
    if (!needs)
      return needs.takeError();
    auto function = loaded->function(launch.kernel);
    if (!function)
      return function.takeError();
    cuda::LaunchConfig config;
    config.block.x = needs->threads;
    config.cluster.x = needs->cluster;
    config.dynamicShared = needs->sharedBytes;
    code.kernels.try_emplace(
        launch.kernel,
        DeviceCode::KernelCode{*function, config, needs->tensorMaps});
  }
  timer.finish("load");
  return code;
}

//===----------------------------------------------------------------------===//
// Launching
//===----------------------------------------------------------------------===//

/// The value of an integer scalar; 0 for any other view.
static int64_t integerOf(const TensorView &view) {
  if (view.rank() > 0 || !view.data)
    return 0;
  switch (view.dtype) {
  case reference::DType::I64:
    return *static_cast<const int64_t *>(view.data);
  case reference::DType::I32:
    return *static_cast<const int32_t *>(view.data);
  default:
    return 0;
  }
}

llvm::Error DeviceCode::checkAlignment(llvm::ArrayRef<TensorView> views) const {
  if (alignment == 0)
    return llvm::Error::success();
  for (auto [number, view] : llvm::enumerate(views)) {
    if (view.rank() == 0)
      continue;
    if (reinterpret_cast<uintptr_t>(view.data) % alignment)
      return createStringError(
          "tensor " + llvm::Twine(number) +
          " starts at an address that is not "
          "a multiple of " +
          llvm::Twine(alignment) +
          " bytes, which the kernel "
          "was compiled for; alignment 0 takes any address");
    int64_t elementBytes = reference::byteWidth(view.dtype);
    for (auto [dim, stride] : llvm::enumerate(view.strides))
      if (dim + 1 < view.strides.size() && view.sizes[dim] > 1 &&
          stride * elementBytes % alignment)
        return createStringError(
            "tensor " + llvm::Twine(number) + " has a stride of " +
            llvm::Twine(stride * elementBytes) + " bytes along dimension " +
            llvm::Twine(dim) + ", which is not a multiple of the " +
            llvm::Twine(alignment) +
            " bytes that the kernel was compiled for; "
            "alignment 0 takes any stride");
  }
  return llvm::Error::success();
}

llvm::Error DeviceCode::launch(llvm::ArrayRef<TensorView> views,
                               const cuda::Stream &stream) const {
  if (llvm::Error error = checkAlignment(views))
    return error;
  llvm::SmallVector<LaunchPlan::Argument, 8> arguments;
  for (const TensorView &view : views)
    arguments.push_back({view.sizes, view.strides, integerOf(view)});
  std::vector<int64_t> numbers = plan.evaluate(arguments);

  for (const LaunchPlan::Assertion &assertion : plan.getAssertions())
    if (numbers[assertion.holds] == 0)
      return createStringError(assertion.message);

  std::vector<cuda::Buffer> scratch;
  for (const LaunchPlan::Scratch &wanted : plan.getScratch()) {
    int64_t bytes = wanted.elementBytes;
    for (LaunchPlan::Number size : wanted.sizes)
      bytes *= numbers[size];
    auto buffer =
        cuda::Buffer::allocate(stream.device(), std::max<int64_t>(bytes, 1));
    if (!buffer)
      return buffer.takeError();
    scratch.push_back(std::move(*buffer));
  }

  constexpr int64_t maxBlocks = (int64_t(1) << 31) - 1;
  for (const LaunchPlan::Launch &launch : plan.getLaunches()) {
    const KernelCode &kernel = kernels.find(launch.kernel)->second;
    cuda::LaunchConfig config = kernel.config;
    int64_t grid[3];
    for (int dim : {0, 1, 2})
      grid[dim] = numbers[launch.grid[dim]];
    if (llvm::is_contained(grid, 0))
      continue;
    if (grid[0] > maxBlocks)
      return createStringError(
          "kernel '" + launch.kernel + "' would need " + llvm::Twine(grid[0]) +
          " blocks; a grid has at most " + llvm::Twine(maxBlocks) +
          "; larger tiles or fewer rows would work");
    config.grid = {uint32_t(grid[0]), uint32_t(grid[1]), uint32_t(grid[2])};
    cuda::KernelArgs args;
    auto addressOf = [&](const LaunchPlan::Operand &operand) -> uint64_t {
      return operand.memory >= 0
                 ? reinterpret_cast<uintptr_t>(views[operand.memory].data)
                 : scratch[-1 - operand.memory].address();
    };
    for (const LaunchPlan::Operand &operand : launch.operands) {
      if (operand.isMemory)
        args.add(addressOf(operand));
      for (LaunchPlan::Number number : operand.numbers)
        args.addBytes(&numbers[number],
                      operand.isMemory ? 8 : operand.elementBytes);
    }
    for (const mlir::smx::TensorMapUse &use : kernel.tensorMaps) {
      const LaunchPlan::Operand &operand = launch.operands[use.argument];
      llvm::SmallVector<int64_t> layout;
      for (LaunchPlan::Number number : operand.numbers)
        layout.push_back(numbers[number]);
      auto map =
          encodeTensorMap(stream.device(), use, addressOf(operand), layout);
      if (!map)
        return map.takeError();
      args.add(*map);
    }
    if (llvm::Error error = cuda::launch(kernel.function, stream, config, args))
      return error;
  }
  // Scratch memory must outlive the kernels.
  return scratch.empty() ? llvm::Error::success() : stream.synchronize();
}
