//===- OwnNamesPass.cpp - names that are nobody else's --------------------===//

#include "smx/CPU/Passes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/AttrTypeSubElements.h"

namespace mlir::smx {
#define GEN_PASS_DEF_SMXCPUOWNNAMESPASS
#include "smx/CPU/Passes.h.inc"
} // namespace mlir::smx

using namespace mlir;

/// No function of C has a dot in its name.
static constexpr StringLiteral ownPrefix = "own.";
/// What upstream puts in front of the name of a function that C calls.
static constexpr StringLiteral wrapperPrefix = "_mlir_ciface_";

namespace {
struct OwnNamesPass : smx::impl::SmxCPUOwnNamesPassBase<OwnNamesPass> {
  using SmxCPUOwnNamesPassBase::SmxCPUOwnNamesPassBase;

  void runOnOperation() override {
    hideDefinitions();
    for (auto function : getOperation().getOps<LLVM::LLVMFuncOp>())
      nameForC(function);
  }

  /// All at once: the new name of one definition may be the old one of another.
  void hideDefinitions() {
    llvm::DenseMap<StringAttr, FlatSymbolRefAttr> ownNames;
    for (auto symbol : getOperation().getOps<SymbolOpInterface>()) {
      if (!isa<func::FuncOp, memref::GlobalOp>(symbol) ||
          symbol.isDeclaration())
        continue;
      StringAttr name = symbol.getNameAttr();
      auto own = StringAttr::get(&getContext(), ownPrefix + name.getValue());
      ownNames[name] = FlatSymbolRefAttr::get(own);
      symbol.setName(own);
    }
    AttrTypeReplacer replacer;
    replacer.addReplacement(
        [&](FlatSymbolRefAttr reference) -> std::optional<Attribute> {
          auto own = ownNames.find(reference.getAttr());
          if (own == ownNames.end())
            return std::nullopt;
          return own->second;
        });
    if (!ownNames.empty())
      replacer.recursivelyReplaceElementsIn(getOperation());
  }

  static void nameForC(LLVM::LLVMFuncOp function) {
    StringRef name = function.getName();
    if (name.starts_with(ownPrefix))
      function.setLinkage(LLVM::Linkage::Internal);
    else if (name.consume_front(wrapperPrefix) && name.consume_front(ownPrefix))
      function.setName((wrapperPrefix + name).str());
  }
};
} // namespace
