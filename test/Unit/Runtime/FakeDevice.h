//===- FakeDevice.h - a fake device for kernels -----------------*- C++ -*-===//
#ifndef SMX_TEST_UNIT_RUNTIME_FAKEDEVICE_H
#define SMX_TEST_UNIT_RUNTIME_FAKEDEVICE_H

#include "CUDA/OpenFake.h"

namespace smx {

/// The fake driver, which has seen nothing yet and knows the parameters of the
/// kernel of `softmaxModule`. Devices stay open for the life of the process, so
/// it is reset only once.
inline cuda::fake::State &openFakeOnce() {
  static cuda::fake::State &driver = []() -> cuda::fake::State & {
    cuda::fake::State &opened = cuda::openFake(SMX_FAKE_DRIVER);
    opened.reset();
    return opened;
  }();
  driver.launches.clear();
  driver.calls.clear();
  driver.kernels.clear();
  // A memref of rank 2 is an address, an offset, sizes and strides.
  std::vector<size_t> matrix(6, 8), parameters = matrix;
  parameters.push_back(8);
  parameters.insert(parameters.end(), matrix.begin(), matrix.end());
  driver.kernels["softmax_kernel"].parameterBytes = parameters;
  return driver;
}

} // namespace smx

#endif // SMX_TEST_UNIT_RUNTIME_FAKEDEVICE_H
