//===- ClusterValues.cpp - numbers in each block of a cluster -------------===//

#include "smx/GPU/ClusterValues.h"
#include "smx/GPU/SmxGpu.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace mlir::smx::gpu;

std::optional<int64_t> mlir::smx::gpu::valueInBlock(Value value, int64_t rank) {
  APInt constant;
  if (matchPattern(value, m_ConstantInt(&constant)))
    return constant.getSExtValue();
  Operation *op = value.getDefiningOp();
  if (isa_and_nonnull<ClusterRankOp>(op))
    return rank;
  if (!isa_and_nonnull<arith::AddIOp, arith::SubIOp, arith::MulIOp,
                       arith::MaxSIOp, arith::MinSIOp>(op))
    return std::nullopt;
  std::optional<int64_t> lhs = valueInBlock(op->getOperand(0), rank),
                         rhs = valueInBlock(op->getOperand(1), rank);
  if (!lhs || !rhs)
    return std::nullopt;
  return llvm::TypeSwitch<Operation *, int64_t>(op)
      .Case([&](arith::AddIOp) { return *lhs + *rhs; })
      .Case([&](arith::SubIOp) { return *lhs - *rhs; })
      .Case([&](arith::MulIOp) { return *lhs * *rhs; })
      .Case([&](arith::MaxSIOp) { return std::max(*lhs, *rhs); })
      .Default([&](Operation *) { return std::min(*lhs, *rhs); });
}

std::optional<std::pair<int64_t, int64_t>>
mlir::smx::gpu::rangeInBlocks(Value value, int64_t blocks) {
  std::optional<std::pair<int64_t, int64_t>> range;
  for (int64_t rank : llvm::seq(blocks)) {
    std::optional<int64_t> ofBlock = valueInBlock(value, rank);
    if (!ofBlock)
      return std::nullopt;
    range = range ? std::pair(std::min(range->first, *ofBlock),
                              std::max(range->second, *ofBlock))
                  : std::pair(*ofBlock, *ofBlock);
  }
  return range;
}
