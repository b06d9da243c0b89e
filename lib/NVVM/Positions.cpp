//===- Positions.cpp - comparisons and multiples of places ----------------===//
//
// Masks compare places: `i + offset <= j`. Such a difference is a sum of
// multiples of positions and of values that all elements share. For one thread
// the positions are a constant per register plus something that all its
// registers share, so only the constants differ between registers: the rest is
// computed once, in 64 bits, limited to 32 bits, and compared with the
// constants there. Index arithmetic does not overflow. Where rows have a value
// each (`first[i] <= j`), that is computed once for each row.
// The same holds for a multiple of such a difference that is added to a score,
// and for the difference as a floating-point number: what registers share is
// converted, and each adds its constant.
//
//===----------------------------------------------------------------------===//

#include "Assembly.h"
#include "PositionSum.h"
#include "smx/IR/ElementBits.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "llvm/Support/FormatVariadic.h"

namespace mlir::smx {

namespace {
struct ComparePositions : TilePattern<arith::CmpIOp> {
  using TilePattern::TilePattern;

  LogicalResult
  matchAndRewrite(arith::CmpIOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    auto tile = dyn_cast<RankedTensorType>(op.getLhs().getType());
    if (!tile || !tile.getElementType().isIndex() || !isRegisterTile(tile))
      return rewriter.notifyMatchFailure(op, "not a tile of places");
    // lhs `predicate` rhs where 0 `predicate` rhs - lhs.
    PositionSum sum = PositionSum::withRows(tile.getRank());
    if (!sum.add(op.getLhs(), -1) || !sum.add(op.getRhs(), 1))
      return rewriter.notifyMatchFailure(op, "not a difference of places");
    std::optional<LLVM::ICmpPredicate> predicate = signedPredicate(op);
    if (!predicate)
      return rewriter.notifyMatchFailure(op, "an unsigned comparison");

    if (sum.mostOfPositions(tile) >= limit)
      return rewriter.notifyMatchFailure(op, "a tile of too many places");

    // Registers: -constant_i `predicate` rest.
    SmallVector<int32_t> constants;
    for (int64_t i : llvm::seq(gpu::getRegisterCount(tile)))
      constants.push_back(-sum.ofRegister(tile, i));
    ThreadCode code(rewriter, op, plan);
    // Positions are small: what is beyond the limit decides alone.
    Value ofTile = sum.ofTile(code, rewriter),
          ofFirst = sum.ofFirstRegister(code, tile);
    auto restOf = [&](Value shared) {
      return code.add(limited(code, shared), ofFirst);
    };
    SmallVector<Value> rests =
        sum.ofRows(code, tile, rewriter, [&](Value ofRow) {
          return restOf(code.add(ofTile, ofRow));
        });
    SmallVector<int64_t> known = sum.knownOfTile(code.team.cluster);
    if (!rests.empty() && (known.empty() || !llvm::all_equal(rests))) {
      rewriter.replaceOp(op, compareAll(code, *predicate, constants, rests));
      return success();
    }
    Value rest = rests.empty() ? restOf(ofTile) : rests.front();
    if (!known.empty() && gpu::getLayout(tile)) {
      rewriter.replaceOp(op, compareKnown(code, sum.ofFirstRegisters(tile),
                                          known, *predicate, constants, rest));
      return success();
    }

    SmallVector<Value> same(constants.size(), rest);
    rewriter.replaceOp(op, compareAll(code, *predicate, constants, same));
    return success();
  }

private:
  /// `constants[i] predicate rests[i]`
  static Value compareAll(ThreadCode &code, LLVM::ICmpPredicate predicate,
                          ArrayRef<int32_t> constants, ArrayRef<Value> rests) {
    auto type = VectorType::get(constants.size(), code.getI32Type());
    Value lhs = LLVM::ConstantOp::create(
        code, type, DenseElementsAttr::get(type, constants));
    return LLVM::ICmpOp::create(code, predicate, lhs,
                                code.fromRegisters(rests));
  }

  /// How many of the numbers that are compared are below a constant, at it, and
  /// above it.
  struct Cases {
    int64_t below = 0, equal = 0, above = 0;
  };

  /// `constants[i] predicate rest`, where `rest` is one of `known` and one of
  /// `threads`, all of which are sorted. Where that is the same for all of them
  /// it is no comparison; and constants that none of them is between, as of an
  /// access that ends with the row or behind it, share one.
  static Value compareKnown(ThreadCode &code, ArrayRef<int64_t> threads,
                            ArrayRef<int64_t> known,
                            LLVM::ICmpPredicate predicate,
                            ArrayRef<int32_t> constants, Value rest) {
    bool isEquality = predicate == LLVM::ICmpPredicate::eq ||
                      predicate == LLVM::ICmpPredicate::ne;
    // Of constants in order, those for which it holds as often.
    llvm::SmallDenseMap<int64_t, Value> compared;
    SmallVector<Value> registers;
    for (int32_t constant : constants) {
      Cases cases;
      for (int64_t ofTile : known) {
        auto [first, last] =
            std::equal_range(threads.begin(), threads.end(), constant - ofTile);
        cases.below += first - threads.begin();
        cases.equal += last - first;
        cases.above += threads.end() - last;
      }
      int64_t holds = casesOf(predicate, cases);
      Value &result = compared[isEquality ? constant : holds];
      if (!result)
        result = compare(code, predicate, constant, rest, holds,
                         threads.size() * known.size());
      registers.push_back(result);
    }
    return code.fromRegisters(registers);
  }

  /// `constant predicate rest`, which holds in so many of `count` cases.
  static Value compare(ThreadCode &code, LLVM::ICmpPredicate predicate,
                       int32_t constant, Value rest, int64_t holds,
                       int64_t count) {
    if (holds == 0 || holds == count)
      return LLVM::ConstantOp::create(code, code.getI1Type(),
                                      code.getBoolAttr(holds != 0));
    return LLVM::ICmpOp::create(code, predicate, code.i32(constant), rest);
  }

  /// Those in which the constant `predicate` the number.
  static int64_t casesOf(LLVM::ICmpPredicate predicate, const Cases &cases) {
    switch (predicate) {
    case LLVM::ICmpPredicate::slt:
      return cases.above;
    case LLVM::ICmpPredicate::sle:
      return cases.above + cases.equal;
    case LLVM::ICmpPredicate::sgt:
      return cases.below;
    case LLVM::ICmpPredicate::sge:
      return cases.below + cases.equal;
    case LLVM::ICmpPredicate::eq:
      return cases.equal;
    default:
      return cases.below + cases.above;
    }
  }

  /// Half of what an i32 holds: there is room to add positions.
  static constexpr int64_t limit = 1 << 30;

  /// An i64 as an i32 between -limit and limit. In assembly, because LLVM
  /// widens comparisons of truncated values again; and both questions are asked
  /// of what came, as one would have to wait for the other's answer.
  static Value limited(ThreadCode &code, Value wide) {
    std::string text = llvm::formatv("{{ .reg .pred below, above; "
                                     ".reg .b32 low; "
                                     "cvt.u32.u64 low, $1; "
                                     "setp.lt.s64 below, $1, {0}; "
                                     "setp.gt.s64 above, $1, {1}; "
                                     "selp.b32 low, {0}, low, below; "
                                     "selp.b32 $0, {1}, low, above; }",
                                     -limit, limit);
    return emitAssembly(code, code.getI32Type(), wide, text, "=r,l",
                        Effects::None);
  }

  static std::optional<LLVM::ICmpPredicate> signedPredicate(arith::CmpIOp op) {
    switch (op.getPredicate()) {
    case arith::CmpIPredicate::eq:
      return LLVM::ICmpPredicate::eq;
    case arith::CmpIPredicate::ne:
      return LLVM::ICmpPredicate::ne;
    case arith::CmpIPredicate::slt:
      return LLVM::ICmpPredicate::slt;
    case arith::CmpIPredicate::sle:
      return LLVM::ICmpPredicate::sle;
    case arith::CmpIPredicate::sgt:
      return LLVM::ICmpPredicate::sgt;
    case arith::CmpIPredicate::sge:
      return LLVM::ICmpPredicate::sge;
    default:
      return std::nullopt;
    }
  }
};

/// The places that `op` converts; nothing if it does not, or by way of so few
/// bits that they may be others then.
static std::optional<PositionSum> placesOf(arith::SIToFPOp op, int64_t rank) {
  auto cast = op.getIn().getDefiningOp<arith::IndexCastOp>();
  PositionSum sum(rank);
  if (!cast || !sum.add(cast.getIn(), 1))
    return std::nullopt;
  int64_t bits = elementBits(cast.getType());
  return bits >= 64 || (bits >= 32 && sum.fitsWord()) ? std::optional(sum)
                                                      : std::nullopt;
}

/// What places are converted to is added to something, in any order.
static bool isFreeSum(Operation *op, Operation *converted) {
  auto sum = dyn_cast<math::FmaOp>(op);
  return sum && sum.getA().getDefiningOp() == converted &&
         bitEnumContainsAll(sum.getFastmath(), arith::FastMathFlags::reassoc);
}

/// What positions contribute to each register, as f32.
static Value constantsOf(ThreadCode &code, const PositionSum &sum,
                         RankedTensorType tile) {
  SmallVector<float> constants;
  for (int64_t i : llvm::seq(gpu::getRegisterCount(tile)))
    constants.push_back(sum.ofRegister(tile, i));
  auto type = VectorType::get(constants.size(), code.getF32Type());
  return LLVM::ConstantOp::create(
      code, type, DenseElementsAttr::get(type, ArrayRef(constants)));
}

/// `value` in every register of `tile`.
static Value repeated(ThreadCode &code, Value value, RankedTensorType tile) {
  return code.fromRegisters(
      SmallVector<Value>(gpu::getRegisterCount(tile), value));
}

/// A multiple of places that is added to something, in any order: that of the
/// thread's part first, which is the same for all registers of a row.
struct MultiplyPositions : TilePattern<math::FmaOp> {
  using TilePattern::TilePattern;

  LogicalResult
  matchAndRewrite(math::FmaOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    auto tile = dyn_cast<RankedTensorType>(op.getType());
    auto converted = op.getA().getDefiningOp<arith::SIToFPOp>();
    if (!tile || !isRegisterTile(tile) || !tile.getElementType().isF32() ||
        !converted || !isFreeSum(op, converted))
      return rewriter.notifyMatchFailure(op, "not a free sum with places");
    std::optional<PositionSum> sum = placesOf(converted, tile.getRank());
    if (!sum)
      return rewriter.notifyMatchFailure(op, "not a sum of places");

    ThreadCode code(rewriter, op, plan);
    Value rest = LLVM::SIToFPOp::create(code, code.getF32Type(),
                                        sum->ofThread(code, tile, rewriter));
    Value ofRegisters = constantsOf(code, *sum, tile);
    Type type = ofRegisters.getType();
    Value ofThread = LLVM::FMAOp::create(code, type, repeated(code, rest, tile),
                                         adaptor.getB(), adaptor.getC());
    rewriter.replaceOpWithNewOp<LLVM::FMAOp>(op, type, ofRegisters,
                                             adaptor.getB(), ofThread);
    return success();
  }
};

/// Places as f32, rounded once as by a conversion of each, which would take as
/// long as an exponential and, because nothing holds it back, registers beside
/// the products before:
///
///   x = h + l, 0 <= l < 2^20;  f32(x + c) = f32(h) + (f32(l) + c)
///
/// exact but for the last sum where |x| < 2^44 and |c| < 2^20.
struct ConvertPositions : TilePattern<arith::SIToFPOp> {
  using TilePattern::TilePattern;

  LogicalResult
  matchAndRewrite(arith::SIToFPOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    auto tile = dyn_cast<RankedTensorType>(op.getType());
    if (!tile || !isRegisterTile(tile) || !tile.getElementType().isF32())
      return rewriter.notifyMatchFailure(op, "not a tile of f32");
    if (llvm::all_of(op->getUsers(),
                     [&](Operation *user) { return isFreeSum(user, op); }))
      return rewriter.notifyMatchFailure(op, "multiplied and added instead");
    std::optional<PositionSum> sum = placesOf(op, tile.getRank());
    if (!sum || sum->mostOfPositions(tile) >= lowPart)
      return rewriter.notifyMatchFailure(op, "not a sum of places");

    ThreadCode code(rewriter, op, plan);
    Value place = sum->ofThread(code, tile, rewriter);
    // Out of LLVM's sight, which computes the sums of all registers in front of
    // a loop where that can be done, and has no registers to keep them.
    auto part = [&](int64_t bits) -> Value {
      Value masked = LLVM::AndOp::create(code, place, code.i64(bits));
      return emitAssembly(code, code.getF32Type(), masked,
                          "cvt.rn.f32.s64 $0, $1;", "=f,l", Effects::Order);
    };
    Value ofRegisters = constantsOf(code, *sum, tile);
    Value low = LLVM::FAddOp::create(
        code, repeated(code, part(lowPart - 1), tile), ofRegisters);
    rewriter.replaceOpWithNewOp<LLVM::FAddOp>(
        op, repeated(code, part(-lowPart), tile), low);
    return success();
  }

private:
  static constexpr int64_t lowPart = 1 << 20;
};

struct LowerPosition : TilePattern<gpu::PositionOp> {
  using TilePattern::TilePattern;

  LogicalResult
  matchAndRewrite(gpu::PositionOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    auto tile = cast<RankedTensorType>(op.getTile().getType());
    ThreadCode code(rewriter, op, plan);
    ThreadCoordinate at = code.threadPart(tile);
    bool isRow = op.getDim() == 0;
    Value first = LLVM::SExtOp::create(code, code.getI64Type(),
                                       isRow ? at.row : at.column);
    SmallVector<Value> registers;
    for (int64_t i : llvm::seq(gpu::getRegisterCount(tile))) {
      ::smx::gpu::Coordinate place = gpu::getElement(tile, 0, i);
      registers.push_back(
          code.add(first, code.i64(isRow ? place.row : place.column)));
    }
    rewriter.replaceOp(op, code.fromRegisters(registers));
    return success();
  }
};
} // namespace

void populatePositionPatterns(const TileTypeConverter &converter,
                              const KernelPlan &plan,
                              RewritePatternSet &patterns) {
  patterns.add<LowerPosition>(converter, plan);
  patterns.add<ComparePositions, MultiplyPositions, ConvertPositions>(
      converter, plan, /*benefit=*/2);
}

} // namespace mlir::smx
