//===- LossCases.h - losses and gradients in the numeric suite --*- C++ -*-===//
//
// The parts of a NumericCase that have integer operands or gradients.
//
//===----------------------------------------------------------------------===//
#ifndef SMX_TEST_NUMERICS_LOSSCASES_H
#define SMX_TEST_NUMERICS_LOSSCASES_H

#include "NumericCase.h"

namespace smx::test {

/// True for the ops that this file knows.
bool isLossOrGradient(Op op);

std::string lossText(const NumericCase &c);
/// The inputs; `make` calls the case's generators.
std::vector<Tensor>
lossInputs(const NumericCase &c,
           const std::function<Tensor(std::string_view, const Shape &)> &make);
std::vector<DType> lossInputTypes(const NumericCase &c);
std::vector<NumericCase::Expected>
lossExpected(const NumericCase &c, const std::vector<Tensor> &inputs);

} // namespace smx::test

#endif // SMX_TEST_NUMERICS_LOSSCASES_H
