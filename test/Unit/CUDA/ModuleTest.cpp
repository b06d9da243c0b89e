//===- ModuleTest.cpp - loading code and finding kernels ------------------===//

#include "CudaFixture.h"

using namespace smx::cuda;
using smx::cuda::api::FunctionAttribute;
using smx::cuda::api::JitOption;
using smx::cuda::api::Status;

namespace {
class ModuleTest : public CudaTest {};
} // namespace

TEST_F(ModuleTest, LoadsAndKeepsTheLog) {
  fake.jitInfo = "ptxas info : Used 168 registers\n";
  Device device = openDevice();
  {
    Module module = llvm::cantFail(Module::load(device, ".version 8.0"));
    EXPECT_EQ(module.log(), "ptxas info : Used 168 registers");
    EXPECT_EQ(fake.handles.size(), 1u);
  }
  EXPECT_EQ(fake.calls["cuModuleUnload"], 1);
}

TEST_F(ModuleTest, TextIsTerminated) {
  // A piece of a longer text must not drag the rest along.
  llvm::StringRef text = ".version 8.0 and more";
  llvm::cantFail(Module::load(openDevice(), text.take_front(12)));
  EXPECT_EQ(fake.image, ".version 8.0");
}

TEST_F(ModuleTest, OptionsReachTheAssembler) {
  Device device = openDevice();
  llvm::cantFail(Module::load(device, "x"));
  EXPECT_EQ(fake.jitOptions[JitOption::OptimizationLevel], 4u);
  EXPECT_EQ(fake.jitOptions.count(JitOption::MaxRegisters), 0u);
  EXPECT_EQ(fake.jitOptions.count(JitOption::GenerateLineInfo), 0u);
  ModuleOptions options;
  options.maxRegisters = 128;
  options.optLevel = 1;
  options.lineInfo = true;
  llvm::cantFail(Module::load(device, "x", options));
  EXPECT_EQ(fake.jitOptions[JitOption::MaxRegisters], 128u);
  EXPECT_EQ(fake.jitOptions[JitOption::OptimizationLevel], 1u);
  EXPECT_EQ(fake.jitOptions[JitOption::GenerateLineInfo], 1u);
}

TEST_F(ModuleTest, RefusedTextGivesTheAssemblersLog) {
  fake.jitError = "ptxas application ptx input, line 3; fatal: no such op\n";
  fake.failures["cuModuleLoadDataEx"] = Status::InvalidPtx;
  ModuleOptions options;
  options.name = "attention";
  EXPECT_EQ(textOf(Module::load(openDevice(), "bad", options)),
            "can not load module 'attention' for sm_90 on device 0: "
            "cuModuleLoadDataEx returned CUDA_ERROR_INVALID_PTX (some text)\n"
            "ptxas application ptx input, line 3; fatal: no such op");
}

TEST_F(ModuleTest, RefusalsSayWhatWouldWork) {
  Device device = openDevice();
  std::pair<Status, const char *> cases[] = {
      {Status::NoBinaryForGpu, "the image holds no code for sm_90"},
      {Status::InvalidImage, "neither PTX nor a cubin or fatbin"},
      {Status::UnsupportedPtxVersion,
       "the driver knows the PTX of CUDA 13.0: emit an older PTX version"},
      {Status::JitCompilerNotFound, "load a cubin"}};
  for (auto [status, hint] : cases) {
    fake.failures["cuModuleLoadDataEx"] = status;
    EXPECT_TRUE(contains(textOf(Module::load(device, "x")), hint));
  }
}

TEST_F(ModuleTest, ArgumentsAreChecked) {
  Device device = openDevice();
  EXPECT_EQ(textOf(Module::load(device, "")),
            "the image of module '<module>' is empty");
  ModuleOptions options;
  options.optLevel = 5;
  EXPECT_EQ(textOf(Module::load(device, "x", options)),
            "the optimisation level of module '<module>' is 5; it must be from "
            "0 to 4");
}

TEST_F(ModuleTest, FunctionTellsWhatItNeeds) {
  using A = FunctionAttribute;
  fake.kernels["attention"] = {{128, 128, 8, 4},
                               {{A::NumRegs, 168},
                                {A::LocalSizeBytes, 24},
                                {A::SharedSizeBytes, 1024},
                                {A::MaxThreadsPerBlock, 384},
                                {A::PtxVersion, 80},
                                {A::BinaryVersion, 90},
                                {A::RequiredClusterWidth, 2},
                                {A::RequiredClusterHeight, 1},
                                {A::RequiredClusterDepth, 1}},
                               nullptr,
                               Status::Success};
  Function function = getFunction(openDevice(), "attention");
  EXPECT_EQ(function.name(), "attention");
  const FunctionInfo &info = function.info();
  EXPECT_EQ(info.registers, 168);
  EXPECT_EQ(info.localBytes, 24);
  EXPECT_EQ(info.staticSharedBytes, 1024);
  EXPECT_EQ(info.maxThreadsPerBlock, 384);
  EXPECT_EQ(info.ptxVersion, 80);
  EXPECT_EQ(info.binaryVersion, 90);
  EXPECT_EQ(info.clusterDim[0], 2);
  EXPECT_EQ(function.parameterBytes(), (std::vector<int64_t>{128, 128, 8, 4}));
}

TEST_F(ModuleTest, FunctionKeepsItsModule) {
  fake.kernels["f"] = {};
  {
    Function function = getFunction(openDevice(), "f");
    EXPECT_EQ(fake.calls["cuModuleUnload"], 0);
  }
  EXPECT_EQ(fake.calls["cuModuleUnload"], 1);
}

TEST_F(ModuleTest, UnknownFunctionListsTheOthers) {
  fake.kernels["softmax"] = {};
  fake.kernels["attention"] = {};
  Module module = llvm::cantFail(Module::load(openDevice(), "x"));
  EXPECT_EQ(textOf(module.function("sofmax")),
            "can not find kernel 'sofmax' in module '<module>' on device 0: "
            "cuModuleGetFunction returned CUDA error 500; it has 'attention', "
            "'softmax'");
  for (int i = 0; i < 20; ++i)
    fake.kernels["k" + std::to_string(i)] = {};
  EXPECT_TRUE(contains(textOf(module.function("sofmax")), " and 6 more"));
  fake.kernels.clear();
  EXPECT_TRUE(
      contains(textOf(module.function("sofmax")), "; it has no kernels"));
}

TEST_F(ModuleTest, UnreadableAttributesAreAnError) {
  fake.kernels["f"] = {};
  Module module = llvm::cantFail(Module::load(openDevice(), "x"));
  fake.failures["cuFuncGetAttribute"] = Status(999);
  EXPECT_TRUE(contains(textOf(module.function("f")),
                       "can not read the attributes of kernel 'f'"));
}

TEST(ModuleOfOldDriver, WorksWithoutItsQueries) {
  fake::State &fake = openFake(SMX_FAKE_DRIVER_120);
  fake.reset();
  fake.kernels["f"] = {};
  Driver driver = llvm::cantFail(Driver::load(SMX_FAKE_DRIVER_120));
  Device device = llvm::cantFail(Device::open(driver));
  Module module = llvm::cantFail(Module::load(device, "x"));
  Function function = llvm::cantFail(module.function("f"));
  EXPECT_FALSE(function.parameterBytes());
  std::string text = textOf(module.function("g"));
  EXPECT_EQ(text.find("it has"), std::string::npos) << text;
  // Nothing to compare with: left to the caller.
  EXPECT_EQ(textOf(launch(function, Stream::borrow(device, nullptr),
                          LaunchConfig(), KernelArgs().add(1.0f))),
            "");
}
