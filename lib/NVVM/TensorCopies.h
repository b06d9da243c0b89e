//===- TensorCopies.h - tiles moved by the tensor copy engine ---*- C++ -*-===//
#ifndef SMX_LIB_NVVM_TENSORCOPIES_H
#define SMX_LIB_NVVM_TENSORCOPIES_H

#include "KernelLowering.h"

namespace mlir::smx {

/// What a put by tensor copies wants the host to describe: one box is a panel
/// of the tile. Fails, with a diagnostic, if there is no such map.
FailureOr<TensorMapUse> tensorMapOf(gpu::PutOp op);

/// The maps of a kernel as an attribute of the lowered function, and back.
inline constexpr StringLiteral tensorMapsAttribute = "smx.tensor_maps";
ArrayAttr toAttribute(MLIRContext *context, ArrayRef<TensorMapUse> maps);
std::vector<TensorMapUse> tensorMapsOf(Operation *function);

/// The type and attributes of a kernel parameter that holds a map.
Type tensorMapType(MLIRContext *context);
DictionaryAttr tensorMapAttributes(MLIRContext *context);

/// One thread starts the copies of a tile to `destination`; `barrier` has been
/// told how many bytes to expect. `map` is the parameter, `offsets` are the
/// converted ones of the put.
void startTensorCopies(ThreadCode &code, gpu::PutOp op, Value map,
                       ValueRange offsets, Value destination, Value barrier);

} // namespace mlir::smx

#endif // SMX_LIB_NVVM_TENSORCOPIES_H
