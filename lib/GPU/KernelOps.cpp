//===- KernelOps.cpp - kernels, roles, launches ---------------------------===//

#include "smx/GPU/SmxGpu.h"

#include "mlir/IR/Builders.h"
#include "mlir/Interfaces/FunctionImplementation.h"

using namespace mlir;
using namespace mlir::smx::gpu;

//===----------------------------------------------------------------------===//
// KernelOp
//===----------------------------------------------------------------------===//

/// The integers of a kernel or role, as `name(value)` in this order; those with
/// a default may be missing.
static ParseResult parseCounts(OpAsmParser &parser, NamedAttrList &attributes,
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

static constexpr StringLiteral kernelCounts[] = {"warps", "cluster",
                                                 "shared_limit", "min_blocks"};

ParseResult KernelOp::parse(OpAsmParser &parser, OperationState &result) {
  StringAttr name;
  SmallVector<OpAsmParser::Argument> arguments;
  if (parser.parseSymbolName(name, SymbolTable::getSymbolAttrName(),
                             result.attributes) ||
      parser.parseArgumentList(arguments, OpAsmParser::Delimiter::Paren,
                               /*allowType=*/true, /*allowAttrs=*/false))
    return failure();
  SmallVector<StringRef> names(std::begin(kernelCounts),
                               std::end(kernelCounts));
  SMLoc loc = parser.getCurrentLocation();
  if (parseCounts(parser, result.attributes, names) ||
      parser.parseOptionalAttrDictWithKeyword(result.attributes))
    return failure();
  if (!result.attributes.get("warps"))
    return parser.emitError(loc, "expected 'warps(<count>)'");
  SmallVector<Type> types = llvm::map_to_vector(
      arguments, [](const OpAsmParser::Argument &a) { return a.type; });
  result.addAttribute(
      getFunctionTypeAttrName(result.name),
      TypeAttr::get(parser.getBuilder().getFunctionType(types, {})));
  return parser.parseRegion(*result.addRegion(), arguments);
}

void KernelOp::print(OpAsmPrinter &printer) {
  printer << " ";
  printer.printSymbolName(getSymName());
  printer << "(";
  llvm::interleaveComma(
      getBody().getArguments(), printer,
      [&](BlockArgument argument) { printer.printRegionArgument(argument); });
  printer << ") warps(" << getWarps() << ")";
  if (getCluster() != 1)
    printer << " cluster(" << getCluster() << ")";
  if (getSharedLimit() != 101376)
    printer << " shared_limit(" << getSharedLimit() << ")";
  if (getMinBlocks() != 1)
    printer << " min_blocks(" << getMinBlocks() << ")";
  SmallVector<StringRef> shown{"sym_name", "function_type"};
  shown.append(std::begin(kernelCounts), std::end(kernelCounts));
  printer.printOptionalAttrDictWithKeyword((*this)->getAttrs(), shown);
  printer << " ";
  printer.printRegion(getBody(), /*printEntryBlockArgs=*/false);
}

int64_t KernelOp::getSharedBytes() {
  int64_t bytes = 0;
  auto add = [&](int64_t tile, int64_t count) {
    // What the tensor copy engine and the swizzle want: tiles start at
    // multiples of 1024 bytes.
    bytes += llvm::alignTo(tile, 1024) * count;
  };
  walk([&](Operation *op) {
    if (auto alloc = dyn_cast<AllocOp>(op))
      add(alloc.getShared().getType().getBytes(), 1);
    else if (auto channel = dyn_cast<MakeChannelOp>(op))
      add(channel.getChannel().getType().getStageType().getBytes(),
          channel.getChannel().getType().getDepth());
  });
  return bytes;
}

LogicalResult KernelOp::verify() { return success(); }
LogicalResult KernelOp::verifyRegions() { return success(); }

//===----------------------------------------------------------------------===//
// Roles
//===----------------------------------------------------------------------===//

LogicalResult WarpSpecializeOp::verify() { return success(); }
LogicalResult WarpSpecializeOp::verifyRegions() { return success(); }

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

LogicalResult RoleOp::verify() { return success(); }

LogicalResult LaunchOp::verifySymbolUses(SymbolTableCollection &symbolTable) {
  return success();
}
