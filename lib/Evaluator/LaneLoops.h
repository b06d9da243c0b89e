//===- LaneLoops.h - arithmetic on lanes of numbers -------------*- C++ -*-===//
//
// Loops over lanes for functions of one and two numbers, and how the integers
// of MLIR's types lie in a slot.
//
//===----------------------------------------------------------------------===//
#ifndef SMX_EVALUATOR_LANELOOPS_H
#define SMX_EVALUATOR_LANELOOPS_H

#include "smx/Evaluator/ScalarOps.h"

namespace mlir::smx {

template <auto function>
void floatUnary(const Instruction &, const Slot *const *in, Slot *out,
                size_t lanes) {
  for (size_t i = 0; i < lanes; ++i)
    out[i].f = function(in[0][i].f);
}

template <auto function>
void floatBinary(const Instruction &, const Slot *const *in, Slot *out,
                 size_t lanes) {
  for (size_t i = 0; i < lanes; ++i)
    out[i].f = function(in[0][i].f, in[1][i].f);
}

template <auto function>
void floatTest(const Instruction &, const Slot *const *in, Slot *out,
               size_t lanes) {
  for (size_t i = 0; i < lanes; ++i)
    out[i].i = function(in[0][i].f);
}

/// The value of the low `bits` bits as `Slot::i` keeps it.
inline int64_t wrap(uint64_t value, unsigned bits) {
  if (bits == 1)
    return static_cast<int64_t>(value & 1);
  if (bits >= 64)
    return static_cast<int64_t>(value);
  return static_cast<int64_t>(value << (64 - bits)) >>
         static_cast<int64_t>(64 - bits);
}

/// The low `bits` bits as an unsigned number.
inline uint64_t toUnsigned(int64_t value, unsigned bits) {
  auto word = static_cast<uint64_t>(value);
  return bits >= 64 ? word : word & ((uint64_t(1) << bits) - 1);
}

/// i1 is -1 or 0 where an op reads it as signed.
inline int64_t toSigned(int64_t value, unsigned bits) {
  return bits == 1 ? -value : value;
}

template <auto function>
void signedBinary(const Instruction &instruction, const Slot *const *in,
                  Slot *out, size_t lanes) {
  const unsigned bits = instruction.operandBits;
  for (size_t i = 0; i < lanes; ++i)
    out[i].i = wrap(static_cast<uint64_t>(function(toSigned(in[0][i].i, bits),
                                                   toSigned(in[1][i].i, bits))),
                    bits);
}

template <auto function>
void unsignedBinary(const Instruction &instruction, const Slot *const *in,
                    Slot *out, size_t lanes) {
  const unsigned bits = instruction.operandBits;
  for (size_t i = 0; i < lanes; ++i)
    out[i].i = wrap(
        function(toUnsigned(in[0][i].i, bits), toUnsigned(in[1][i].i, bits)),
        bits);
}

template <auto function>
void signedUnary(const Instruction &instruction, const Slot *const *in,
                 Slot *out, size_t lanes) {
  const unsigned bits = instruction.operandBits;
  for (size_t i = 0; i < lanes; ++i)
    out[i].i =
        wrap(static_cast<uint64_t>(function(toSigned(in[0][i].i, bits))), bits);
}

} // namespace mlir::smx

#endif // SMX_EVALUATOR_LANELOOPS_H
