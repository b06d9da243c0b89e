//===- ScalarOps.cpp - arithmetic ops as loops over lanes -----------------===//

#include "smx/Evaluator/ScalarOps.h"

#include "IntegerDivision.h"
#include "LaneLoops.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/bit.h"

#include <cmath>

using namespace mlir;
using namespace mlir::smx;

//===----------------------------------------------------------------------===//
// Conversions, comparisons, selection
//===----------------------------------------------------------------------===//

static void copyLanes(const Instruction &, const Slot *const *in, Slot *out,
                      size_t lanes) {
  std::copy_n(in[0], lanes, out);
}

static void extendSigned(const Instruction &instruction, const Slot *const *in,
                         Slot *out, size_t lanes) {
  for (size_t i = 0; i < lanes; ++i)
    out[i].i = wrap(
        static_cast<uint64_t>(toSigned(in[0][i].i, instruction.operandBits)),
        instruction.resultBits);
}

static void extendUnsigned(const Instruction &instruction,
                           const Slot *const *in, Slot *out, size_t lanes) {
  for (size_t i = 0; i < lanes; ++i)
    out[i].i = wrap(toUnsigned(in[0][i].i, instruction.operandBits),
                    instruction.resultBits);
}

static void signedToFloat(const Instruction &instruction, const Slot *const *in,
                          Slot *out, size_t lanes) {
  for (size_t i = 0; i < lanes; ++i)
    out[i].f =
        static_cast<double>(toSigned(in[0][i].i, instruction.operandBits));
}

static void unsignedToFloat(const Instruction &instruction,
                            const Slot *const *in, Slot *out, size_t lanes) {
  for (size_t i = 0; i < lanes; ++i)
    out[i].f =
        static_cast<double>(toUnsigned(in[0][i].i, instruction.operandBits));
}

static void floatToInt(const Instruction &instruction, const Slot *const *in,
                       Slot *out, size_t lanes) {
  for (size_t i = 0; i < lanes; ++i) {
    // Out of range is poison; any number will do, but not undefined behaviour.
    const double value = in[0][i].f;
    const bool inRange = std::abs(value) < 0x1p63;
    out[i].i =
        wrap(static_cast<uint64_t>(inRange ? static_cast<int64_t>(value) : 0),
             instruction.resultBits);
  }
}

/// A predicate as the set of its outcomes: bit 0 equal, bit 1 greater, bit 2
/// less, bit 3 unordered.
static int64_t outcomesOf(arith::CmpFPredicate predicate) {
  // arith numbers false, oeq, ogt, oge, olt, ole, one, ord, then those from ueq
  // to une, uno, true.
  auto number = static_cast<int64_t>(predicate);
  if (predicate == arith::CmpFPredicate::UNO)
    return 8;
  if (predicate == arith::CmpFPredicate::AlwaysTrue)
    return 15;
  return number < 8 ? number : (number - 7) | 8;
}

static void compareFloats(const Instruction &instruction, const Slot *const *in,
                          Slot *out, size_t lanes) {
  const int64_t set = instruction.predicate;
  for (size_t i = 0; i < lanes; ++i) {
    const double a = in[0][i].f, b = in[1][i].f;
    const int64_t outcome = a == b ? 1 : a > b ? 2 : a < b ? 4 : 8;
    out[i].i = (set & outcome) != 0;
  }
}

static bool compareInts(arith::CmpIPredicate predicate, int64_t a, int64_t b,
                        unsigned bits) {
  const int64_t sa = toSigned(a, bits), sb = toSigned(b, bits);
  const uint64_t ua = toUnsigned(a, bits), ub = toUnsigned(b, bits);
  switch (predicate) {
  case arith::CmpIPredicate::eq:
    return a == b;
  case arith::CmpIPredicate::ne:
    return a != b;
  case arith::CmpIPredicate::slt:
    return sa < sb;
  case arith::CmpIPredicate::sle:
    return sa <= sb;
  case arith::CmpIPredicate::sgt:
    return sa > sb;
  case arith::CmpIPredicate::sge:
    return sa >= sb;
  case arith::CmpIPredicate::ult:
    return ua < ub;
  case arith::CmpIPredicate::ule:
    return ua <= ub;
  case arith::CmpIPredicate::ugt:
    return ua > ub;
  case arith::CmpIPredicate::uge:
    return ua >= ub;
  }
  llvm_unreachable("all predicates are listed");
}

static void compareIntLanes(const Instruction &instruction,
                            const Slot *const *in, Slot *out, size_t lanes) {
  auto predicate = static_cast<arith::CmpIPredicate>(instruction.predicate);
  for (size_t i = 0; i < lanes; ++i)
    out[i].i =
        compareInts(predicate, in[0][i].i, in[1][i].i, instruction.operandBits);
}

static void selectLanes(const Instruction &, const Slot *const *in, Slot *out,
                        size_t lanes) {
  for (size_t i = 0; i < lanes; ++i)
    out[i] = in[0][i].i ? in[1][i] : in[2][i];
}

static void multiplyAdd(const Instruction &, const Slot *const *in, Slot *out,
                        size_t lanes) {
  for (size_t i = 0; i < lanes; ++i)
    out[i].f = std::fma(in[0][i].f, in[1][i].f, in[2][i].f);
}

static void powerOfInt(const Instruction &, const Slot *const *in, Slot *out,
                       size_t lanes) {
  for (size_t i = 0; i < lanes; ++i)
    out[i].f = std::pow(in[0][i].f, static_cast<double>(in[1][i].i));
}

//===----------------------------------------------------------------------===//
// The table
//===----------------------------------------------------------------------===//

static double maximum(double a, double b) {
  return std::isnan(a) || std::isnan(b) ? std::nan("") : std::fmax(a, b);
}
static double minimum(double a, double b) {
  return std::isnan(a) || std::isnan(b) ? std::nan("") : std::fmin(a, b);
}

using Table = llvm::StringMap<LaneKernel>;

static void addFloatOps(Table &t) {
  using D = double;
  t["arith.addf"] = floatBinary<[](D a, D b) { return a + b; }>;
  t["arith.subf"] = floatBinary<[](D a, D b) { return a - b; }>;
  t["arith.mulf"] = floatBinary<[](D a, D b) { return a * b; }>;
  t["arith.divf"] = floatBinary<[](D a, D b) { return a / b; }>;
  t["arith.remf"] = floatBinary<[](D a, D b) { return std::fmod(a, b); }>;
  t["arith.maximumf"] = floatBinary<maximum>;
  t["arith.minimumf"] = floatBinary<minimum>;
  t["arith.maxnumf"] = floatBinary<[](D a, D b) { return std::fmax(a, b); }>;
  t["arith.minnumf"] = floatBinary<[](D a, D b) { return std::fmin(a, b); }>;
  t["arith.negf"] = floatUnary<[](D a) { return -a; }>;
  t["math.absf"] = floatUnary<[](D a) { return std::abs(a); }>;
  t["math.atan"] = floatUnary<[](D a) { return std::atan(a); }>;
  t["math.atan2"] = floatBinary<[](D a, D b) { return std::atan2(a, b); }>;
  t["math.cbrt"] = floatUnary<[](D a) { return std::cbrt(a); }>;
  t["math.ceil"] = floatUnary<[](D a) { return std::ceil(a); }>;
  t["math.copysign"] =
      floatBinary<[](D a, D b) { return std::copysign(a, b); }>;
  t["math.cos"] = floatUnary<[](D a) { return std::cos(a); }>;
  t["math.cosh"] = floatUnary<[](D a) { return std::cosh(a); }>;
  t["math.erf"] = floatUnary<[](D a) { return std::erf(a); }>;
  t["math.erfc"] = floatUnary<[](D a) { return std::erfc(a); }>;
  t["math.exp"] = floatUnary<[](D a) { return std::exp(a); }>;
  t["math.exp2"] = floatUnary<[](D a) { return std::exp2(a); }>;
  t["math.expm1"] = floatUnary<[](D a) { return std::expm1(a); }>;
  t["math.floor"] = floatUnary<[](D a) { return std::floor(a); }>;
  t["math.fma"] = multiplyAdd;
  t["math.fpowi"] = powerOfInt;
  t["math.log"] = floatUnary<[](D a) { return std::log(a); }>;
  t["math.log10"] = floatUnary<[](D a) { return std::log10(a); }>;
  t["math.log1p"] = floatUnary<[](D a) { return std::log1p(a); }>;
  t["math.log2"] = floatUnary<[](D a) { return std::log2(a); }>;
  t["math.powf"] = floatBinary<[](D a, D b) { return std::pow(a, b); }>;
  t["math.round"] = floatUnary<[](D a) { return std::round(a); }>;
  t["math.roundeven"] = floatUnary<[](D a) { return std::nearbyint(a); }>;
  t["math.rsqrt"] = floatUnary<[](D a) { return 1.0 / std::sqrt(a); }>;
  t["math.sin"] = floatUnary<[](D a) { return std::sin(a); }>;
  t["math.sinh"] = floatUnary<[](D a) { return std::sinh(a); }>;
  t["math.sqrt"] = floatUnary<[](D a) { return std::sqrt(a); }>;
  t["math.tan"] = floatUnary<[](D a) { return std::tan(a); }>;
  t["math.tanh"] = floatUnary<[](D a) { return std::tanh(a); }>;
  t["math.trunc"] = floatUnary<[](D a) { return std::trunc(a); }>;
  t["math.isfinite"] = floatTest<[](D a) { return std::isfinite(a); }>;
  t["math.isinf"] = floatTest<[](D a) { return std::isinf(a); }>;
  t["math.isnan"] = floatTest<[](D a) { return std::isnan(a); }>;
  t["math.isnormal"] = floatTest<[](D a) { return std::isnormal(a); }>;
}

static void addIntOps(Table &t) {
  using S = int64_t;
  using U = uint64_t;
  t["arith.addi"] = unsignedBinary<[](U a, U b) { return a + b; }>;
  t["arith.subi"] = unsignedBinary<[](U a, U b) { return a - b; }>;
  t["arith.muli"] = unsignedBinary<[](U a, U b) { return a * b; }>;
  t["arith.andi"] = unsignedBinary<[](U a, U b) { return a & b; }>;
  t["arith.ori"] = unsignedBinary<[](U a, U b) { return a | b; }>;
  t["arith.xori"] = unsignedBinary<[](U a, U b) { return a ^ b; }>;
  t["arith.shli"] =
      unsignedBinary<[](U a, U b) { return b < 64 ? a << b : U(0); }>;
  t["arith.shrui"] =
      unsignedBinary<[](U a, U b) { return b < 64 ? a >> b : U(0); }>;
  t["arith.shrsi"] =
      signedBinary<[](S a, S b) { return a >> std::min<U>(b, 63); }>;
  // Division by zero is undefined; it shall not end the evaluator.
  t["arith.divui"] = unsignedBinary<[](U a, U b) { return b ? a / b : U(0); }>;
  t["arith.remui"] = unsignedBinary<[](U a, U b) { return b ? a % b : U(0); }>;
  t["arith.divsi"] = signedBinary<quotientOf>;
  t["arith.remsi"] = signedBinary<remainderOf>;
  t["arith.floordivsi"] = signedBinary<floorDivide>;
  t["arith.ceildivsi"] = signedBinary<ceilDivide>;
  t["arith.ceildivui"] =
      unsignedBinary<[](U a, U b) { return b ? a / b + (a % b != 0) : U(0); }>;
  t["arith.maxsi"] = signedBinary<[](S a, S b) { return std::max(a, b); }>;
  t["arith.minsi"] = signedBinary<[](S a, S b) { return std::min(a, b); }>;
  t["arith.maxui"] = unsignedBinary<[](U a, U b) { return std::max(a, b); }>;
  // The lowest number has no magnitude of its type: it stays.
  t["math.absi"] =
      signedUnary<[](S a) { return a == INT64_MIN ? a : std::abs(a); }>;
  t["arith.minui"] = unsignedBinary<[](U a, U b) { return std::min(a, b); }>;
}

static void addConversions(Table &t) {
  for (StringRef name : {"arith.extf", "arith.truncf"})
    t[name] = copyLanes;
  for (StringRef name : {"arith.extsi", "arith.trunci", "arith.index_cast"})
    t[name] = extendSigned;
  for (StringRef name : {"arith.extui", "arith.index_castui"})
    t[name] = extendUnsigned;
  for (StringRef name : {"arith.fptosi", "arith.fptoui"})
    t[name] = floatToInt;
  t["arith.sitofp"] = signedToFloat;
  t["arith.uitofp"] = unsignedToFloat;
  t["arith.cmpf"] = compareFloats;
  t["arith.cmpi"] = compareIntLanes;
  t["arith.select"] = selectLanes;
}

static void bitsOfSingle(const Instruction &, const Slot *const *in, Slot *out,
                         size_t lanes) {
  for (size_t i = 0; i < lanes; ++i)
    out[i].i = llvm::bit_cast<int32_t>(static_cast<float>(in[0][i].f));
}

static void singleOfBits(const Instruction &, const Slot *const *in, Slot *out,
                         size_t lanes) {
  for (size_t i = 0; i < lanes; ++i)
    out[i].f = llvm::bit_cast<float>(static_cast<int32_t>(in[0][i].i));
}

/// Null for types whose bits are not known here.
static LaneKernel bitcastKernel(Type from, Type to) {
  from = getElementTypeOrSelf(from);
  to = getElementTypeOrSelf(to);
  // A slot has the bits of both.
  if (from == to || (from.isF64() && to.isInteger(64)) ||
      (from.isInteger(64) && to.isF64()))
    return copyLanes;
  if (from.isF32() && to.isInteger(32))
    return bitsOfSingle;
  return from.isInteger(32) && to.isF32() ? singleOfBits : nullptr;
}

static unsigned bitsOf(Type type) {
  auto integer = dyn_cast<IntegerType>(getElementTypeOrSelf(type));
  return integer ? integer.getWidth() : 64;
}

std::optional<Instruction> mlir::smx::lookUpScalarOp(Operation *op,
                                                     Rounding rounding) {
  static const Table table = [] {
    Table table;
    addFloatOps(table);
    addIntOps(table);
    addConversions(table);
    return table;
  }();
  Instruction instruction;
  if (auto bitcast = dyn_cast<arith::BitcastOp>(op))
    instruction.kernel =
        bitcastKernel(bitcast.getIn().getType(), bitcast.getType());
  else
    instruction.kernel = table.lookup(op->getName().getStringRef());
  if (!instruction.kernel)
    return std::nullopt;
  instruction.operandBits = bitsOf(op->getOperand(0).getType());
  instruction.resultBits = bitsOf(op->getResult(0).getType());
  instruction.roundedTo = getRoundedType(op->getResult(0).getType(), rounding);
  if (auto compare = dyn_cast<arith::CmpFOp>(op))
    instruction.predicate = outcomesOf(compare.getPredicate());
  else if (auto compare = dyn_cast<arith::CmpIOp>(op))
    instruction.predicate = static_cast<int64_t>(compare.getPredicate());
  return instruction;
}

void mlir::smx::execute(const Instruction &instruction,
                        const Slot *const *operands, Slot *result,
                        size_t lanes) {
  instruction.kernel(instruction, operands, result, lanes);
  if (instruction.roundedTo)
    for (size_t i = 0; i < lanes; ++i)
      result[i].f =
          ::smx::reference::roundTo(*instruction.roundedTo, result[i].f);
}
