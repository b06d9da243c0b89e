//===- Launch.cpp - check and queue a launch ------------------------------===//

#include "smx/CUDA/Launch.h"

#include "Context.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"

#include <cstring>

using namespace smx::cuda;
using namespace smx::cuda::detail;
using llvm::createStringError;
using llvm::Error;
using llvm::Twine;
using smx::cuda::api::Status;

/// Limits that are the same for every device.
static constexpr Dim3 maxGrid = {2147483647, 65535, 65535};
static constexpr Dim3 maxBlock = {1024, 1024, 64};
/// Blocks of a cluster that every device with clusters takes, and that one may
/// ask for.
static constexpr uint64_t portableCluster = 8;
static constexpr uint64_t largestCluster = 16;

KernelArgs &KernelArgs::addBytes(const void *data, size_t bytes) {
  size_t chunk = chunks.size();
  chunks.resize(chunk + llvm::divideCeil(bytes, sizeof(Chunk)));
  if (bytes)
    std::memcpy(&chunks[chunk], data, bytes);
  places.push_back({chunk, bytes, /*device=*/-1});
  return *this;
}

KernelArgs &KernelArgs::add(const Buffer &buffer) {
  add(buffer.address());
  places.back().device = buffer.device().ordinal();
  return *this;
}

KernelArgs &KernelArgs::add(const TensorMap &map) {
  addBytes(map.bytes().data(), map.bytes().size());
  places.back().device = map.device();
  return *this;
}

llvm::ArrayRef<std::byte> KernelArgs::bytes(size_t index) const {
  const Place &place = places[index];
  return {reinterpret_cast<const std::byte *>(chunks.data() + place.chunk),
          place.bytes};
}

static std::string print(const Dim3 &dim) {
  return (Twine(dim.x) + "x" + Twine(dim.y) + "x" + Twine(dim.z)).str();
}

static bool isWithin(const Dim3 &dim, const Dim3 &limit) {
  return dim.x <= limit.x && dim.y <= limit.y && dim.z <= limit.z;
}

static bool isMultiple(const Dim3 &dim, const Dim3 &of) {
  return dim.x % of.x == 0 && dim.y % of.y == 0 && dim.z % of.z == 0;
}

static Error checkDevices(const Function &function, const Stream &stream,
                          const KernelArgs &args) {
  const Context &context = *function.device().context();
  if (Error error =
          stream.device().context()->requireSame(context, "stream", "kernel"))
    return error;
  for (size_t i = 0; i < args.size(); ++i)
    if (args.device(i) >= 0 && args.device(i) != context.info().ordinal)
      return createStringError(
          "argument " + Twine(i) + " of kernel '" + function.name() +
          "' is on device " + Twine(args.device(i)) +
          " but the kernel is on device " + Twine(context.info().ordinal));
  return Error::success();
}

static Error checkArguments(const Function &function, const KernelArgs &args) {
  if (!function.parameterBytes())
    return Error::success();
  llvm::ArrayRef<int64_t> expected = *function.parameterBytes();
  if (args.size() != expected.size())
    return createStringError("kernel '" + Twine(function.name()) + "' takes " +
                             Twine(expected.size()) + " arguments; there are " +
                             Twine(args.size()));
  for (auto [i, bytes] : llvm::enumerate(expected))
    if (args.bytes(i).size() != static_cast<size_t>(bytes))
      return createStringError(
          "argument " + Twine(i) + " of kernel '" + function.name() + "' has " +
          Twine(bytes) + " bytes; there are " + Twine(args.bytes(i).size()));
  return Error::success();
}

static Error checkShape(const Function &function, const LaunchConfig &config) {
  auto kernel = [&] { return ("kernel '" + function.name() + "'").str(); };
  if (!isWithin(config.grid, maxGrid))
    return createStringError("the grid of " + kernel() + " is " +
                             print(config.grid) + " blocks; the limit is " +
                             print(maxGrid));
  uint64_t threads = config.block.count();
  if (threads == 0 || !isWithin(config.block, maxBlock))
    return createStringError(
        "a block of " + kernel() + " is " + print(config.block) +
        " threads; it must be from 1x1x1 to " + print(maxBlock));
  uint64_t most = function.info().maxThreadsPerBlock;
  if (threads > most)
    return createStringError(
        "a block of " + kernel() + " has " + Twine(threads) +
        " threads; as compiled (" + Twine(function.info().registers) +
        " registers a thread) it takes at most " + Twine(most));
  return Error::success();
}

/// The cluster that the launch will have; of no blocks if it has none.
static llvm::Expected<Dim3> checkCluster(const Function &function,
                                         const LaunchConfig &config) {
  auto kernel = [&] { return ("kernel '" + function.name() + "'").str(); };
  const int *fixedDim = function.info().clusterDim;
  Dim3 fixed = {uint32_t(fixedDim[0]), uint32_t(fixedDim[1]),
                uint32_t(fixedDim[2])};
  bool isAsked = config.cluster.count() != 1;
  if (!isAsked && fixed.count() == 0)
    return Dim3{0, 0, 0};
  if (config.cluster.count() == 0)
    return createStringError("the cluster of " + kernel() + " is " +
                             print(config.cluster) +
                             " blocks; no extent may be 0");
  if (isAsked && fixed.count() != 0 && print(fixed) != print(config.cluster))
    return createStringError("the cluster of " + kernel() + " is compiled as " +
                             print(fixed) + " blocks; the launch has " +
                             print(config.cluster));
  Dim3 cluster = isAsked ? config.cluster : fixed;
  const DeviceInfo &device = function.device().info();
  if (!device.hasClusters)
    return createStringError(kernel() + " asks for clusters of " +
                             print(cluster) + " blocks; " + device.describe() +
                             " has none, they need sm_90 or newer");
  if (cluster.count() > largestCluster)
    return createStringError("the cluster of " + kernel() + " has " +
                             Twine(cluster.count()) + " blocks; the limit is " +
                             Twine(largestCluster));
  if (!isMultiple(config.grid, cluster))
    return createStringError(
        "the grid of " + kernel() + " is " + print(config.grid) +
        " blocks; it must be a multiple of the cluster, " + print(cluster));
  return cluster;
}

static void setDims(unsigned (&target)[3], const Dim3 &dim) {
  target[0] = dim.x;
  target[1] = dim.y;
  target[2] = dim.z;
}

Error smx::cuda::launch(const Function &function, const Stream &stream,
                        const LaunchConfig &config, const KernelArgs &args) {
  if (Error error = checkDevices(function, stream, args))
    return error;
  if (Error error = checkArguments(function, args))
    return error;
  if (config.grid.count() == 0)
    return Error::success();
  if (Error error = checkShape(function, config))
    return error;
  llvm::Expected<Dim3> cluster = checkCluster(function, config);
  if (!cluster)
    return cluster.takeError();
  if (Error error = function.allowDynamicShared(config.dynamicShared))
    return error;
  if (cluster->count() > portableCluster)
    if (Error error = function.allowLargeClusters())
      return error;

  api::LaunchAttribute attributes[2] = {};
  api::LaunchConfig driverConfig = {};
  setDims(driverConfig.gridDim, config.grid);
  setDims(driverConfig.blockDim, config.block);
  driverConfig.sharedMemBytes = static_cast<unsigned>(config.dynamicShared);
  driverConfig.stream = static_cast<api::Stream>(stream.handle());
  driverConfig.attributes = attributes;
  auto addAttribute = [&](int id) -> api::LaunchAttribute & {
    api::LaunchAttribute &attribute = attributes[driverConfig.attributeCount++];
    attribute.id = id;
    return attribute;
  };
  // Where the code fixes the cluster, a plain launch forms it.
  if (cluster->count() != 0 && function.info().clusterDim[0] == 0)
    setDims(addAttribute(api::launchAttributeClusterDimension).clusterDim,
            *cluster);
  if (config.overlapsPrevious)
    addAttribute(api::launchAttributeProgrammaticSerialization)
        .programmaticSerializationAllowed = 1;

  // The driver only reads through these.
  llvm::SmallVector<void *, 32> parameters;
  for (size_t i = 0; i < args.size(); ++i)
    parameters.push_back(const_cast<std::byte *>(args.bytes(i).data()));

  Context &context = *function.device().context();
  auto hint = [&](Status status) -> std::string {
    if (status != Status::LaunchOutOfResources)
      return "";
    return ("; a block asks for " + Twine(config.block.count()) +
            " threads of " + Twine(function.info().registers) +
            " registers and " +
            Twine(function.info().staticSharedBytes + config.dynamicShared) +
            " bytes of shared memory")
        .str();
  };
  if (Error error = context.call(
          "can not launch kernel '" + Twine(function.name()) + "' (grid " +
              print(config.grid) + ", block " + print(config.block) + ")",
          "cuLaunchKernelEx",
          [&] {
            return context.api().launchKernelEx(
                &driverConfig, static_cast<api::Function>(function.handle()),
                parameters.data(), /*extra=*/nullptr);
          },
          hint))
    return error;
  context.noteLaunch(driverConfig.stream, function.name());
  return Error::success();
}
