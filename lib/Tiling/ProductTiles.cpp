//===- ProductTiles.cpp - what the tiles of products take -----------------===//

#include "ProductTiles.h"

#include "smx/IR/Dequantization.h"
#include "smx/Tiling/LongRows.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/TypeUtilities.h"

using namespace mlir;
using namespace mlir::smx;

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

/// True if what `op` computes with takes few registers beside its operands and
/// its result. A quotient has a call for denormals.
static bool takesFewRegisters(Operation &op) {
  if (auto quotient = dyn_cast<arith::DivFOp>(op))
    return matchPattern(quotient.getRhs(), m_Constant());
  // Positions that nothing asks for.
  if (isa<linalg::IndexOp>(op))
    return op.use_empty();
  return isa<arith::ConstantOp, arith::AddFOp, arith::SubFOp, arith::MulFOp,
             arith::NegFOp, arith::MaxNumFOp, arith::MinNumFOp,
             arith::MaximumFOp, arith::MinimumFOp, math::AbsFOp, math::FmaOp,
             math::TanhOp, math::ExpOp, math::Exp2Op, linalg::YieldOp>(op);
}

/// True if `op` computes each element from that of its operand in the same
/// place, from nothing else in memory, and wherever it is.
static bool isPlainFunction(linalg::GenericOp op) {
  return op.getNumReductionLoops() == 0 && op.getNumDpsInputs() == 1 &&
         op.getMatchingIndexingMap(op.getDpsInputOperand(0)).isIdentity() &&
         llvm::all_of(*op.getBody(), takesFewRegisters);
}

bool mlir::smx::isFunctionOfProduct(Value scores) {
  while (auto mask = scores.getDefiningOp<MaskOp>())
    scores = mask.getInput();
  if (auto function = scores.getDefiningOp<linalg::GenericOp>();
      function && isPlainFunction(function))
    scores = function.getDpsInputs().front();
  auto product = scores.getDefiningOp<linalg::LinalgOp>();
  return product && product.getNumReductionLoops() != 0;
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
