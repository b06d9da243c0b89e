/*===- smx_numbers.c - grids, sizes and strides of a call -------*- C -*-===*/

#include "smx_driver.h"

static int64_t quotient(int64_t a, int64_t b) {
  return b == 0 || (b == -1 && a == INT64_MIN) ? 0 : a / b;
}
static int64_t remainder_of(int64_t a, int64_t b) {
  return b == 0 || b == -1 ? 0 : a % b;
}
/* 1 if the quotient is no integer and, as a fraction, negative (or positive).
 */
static int64_t is_inexact(int64_t a, int64_t b, int negative) {
  return remainder_of(a, b) != 0 && ((a < 0) != (b < 0)) == negative;
}

static int64_t extend(int64_t value, int64_t bits, int is_signed) {
  uint64_t kept = (uint64_t)value << (64 - bits) >> (64 - bits);
  if (is_signed && kept >> (bits - 1))
    kept |= bits < 64 ? ~(uint64_t)0 << bits : 0;
  return (int64_t)kept;
}

/* The result of an opcode on numbers; `b` is the literal of sext and zext. */
static int64_t compute(smx_opcode opcode, int64_t a, int64_t b, int64_t c) {
  const uint64_t ua = (uint64_t)a, ub = (uint64_t)b;
  switch (opcode) {
  case SMX_OP_ADD:
    return (int64_t)(ua + ub);
  case SMX_OP_SUB:
    return (int64_t)(ua - ub);
  case SMX_OP_MUL:
    return (int64_t)(ua * ub);
  case SMX_OP_DIV:
    return quotient(a, b);
  case SMX_OP_REM:
    return remainder_of(a, b);
  case SMX_OP_FLOORDIV:
    return quotient(a, b) - is_inexact(a, b, 1);
  case SMX_OP_CEILDIV:
    return quotient(a, b) + is_inexact(a, b, 0);
  case SMX_OP_DIVU:
    return ub ? (int64_t)(ua / ub) : 0;
  case SMX_OP_REMU:
    return ub ? (int64_t)(ua % ub) : 0;
  case SMX_OP_CEILDIVU:
    return ub ? (int64_t)(ua / ub + (ua % ub != 0)) : 0;
  case SMX_OP_MIN:
    return a < b ? a : b;
  case SMX_OP_MAX:
    return a < b ? b : a;
  case SMX_OP_MINU:
    return ua < ub ? a : b;
  case SMX_OP_MAXU:
    return ua < ub ? b : a;
  case SMX_OP_AND:
    return a & b;
  case SMX_OP_OR:
    return a | b;
  case SMX_OP_XOR:
    return a ^ b;
  case SMX_OP_SHL:
    return ub < 64 ? (int64_t)(ua << ub) : 0;
  case SMX_OP_SHR:
    return a < 0 ? (int64_t) ~(~ua >> (ub < 64 ? ub : 63))
                 : (int64_t)(ua >> (ub < 64 ? ub : 63));
  case SMX_OP_SHRU:
    return ub < 64 ? (int64_t)(ua >> ub) : 0;
  case SMX_OP_EQ:
    return a == b;
  case SMX_OP_NE:
    return a != b;
  case SMX_OP_LT:
    return a < b;
  case SMX_OP_LE:
    return a <= b;
  case SMX_OP_LTU:
    return ua < ub;
  case SMX_OP_LEU:
    return ua <= ub;
  case SMX_OP_SELECT:
    return a ? b : c;
  case SMX_OP_SEXT:
    return extend(a, b, 1);
  case SMX_OP_ZEXT:
    return extend(a, b, 0);
  default:
    return 0;
  }
}

void smx_evaluate(const smx_function *function, const smx_value *values,
                  int64_t *numbers) {
  uint32_t i;
  for (i = 0; i < function->number_count; ++i) {
    const smx_number *step = &function->numbers[i];
    const int64_t *in = step->operands;
    switch (step->opcode) {
    case SMX_OP_SIZE:
      numbers[i] = values[in[0]].tensor->sizes[in[1]];
      break;
    case SMX_OP_STRIDE:
      numbers[i] = values[in[0]].tensor->strides[in[1]];
      break;
    case SMX_OP_INTEGER:
      numbers[i] = values[in[0]].integer;
      break;
    case SMX_OP_CONSTANT:
      numbers[i] = in[0];
      break;
    case SMX_OP_SELECT:
      numbers[i] =
          compute(step->opcode, numbers[in[0]], numbers[in[1]], numbers[in[2]]);
      break;
    case SMX_OP_SEXT:
    case SMX_OP_ZEXT:
      numbers[i] = compute(step->opcode, numbers[in[0]], in[1], 0);
      break;
    default:
      numbers[i] = compute(step->opcode, numbers[in[0]], numbers[in[1]], 0);
    }
  }
}
