//===- WalkForm.h - attention that a few blocks walk over -------*- C++ -*-===//
#ifndef SMX_TEST_UNIT_NUMERICS_WALKFORM_H
#define SMX_TEST_UNIT_NUMERICS_WALKFORM_H

#include "NumericCase.h"
#include "TargetUnderTest.h"

#include "llvm/Support/SaveAndRestore.h"
#include "gtest/gtest.h"

namespace smx::test {

/// Queries, keys, and how many blocks walk over the tiles of queries.
struct WalkForm {
  const char *name;
  int64_t heads, keyHeads, queries, keys, headDim, blocks;
  DType dtype;
};

/// On the newest chip of the target: others have no walks.
struct WalkTest : testing::TestWithParam<WalkForm> {
  WalkTest() : chip(targetUnderTest().chip, targetUnderTest().chips().back()) {}

  void SetUp() override {
    if (targetUnderTest().target == mlir::smx::Target::Cpu)
      GTEST_SKIP() << "needs code for a GPU, whose blocks walk";
  }

  static NumericCase attentionCase() {
    const WalkForm &form = GetParam();
    NumericCase c;
    c.op = Op::Attention;
    c.dtype = form.dtype;
    c.queryHeads = form.heads;
    c.keyHeads = form.keyHeads;
    c.queries = form.queries;
    c.keys = form.keys;
    c.headDim = c.valueDim = form.headDim;
    c.scale = 0.11;
    c.road.blocks = form.blocks;
    return c;
  }

  static std::string nameOf(const testing::TestParamInfo<WalkForm> &info) {
    return info.param.name;
  }

  llvm::SaveAndRestore<std::string> chip;
};

} // namespace smx::test

#endif // SMX_TEST_UNIT_NUMERICS_WALKFORM_H
