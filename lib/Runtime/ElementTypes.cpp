//===- ElementTypes.cpp - a module of other element types -----------------===//

#include "ElementTypes.h"

#include "mlir/AsmParser/AsmParser.h"
#include "mlir/IR/AttrTypeSubElements.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/TypeUtilities.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "mlir/Support/DebugStringHelper.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;

namespace smx {

std::vector<ElementTypeName> elementTypesOf(ModuleOp module) {
  llvm::SetVector<FloatType> types;
  for (auto function : module.getOps<FunctionOpInterface>())
    for (Type argument : function.getArgumentTypes())
      if (auto type = dyn_cast<FloatType>(getElementTypeOrSelf(argument)))
        types.insert(type);
  std::vector<ElementTypeName> names;
  for (FloatType type : types)
    names.push_back({debugString(type), type.getWidth()});
  return names;
}

static APFloat convert(APFloat value, FloatType to) {
  bool losesInfo = false;
  value.convert(to.getFloatSemantics(), APFloat::rmNearestTiesToEven,
                &losesInfo);
  return value;
}

LogicalResult replaceElementType(ModuleOp module, StringRef from,
                                 StringRef to) {
  MLIRContext *context = module.getContext();
  auto oldType = dyn_cast_or_null<FloatType>(parseType(from, context));
  auto newType = dyn_cast_or_null<FloatType>(parseType(to, context));
  if (!oldType || !newType)
    return module.emitError("expected two floating-point types, got '")
           << from << "' and '" << to << "'";
  AttrTypeReplacer replacer;
  replacer.addReplacement([&](FloatType type) -> std::optional<Type> {
    return type == oldType ? newType : type;
  });
  // The bits of a constant are those of its type.
  replacer.addReplacement(
      [&](FloatAttr attr) -> std::optional<std::pair<Attribute, WalkResult>> {
        if (attr.getType() != oldType)
          return std::nullopt;
        return std::pair(
            FloatAttr::get(newType, convert(attr.getValue(), newType)),
            WalkResult::skip());
      });
  replacer.addReplacement(
      [&](DenseFPElementsAttr attr)
          -> std::optional<std::pair<Attribute, WalkResult>> {
        if (attr.getElementType() != oldType)
          return std::nullopt;
        Attribute mapped = attr.mapValues(newType, [&](const APFloat &value) {
          return convert(value, newType).bitcastToAPInt();
        });
        return std::pair(mapped, WalkResult::skip());
      });
  replacer.recursivelyReplaceElementsIn(module, /*replaceAttrs=*/true,
                                        /*replaceLocs=*/false,
                                        /*replaceTypes=*/true);
  return success();
}

} // namespace smx
