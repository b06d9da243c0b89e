//===- main.cpp - the numeric suite, on the CPU or on a GPU ---------------===//
//
// SmxNumericTests [--target=cpu|cuda] [--chip=sm_NN] [GoogleTest's flags]
//
//===----------------------------------------------------------------------===//

#include "TargetUnderTest.h"

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/raw_ostream.h"

#include "gtest/gtest.h"

int main(int argc, char **argv) {
  testing::InitGoogleTest(&argc, argv);
  smx::test::TargetUnderTest &target = smx::test::targetUnderTest();
  for (int i = 1; i < argc; ++i) {
    llvm::StringRef flag = argv[i];
    if (flag == "--target=cuda") {
      target.target = mlir::smx::Target::Cuda;
    } else if (flag.consume_front("--chip=")) {
      target.chip = flag.str();
    } else if (flag != "--target=cpu") {
      llvm::errs() << "unknown flag '" << flag
                   << "'; --target=cpu, --target=cuda and --chip=sm_NN work\n";
      return 2;
    }
  }
  return RUN_ALL_TESTS();
}
