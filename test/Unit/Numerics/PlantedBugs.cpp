//===- PlantedBugs.cpp - mistakes that the suite must notice --------------===//
//
// Steps of the arithmetic are found by the name that their location carries.
//
//===----------------------------------------------------------------------===//

#include "PlantedBugs.h"

#include "smx/IR/Smx.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Matchers.h"
#include "llvm/Support/MathExtras.h"

#include <cmath>

using namespace mlir;
using namespace ::smx::test;

using GenericBody =
    llvm::function_ref<bool(linalg::GenericOp, linalg::YieldOp)>;

/// Applies `change` to every generic that is the step called `name`.
static int changeStep(ModuleOp module, StringRef name, GenericBody change) {
  int places = 0;
  module.walk([&](linalg::GenericOp op) {
    auto location = dyn_cast<NameLoc>(op.getLoc());
    if (location && location.getName() == name)
      places +=
          change(op, cast<linalg::YieldOp>(op.getBody()->getTerminator()));
  });
  return places;
}

/// Makes a step yield, as result `result`, its own argument `argument`.
static int yieldArgument(ModuleOp module, StringRef step, unsigned result,
                         unsigned argument) {
  return changeStep(
      module, step, [&](linalg::GenericOp op, linalg::YieldOp yield) {
        yield.setOperand(result, op.getBody()->getArgument(argument));
        return true;
      });
}

template <typename OpT>
static int replaceEach(ModuleOp module, llvm::function_ref<bool(OpT)> change) {
  SmallVector<OpT> ops;
  module.walk([&](OpT op) { ops.push_back(op); });
  int places = 0;
  for (OpT op : ops)
    places += change(op);
  return places;
}

/// The accumulator is not brought to the new maximum.
static int skipRescale(ModuleOp module) {
  return yieldArgument(module, "rescale", 0, 1);
}

/// Neither is the running sum.
static int skipRescaleOfSum(ModuleOp module) {
  return yieldArgument(module, "running maximum and rescale factor", 3, 1);
}

/// The state keeps the maximum it had.
static int staleMaximum(ModuleOp module) {
  return yieldArgument(module, "running maximum and rescale factor", 0, 0);
}

/// (-inf) - (-inf) is computed.
static int noGuard(ModuleOp module) {
  return changeStep(module, "running maximum and rescale factor",
                    [](linalg::GenericOp, linalg::YieldOp yield) {
                      Value guarded = yield.getOperand(1);
                      guarded.replaceAllUsesWith(yield.getOperand(0));
                      return true;
                    });
}

/// The diagonal is seen one key further.
static int diagonalOffByOne(ModuleOp module) {
  return replaceEach<mlir::smx::MaskOp>(module, [](mlir::smx::MaskOp op) {
    auto band = dyn_cast<mlir::smx::BandAttr>(op.getMask());
    if (!band || !band.getRight())
      return false;
    op.setMaskAttr(mlir::smx::BandAttr::get(op.getContext(), band.getAnchor(),
                                            band.getLeft(),
                                            *band.getRight() + 1));
    return true;
  });
}

/// Boundary tiles are taken for full ones.
static int lostMask(ModuleOp module) {
  return replaceEach<mlir::smx::MaskOp>(module, [](mlir::smx::MaskOp op) {
    op.replaceAllUsesWith(op.getInput());
    op.erase();
    return true;
  });
}

/// What is left over at the end of the stream is not visited.
static int lostTail(ModuleOp module) {
  int64_t whole = 0;
  auto extent = [](mlir::smx::UpdateOp op) {
    auto type = cast<RankedTensorType>(op.getInputs()[0].getType());
    AffineMap map = op.getOperandMaps()[op.getStates().size()];
    unsigned stream = op.getOperandMaps().front().getNumResults();
    return type.getDimSize(
        *map.getResultPosition(getAffineDimExpr(stream, op.getContext())));
  };
  module.walk(
      [&](mlir::smx::UpdateOp op) { whole = std::max(whole, extent(op)); });
  return replaceEach<mlir::smx::UpdateOp>(module, [&](mlir::smx::UpdateOp op) {
    if (extent(op) == whole)
      return false;
    op.replaceAllUsesWith(op.getStates());
    op.erase();
    return true;
  });
}

/// Query heads are dealt out to key heads in turn instead of in groups.
static int wrongGroup(ModuleOp module) {
  return replaceEach<affine::AffineApplyOp>(
      module, [](affine::AffineApplyOp op) {
        auto expr =
            dyn_cast<AffineBinaryOpExpr>(op.getAffineMap().getResult(0));
        if (!expr || expr.getKind() != AffineExprKind::FloorDiv ||
            !isa<AffineDimExpr>(expr.getLHS()))
          return false;
        op.setMap(AffineMap::get(op.getAffineMap().getNumDims(),
                                 op.getAffineMap().getNumSymbols(),
                                 expr.getLHS() % 2));
        return true;
      });
}

/// The log-sum-exp is left in base 2.
static int wrongLogBase(ModuleOp module) {
  return changeStep(module, "log-sum-exp",
                    [](linalg::GenericOp op, linalg::YieldOp) {
                      bool found = false;
                      op.walk([&](arith::MulFOp product) {
                        product.replaceAllUsesWith(product.getLhs());
                        found = true;
                      });
                      return found;
                    });
}

/// The scale is folded in without log2(e).
static int wrongFactor(ModuleOp module) {
  return replaceEach<arith::ConstantOp>(module, [](arith::ConstantOp op) {
    auto value = dyn_cast<FloatAttr>(op.getValue());
    double factor = 0.25 * llvm::numbers::log2e;
    if (!value || std::abs(value.getValueAsDouble() - factor) > 1e-6)
      return false;
    op.setValueAttr(FloatAttr::get(value.getType(), 0.25));
    return true;
  });
}

/// One of two partial states is forgotten.
static int lostPartialState(ModuleOp module) {
  return replaceEach<mlir::smx::MergeOp>(module, [](mlir::smx::MergeOp op) {
    op.replaceAllUsesWith(op.getLhs());
    op.erase();
    return true;
  });
}

/// The second part of a stream is taken for empty.
static int lostPart(ModuleOp module) {
  return replaceEach<arith::MulIOp>(module, [](arith::MulIOp begin) {
    auto part = dyn_cast<BlockArgument>(begin.getLhs());
    auto nest = part ? dyn_cast<scf::ForallOp>(part.getOwner()->getParentOp())
                     : nullptr;
    if (!nest)
      return false;
    OpBuilder builder(begin->getContext());
    builder.setInsertionPointAfter(begin);
    Location loc = begin.getLoc();
    Value one = arith::ConstantIndexOp::create(builder, loc, 1);
    Value isSecond = arith::CmpIOp::create(builder, loc,
                                           arith::CmpIPredicate::eq, part, one);
    Value behind = arith::ConstantIndexOp::create(builder, loc, 1 << 30);
    auto changed =
        arith::SelectOp::create(builder, loc, isSecond, behind, begin);
    begin.getResult().replaceUsesWithIf(changed, [](OpOperand &use) {
      return isa<scf::ForOp>(use.getOwner());
    });
    return true;
  });
}

/// Hidden values are multiplied by a weight of 0 instead of being left out.
static int hiddenTimesZero(ModuleOp module) {
  return replaceEach<mlir::smx::UpdateOp>(module, [](mlir::smx::UpdateOp op) {
    bool was = op.getMasked();
    op.setMasked(false);
    return was;
  });
}

/// Every target is taken for the first place.
static int wrongTarget(ModuleOp module) {
  return replaceEach<tensor::ExtractOp>(module, [](tensor::ExtractOp op) {
    OpBuilder builder(op);
    op->setOperand(
        op->getNumOperands() - 1,
        arith::ConstantIndexOp::create(builder, op.getLoc(), 0).getResult());
    return true;
  });
}

/// The loss of a row counts whatever its weight is.
static int ignoredRowCounts(ModuleOp module) {
  return changeStep(module, "loss", [](linalg::GenericOp op, linalg::YieldOp) {
    bool found = false;
    op.walk([&](arith::SelectOp select) {
      if (!matchPattern(select.getTrueValue(), m_AnyZeroFloat()))
        return;
      Value loss = select.getFalseValue();
      if (auto product = loss.getDefiningOp<arith::MulFOp>())
        loss = product.getRhs();
      select.replaceAllUsesWith(loss);
      found = true;
    });
    return found;
  });
}

/// The smoothing's mean is that of one part of the row.
static int lostPartialSum(ModuleOp module) {
  return yieldArgument(module, "merge means", 1, 3);
}

/// Squares of the tiles before keep the scale they had.
static int skipRescaleOfSquares(ModuleOp module) {
  return yieldArgument(module, "running scale", 1, 1);
}

/// The gradient leaves out what all places of a row have in common.
static int gradientWithoutSum(ModuleOp module) {
  return changeStep(module, "gradient",
                    [](linalg::GenericOp op, linalg::YieldOp) {
                      bool found = false;
                      op.walk([&](arith::SubFOp difference) {
                        difference.replaceAllUsesWith(difference.getLhs());
                        found = true;
                      });
                      return found;
                    });
}

/// The smallest number of a tile of rows is taken for that of its last row.
static int extremumOfOneRow(ModuleOp module) {
  return changeStep(
      module, "extrema of rows", [](linalg::GenericOp, linalg::YieldOp yield) {
        auto least = yield.getOperand(0).getDefiningOp<arith::MinSIOp>();
        yield.setOperand(0, least.getLhs());
        return true;
      });
}

/// A sink takes no weight away.
static int lostSink(ModuleOp module) {
  return yieldArgument(module, "sink", 1, 1);
}

/// Chunks are one key longer.
static int longerChunk(ModuleOp module) {
  return replaceEach<mlir::smx::MaskOp>(module, [](mlir::smx::MaskOp op) {
    auto chunks = dyn_cast<mlir::smx::ChunksAttr>(op.getMask());
    if (!chunks)
      return false;
    op.setMaskAttr(mlir::smx::ChunksAttr::get(
        op.getContext(), chunks.getAnchor(), chunks.getSize() + 1));
    return true;
  });
}

/// Blocks that are not marked are visited too.
static int visitedBlock(ModuleOp module) {
  return changeStep(
      module, "list of tiles", [](linalg::GenericOp op, linalg::YieldOp yield) {
        // The step that looks at the marks.
        if (op.getNumReductionLoops() != 0)
          return false;
        OpBuilder builder(yield);
        yield.setOperand(
            0, arith::ConstantOp::create(builder, op.getLoc(),
                                         builder.getI32IntegerAttr(1)));
        return true;
      });
}

/// A list has each tile at the place of the next one.
static int shiftedList(ModuleOp module) {
  return replaceEach<arith::CmpIOp>(module, [](arith::CmpIOp op) {
    // The step that looks for the tile which has so many before it.
    auto rank = op.getLhs().getDefiningOp<tensor::ExtractOp>();
    if (!rank || !isa<linalg::GenericOp>(op->getParentOp()))
      return false;
    OpBuilder builder(op);
    Value one = arith::ConstantOp::create(builder, op.getLoc(),
                                          builder.getI32IntegerAttr(1));
    op.setOperand(
        0, arith::AddIOp::create(builder, op.getLoc(), rank, one).getResult());
    return op.getPredicate() == arith::CmpIPredicate::eq;
  });
}

/// Every page is that of the first entry of the table.
static int wrongPage(ModuleOp module) {
  return replaceEach<tensor::ExtractOp>(module, [](tensor::ExtractOp op) {
    // A table has two dimensions, and an entry is read in each round.
    if (op.getIndices().size() != 2 || !isa<scf::ForOp>(op->getParentOp()))
      return false;
    OpBuilder builder(op);
    op->setOperand(
        op->getNumOperands() - 1,
        arith::ConstantIndexOp::create(builder, op.getLoc(), 0).getResult());
    return true;
  });
}

/// Of a page the first head is read.
static int headOfPage(ModuleOp module) {
  return replaceEach<tensor::ExtractSliceOp>(
      module, [](tensor::ExtractSliceOp op) {
        if (op.getType().getRank() != 4 || !isa<scf::ForOp>(op->getParentOp()))
          return false;
        auto transposes = [](Operation *user) {
          return isa<linalg::TransposeOp>(user);
        };
        if (!llvm::any_of(op->getUsers(), transposes))
          return false;
        OpBuilder builder(op);
        SmallVector<OpFoldResult> offsets = op.getMixedOffsets();
        offsets[2] = builder.getIndexAttr(0);
        auto other = tensor::ExtractSliceOp::create(
            builder, op.getLoc(), op.getType(), op.getSource(), offsets,
            op.getMixedSizes(), op.getMixedStrides());
        op.replaceAllUsesWith(other.getResult());
        op.erase();
        return true;
      });
}

/// Every strip of the accumulator is made of the first strip's values.
static int wrongStrip(ModuleOp module) {
  return replaceEach<tensor::ExtractSliceOp>(
      module, [](tensor::ExtractSliceOp op) {
        SmallVector<OpFoldResult> offsets = op.getMixedOffsets();
        auto column = dyn_cast<Value>(offsets.back());
        if (!column || !isa<BlockArgument>(column))
          return false;
        op.getOffsetsMutable().slice(op.getOffsets().size() - 1, 1).clear();
        SmallVector<int64_t> staticOffsets(op.getStaticOffsets());
        staticOffsets.back() = 0;
        op.setStaticOffsets(staticOffsets);
        return true;
      });
}

/// A row of packed heads is taken for the next query.
static int nextQuery(ModuleOp module) {
  return replaceEach<mlir::smx::MaskOp>(module, [](mlir::smx::MaskOp op) {
    auto packed = dyn_cast<mlir::smx::PackedAttr>(op.getMask());
    if (!packed)
      return false;
    OpBuilder builder(op);
    Value one = arith::ConstantIndexOp::create(builder, op.getLoc(), 1);
    op.getFirstRowMutable().assign(
        arith::AddIOp::create(builder, op.getLoc(), op.getFirstRow(), one));
    return true;
  });
}

const std::vector<PlantedBug> &(::smx::test::allPlantedBugs)() {
  static const std::vector<PlantedBug> bugs{
      {"skipped rescale of the accumulator", true, skipRescale},
      {"skipped rescale of the sum", true, skipRescaleOfSum},
      {"stale maximum", true, staleMaximum},
      {"no guard against -inf", true, noGuard},
      {"diagonal off by one", false, diagonalOffByOne},
      {"lost mask", false, lostMask},
      {"lost tail", false, lostTail},
      {"wrong head group", false, wrongGroup},
      {"wrong base of the logarithm", true, wrongLogBase},
      {"wrong factor of the exponent", true, wrongFactor},
      {"lost partial state", false, lostPartialState},
      {"hidden value times zero", false, hiddenTimesZero},
      {"wrong target", false, wrongTarget},
      {"ignored row counts", true, ignoredRowCounts},
      {"lost partial sum", true, lostPartialSum},
      {"skipped rescale of the squares", true, skipRescaleOfSquares},
      {"gradient without the sum", true, gradientWithoutSum},
      {"lost part", false, lostPart, /*isOnGpu=*/true},
      {"extremum of one row", false, extremumOfOneRow},
      {"lost sink", true, lostSink},
      {"longer chunk", false, longerChunk},
      {"unmarked block visited", false, visitedBlock},
      {"list off by one", false, shiftedList},
      {"page of the first entry", false, wrongPage},
      {"page of the first head", false, headOfPage},
      {"wrong strip", false, wrongStrip, /*isOnGpu=*/true},
      {"next query", false, nextQuery, /*isOnGpu=*/true},
  };
  return bugs;
}
