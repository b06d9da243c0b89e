//===- TensorCopies.h - tiles moved by the tensor copy engine ---*- C++ -*-===//
#ifndef SMX_LIB_NVVM_TENSORCOPIES_H
#define SMX_LIB_NVVM_TENSORCOPIES_H

#include "KernelLowering.h"

namespace mlir::smx {

/// Rows of a fragment that a warp has in one piece: a box of a tensor store.
inline constexpr int64_t fragmentRows = 16;

/// What a put by tensor copies, or a tensor store, wants the host to describe:
/// one box is a panel of the tile, or of a warp's rows of it. Fails, with a
/// diagnostic, if there is no such map.
FailureOr<TensorMapUse> tensorMapOf(gpu::PutOp op);
FailureOr<TensorMapUse> tensorMapOf(gpu::TensorStoreOp op);

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

/// The parameter that holds the map of a put or tensor store.
Value mapParameter(const KernelPlan &plan, Operation *op);
/// Where a box starts, in the order of the map: the innermost coordinate first.
/// `offsets` (i64) has one for each dimension of the memref, of which the tile
/// runs along `dims`; the box is `rows` (i32, null: 0) further down.
SmallVector<Value> boxCoordinates(ThreadCode &code, ValueRange offsets,
                                  ArrayRef<int64_t> dims, Value rows);

} // namespace mlir::smx

#endif // SMX_LIB_NVVM_TENSORCOPIES_H
