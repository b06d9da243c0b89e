//===- FakeIntrospection.cpp - what the fake tells since CUDA 12.4 --------===//

#include "FakeDriver.h"

using namespace smx::cuda;
using namespace smx::cuda::fake;

extern "C" {

Status cuModuleGetFunctionCount(unsigned *count, api::Module) {
  Lock lock(state().mutex);
  *count = static_cast<unsigned>(state().kernels.size());
  return enter("cuModuleGetFunctionCount");
}

/// Handles of this call are the kernels' places in the map.
Status cuModuleEnumerateFunctions(api::Function *functions, unsigned count,
                                  api::Module) {
  Lock lock(state().mutex);
  auto kernel = state().kernels.begin();
  for (unsigned i = 0; i < count; ++i, ++kernel)
    functions[i] = reinterpret_cast<api::Function>(
        const_cast<std::string *>(&kernel->first));
  return enter("cuModuleEnumerateFunctions");
}

Status cuFuncGetName(const char **name, api::Function function) {
  *name = reinterpret_cast<std::string *>(function)->c_str();
  return Status::Success;
}

Status cuFuncGetParamInfo(api::Function function, size_t index, size_t *offset,
                          size_t *size) {
  Lock lock(state().mutex);
  const std::string &name = reinterpret_cast<Handle *>(function)->name;
  const std::vector<size_t> &bytes = state().kernels[name].parameterBytes;
  if (index >= bytes.size())
    return Status::InvalidValue;
  *offset = 0;
  *size = bytes[index];
  return enter("cuFuncGetParamInfo");
}

} // extern "C"
