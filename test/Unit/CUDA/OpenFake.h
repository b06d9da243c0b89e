//===- OpenFake.h - reach the fake driver of a test -------------*- C++ -*-===//
#ifndef SMX_TEST_UNIT_CUDA_OPENFAKE_H
#define SMX_TEST_UNIT_CUDA_OPENFAKE_H

#include "FakeDriver.h"

#include <dlfcn.h>
#include <gtest/gtest.h>

namespace smx::cuda {

/// The state of the fake at `path`.
inline fake::State &openFake(const char *path) {
  void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  auto *get = reinterpret_cast<fake::State *(*)()>(
      library ? dlsym(library, "smxFakeDriverState") : nullptr);
  if (!get) {
    ADD_FAILURE() << "no fake driver at " << path << ": " << dlerror();
    abort();
  }
  return *get();
}

} // namespace smx::cuda

#endif // SMX_TEST_UNIT_CUDA_OPENFAKE_H
