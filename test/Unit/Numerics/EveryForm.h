//===- EveryForm.h - one op in every form and type --------------*- C++ -*-===//
#ifndef SMX_TEST_NUMERICS_EVERYFORM_H
#define SMX_TEST_NUMERICS_EVERYFORM_H

#include "NumericCase.h"
#include "TargetUnderTest.h"

#include "gtest/gtest.h"

namespace smx::test {

struct Form {
  const char *name;
  int64_t stream, splits;
};
inline const Form forms[] = {
    {"one tile", 0, 1}, {"many tiles", 16, 1}, {"split", 16, 3}};
inline const DType types[] = {DType::F64, DType::F32, DType::F16, DType::BF16};

/// Runs one op on given inputs in every form, and in every type of `in`, and
/// hands the results to `expectThat`. The second output has the type `second`,
/// that of a state if there is none.
template <typename Check>
void inEveryForm(NumericCase c, const std::vector<Tensor> &inputs,
                 const std::vector<Shape> &outputs, Check expectThat,
                 llvm::ArrayRef<DType> in = types,
                 std::optional<DType> second = std::nullopt) {
  for (const Form &form : forms)
    for (DType type : in) {
      c.dtype = type;
      c.road.tileStream = form.stream;
      c.road.splits = form.splits;
      SCOPED_TRACE(std::string(form.name) + ", " + c.text());
      llvm::Expected<Kernel> kernel = compileCase(c);
      ASSERT_TRUE(bool(kernel)) << llvm::toString(kernel.takeError());
      DType ofState = type == DType::F64 ? DType::F64 : DType::F32;
      std::vector<DType> outputTypes{type, second.value_or(ofState)};
      outputTypes.resize(outputs.size());
      llvm::Expected<std::vector<Tensor>> out =
          runKernel(*kernel, inputs, outputs, c.inputTypes(inputs.size()),
                    outputTypes, 0);
      ASSERT_TRUE(bool(out)) << llvm::toString(out.takeError());
      expectThat(*out);
    }
}

inline NumericCase rowCase(Op op, const Tensor &x) {
  NumericCase c;
  c.op = op;
  c.shape = x.shape();
  c.axis = x.rank() - 1;
  return c;
}

} // namespace smx::test

#endif // SMX_TEST_NUMERICS_EVERYFORM_H
