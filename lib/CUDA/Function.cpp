//===- Function.cpp - what a kernel needs and may have --------------------===//

#include "ModuleState.h"

using namespace smx::cuda;
using namespace smx::cuda::detail;
using llvm::createStringError;
using llvm::Error;
using llvm::StringRef;
using llvm::Twine;
using smx::cuda::api::FunctionAttribute;
using smx::cuda::api::Status;

/// Parameters read at most: a kernel has no more than 32764 bytes of them.
static constexpr size_t maxParameters = 32764;

StringRef Function::name() const { return state->name; }

const Device &Function::device() const { return state->module->device; }

const FunctionInfo &Function::info() const { return state->info; }

const std::optional<std::vector<int64_t>> &Function::parameterBytes() const {
  return state->parameterBytes;
}

void *Function::handle() const { return state->handle; }

/// Sizes of all parameters; nothing if the driver can not tell.
static std::optional<std::vector<int64_t>>
readParameters(const api::Table &api, api::Function function) {
  if (!api.funcGetParamInfo)
    return std::nullopt;
  std::vector<int64_t> bytes;
  while (bytes.size() < maxParameters) {
    size_t offset = 0, size = 0;
    Status status =
        api.funcGetParamInfo(function, bytes.size(), &offset, &size);
    // This is how the driver says that there are no more.
    if (status == Status::InvalidValue)
      return bytes;
    if (status != Status::Success)
      return std::nullopt;
    bytes.push_back(static_cast<int64_t>(size));
  }
  return std::nullopt;
}

Error Function::describe() const {
  Context &context = *device().context();
  FunctionInfo &info = state->info;
  Status status = Status::Success;
  auto read = [&](auto &place, FunctionAttribute attribute) {
    int value = 0;
    if (status == Status::Success)
      status = context.api().funcGetAttribute(&value, attribute, state->handle);
    place = value;
  };
  return context.call(
      "can not read the attributes of kernel '" + Twine(name()) + "'",
      "cuFuncGetAttribute", [&] {
        read(info.registers, FunctionAttribute::NumRegs);
        read(info.localBytes, FunctionAttribute::LocalSizeBytes);
        read(info.staticSharedBytes, FunctionAttribute::SharedSizeBytes);
        read(info.maxThreadsPerBlock, FunctionAttribute::MaxThreadsPerBlock);
        read(info.ptxVersion, FunctionAttribute::PtxVersion);
        read(info.binaryVersion, FunctionAttribute::BinaryVersion);
        if (device().info().hasClusters) {
          read(info.clusterDim[0], FunctionAttribute::RequiredClusterWidth);
          read(info.clusterDim[1], FunctionAttribute::RequiredClusterHeight);
          read(info.clusterDim[2], FunctionAttribute::RequiredClusterDepth);
        }
        state->parameterBytes = readParameters(context.api(), state->handle);
        return status;
      });
}

Error Function::allowDynamicShared(int64_t bytes) const {
  const DeviceInfo &limits = device().info();
  // Unsigned, so that no wrong size overflows.
  uint64_t needed = uint64_t(state->info.staticSharedBytes) + uint64_t(bytes);
  if (bytes < 0 || needed > uint64_t(limits.maxSharedPerBlock))
    return createStringError(
        "kernel '" + Twine(name()) + "' needs " + Twine(needed) +
        " bytes of shared memory a block (" +
        Twine(state->info.staticSharedBytes) + " static, " + Twine(bytes) +
        " dynamic); " + limits.describe() + " gives " +
        Twine(limits.maxSharedPerBlock) +
        ": use smaller tiles or fewer stages");
  if (needed <= uint64_t(limits.sharedPerBlock) || state->mayUseAllShared)
    return Error::success();
  // Always the most there is: several threads may ask for different sizes, and
  // the launch says how much it really uses.
  int64_t most = limits.maxSharedPerBlock - state->info.staticSharedBytes;
  Context &context = *device().context();
  if (Error error = context.call(
          "can not give kernel '" + Twine(name()) + "' " + Twine(most) +
              " bytes of dynamic shared memory",
          "cuFuncSetAttribute", [&] {
            return context.api().funcSetAttribute(
                state->handle, FunctionAttribute::MaxDynamicSharedSizeBytes,
                static_cast<int>(most));
          }))
    return error;
  state->mayUseAllShared = true;
  return Error::success();
}

Error Function::allowLargeClusters() const {
  if (state->mayUseLargeClusters)
    return Error::success();
  Context &context = *device().context();
  if (Error error = context.call(
          "can not let kernel '" + Twine(name()) +
              "' use clusters of more than 8 blocks",
          "cuFuncSetAttribute", [&] {
            return context.api().funcSetAttribute(
                state->handle, FunctionAttribute::NonPortableClusterSizeAllowed,
                /*value=*/1);
          }))
    return error;
  state->mayUseLargeClusters = true;
  return Error::success();
}
