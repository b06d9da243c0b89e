//===- CompileTest.cpp - compilation, its cache and its errors ------------===//

#include "Modules.h"

#include "smx/RegisterAll.h"
#include "smx/Runtime/Kernel.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/Parser/Parser.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/Support/FileSystem.h"

#include <gtest/gtest.h>
#include <set>
#include <thread>

using namespace smx;

/// The message of a compilation that must fail.
static std::string errorOf(llvm::StringRef text,
                           const CompileOptions &options = {}) {
  auto kernel = compile(text, options);
  if (kernel)
    return "no error";
  return llvm::toString(kernel.takeError());
}

static bool contains(llvm::StringRef text, llvm::StringRef part) {
  return text.contains(part);
}

TEST(Compile, TheSameTextIsCompiledOnce) {
  clearKernelCache();
  // Copies of a kernel share its steps, so their address says which compilation
  // it is.
  std::vector<const CompileStep *> steps(6);
  std::vector<std::thread> threads;
  for (auto &step : steps)
    threads.emplace_back([&step] {
      step = llvm::cantFail(compile(softmaxModule)).timing().data();
    });
  for (std::thread &thread : threads)
    thread.join();
  EXPECT_EQ(std::set(steps.begin(), steps.end()).size(), 1u);
}

TEST(Compile, OtherOptionsAreAnotherKernel) {
  Kernel one = llvm::cantFail(compile(softmaxModule));
  CompileOptions options;
  options.road.tileRows = 4;
  Kernel other = llvm::cantFail(compile(softmaxModule, options));
  EXPECT_NE(one.timing().data(), other.timing().data());
}

TEST(Compile, TakesAModule) {
  mlir::DialectRegistry registry;
  mlir::smx::registerAllDialects(registry);
  mlir::MLIRContext context(registry);
  auto module =
      mlir::parseSourceString<mlir::ModuleOp>(softmaxModule, &context);
  ASSERT_TRUE(module);
  Kernel kernel = llvm::cantFail(compile(*module));
  EXPECT_EQ(kernel.name(), "softmax");
  // It is left as it was.
  EXPECT_TRUE(module->lookupSymbol("softmax"));
}

TEST(Compile, GivesTheTextOfEveryStage) {
  std::vector<std::string> names;
  CompileOptions options;
  options.onText = [&](llvm::StringRef name, llvm::StringRef text) {
    EXPECT_FALSE(text.empty());
    names.push_back(name.str());
  };
  llvm::cantFail(compile(softmaxModule, options));
  EXPECT_EQ(names,
            (std::vector<std::string>{"input", "naive", "online", "tiled",
                                      "cpu", "llvm", "llvm-ir", "asm"}));
}

TEST(Compile, SyntaxErrorNamesTheLine) {
  CompileOptions options;
  options.sourceName = "row.mlir";
  std::string error = errorOf("func.func @f() {\n  bad.op\n}", options);
  EXPECT_TRUE(contains(error, "row.mlir:2:3: ")) << error;
  EXPECT_TRUE(contains(error, "'row.mlir' is not valid MLIR")) << error;
}

TEST(Compile, EntryMustExist) {
  CompileOptions options;
  options.entry = "max";
  EXPECT_EQ(errorOf(softmaxModule, options),
            "no public function is called 'max'; there is 'softmax'");
}

TEST(Compile, EntryMustBeUnique) {
  EXPECT_EQ(errorOf("func.func @f() { return }\nfunc.func @g() { return }"),
            "the module has 2 public functions; name one of 'f', 'g' as "
            "the entry");
  EXPECT_EQ(errorOf("func.func private @f()"),
            "the module has no public func.func with a body");
}

TEST(Compile, NoTextIsAnEmptyModule) {
  for (llvm::StringRef none : {llvm::StringRef(), llvm::StringRef("")})
    EXPECT_EQ(errorOf(none), "the module has no public func.func with a body");
}

/// What is not called need not be anywhere when the code is linked.
TEST(Compile, DeclarationsThatNothingCallsAreIgnored) {
  const std::string text =
      softmaxModule + std::string("\nfunc.func private @other(tensor<4xf32>)");
  Kernel kernel = llvm::cantFail(compile(text));
  std::vector<float> x(100, 1.0f), y(100);
  ASSERT_FALSE(kernel({{x.data(), {1, 100}}}, {{y.data(), {1, 100}}}));
  EXPECT_NEAR(y[99], 0.01f, 1e-6f);
}

TEST(Compile, TypesMustBePassable) {
  EXPECT_EQ(errorOf("func.func @f(%x: tensor<*xf32>) { return }"),
            "<module>:1:14: argument 0 of 'f' has the type tensor<*xf32>; a "
            "kernel needs "
            "ranked tensors");
  std::string error =
      errorOf("func.func @f(%x: tensor<2xcomplex<f32>>) { return }");
  EXPECT_TRUE(contains(error, "has elements of type complex<f32>; supported "
                              "are f64, f32, f16, bf16"))
      << error;
  error = errorOf("func.func @f(%x: f32) -> f32 { return %x : f32 }");
  EXPECT_TRUE(contains(error, "result 0 of 'f' has the type f32; a kernel "
                              "gives ranked tensors only, and tensor<f32> "
                              "would work"))
      << error;
}

TEST(Compile, OptionsAreChecked) {
  CompileOptions options;
  options.optLevel = 4;
  EXPECT_EQ(errorOf(softmaxModule, options),
            "the optimisation level is 4; it must be from 0 to 3");
  options.optLevel = 2;
  using mlir::smx::RoadOptions;
  for (auto [member, name] : {std::pair(&RoadOptions::tileRows, "tileRows"),
                              {&RoadOptions::splits, "splits"},
                              {&RoadOptions::warps, "warps"},
                              {&RoadOptions::alignment, "alignment"}})
    for (int64_t value : {int64_t(-3), INT64_MAX}) {
      options.road.*member = value;
      std::string error = errorOf(softmaxModule, options);
      EXPECT_TRUE(contains(error, "option road." + std::string(name) + " is " +
                                      std::to_string(value) +
                                      "; it must be from 0 to "))
          << error;
      options.road.*member = 0;
    }
  options.road.alignment = 3;
  EXPECT_EQ(errorOf(softmaxModule, options),
            "option road.alignment is 3; it must be a power of 2, or 0");
  options.road.alignment = 0;
  options.from = mlir::smx::Stage::Llvm;
  EXPECT_TRUE(contains(errorOf(softmaxModule, options), "at stage 'llvm'"));
}

TEST(Compile, FailedStageLeavesAReproducer) {
  llvm::SmallString<64> dir;
  ASSERT_FALSE(llvm::sys::fs::createUniqueDirectory("smx-compile-test", dir));
  CompileOptions options;
  options.reproducerDir = dir.str().str();
  // Tensors have no business at this stage.
  options.from = mlir::smx::Stage::Cpu;
  std::string error = errorOf(R"mlir(
    func.func @softmax(%x: memref<4xf32>) {
      %t = bufferization.to_tensor %x restrict : memref<4xf32> to tensor<4xf32>
      %y = smx.softmax %t axis(0) : tensor<4xf32> -> tensor<4xf32>
      bufferization.materialize_in_destination %y in restrict writable %x : (tensor<4xf32>, memref<4xf32>) -> ()
      return
    })mlir",
                              options);
  EXPECT_TRUE(contains(error, "stage 'llvm' failed")) << error;
  EXPECT_TRUE(contains(error, "'softmax-opt --run-reproducer " +
                                  options.reproducerDir.value()))
      << error;
  std::error_code code;
  llvm::sys::fs::directory_iterator first(dir, code), end;
  EXPECT_NE(first, end);
  llvm::sys::fs::remove_directories(dir);
}

TEST(Compile, FailuresAreNotCached) {
  CompileOptions options;
  options.reproducerDir = "";
  options.from = mlir::smx::Stage::Cpu;
  std::string first = errorOf(softmaxModule, options);
  EXPECT_EQ(first, errorOf(softmaxModule, options));
  EXPECT_FALSE(contains(first, "run-reproducer"));
}

TEST(Compile, EveryOptimisationLevelWorks) {
  for (int level = 0; level <= 3; ++level) {
    CompileOptions options;
    options.optLevel = level;
    Kernel kernel = llvm::cantFail(compile(softmaxModule, options));
    std::vector<float> x(100, 1.0f), y(100);
    ASSERT_FALSE(kernel({{x.data(), {1, 100}}}, {{y.data(), {1, 100}}}));
    EXPECT_NEAR(y[99], 0.01f, 1e-6f) << "level " << level;
  }
}

TEST(Compile, NoModule) {
  auto kernel = compile(mlir::ModuleOp());
  EXPECT_EQ(llvm::toString(kernel.takeError()), "the module is null");
}

TEST(Compile, MoreThreadsThanCanBe) {
  setThreadCount(1 << 30);
  EXPECT_LE(threadCount(), 8 * int(std::thread::hardware_concurrency()));
  setThreadCount(0);
}
