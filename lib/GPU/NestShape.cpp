//===- NestShape.cpp - what a loop nest says about its tiles --------------===//

#include "NestShape.h"

#include "smx/IR/ElementBits.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::smx::gpu;
using mlir::smx::elementBits;
using mlir::smx::elementBytes;

//===----------------------------------------------------------------------===//
// Rows, and what is as long as a row
//===----------------------------------------------------------------------===//

/// Adds `c` as the class of the rows.
static LogicalResult setRows(NestShape &shape, TileClasses::Class c,
                             const TileClasses &classes, Operation *op) {
  if (classes.boundOf(c) == 1 || shape.rows == c)
    return success();
  if (shape.rows)
    return op->emitOpError("expected tiles with one dimension of rows, got two "
                           "with more than one element");
  shape.rows = c;
  return success();
}

/// Sets the rows by the products, which say what rows are. The transposed
/// product is as good: take the orientation in which the accumulator of one
/// feeds the next.
static LogicalResult setProducts(NestShape &shape, scf::ForallOp nest,
                                 const TileClasses &classes) {
  nest.walk([&](linalg::GenericOp op) {
    if (std::optional<TileProduct> product = matchProduct(op, classes))
      shape.products.push_back(*product);
  });
  for (TileProduct &product : shape.products)
    if (failed(setRows(shape, product.rows, classes, product.a->getOwner())))
      return failure();
  return success();
}

/// A reduction that is no product.
static bool isOtherReduction(linalg::GenericOp op, const TileClasses &classes) {
  return op.getNumReductionLoops() != 0 && !matchProduct(op, classes);
}

/// The dimensions that reductions leave are rows.
static LogicalResult setRowsOfReductions(NestShape &shape, scf::ForallOp nest,
                                         const TileClasses &classes) {
  WalkResult walked = nest.walk([&](linalg::GenericOp op) {
    if (!isOtherReduction(op, classes))
      return WalkResult::advance();
    SmallVector<TileClasses::Class> loops = classes.iterationClassesOf(op);
    for (auto [loop, kind] : llvm::enumerate(op.getIteratorTypesArray()))
      if (kind == utils::IteratorType::parallel &&
          failed(setRows(shape, loops[loop], classes, op)))
        return WalkResult::interrupt();
    return WalkResult::advance();
  });
  return failure(walked.wasInterrupted());
}

static bool reducesAnything(scf::ForallOp nest) {
  return nest
      .walk([](linalg::LinalgOp op) {
        return op.getNumReductionLoops() != 0 ? WalkResult::interrupt()
                                              : WalkResult::advance();
      })
      .wasInterrupted();
}

/// Without a reduction any dimension will do, but the fastest one: of what is
/// computed, or else of what is copied.
static void setRowsOfResults(NestShape &shape, scf::ForallOp nest,
                             const TileClasses &classes) {
  auto setRowsOf = [&](Value result) {
    SmallVector<TileClasses::Class> dims = classes.classesOf(result);
    for (TileClasses::Class c : ArrayRef(dims).drop_back(!dims.empty()))
      if (classes.boundOf(c) != 1)
        shape.rows = c;
  };
  nest.walk([&](linalg::LinalgOp op) { setRowsOf(op.getDpsInits()[0]); });
  if (!shape.rows)
    nest.walk([&](tensor::ParallelInsertSliceOp insert) {
      setRowsOf(insert.getSource());
    });
}

/// Sets `longest` and `longestClass`.
static void setLongest(NestShape &shape, scf::ForallOp nest,
                       const TileClasses &classes) {
  auto setLongestOf = [&](ArrayRef<TileClasses::Class> dims) {
    for (TileClasses::Class c : dims)
      if (c != shape.rows && classes.boundOf(c) != ShapedType::kDynamic &&
          classes.boundOf(c) > shape.longest) {
        shape.longest = classes.boundOf(c);
        shape.longestClass = c;
      }
  };
  nest.walk([&](linalg::LinalgOp op) {
    setLongestOf(classes.iterationClassesOf(op));
  });
  if (!shape.longestClass)
    nest.walk([&](tensor::ParallelInsertSliceOp insert) {
      setLongestOf(classes.classesOf(insert.getSource()));
    });
}

/// There are inputs, all of them tiles of one element.
static bool spreadsValues(linalg::LinalgOp op, const TileClasses &classes) {
  return op.getNumDpsInputs() != 0 &&
         llvm::all_of(op.getDpsInputs(), [&](Value input) {
           return isa<RankedTensorType>(input.getType()) &&
                  llvm::all_of(classes.classesOf(input),
                               [&](auto c) { return classes.boundOf(c) == 1; });
         });
}

/// Sets `isOneRow`.
static void setIsOneRow(NestShape &shape, scf::ForallOp nest,
                        const TileClasses &classes) {
  nest.walk([&](linalg::LinalgOp op) {
    // What a value of a row each is written along is as short.
    if (spreadsValues(op, classes))
      return;
    shape.isOneRow &= llvm::all_of(classes.iterationClassesOf(op), [&](auto c) {
      return c == shape.longestClass || classes.boundOf(c) == 1;
    });
  });
  nest.walk([&](scf::ForOp) { shape.isOneRow = false; });
}

/// Sets `hasWholeColumns`.
static void setHasWholeColumns(NestShape &shape, scf::ForallOp nest,
                               const TileClasses &classes) {
  shape.hasWholeColumns = true;
  nest.walk([&](linalg::LinalgOp op) {
    if (spreadsValues(op, classes))
      return;
    shape.hasWholeColumns &=
        llvm::all_of(classes.iterationClassesOf(op), [&](auto c) {
          return c == shape.longestClass || c == shape.rows ||
                 classes.boundOf(c) == 1;
        });
  });
  nest.walk([&](scf::ForOp) { shape.hasWholeColumns = false; });
}

/// Sets `hasWholeRows`.
static void setHasWholeRows(NestShape &shape, scf::ForallOp nest,
                            const TileClasses &classes) {
  auto checkRow = [&](Value tile, RankedTensorType tensor) {
    auto dims = classes.classesOf(tile);
    if (!dims.empty() && dims.back() == shape.longestClass)
      shape.hasWholeRows &= tensor.getShape().back() == shape.longest;
  };
  nest.walk([&](tensor::ExtractSliceOp slice) {
    checkRow(slice.getResult(), slice.getSourceType());
  });
  nest.walk([&](tensor::ParallelInsertSliceOp insert) {
    checkRow(insert.getSource(), insert.getDestType());
  });
}

//===----------------------------------------------------------------------===//
// What is read and written
//===----------------------------------------------------------------------===//

/// Sets `elementBits` and `rowsAreFastest`.
static void setElements(NestShape &shape, scf::ForallOp nest,
                        const TileClasses &classes) {
  nest.walk([&](tensor::ExtractSliceOp slice) {
    shape.elementBits =
        std::min<int64_t>(shape.elementBits, elementBits(slice.getType()));
    shape.isConverted |= slice.getType().getElementType().isF16();
    SmallVector<TileClasses::Class> dims = classes.classesOf(slice);
    bool isMatrix = llvm::count_if(dims, [&](TileClasses::Class c) {
                      return classes.boundOf(c) != 1;
                    }) > 1;
    if (isMatrix && shape.rows && dims.back() == *shape.rows)
      shape.rowsAreFastest = true;
  });
}

bool mlir::smx::gpu::isOnlyTile(scf::ForallOp nest) {
  return llvm::all_of(
      llvm::zip_equal(nest.getMixedLowerBound(), nest.getMixedUpperBound(),
                      nest.getMixedStep()),
      [](auto loop) {
        auto [lower, upper, step] = loop;
        return constantTripCount(lower, upper, step, /*isSigned=*/true,
                                 scf::computeUbMinusLb) == 1;
      });
}

/// True if a loop of the nest has rounds whose number is not known.
static bool hasOpenLoop(scf::ForallOp nest) {
  return nest
      .walk([](scf::ForOp loop) {
        bool isKnown = getConstantIntValue(loop.getLowerBound()) &&
                       getConstantIntValue(loop.getUpperBound());
        return isKnown ? WalkResult::advance() : WalkResult::interrupt();
      })
      .wasInterrupted();
}

/// Sets `rowBits`, `rowsRead` and `sharesRows`.
static void setReads(NestShape &shape, scf::ForallOp nest,
                     const TileClasses &classes) {
  nest.walk([&](tensor::ExtractSliceOp slice) {
    if (nest->isAncestor(slice.getSource().getParentBlock()->getParentOp()) ||
        !llvm::is_contained(classes.classesOf(slice), shape.longestClass))
      return;
    shape.rowBits += 8 * elementBytes(slice.getType());
    shape.sharesRows |=
        shape.rows && !llvm::is_contained(classes.classesOf(slice), shape.rows);
    // An only row has no offset that varies; what rows share has no dimension
    // of rows.
    shape.rowsRead += !slice.getOffsets().empty() ||
                      (isOnlyTile(nest) && slice.getType().getRank() > 1);
  });
}

/// Bits of the widest elements of a vector from outside that an op of the nest
/// reads whole; 0 if none does.
static int64_t bitsOfVectors(scf::ForallOp nest) {
  auto bitsOf = [&](Value value) -> int64_t {
    if (auto slice = value.getDefiningOp<tensor::ExtractSliceOp>();
        slice && slice.getOffsets().empty())
      value = slice.getSource();
    auto type = dyn_cast<RankedTensorType>(value.getType());
    bool isVector = type && type.getRank() == 1 &&
                    !nest->isAncestor(value.getParentBlock()->getParentOp());
    return isVector ? mlir::smx::elementBits(type) : 0;
  };
  int64_t bits = 0;
  nest.walk([&](linalg::LinalgOp op) {
    for (Value input : op.getDpsInputs())
      bits = std::max(bits, bitsOf(input));
  });
  return bits;
}

/// Sets `isWritten`, `writtenBits` and `widestWritten`.
static void setWrites(NestShape &shape, scf::ForallOp nest,
                      const TileClasses &classes) {
  // Of an element of `tile`; none if it has no part of a row.
  auto bitsOf = [&](TypedValue<RankedTensorType> tile) -> int64_t {
    return llvm::is_contained(classes.classesOf(tile), shape.longestClass)
               ? 8 * elementBytes(tile.getType())
               : 0;
  };
  nest.walk([&](tensor::ParallelInsertSliceOp insert) {
    int64_t bits = bitsOf(insert.getSource());
    shape.isWritten |= bits != 0;
    shape.writtenBits += bits;
    shape.widestWritten = std::max(shape.widestWritten, bits);
  });
  // Tiles of a stream go to its part one by one.
  nest.walk([&](tensor::InsertSliceOp insert) {
    shape.widestWritten =
        std::max(shape.widestWritten, bitsOf(insert.getSource()));
  });
}

//===----------------------------------------------------------------------===//
// What is computed
//===----------------------------------------------------------------------===//

/// Tiles of the only loop of a nest, outside of which nothing is reduced.
static int64_t tilesOfLoop(scf::ForallOp nest) {
  SmallVector<scf::ForOp> loops;
  nest.walk([&](scf::ForOp loop) { loops.push_back(loop); });
  if (loops.size() != 1)
    return 0;
  WalkResult walked = nest.walk([&](linalg::LinalgOp op) {
    return op.getNumReductionLoops() != 0 && !loops.front()->isAncestor(op)
               ? WalkResult::interrupt()
               : WalkResult::advance();
  });
  std::optional<APInt> tiles = loops.front().getStaticTripCount();
  return tiles && !walked.wasInterrupted() ? tiles->getSExtValue() : 0;
}

/// True for `select(a > out, a, out)` in f64: that is what keys are.
static bool isMaximumOfKeys(linalg::GenericOp op) {
  auto larger = op.getBlock()
                    ->getTerminator()
                    ->getOperand(0)
                    .getDefiningOp<arith::SelectOp>();
  if (!larger || !larger.getType().isF64())
    return false;
  auto compare = larger.getCondition().getDefiningOp<arith::CmpFOp>();
  return compare && compare.getPredicate() == arith::CmpFPredicate::OGT &&
         compare.getLhs() == larger.getTrueValue() &&
         compare.getRhs() == larger.getFalseValue() &&
         larger.getFalseValue() == op.getRegionOutputArgs().front();
}

/// True if a result of a reduction is a sum.
static bool isSum(linalg::GenericOp op) {
  return llvm::any_of(
      op.getBlock()->getTerminator()->getOperands(), [&](Value result) {
        auto add = result.getDefiningOp<arith::AddFOp>();
        return add && llvm::any_of(op.getRegionOutputArgs(), [&](Value out) {
                 return out == add.getLhs() || out == add.getRhs();
               });
      });
}

/// Sets `reductions`, `sums`, `hasDoubleSums` and `maxima`.
static void setReductions(NestShape &shape, scf::ForallOp nest,
                          const TileClasses &classes) {
  nest.walk([&](linalg::GenericOp op) {
    if (!isOtherReduction(op, classes))
      return;
    ++shape.reductions;
    bool isOfSum = isSum(op);
    shape.sums += isOfSum;
    shape.hasDoubleSums |=
        isOfSum && llvm::any_of(op.getResultTypes(), [](Type type) {
          return getElementTypeOrSelf(type).isF64();
        });
    // Keys are wider than what they are made of; scores in f64 are none.
    shape.maxima += shape.elementBits < 64 && isMaximumOfKeys(op);
  });
}

/// Sets `hasExponentials` and `hasOtherFunctions`.
static void setFunctions(NestShape &shape, scf::ForallOp nest,
                         const TileClasses &classes) {
  nest.walk([&](Operation *op) {
    shape.hasExponentials |= isa<math::ExpOp, math::Exp2Op>(op);
    auto elements = op->getParentOfType<linalg::LinalgOp>();
    shape.hasOtherFunctions |=
        ((isa_and_nonnull<math::MathDialect>(op->getDialect()) &&
          !isa<math::ExpOp, math::Exp2Op, math::AbsFOp, math::FmaOp>(op)) ||
         isa<arith::NegFOp>(op)) &&
        elements &&
        llvm::is_contained(classes.iterationClassesOf(elements),
                           shape.longestClass);
  });
}

//===----------------------------------------------------------------------===//
// The shape
//===----------------------------------------------------------------------===//

FailureOr<NestShape> mlir::smx::gpu::shapeOf(scf::ForallOp nest,
                                             const TileClasses &classes) {
  NestShape shape;
  // Later fields ask for earlier ones: most for the rows or what is longest,
  // and maxima for the bits of an element.
  if (failed(setProducts(shape, nest, classes)) ||
      failed(setRowsOfReductions(shape, nest, classes)))
    return failure();
  if (!reducesAnything(nest))
    setRowsOfResults(shape, nest, classes);
  setLongest(shape, nest, classes);
  setIsOneRow(shape, nest, classes);
  setHasWholeRows(shape, nest, classes);
  setHasWholeColumns(shape, nest, classes);
  setElements(shape, nest, classes);
  setReads(shape, nest, classes);
  shape.hasOpenLoop = hasOpenLoop(nest);
  if (shape.isOneRow && shape.rowsRead != 0)
    shape.weightBits = bitsOfVectors(nest);
  setWrites(shape, nest, classes);
  shape.tiles = tilesOfLoop(nest);
  setReductions(shape, nest, classes);
  setFunctions(shape, nest, classes);
  return shape;
}

int64_t mlir::smx::gpu::fewestThreads(const NestShape &shape) {
  return llvm::PowerOf2Ceil(2 * shape.maxima);
}
