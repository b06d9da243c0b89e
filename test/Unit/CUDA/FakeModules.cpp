//===- FakeModules.cpp - modules, launches and tensor maps of the fake ----===//

#include "FakeDriver.h"

#include <cstring>

using namespace smx::cuda;
using namespace smx::cuda::fake;

static const std::string &nameOf(api::Function function) {
  return reinterpret_cast<Handle *>(function)->name;
}

/// Handles of functions live as long as the library, as the driver's live as
/// long as the module.
static api::Function functionHandle(const std::string &name) {
  static std::map<std::string, Handle> handles;
  return reinterpret_cast<api::Function>(
      &handles.try_emplace(name, Handle{-1, name}).first->second);
}

static void writeLog(api::JitOption buffer, api::JitOption size,
                     const std::string &text) {
  auto &options = state().jitOptions;
  if (options.count(buffer) && options.count(size))
    strncpy(reinterpret_cast<char *>(options[buffer]), text.c_str(),
            options[size]);
}

extern "C" {

Status cuModuleLoadDataEx(api::Module *module, const void *image,
                          unsigned optionCount, api::JitOption *options,
                          void **values) {
  Lock lock(state().mutex);
  State &fake = state();
  fake.image = static_cast<const char *>(image);
  fake.jitOptions.clear();
  for (unsigned i = 0; i < optionCount; ++i)
    fake.jitOptions[options[i]] = reinterpret_cast<uintptr_t>(values[i]);
  using J = api::JitOption;
  writeLog(J::InfoLogBuffer, J::InfoLogBufferSizeBytes, fake.jitInfo);
  writeLog(J::ErrorLogBuffer, J::ErrorLogBufferSizeBytes, fake.jitError);
  Status status = enter("cuModuleLoadDataEx");
  if (status != Status::Success)
    return status;
  *module = fake.makeHandle<api::Module>(currentDevice());
  return Status::Success;
}

Status cuModuleUnload(api::Module module) {
  Lock lock(state().mutex);
  state().destroyHandle(module);
  return enter("cuModuleUnload");
}

Status cuModuleGetFunction(api::Function *function, api::Module,
                           const char *name) {
  Lock lock(state().mutex);
  Status status = enter("cuModuleGetFunction");
  if (status != Status::Success)
    return status;
  if (!state().kernels.count(name))
    return Status::NotFound;
  *function = functionHandle(name);
  return Status::Success;
}

Status cuFuncGetAttribute(int *value, api::FunctionAttribute attribute,
                          api::Function function) {
  Lock lock(state().mutex);
  auto &attributes = state().kernels[nameOf(function)].attributes;
  auto place = attributes.find(attribute);
  bool isLimit = attribute == api::FunctionAttribute::MaxThreadsPerBlock;
  *value = place != attributes.end() ? place->second : isLimit ? 1024 : 0;
  return enter("cuFuncGetAttribute");
}

Status cuFuncSetAttribute(api::Function function,
                          api::FunctionAttribute attribute, int value) {
  Lock lock(state().mutex);
  Status status = enter("cuFuncSetAttribute");
  if (status == Status::Success)
    state().kernels[nameOf(function)].attributes[attribute] = value;
  return status;
}

Status cuLaunchKernelEx(const api::LaunchConfig *config, api::Function function,
                        void **parameters, void **) {
  Lock lock(state().mutex);
  State &fake = state();
  Status status = enter("cuLaunchKernelEx");
  if (status != Status::Success)
    return status;
  Kernel &kernel = fake.kernels[nameOf(function)];
  Launch launch;
  launch.kernel = nameOf(function);
  launch.config = *config;
  launch.attributes.assign(config->attributes,
                           config->attributes + config->attributeCount);
  for (size_t i = 0; i < kernel.parameterBytes.size(); ++i) {
    auto *bytes = static_cast<std::byte *>(parameters[i]);
    launch.arguments.emplace_back(bytes, bytes + kernel.parameterBytes[i]);
  }
  launch.device = currentDevice();
  fake.launches.push_back(launch);
  if (kernel.run)
    kernel.run(launch);
  if (kernel.fault != Status::Success)
    fake.devices[currentDevice()].fault = kernel.fault;
  return Status::Success;
}

Status cuTensorMapEncodeTiled(void *map, int element, uint32_t rank,
                              void *address, const uint64_t *sizes,
                              const uint64_t *strides, const uint32_t *box,
                              const uint32_t *, int, int swizzle, int promotion,
                              int fill) {
  Lock lock(state().mutex);
  Status status = enter("cuTensorMapEncodeTiled");
  if (status != Status::Success)
    return status;
  if (reinterpret_cast<uintptr_t>(map) % 64)
    return Status::InvalidValue;
  MapCall &call = state().map;
  call.element = element;
  call.address = reinterpret_cast<uint64_t>(address);
  call.sizes.assign(sizes, sizes + rank);
  call.strides.assign(strides, strides + rank - 1);
  call.box.assign(box, box + rank);
  call.swizzle = swizzle;
  call.promotion = promotion;
  call.fill = fill;
  memset(map, 0x3c, 128);
  return Status::Success;
}

} // extern "C"
