//===- NumberReader.cpp - index arithmetic taken out of IR ----------------===//

#include "NumberReader.h"

#include "smx/IR/ElementBits.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace mlir::smx;
using Opcode = NumberProgram::Opcode;
using Number = NumberProgram::Number;

namespace {
/// Arithmetic of one width on the program's 64 bits.
struct Arithmetic {
  NumberProgram &program;
  int64_t bits;

  /// A result of more than the width as it is kept.
  Number wrap(Number wide) {
    if (bits >= 64)
      return wide;
    return program.add(bits == 1 ? Opcode::ZExt : Opcode::SExt, wide, bits);
  }
  Number asUnsigned(Number kept) {
    return bits >= 64 || bits == 1 ? kept
                                   : program.add(Opcode::ZExt, kept, bits);
  }
  /// i1 is -1 or 0 where an op reads it as signed.
  Number asSigned(Number kept) {
    return bits == 1 ? program.add(Opcode::SExt, kept, 1) : kept;
  }
  Number applySigned(Opcode opcode, Number a, Number b) {
    return program.add(opcode, asSigned(a), asSigned(b));
  }
  Number applyUnsigned(Opcode opcode, Number a, Number b) {
    return program.add(opcode, asUnsigned(a), asUnsigned(b));
  }
};
} // namespace

static Number compare(Arithmetic arithmetic, arith::CmpIPredicate predicate,
                      Number a, Number b) {
  switch (predicate) {
  case arith::CmpIPredicate::eq:
    return arithmetic.program.add(Opcode::Eq, a, b);
  case arith::CmpIPredicate::ne:
    return arithmetic.program.add(Opcode::Ne, a, b);
  case arith::CmpIPredicate::slt:
    return arithmetic.applySigned(Opcode::Lt, a, b);
  case arith::CmpIPredicate::sle:
    return arithmetic.applySigned(Opcode::Le, a, b);
  case arith::CmpIPredicate::sgt:
    return arithmetic.applySigned(Opcode::Lt, b, a);
  case arith::CmpIPredicate::sge:
    return arithmetic.applySigned(Opcode::Le, b, a);
  case arith::CmpIPredicate::ult:
    return arithmetic.applyUnsigned(Opcode::LtU, a, b);
  case arith::CmpIPredicate::ule:
    return arithmetic.applyUnsigned(Opcode::LeU, a, b);
  case arith::CmpIPredicate::ugt:
    return arithmetic.applyUnsigned(Opcode::LtU, b, a);
  case arith::CmpIPredicate::uge:
    return arithmetic.applyUnsigned(Opcode::LeU, b, a);
  }
  llvm_unreachable("all predicates are listed");
}

/// The opcode of an op on two integers of one type, and whether it reads them
/// as signed.
static std::optional<std::pair<Opcode, bool>> lookUp(Operation *op) {
  using Found = std::optional<std::pair<Opcode, bool>>;
  auto isSigned = [](Opcode opcode) { return Found({opcode, true}); };
  auto isUnsigned = [](Opcode opcode) { return Found({opcode, false}); };
  return llvm::TypeSwitch<Operation *, Found>(op)
      .Case([&](arith::AddIOp) { return isUnsigned(Opcode::Add); })
      .Case([&](arith::SubIOp) { return isUnsigned(Opcode::Sub); })
      .Case([&](arith::MulIOp) { return isUnsigned(Opcode::Mul); })
      .Case([&](arith::DivSIOp) { return isSigned(Opcode::Div); })
      .Case([&](arith::RemSIOp) { return isSigned(Opcode::Rem); })
      .Case([&](arith::FloorDivSIOp) { return isSigned(Opcode::FloorDiv); })
      .Case([&](arith::CeilDivSIOp) { return isSigned(Opcode::CeilDiv); })
      .Case([&](arith::DivUIOp) { return isUnsigned(Opcode::DivU); })
      .Case([&](arith::RemUIOp) { return isUnsigned(Opcode::RemU); })
      .Case([&](arith::CeilDivUIOp) { return isUnsigned(Opcode::CeilDivU); })
      .Case([&](arith::MinSIOp) { return isSigned(Opcode::Min); })
      .Case([&](arith::MaxSIOp) { return isSigned(Opcode::Max); })
      .Case([&](arith::MinUIOp) { return isUnsigned(Opcode::MinU); })
      .Case([&](arith::MaxUIOp) { return isUnsigned(Opcode::MaxU); })
      .Case([&](arith::AndIOp) { return isUnsigned(Opcode::And); })
      .Case([&](arith::OrIOp) { return isUnsigned(Opcode::Or); })
      .Case([&](arith::XOrIOp) { return isUnsigned(Opcode::Xor); })
      .Case([&](arith::ShLIOp) { return isUnsigned(Opcode::Shl); })
      .Case([&](arith::ShRSIOp) { return isSigned(Opcode::Shr); })
      .Case([&](arith::ShRUIOp) { return isUnsigned(Opcode::ShrU); })
      .Default([](Operation *) { return std::nullopt; });
}

std::optional<Number> NumberReader::readOp(Operation *op) {
  APInt constant;
  if (matchPattern(op, m_ConstantInt(&constant)))
    return program.addConstant(constant.getBitWidth() == 1
                                   ? constant.getZExtValue()
                                   : constant.getSExtValue());
  SmallVector<Number, 3> in;
  for (Value operand : op->getOperands()) {
    std::optional<Number> number = read(operand);
    if (!number)
      return std::nullopt;
    in.push_back(*number);
  }
  if (in.empty())
    return std::nullopt;
  Arithmetic from{program, elementBits(op->getOperand(0).getType())};
  Arithmetic to{program, elementBits(op->getResult(0).getType())};
  if (auto found = lookUp(op)) {
    auto [opcode, isSigned] = *found;
    return to.wrap(isSigned ? from.applySigned(opcode, in[0], in[1])
                            : from.applyUnsigned(opcode, in[0], in[1]));
  }
  if (auto cmp = dyn_cast<arith::CmpIOp>(op))
    return compare(from, cmp.getPredicate(), in[0], in[1]);
  if (isa<arith::SelectOp>(op))
    return program.add(Opcode::Select, in[0], in[1], in[2]);
  if (isa<arith::ExtSIOp, arith::TruncIOp, arith::IndexCastOp>(op))
    return to.wrap(from.asSigned(in[0]));
  if (isa<arith::ExtUIOp, arith::IndexCastUIOp>(op))
    return to.wrap(from.asUnsigned(in[0]));
  return std::nullopt;
}

std::optional<Number> NumberReader::readUncached(Value value) {
  if (!value.getType().isIntOrIndex() || elementBits(value.getType()) > 64)
    return std::nullopt;
  if (auto argument = dyn_cast<BlockArgument>(value))
    return program.add(Opcode::Integer, argument.getArgNumber());
  if (std::optional<Number> property =
          readProperty(cast<OpResult>(value), program))
    return property;
  return readOp(value.getDefiningOp());
}

std::optional<Number> NumberReader::read(Value value) {
  auto found = known.find(value);
  if (found != known.end())
    return found->second;
  std::optional<Number> number = readUncached(value);
  return known[value] = number;
}
