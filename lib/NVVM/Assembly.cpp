//===- Assembly.cpp - PTX that no op stands for ---------------------------===//

#include "Assembly.h"

namespace mlir::smx {

SmallVector<Value> emitAssembly(ImplicitLocOpBuilder &b, TypeRange results,
                                ValueRange operands, StringRef text,
                                StringRef constraints, Effects effects) {
  SmallVector<Type, 1> type(results);
  if (results.size() > 1)
    type = {LLVM::LLVMStructType::getLiteral(b.getContext(),
                                             llvm::to_vector(results))};
  std::string all = constraints.str();
  if (effects == Effects::Memory)
    all += all.empty() ? "~{memory}" : ",~{memory}";
  auto assembly = LLVM::InlineAsmOp::create(
      b, type, operands, text, all,
      /*has_side_effects=*/effects != Effects::None, /*is_align_stack=*/false,
      LLVM::TailCallKind::None, LLVM::AsmDialectAttr(), ArrayAttr());
  if (results.size() <= 1)
    return llvm::to_vector_of<Value>(assembly.getResults());
  return llvm::map_to_vector(
      llvm::seq<int64_t>(results.size()), [&](int64_t i) -> Value {
        return LLVM::ExtractValueOp::create(b, assembly.getResult(0), i);
      });
}

Value emitAssembly(ImplicitLocOpBuilder &b, Type result, ValueRange operands,
                   StringRef text, StringRef constraints, Effects effects) {
  return emitAssembly(b, TypeRange(result), operands, text, constraints,
                      effects)
      .front();
}

} // namespace mlir::smx
