//===- main.cpp - the numeric suite, on the CPU or on a GPU ---------------===//
//
// SmxNumericTests [--target=cpu|cuda|emulator] [--chip=sm_NN]
//                 [--most-cases=N] [--progress] [GoogleTest's flags]
//
//===----------------------------------------------------------------------===//

#include "TargetUnderTest.h"

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/raw_ostream.h"

#include "gtest/gtest.h"

#ifndef SMX_DEFAULT_TARGET
#define SMX_DEFAULT_TARGET Cpu
#endif

int main(int argc, char **argv) {
  // The first thread that compiles would be given LLVM's stack for signals, and
  // at its end the address sanitizer unmaps the one that it gave it itself.
  llvm::InitLLVM init(argc, argv);
  smx::test::TargetUnderTest &target = smx::test::targetUnderTest();
  target.target = mlir::smx::Target::SMX_DEFAULT_TARGET;
  for (int i = 1; i < argc; ++i) {
    llvm::StringRef flag = argv[i];
    if (flag.starts_with("--gtest_")) {
    } else if (flag == "--target=cpu") {
      target.target = mlir::smx::Target::Cpu;
    } else if (flag == "--target=cuda") {
      target.target = mlir::smx::Target::Cuda;
    } else if (flag == "--target=emulator") {
      target.target = mlir::smx::Target::Emulator;
    } else if (flag.starts_with("--most-cases=") &&
               !flag.drop_front(13).getAsInteger(10, target.mostCases)) {
    } else if (flag == "--progress") {
      target.showsProgress = true;
    } else if (flag.consume_front("--chip=")) {
      target.chip = flag.str();
    } else {
      llvm::errs() << "unknown flag '" << flag
                   << "'; --target=cpu, --target=cuda, --target=emulator, "
                      "--chip=sm_NN, --most-cases=N and --progress work\n";
      return 2;
    }
  }
  // What the grid holds depends on the target.
  testing::InitGoogleTest(&argc, argv);
  return RUN_ALL_TESTS();
}
