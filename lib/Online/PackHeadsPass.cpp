//===- PackHeadsPass.cpp - heads that share keys as rows of a tile --------===//

#include "smx/IR/IndexMath.h"
#include "smx/IR/OptionBounds.h"
#include "smx/Online/Passes.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Remarks.h"

#include <tuple>

namespace mlir::smx {
#define GEN_PASS_DEF_PACKHEADSPASS
#include "smx/Online/Passes.h.inc"
} // namespace mlir::smx

using namespace mlir;
using namespace mlir::smx;

namespace {
/// `heads` of a group of heads that share keys, with `queries` each, to a tile.
struct Packing {
  int64_t heads = 1, queries = 1;
};

/// Rewrites one attention.
class Packer {
public:
  Packer(AttentionOp op, Packing packing)
      : op(op), packing(packing), builder(op), batchDims(op.getNumBatchDims()) {
  }
  void run();

private:
  /// The head and the query of each row, or the reverse: the elements of
  /// `tensor`, moved.
  using Place =
      llvm::function_ref<std::pair<Value, Value>(IndexMath, Value, Value)>;
  Value move(Value tensor, RankedTensorType type, ArrayRef<OpFoldResult> sizes,
             Place place);
  /// `[.., H, S, ..]` as `[.., H / heads, heads * S, ..]`.
  Value pack(Value tensor);
  /// The reverse; `like` is what the result is.
  Value unpack(Value tensor, Value like);
  /// `type` with the heads and rows of the packed query: a result may leave
  /// open what that has.
  RankedTensorType packedType(Type type);
  std::pair<Value, Value> headAndQuery(IndexMath math, Value head, Value row);
  /// A region asks for the head and the query that a row is.
  void remapPositions(Region &region, unsigned firstPosition);

  AttentionOp op;
  Packing packing;
  OpBuilder builder;
  int64_t batchDims;
};
} // namespace

RankedTensorType Packer::packedType(Type type) {
  auto tensor = cast<RankedTensorType>(type);
  SmallVector<int64_t> shape(tensor.getShape());
  shape[batchDims - 1] =
      op.getQuery().getType().getDimSize(batchDims - 1) / packing.heads;
  shape[batchDims] = packing.heads * packing.queries;
  return tensor.clone(shape);
}

std::pair<Value, Value> Packer::headAndQuery(IndexMath math, Value head,
                                             Value row) {
  // Rows are no negative numbers.
  Value queries = math.constant(packing.queries);
  Value first = math.mul(head, math.constant(packing.heads));
  return {math.add(first, math.div(row, queries)), math.rem(row, queries)};
}

// Not a reshape, which bufferization would copy where rows have gaps: a read at
// another place is part of whoever reads it.
Value Packer::move(Value tensor, RankedTensorType type,
                   ArrayRef<OpFoldResult> sizes, Place place) {
  Location loc = NameLoc::get(builder.getStringAttr("pack"), op.getLoc());
  Value empty =
      tensor::EmptyOp::create(builder, loc, sizes, type.getElementType());
  int64_t rank = type.getRank();
  SmallVector<utils::IteratorType> iterators(rank,
                                             utils::IteratorType::parallel);
  return linalg::GenericOp::create(
             builder, loc, empty.getType(), ValueRange(), empty,
             builder.getMultiDimIdentityMap(rank), iterators,
             [&](OpBuilder &b, Location loc, ValueRange) {
               SmallVector<Value> places;
               for (int64_t dim = 0; dim < rank; ++dim)
                 places.push_back(linalg::IndexOp::create(b, loc, dim));
               std::tie(places[batchDims - 1], places[batchDims]) =
                   place({b, loc}, places[batchDims - 1], places[batchDims]);
               Value element =
                   tensor::ExtractOp::create(b, loc, tensor, places);
               linalg::YieldOp::create(b, loc, element);
             })
      .getResult(0);
}

Value Packer::pack(Value tensor) {
  RankedTensorType type = packedType(tensor.getType());
  SmallVector<OpFoldResult> sizes =
      tensor::getMixedSizes(builder, op.getLoc(), tensor);
  for (int64_t dim : {batchDims - 1, batchDims})
    sizes[dim] = builder.getIndexAttr(type.getDimSize(dim));
  return move(tensor, type, sizes, [&](IndexMath math, Value head, Value row) {
    return headAndQuery(math, head, row);
  });
}

Value Packer::unpack(Value tensor, Value like) {
  auto type = cast<RankedTensorType>(like.getType());
  SmallVector<OpFoldResult> sizes =
      tensor::getMixedSizes(builder, op.getLoc(), op.getQuery());
  sizes.truncate(type.getRank());
  if (type.getRank() == batchDims + 2)
    sizes.back() =
        getExtent(builder, op.getLoc(), op.getValue(), type.getRank() - 1);
  Value moved =
      move(tensor, type, sizes, [&](IndexMath math, Value head, Value query) {
        Value heads = math.constant(packing.heads);
        Value first =
            math.mul(math.rem(head, heads), math.constant(packing.queries));
        return std::pair(math.div(head, heads), math.add(first, query));
      });
  return builder.createOrFold<tensor::CastOp>(op.getLoc(), type, moved);
}

void Packer::remapPositions(Region &region, unsigned firstPosition) {
  if (region.empty())
    return;
  Block &body = region.front();
  BlockArgument head = body.getArgument(firstPosition + batchDims - 1),
                row = body.getArgument(firstPosition + batchDims);
  OpBuilder inside = OpBuilder::atBlockBegin(&body);
  auto [realHead, query] =
      headAndQuery(IndexMath{inside, op.getLoc()}, head, row);
  // What tells them apart reads the arguments themselves.
  SmallPtrSet<Operation *, 8> own;
  for (auto it = body.begin(); it != inside.getInsertionPoint(); ++it)
    own.insert(&*it);
  head.replaceAllUsesExcept(realHead, own);
  row.replaceAllUsesExcept(query, own);
}

void Packer::run() {
  Location loc = op.getLoc();
  MaskAttrInterface mask;
  if (op.getMask())
    mask = PackedAttr::get(op.getContext(), *op.getMask(), packing.queries);
  Value query = pack(op.getQuery());
  auto packed = AttentionOp::create(
      builder, loc, packedType(op.getResult().getType()),
      op.getLogSumExp() ? packedType(op.getLogSumExp().getType()) : Type(),
      query, op.getKey(), op.getValue(), op.getMaskData(), /*sinks=*/Value(),
      op.getScaleAttr(), mask);
  packed.getScore().takeBody(op.getScore());
  packed.getVisible().takeBody(op.getVisible());
  remapPositions(packed.getScore(), 1);
  remapPositions(packed.getVisible(), 0);
  op.getResult().replaceAllUsesWith(unpack(packed.getResult(), op.getResult()));
  if (op.getLogSumExp())
    op.getLogSumExp().replaceAllUsesWith(
        unpack(packed.getLogSumExp(), op.getLogSumExp()));
  op.erase();
}

namespace {
struct PackHeadsPass : mlir::smx::impl::PackHeadsPassBase<PackHeadsPass> {
  using PackHeadsPassBase::PackHeadsPassBase;

  LogicalResult initialize(MLIRContext *context) override {
    return checkOptions(context, {{"rows", rows, /*least=*/1}});
  }

  void runOnOperation() override {
    SmallVector<AttentionOp> ops;
    getOperation()->walk([&](AttentionOp op) { ops.push_back(op); });
    for (AttentionOp op : ops) {
      Packing packing = choose(op);
      if (packing.heads == 1)
        continue;
      if (StringRef why = whyNot(op); !why.empty()) {
        remark::missed(
            op.getLoc(),
            remark::RemarkOpts::name("PackHeads").category("smx-pack-heads"))
            << why;
        continue;
      }
      remark::passed(
          op.getLoc(),
          remark::RemarkOpts::name("PackHeads").category("smx-pack-heads"))
          << remark::metric("heads", packing.heads)
          << remark::metric("queries", packing.queries);
      Packer(op, packing).run();
    }
  }

  /// As many heads of a group as there is room for, if keys are read less often
  /// for it. Heads with one query each are rows of a tile as they are.
  Packing choose(AttentionOp op) const {
    Packing packing;
    int64_t group = op.getGroupSize();
    int64_t queries = cast<RankedTensorType>(op.getQuery().getType())
                          .getDimSize(op.getNumBatchDims());
    if (group <= 1 || ShapedType::isDynamic(queries) || queries < 2)
      return packing;
    packing.queries = queries;
    for (int64_t heads = 2; heads <= group; ++heads)
      if (group % heads == 0 && heads * queries <= rows)
        packing.heads = heads;
    // How often keys are read: by each of the tiles that a group is left with,
    // or else by each query, with the heads of a group as the rows of a tile.
    if (group / packing.heads >= std::min(group, queries))
      packing.heads = 1;
    return packing;
  }

  /// Why heads are not rows of one tile; empty if they may be.
  static StringRef whyNot(AttentionOp op) {
    if (op.getSinks())
      return "each head has a sink of its own";
    if (!op.getMask())
      return "";
    for (auto [steps, tensor] :
         llvm::zip(op.getMask()->getDataSteps(), op.getMaskData())) {
      if (steps.rows != 0)
        return "the mask reads something for each row";
      auto type = cast<RankedTensorType>(tensor.getType());
      if (type.getRank() - steps.count() == op.getNumBatchDims() &&
          type.getDimSize(op.getNumBatchDims() - 1) != 1)
        return "the mask reads something for each head";
    }
    return "";
  }
};
} // namespace
