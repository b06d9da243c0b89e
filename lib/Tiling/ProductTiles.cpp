//===- ProductTiles.cpp - what the tiles of products take -----------------===//

#include "ProductTiles.h"

#include "smx/IR/Dequantization.h"
#include "smx/Tiling/LongRows.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/TypeUtilities.h"

using namespace mlir;
using namespace mlir::smx;

bool mlir::smx::isSumOfProducts(linalg::LinalgOp op) {
  if (op.getNumReductionLoops() == 0 || op.getNumDpsInputs() != 2 ||
      op.getNumDpsInits() != 1)
    return false;
  auto areProductAndSum = [](Operation *product, Operation *sum) {
    return isa<arith::MulFOp>(product) && isa<arith::AddFOp>(sum);
  };
  // Upstream lets any op of one operand stand in between; here factors are
  // widened and nothing else.
  return linalg::detail::isContractionBody(*op.getBlock(), areProductAndSum) &&
         llvm::all_of(
             op.getBlock()->without_terminator(),
             llvm::IsaPred<arith::MulFOp, arith::AddFOp, arith::ExtFOp>);
}

int64_t mlir::smx::bytesOfFactors(Value scores) {
  Operation *producer = scores.getDefiningOp();
  if (!isa_and_nonnull<linalg::LinalgOp, MaskOp>(producer))
    return 0;
  auto product = dyn_cast<linalg::LinalgOp>(producer);
  if (!product || product.getNumReductionLoops() == 0) {
    int64_t most = 0;
    for (Value operand : producer->getOperands())
      most = std::max(most, bytesOfFactors(operand));
    return most;
  }
  int64_t elements = 1;
  for (auto [extent, kind] : llvm::zip(product.getStaticLoopRanges(),
                                       product.getIteratorTypesArray()))
    if (kind == utils::IteratorType::reduction && ShapedType::isStatic(extent))
      elements *= extent;
  int64_t bits = getElementTypeOrSelf(product->getOperand(0).getType())
                     .getIntOrFloatBitWidth();
  return paddedProductExtent(elements, bits) * bits / 8;
}

int64_t mlir::smx::columnsOfStrip(int64_t columns, int64_t elementBytes) {
  // A warp holds 16 rows: half of the registers that a thread can have. Rows of
  // 16 bits are multiples of 64 bytes in shared memory then.
  constexpr int64_t mostBytes = 1024, unitBytes = 128;
  int64_t bytes = registerBytesOfRow(columns * elementBytes,
                                     /*isDouble=*/elementBytes == 8);
  int64_t strips = llvm::divideCeil(bytes, mostBytes);
  if (strips <= 1)
    return columns;
  return llvm::alignTo(llvm::divideCeil(columns, strips),
                       unitBytes / elementBytes);
}

bool mlir::smx::areWidened(Value values) {
  auto producer = values.getDefiningOp<linalg::GenericOp>();
  return producer && findQuantized(producer);
}
