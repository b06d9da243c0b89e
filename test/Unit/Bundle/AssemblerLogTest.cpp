//===- AssemblerLogTest.cpp - what ptxas -v says --------------------------===//

#include "smx/Bundle/Assembler.h"

#include <gtest/gtest.h>

using namespace mlir::smx;

TEST(AssemblerLog, TwoKernels) {
  Assembly assembly = parseAssemblerLog(
      "ptxas info    : 0 bytes gmem\n"
      "ptxas info    : Compiling entry function 'one' for 'sm_90a'\n"
      "ptxas info    : Function properties for one\n"
      "    0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads\n"
      "ptxas info    : Used 168 registers, used 1 barriers\n"
      "ptxas info    : Compiling entry function 'two' for 'sm_90a'\n"
      "ptxas info    : Function properties for two\n"
      "    8 bytes stack frame, 16 bytes spill stores, 24 bytes spill loads\n"
      "ptxas info    : Function properties for helper\n"
      "    8 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads\n"
      "ptxas info    : Used 255 registers\n");
  ASSERT_EQ(assembly.kernels.size(), 2u);
  EXPECT_EQ(assembly.kernels[0].kernel, "one");
  EXPECT_EQ(assembly.kernels[0].registers, 168);
  EXPECT_FALSE(assembly.kernels[0].isSpilled());
  EXPECT_EQ(assembly.kernels[1].stackBytes, 16);
  EXPECT_EQ(assembly.kernels[1].spillStoreBytes, 16);
  EXPECT_EQ(assembly.kernels[1].spillLoadBytes, 24);
  EXPECT_TRUE(assembly.kernels[1].isSpilled());
  EXPECT_TRUE(assembly.notices.empty());
}

TEST(AssemblerLog, Notices) {
  Assembly assembly = parseAssemblerLog(
      "ptxas info    : (C7510) Potential Performance Loss: wgmma.mma_async "
      "instructions are serialized\r\n"
      "ptxas info    : (C9999) something else\n");
  ASSERT_EQ(assembly.notices.size(), 1u);
  EXPECT_EQ(assembly.notices[0],
            "(C7510) Potential Performance Loss: wgmma.mma_async instructions "
            "are serialized");
}
