//===- Gather.cpp - reads of global memory at computed places -------------===//

#include "GlobalTile.h"
#include "PositionSum.h"

#include "mlir/Conversion/LLVMCommon/MemRefBuilder.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Matchers.h"

namespace mlir::smx {

namespace {
/// An index that is linear in the places of a tile: `inside ? sum : outside`.
struct PlaceIndex {
  PositionSum sum, outside;
  /// Null: everywhere.
  Value inside;

  explicit PlaceIndex(int64_t rank) : sum(rank), outside(rank) {}

  /// Reads a sum, or `(inside ? sum : 0) + offset`. False if the index is
  /// something else.
  bool read(Value index) {
    Value chosen = index;
    if (auto moved = index.getDefiningOp<arith::AddIOp>();
        moved && moved.getLhs().getDefiningOp<arith::SelectOp>()) {
      chosen = moved.getLhs();
      if (!sum.add(moved.getRhs(), 1) || !outside.add(moved.getRhs(), 1))
        return false;
    }
    if (auto select = chosen.getDefiningOp<arith::SelectOp>();
        select && matchPattern(select.getFalseValue(), m_Zero())) {
      inside = select.getCondition();
      return isa<RankedTensorType>(inside.getType()) && outside.isUniform() &&
             sum.add(select.getTrueValue(), 1);
    }
    return sum.add(chosen, 1) && outside.add(chosen, 1);
  }
};

/// An address for each element.
struct LowerGather : TilePattern<gpu::GatherOp> {
  using TilePattern::TilePattern;

  LogicalResult
  matchAndRewrite(gpu::GatherOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    ThreadCode code(rewriter, op, plan);
    RankedTensorType tile = op.getTile().getType();
    GatheredMemory memory(code, op, adaptor.getSource());
    SmallVector<Value> vectors;
    for (int64_t i : llvm::seq(gpu::getRegisterCount(tile))) {
      Value address = memory.start;
      for (auto [d, index] : llvm::enumerate(adaptor.getIndices()))
        address = code.advance(
            address, code.mul(code.getRegister(index, i), memory.steps[d]));
      vectors.push_back(loadGlobal(code, address, memory.one,
                                   /*predicate=*/Value(), op.getAgain()));
    }
    rewriter.replaceOp(op, code.fromVectors(vectors));
    return success();
  }

  /// What a gather reads from.
  struct GatheredMemory {
    GatheredMemory(ThreadCode &code, gpu::GatherOp op, Value source)
        : one(VectorType::get(
              1, registerElement(op.getTile().getType().getElementType()))) {
      auto type = cast<MemRefType>(op.getSource().getType());
      SmallVector<int64_t> origin(type.getRank(), -1),
          extents(type.getRank(), 1);
      GlobalTile memory =
          makeGlobalTile(code, type, source, /*offsets=*/{},
                         /*valid=*/{}, origin, extents, /*aligned=*/0);
      start = memory.start(code);
      MemRefDescriptor descriptor(source);
      for (auto [dim, stride] :
           llvm::enumerate(type.getStridesAndOffset().first)) {
        bool isOpen = ShapedType::isDynamic(stride);
        constants.push_back(isOpen ? stride : stride * memory.elementBytes);
        steps.push_back(
            isOpen ? code.mul(descriptor.stride(code, op.getLoc(), dim),
                              code.i64(memory.elementBytes))
                   : code.i64(constants.back()));
      }
    }

    /// `address` and `places` further along dimension `d`.
    Value advance(ThreadCode &code, Value address, int64_t d,
                  int64_t places) const {
      if (places == 0)
        return address;
      Value bytes = ShapedType::isDynamic(constants[d])
                        ? code.mul(code.i64(places), steps[d])
                        : code.i64(places * constants[d]);
      return code.advance(address, bytes);
    }

    /// The place of the first element, and bytes from one place to the next:
    /// i64.
    Value start;
    SmallVector<Value> steps;
    /// The steps, where they are constants.
    SmallVector<int64_t> constants;
    VectorType one;
  };
};

/// One address for a thread, and a constant distance from it for each register.
struct LowerGatherOfPlaces : LowerGather {
  using LowerGather::LowerGather;

  LogicalResult
  matchAndRewrite(gpu::GatherOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    RankedTensorType tile = op.getTile().getType();
    SmallVector<PlaceIndex> indices;
    Value inside;
    for (Value index : op.getIndices()) {
      PlaceIndex &place = indices.emplace_back(tile.getRank());
      if (!place.read(index) ||
          (place.inside && inside && place.inside != inside))
        return rewriter.notifyMatchFailure(op, "an index is no sum of places");
      if (place.inside)
        inside = place.inside;
    }
    if (inside && llvm::any_of(indices, [](const PlaceIndex &place) {
          return !place.inside && !place.sum.isUniform();
        }))
      return rewriter.notifyMatchFailure(op, "two elements stand for others");

    ThreadCode code(rewriter, op, plan);
    GatheredMemory memory(code, op, adaptor.getSource());
    auto from = [&](const PositionSum PlaceIndex::*part) {
      Value address = memory.start;
      for (auto [place, step] : llvm::zip(indices, memory.steps))
        address = code.advance(
            address,
            code.mul((place.*part).ofThread(code, tile, rewriter), step));
      return address;
    };
    Value address = from(&PlaceIndex::sum), first, isInside;
    if (inside) {
      isInside = rewriter.getRemappedValue(inside);
      first = loadGlobal(code, from(&PlaceIndex::outside), memory.one,
                         /*predicate=*/Value(), op.getAgain());
    }
    int64_t count = gpu::getRegisterCount(tile);
    auto readAll = [&](bool areAllInside) {
      SmallVector<Value> vectors;
      for (int64_t i : llvm::seq(count)) {
        Value place = address;
        for (auto [d, index] : llvm::enumerate(indices))
          place = memory.advance(code, place, d, index.sum.ofRegister(tile, i));
        Value predicate =
            areAllInside ? Value() : code.getRegister(isInside, i);
        Value read =
            loadGlobal(code, place, memory.one, predicate, op.getAgain());
        vectors.push_back(
            predicate ? LLVM::SelectOp::create(code, predicate, read, first)
                      : read);
      }
      return code.fromVectors(vectors);
    };
    // One question for all: no element takes a register for its answer, and
    // those at one place are one.
    auto same =
        inside ? inside.getDefiningOp<tensor::SplatOp>() : tensor::SplatOp();
    Value result =
        same ? code.choose(
                   getTypeConverter()->convertType(tile),
                   rewriter.getRemappedValue(same.getInput()),
                   [&] { return readAll(/*areAllInside=*/true); },
                   [&] {
                     return code.fromVectors(SmallVector<Value>(count, first));
                   })
             : readAll(/*areAllInside=*/!inside);
    rewriter.replaceOp(op, result);
    return success();
  }
};
} // namespace

void populateGatherPatterns(const TileTypeConverter &converter,
                            const KernelPlan &plan,
                            RewritePatternSet &patterns) {
  patterns.add<LowerGather>(converter, plan);
  patterns.add<LowerGatherOfPlaces>(converter, plan, /*benefit=*/2);
}

} // namespace mlir::smx
