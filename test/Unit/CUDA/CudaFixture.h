//===- CudaFixture.h - tests against the fake driver ------------*- C++ -*-===//
#ifndef SMX_TEST_UNIT_CUDA_CUDAFIXTURE_H
#define SMX_TEST_UNIT_CUDA_CUDAFIXTURE_H

#include "OpenFake.h"

#include "smx/CUDA/Launch.h"

namespace smx::cuda {

/// Every test starts with a fresh fake of two devices and must leave nothing
/// behind.
class CudaTest : public testing::Test {
protected:
  CudaTest() : fake(openFake(SMX_FAKE_DRIVER)) { fake.reset(); }

  void TearDown() override {
    EXPECT_EQ(fake.currentDepth(), 0u) << "a context was left current";
    EXPECT_EQ(fake.allocations.size(), 0u) << "memory was not freed";
    EXPECT_EQ(fake.handles.size(), 0u) << "a handle was not destroyed";
    for (const fake::Device &device : fake.devices)
      EXPECT_EQ(device.contextUsers, 0) << "a context was not released";
  }

  /// What load, open, create give when nothing is wrong.
  static Driver loadDriver() {
    return llvm::cantFail(Driver::load(SMX_FAKE_DRIVER));
  }
  static Device openDevice(int ordinal = 0) {
    return llvm::cantFail(Device::open(loadDriver(), ordinal));
  }
  static Function getFunction(const Device &device, const char *name) {
    return llvm::cantFail(
        llvm::cantFail(Module::load(device, ".version 8.0")).function(name));
  }

  fake::State &fake;
};

/// The text of an error; empty for success.
inline std::string textOf(llvm::Error error) {
  return llvm::toString(std::move(error));
}
template <typename T>
std::string textOf(llvm::Expected<T> value) {
  return value ? "" : llvm::toString(value.takeError());
}

/// Prints the text if the part is not in it.
inline testing::AssertionResult contains(const std::string &text,
                                         const std::string &part) {
  if (text.find(part) != std::string::npos)
    return testing::AssertionSuccess();
  return testing::AssertionFailure()
         << "'" << part << "' is not in '" << text << "'";
}

} // namespace smx::cuda

#endif // SMX_TEST_UNIT_CUDA_CUDAFIXTURE_H
