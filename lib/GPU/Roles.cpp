//===- Roles.cpp - warps that do different things -------------------------===//

#include "Counts.h"
#include "Verify.h"

#include "mlir/IR/Builders.h"
#include "llvm/ADT/StringSet.h"

using namespace mlir;
using namespace mlir::smx::gpu;

ParseResult mlir::smx::gpu::parseCounts(OpAsmParser &parser,
                                        NamedAttrList &attributes,
                                        ArrayRef<StringRef> names) {
  for (StringRef name : names) {
    if (failed(parser.parseOptionalKeyword(name)))
      continue;
    int64_t value;
    if (parser.parseLParen() || parser.parseInteger(value) ||
        parser.parseRParen())
      return failure();
    attributes.set(name, parser.getBuilder().getI64IntegerAttr(value));
  }
  return success();
}

ParseResult RoleOp::parse(OpAsmParser &parser, OperationState &result) {
  StringAttr name;
  if (parser.parseSymbolName(name, "name", result.attributes) ||
      parseCounts(parser, result.attributes, {"warps", "group", "registers"}))
    return failure();
  if (!result.attributes.get("group") && result.attributes.get("warps"))
    result.attributes.set("group", result.attributes.get("warps"));
  SmallVector<OpAsmParser::Argument> arguments;
  SmallVector<OpAsmParser::UnresolvedOperand> captures;
  SMLoc loc = parser.getCurrentLocation();
  auto parseCapture = [&]() -> ParseResult {
    return failure(parser.parseArgument(arguments.emplace_back()) ||
                   parser.parseEqual() ||
                   parser.parseOperand(captures.emplace_back()) ||
                   parser.parseColonType(arguments.back().type));
  };
  if (parser.parseCommaSeparatedList(OpAsmParser::Delimiter::OptionalParen,
                                     parseCapture) ||
      parser.parseOptionalAttrDictWithKeyword(result.attributes))
    return failure();
  SmallVector<Type> types = llvm::map_to_vector(
      arguments, [](const OpAsmParser::Argument &a) { return a.type; });
  Region *body = result.addRegion();
  if (parser.resolveOperands(captures, types, loc, result.operands) ||
      parser.parseRegion(*body, arguments))
    return failure();
  ensureTerminator(*body, parser.getBuilder(), result.location);
  return success();
}

void RoleOp::print(OpAsmPrinter &printer) {
  printer << " ";
  printer.printSymbolName(getName());
  printer << " warps(" << getWarps() << ")";
  if (getGroup() != getWarps())
    printer << " group(" << getGroup() << ")";
  if (getRegisters())
    printer << " registers(" << getRegisters() << ")";
  if (!getCaptures().empty()) {
    printer << " (";
    llvm::interleaveComma(llvm::zip(getBody().getArguments(), getCaptures()),
                          printer, [&](auto pair) {
                            auto [argument, capture] = pair;
                            printer << argument << " = " << capture << " : "
                                    << argument.getType();
                          });
    printer << ")";
  }
  printer.printOptionalAttrDictWithKeyword(
      (*this)->getAttrs(), {"name", "warps", "group", "registers"});
  printer << " ";
  printer.printRegion(getBody(), /*printEntryBlockArgs=*/false,
                      /*printBlockTerminators=*/false);
}

Value RoleOp::capture(Value value) {
  getCapturesMutable().append(value);
  return getBody().addArgument(value.getType(), value.getLoc());
}

/// K9
LogicalResult RoleOp::verify() {
  int64_t warps = getWarps(), group = getGroup();
  if (warps < 1 || group < 1 || warps % group != 0)
    return emitOpError("expected groups that divide the warps of the role, got "
                       "groups of ")
           << group << " in " << warps << " warps";
  Block::BlockArgListType arguments = getBody().getArguments();
  if (arguments.size() != getCaptures().size())
    return emitOpError("expected one operand per argument of the region, ")
           << arguments.size() << ", got " << getCaptures().size();
  for (auto [argument, capture] : llvm::zip(arguments, getCaptures()))
    if (argument.getType() != capture.getType())
      return emitOpError("expected argument ")
             << argument.getArgNumber() << " of the region to be "
             << capture.getType() << " like its operand, got "
             << argument.getType();
  return success();
}

//===----------------------------------------------------------------------===//
// warp_specialize
//===----------------------------------------------------------------------===//

static constexpr int64_t warpgroup = 4;

/// K8
static LogicalResult verifyRegisters(WarpSpecializeOp op) {
  auto kernel = cast<KernelOp>(op->getParentOp());
  int64_t firstWarp = 0, requested = 0;
  RoleOp greediest;
  auto take = [](RoleOp role) {
    return role.getRegisters() * role.getWarps() * ::smx::gpu::warpThreads;
  };
  for (RoleOp role : op.getBody().getOps<RoleOp>()) {
    int64_t registers = role.getRegisters();
    if (registers != 0 &&
        (registers % 8 != 0 || registers < 24 || registers > 240))
      return role.emitOpError("expected a request of 24 to 240 registers, a "
                              "multiple of 8, or none, got ")
             << registers;
    if (registers != 0 &&
        (role.getWarps() % warpgroup != 0 || firstWarp % warpgroup != 0))
      return role.emitOpError("expected whole warpgroups of 4 warps for a "
                              "request of registers, got warps ")
             << firstWarp << " to " << firstWarp + role.getWarps() - 1;
    firstWarp += role.getWarps();
    requested += take(role);
    if (!greediest || take(role) > take(greediest))
      greediest = role;
  }
  int64_t available = ::smx::gpu::registerFile / kernel.getMinBlocks();
  if (requested <= available)
    return success();
  InFlightDiagnostic diagnostic =
      op.emitOpError("expected requests of at most ")
      << available << " registers, of the " << ::smx::gpu::registerFile
      << " that the blocks share, got " << requested;
  int64_t left = available - (requested - take(greediest));
  int64_t fits =
      left / (greediest.getWarps() * ::smx::gpu::warpThreads) / 8 * 8;
  if (fits >= 24)
    diagnostic << "; with registers(" << fits << ") for '"
               << greediest.getName() << "', it fits";
  else
    diagnostic << "; no request of '" << greediest.getName()
               << "' fits beside the others, it needs fewer warps";
  return diagnostic;
}

/// K7
static LogicalResult verifyRoles(WarpSpecializeOp op) {
  int64_t warps = 0;
  llvm::StringSet<> names;
  for (RoleOp role : op.getBody().getOps<RoleOp>()) {
    if (!names.insert(role.getName()).second)
      return role.emitOpError("expected roles of different names, got '")
             << role.getName() << "' twice";
    warps += role.getWarps();
  }
  auto kernel = cast<KernelOp>(op->getParentOp());
  if (warps == static_cast<int64_t>(kernel.getWarps()))
    return success();
  return op.emitOpError("expected the roles to take the ")
         << kernel.getWarps() << " warps of the kernel, got " << warps;
}

/// K7: that roles are whole is known only with the regions.
LogicalResult WarpSpecializeOp::verify() {
  for (Operation &op : getBody().getOps())
    if (!isa<RoleOp>(op))
      return op.emitOpError("expected only roles in a "
                            "'smx_gpu.warp_specialize'");
  return success();
}

LogicalResult WarpSpecializeOp::verifyRegions() {
  if (failed(verifyRoles(*this)))
    return failure();
  for (RoleOp role : getBody().getOps<RoleOp>())
    if (failed(verifyGroupsMeet(role)))
      return failure();
  return verifyRegisters(*this);
}

//===----------------------------------------------------------------------===//
// Groups and turns
//===----------------------------------------------------------------------===//

LogicalResult GroupIdOp::verify() { // K12
  if ((*this)->getParentOfType<RoleOp>())
    return success();
  return emitOpError("expected to stand in a role, which has groups");
}

void GroupIdOp::inferResultRanges(ArrayRef<ConstantIntRanges>,
                                  SetIntRangeFn setResultRange) {
  auto role = (*this)->getParentOfType<RoleOp>();
  constexpr unsigned width = IndexType::kInternalStorageBitWidth;
  setResultRange(getId(),
                 ConstantIntRanges::fromUnsigned(
                     APInt(width, 0),
                     APInt(width, role.getWarps() / role.getGroup() - 1)));
}

/// K13
static LogicalResult verifyTurn(Operation *op, TurnsType turns) {
  auto role = op->getParentOfType<RoleOp>();
  if (!role)
    return op->emitOpError("expected to stand in a role, whose groups take "
                           "turns");
  int64_t groups = role.getWarps() / role.getGroup();
  if (groups == turns.getCount())
    return success();
  return op->emitOpError("expected one turn per group of role '")
         << role.getName() << "', which has " << groups << ", got " << turns;
}

LogicalResult TakeTurnOp::verify() {
  return verifyTurn(*this, getTurns().getType());
}
LogicalResult PassTurnOp::verify() {
  return verifyTurn(*this, getTurns().getType());
}
