//===- KernelOps.cpp - kernels and launches -------------------------------===//

#include "Counts.h"
#include "Verify.h"

#include "smx/GPU/SharedMemory.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/IR/Builders.h"
#include "mlir/Interfaces/FunctionImplementation.h"

using namespace mlir;
using namespace mlir::smx::gpu;

//===----------------------------------------------------------------------===//
// KernelOp
//===----------------------------------------------------------------------===//

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

/// K4
static bool isKernelArgument(Type type) {
  if (type.isIntOrIndexOrFloat())
    return true;
  auto memory = dyn_cast<MemRefType>(type);
  if (!memory || !memory.getElementType().isIntOrIndexOrFloat())
    return false;
  SmallVector<int64_t> strides;
  int64_t offset;
  if (failed(memory.getStridesAndOffset(strides, offset)))
    return false;
  auto space =
      dyn_cast_or_null<mlir::gpu::AddressSpaceAttr>(memory.getMemorySpace());
  return !memory.getMemorySpace() ||
         (space && space.getValue() == mlir::gpu::AddressSpace::Global);
}

Value KernelOp::appendArgument(Type type) {
  Value argument = getBody().addArgument(type, getLoc());
  setFunctionType(FunctionType::get(
      getContext(), getBody().front().getArgumentTypes(), getResultTypes()));
  return argument;
}

LogicalResult KernelOp::verify() {
  int64_t warps = getWarps(), cluster = getCluster(), blocks = getMinBlocks();
  if (warps < 1 || warps > 32) // K1
    return emitOpError("expected 1 to 32 warps, got ") << warps;
  if (!llvm::is_contained({1, 2, 4, 8, 16}, cluster)) // K2
    return emitOpError("expected a cluster of 1, 2, 4, 8 or 16 blocks, got ")
           << cluster;
  if (blocks < 1 || blocks > 32) // K8
    return emitOpError("expected min_blocks from 1 to 32, got ") << blocks;
  for (Type type : getArgumentTypes()) // K4
    if (!isKernelArgument(type))
      return emitOpError("expected arguments that are memrefs with strides in "
                         "global memory, index, integer or float values, got ")
             << type;
  if (!getResultTypes().empty()) // K4
    return emitOpError("expected no results, got ")
           << getFunctionType() << "; write them to a memref";
  return success();
}

/// K10
static LogicalResult verifyBlockCode(KernelOp kernel) {
  Operation *end = kernel.getBody().front().getTerminator();
  if (!isa<ReturnOp>(end))
    return kernel.emitOpError("expected a body that ends with "
                              "'smx_gpu.return', got '")
           << end->getName() << "'";
  WalkResult result = kernel.getBody().walk([](Operation *op) {
    if (!isa_and_present<mlir::gpu::GPUDialect>(op->getDialect()) ||
        isa<mlir::gpu::BlockIdOp, mlir::gpu::GridDimOp>(op))
      return WalkResult::advance();
    op->emitOpError("is code of a single thread, a kernel on whole tiles has "
                    "gpu.block_id and gpu.grid_dim only");
    return WalkResult::interrupt();
  });
  return failure(result.wasInterrupted());
}

LogicalResult KernelOp::verifyRegions() {
  if (failed(verifyBlockCode(*this)) || failed(verifyTileThreads(*this)) ||
      failed(verifyChannels(*this)) || failed(verifyWarpsMeet(*this)))
    return failure();
  return fitsSharedMemory(*this, getSharedLimit());
}

LogicalResult mlir::smx::gpu::verifyInKernel(Operation *op) { // K11
  if (op->getParentOfType<KernelOp>())
    return success();
  return op->emitOpError("expected to stand in a 'smx_gpu.kernel'");
}

//===----------------------------------------------------------------------===//
// LaunchOp
//===----------------------------------------------------------------------===//

LogicalResult
LaunchOp::verifySymbolUses(SymbolTableCollection &symbolTable) { // K6
  if ((*this)->getParentOfType<KernelOp>())
    return emitOpError("expected to stand in code of the host, a kernel can "
                       "not launch");
  Operation *symbol =
      symbolTable.lookupNearestSymbolFrom(*this, getKernelAttr());
  auto kernel = dyn_cast_or_null<KernelOp>(symbol);
  if (!kernel) {
    InFlightDiagnostic diagnostic = emitOpError("expected a kernel of name ")
                                    << getKernelAttr() << ", got "
                                    << (symbol ? "another op" : "none");
    if (symbol)
      diagnostic.attachNote(symbol->getLoc()) << "the name is defined here";
    return diagnostic;
  }
  TypeRange given = getArguments().getTypes();
  ArrayRef<Type> taken = kernel.getArgumentTypes();
  auto report = [&]() {
    InFlightDiagnostic diagnostic = emitOpError();
    diagnostic.attachNote(kernel.getLoc()) << "the kernel is defined here";
    return diagnostic;
  };
  if (given.size() != taken.size())
    return report() << "expected " << taken.size() << " arguments for "
                    << getKernelAttr() << ", got " << given.size();
  for (auto [index, mine, its] : llvm::enumerate(given, taken))
    if (mine != its)
      return report() << "expected argument " << index << " of "
                      << getKernelAttr() << " to be " << its << ", got "
                      << mine;
  return success();
}
