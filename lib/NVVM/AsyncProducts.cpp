//===- AsyncProducts.cpp - products that run on their own (wgmma) ---------===//
//
// A product is one piece of assembly: fence, instructions, commit. No copy of
// an accumulator can then come between two instructions, which would make the
// assembler run them one by one. The wait takes the accumulator, and the
// registers that the unit still reads, and gives the accumulator back, so that
// nothing uses either in between.
//
//===----------------------------------------------------------------------===//

#include "MatrixDescriptor.h"
#include "Products.h"
#include "RegisterAssembly.h"
#include "SharedPlace.h"

#include "smx/NVVM/Chip.h"

#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/LoopLikeInterface.h"
#include "llvm/Support/FormatVariadic.h"

namespace mlir::smx {

using ::smx::gpu::MatrixDescriptor;

/// Rows of an instruction.
static constexpr int64_t warpgroupRows = 64;

static std::string number(int64_t i) { return "$" + std::to_string(i); }

/// "{$first, $first+1, ..}"
static std::string listOf(int64_t first, int64_t count) {
  std::string text = "{";
  for (int64_t i = 0; i < count; ++i)
    text += (i ? ", " : "") + number(first + i);
  return text + "}";
}

static SmallVector<Value> registersOf(ThreadCode &code, Value tile) {
  int64_t count = cast<VectorType>(tile.getType()).getNumElements();
  return llvm::map_to_vector(
      llvm::seq(count), [&](int64_t i) { return code.getRegister(tile, i); });
}

/// A tile of 16-bit elements as 32-bit words.
static SmallVector<Value> wordsOf(ThreadCode &code, Value tile) {
  int64_t count = cast<VectorType>(tile.getType()).getNumElements();
  SmallVector<Value> words;
  for (int64_t i = 0; i < count; i += 2)
    words.push_back(LLVM::BitcastOp::create(code, code.getI32Type(),
                                            code.getRegisters(tile, i, 2)));
  return words;
}

namespace {
/// The low word of the descriptor of a tile: a number of the thread plus a
/// constant, which the steps add to theirs. Addresses in shared memory leave no
/// carry, so all tiles start from the same number, that of its first byte.
struct LowWord {
  LowWord(ThreadCode &code, const MatrixDescriptor &descriptor, Value tile) {
    SharedPlace place(tile);
    constant = place.constant / MatrixDescriptor::unit + descriptor.lowBits();
    number = LLVM::AndOp::create(
        code,
        code.quotient(code.addressBits(place.base), MatrixDescriptor::unit),
        code.i32(MatrixDescriptor::addressMask));
    if (place.distance)
      number = code.add(number,
                        code.quotient(place.distance, MatrixDescriptor::unit));
  }

  Value number;
  int64_t constant;
};
} // namespace

namespace {
/// A product on the asynchronous matrix unit, of converted operands.
struct WarpgroupProduct {
  template <typename OpTy>
  WarpgroupProduct(OpTy op, typename OpTy::Adaptor operands)
      : a(operands.getA()), b(operands.getB()), acc(operands.getAcc()),
        sharedA(dyn_cast<gpu::SharedType>(op.getA().getType())),
        sharedB(op.getB().getType()), isBTransposed(op.getTransposeB()) {
    auto result = cast<RankedTensorType>(op.getResult().getType());
    columns = result.getDimSize(1);
    blocks = result.getDimSize(0) / warpgroupRows;
  }

  /// No accumulator: the product starts from zero.
  Value a, b, acc;
  /// Null where `a` is in registers.
  gpu::SharedType sharedA;
  gpu::SharedType sharedB;
  bool isBTransposed;
  /// i1: nothing is multiplied. Null if there is no such case.
  Value isLeftOut;
  /// Threads wrote an operand, whose writes the unit does not see by itself.
  bool fencesProxies = false;
  /// Columns, and blocks of 64 rows.
  int64_t columns, blocks;
};

/// The assembly of a product, step by step.
class ProductAssembly {
public:
  explicit ProductAssembly(const WarpgroupProduct &product)
      : product(product), b{sharedTileOf(product.sharedB),
                            product.isBTransposed},
        type(product.sharedB.getElementType().isF16() ? "f16" : "bf16"),
        reduced(product.isBTransposed ? b.tile.columns : b.tile.rows) {
    if (product.sharedA)
      a = MatrixDescriptor{sharedTileOf(product.sharedA),
                           /*isReducedContiguous=*/true};
  }

  /// The accumulator, which is not to be used before a wait.
  Value emit(ThreadCode &code) {
    RegisterAssembly assembly(product.blocks * product.columns / 2);
    if (a) {
      LowWord low(code, *a, product.a);
      firstA = assembly.addInputs(low.number);
      constantA = low.constant;
    } else {
      firstA = assembly.addInputs(wordsOf(code, product.a));
    }
    LowWord low(code, b, product.b);
    firstB = assembly.addInputs(low.number);
    constantB = low.constant;
    if (product.isLeftOut) {
      Value word =
          LLVM::ZExtOp::create(code, code.getI32Type(), product.isLeftOut);
      leftOut = assembly.addInputs(word);
    }
    if (product.acc)
      assembly.tie(registersOf(code, product.acc));
    return code.fromRegisters(assembly.emit(code, text()));
  }

private:
  std::string text() const {
    std::string text = "{ .reg .b32 x, y;\n.reg .b64 da, db;\n";
    if (product.fencesProxies)
      text += "fence.proxy.async.shared::cta;\n";
    if (product.isLeftOut)
      text += ".reg .pred none;\nsetp.ne.b32 none, " + number(leftOut) +
              ", 0;\n@none bra.uni behind;\n";
    text += "wgmma.fence.sync.aligned;\n";
    for (int64_t k = 0; k < reduced; k += MatrixDescriptor::depth) {
      text += descriptor(b, firstB, constantB,
                         product.isBTransposed ? ::smx::gpu::Coordinate{0, k}
                                               : ::smx::gpu::Coordinate{k, 0},
                         "y", "db");
      for (int64_t block = 0; block < product.blocks; ++block)
        text += instruction(block, k);
    }
    text += "wgmma.commit_group.sync.aligned;";
    // A wait counts groups of products: there is one in either case, but where
    // it is empty the assembler puts an instruction into it, and that is to be
    // in no other round.
    if (product.isLeftOut)
      text += "\nbra.uni done;\nbehind:\nwgmma.fence.sync.aligned;\n"
              "wgmma.commit_group.sync.aligned;\ndone:";
    return text + " }";
  }

  /// Makes the descriptor `name` of the part of a tile from `at` on.
  static std::string descriptor(const MatrixDescriptor &operand, int64_t low,
                                int64_t constant, ::smx::gpu::Coordinate at,
                                StringRef word, StringRef name) {
    return llvm::formatv("add.s32 {0}, ${1}, {2};\nmov.b64 {3}, {{{0}, {4}};\n",
                         word, low, constant + operand.step(at), name,
                         operand.highBits())
        .str();
  }

  std::string instruction(int64_t block, int64_t k) const {
    int64_t count = product.columns / 2;
    std::string text, first;
    if (a) {
      text = descriptor(*a, firstA, constantA, {block * warpgroupRows, k}, "x",
                        "da");
      first = "da";
    } else {
      int64_t words = reduced / 4;
      first =
          listOf(firstA + block * words + k / MatrixDescriptor::depth * 4, 4);
    }
    bool accumulates = product.acc || k != 0;
    text += llvm::formatv("wgmma.mma_async.sync.aligned.m64n{0}k16.f32.{1}.{1} "
                          "{2}, {3}, db, {4}, 1, 1{5}, {6};\n",
                          product.columns, type, listOf(block * count, count),
                          first, accumulates ? 1 : 0, a ? ", 0" : "",
                          product.isBTransposed ? 0 : 1)
                .str();
    return text;
  }

  const WarpgroupProduct &product;
  /// Nothing where a is in registers.
  std::optional<MatrixDescriptor> a;
  MatrixDescriptor b;
  StringRef type;
  int64_t reduced, firstA = 0, firstB = 0, leftOut = 0;
  /// What is added to the descriptors' numbers in every step.
  int64_t constantA = 0, constantB = 0;
};
} // namespace

/// The accumulator once all but `pending` products are done. `held` are
/// registers that the unit reads until here.
static Value waitForProducts(ThreadCode &code, Value tile, int64_t pending,
                             ArrayRef<Value> held) {
  SmallVector<Value> sums = registersOf(code, tile);
  RegisterAssembly assembly(sums.size());
  assembly.addInputs(held);
  assembly.tie(sums);
  std::string text =
      "wgmma.wait_group.sync.aligned " + std::to_string(pending) + ";";
  return code.fromRegisters(assembly.emit(code, text));
}

//===----------------------------------------------------------------------===//
// mma_async and wait
//===----------------------------------------------------------------------===//

namespace {
struct LowerMmaAsync : TilePattern<gpu::MmaAsyncOp> {
  using TilePattern::TilePattern;

  LogicalResult
  matchAndRewrite(gpu::MmaAsyncOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    if (!chipOf(op).hasWarpgroupProducts())
      return op.emitOpError("needs the matrix unit of sm_90a; on other chips "
                            "'smx_gpu.mma' multiplies, all warps in step");
    WarpgroupProduct product(op, adaptor);
    if (product.columns > MatrixDescriptor::mostColumns)
      return op.emitOpError() << "has " << product.columns
                              << " columns; an instruction has at most "
                              << MatrixDescriptor::mostColumns
                              << ", and two products do for more";
    if (op.getZero())
      product.acc = Value();
    product.isLeftOut = adaptor.getUnless();
    product.fencesProxies = plan.readsGenericWrites(op);
    ThreadCode code(rewriter, op, plan);
    // Groups retire in order: a wait needs no more than their number.
    rewriter.replaceOp(op, {ProductAssembly(product).emit(code), code.i32(0)});
    return success();
  }
};

struct LowerNotFinite : TilePattern<gpu::NotFiniteOp> {
  using TilePattern::TilePattern;

  LogicalResult
  matchAndRewrite(gpu::NotFiniteOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    ThreadCode code(rewriter, op, plan);
    rewriter.replaceOp(
        op, isAnyNotFinite(code, op.getTile().getType(), adaptor.getTile()));
    return success();
  }
};

struct LowerWait : TilePattern<gpu::WaitOp> {
  using TilePattern::TilePattern;

  LogicalResult
  matchAndRewrite(gpu::WaitOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    ThreadCode code(rewriter, op, plan);
    SmallVector<Value> held;
    auto product = op.getToken().getDefiningOp<gpu::MmaAsyncOp>();
    for (; product; product = product.getAcc().getDefiningOp<gpu::MmaAsyncOp>())
      if (isa<RankedTensorType>(product.getA().getType()))
        llvm::append_range(
            held, wordsOf(code, rewriter.getRemappedValue(product.getA())));
    rewriter.replaceOp(
        op, waitForProducts(code, adaptor.getTile(), op.getPending(), held));
    return success();
  }
};

} // namespace

//===----------------------------------------------------------------------===//
// mma
//===----------------------------------------------------------------------===//

/// True for an operand in registers that the rounds of a loop share. ptxas
/// (13.0 at least) may give its registers to the first operand of another
/// product, weights for example: it is right in the first round alone.
static bool mayBeLostInRounds(gpu::MmaOp op) {
  auto loop = op->getParentOfType<LoopLikeOpInterface>();
  return isa<RankedTensorType>(op.getA().getType()) && loop &&
         loop.isDefinedOutsideOfLoop(op.getA());
}

bool isOfWarpgroup(gpu::MmaOp op, const KernelPlan &plan) {
  auto layout = cast<gpu::FragmentAttr>(
      cast<RankedTensorType>(op.getResult().getType()).getEncoding());
  gpu::SharedType b = op.getB().getType();
  auto sharedA = dyn_cast<gpu::SharedType>(op.getA().getType());
  bool isSwizzled = b.getSwizzle() && (!sharedA || sharedA.getSwizzle());
  constexpr int64_t warpgroup = 4;
  return chipOf(op).hasWarpgroupProducts() && isSwizzled &&
         b.getElementType().getIntOrFloatBitWidth() == 16 &&
         layout.getWarps() == warpgroup &&
         plan.team(op).firstWarp % warpgroup == 0 &&
         op.getAcc().getType().getDimSize(1) <= MatrixDescriptor::mostColumns &&
         !mayBeLostInRounds(op);
}

namespace {
/// A product of one warpgroup in step: issued and waited for.
struct LowerMmaByWarpgroup : TilePattern<gpu::MmaOp> {
  using TilePattern::TilePattern;

  LogicalResult
  matchAndRewrite(gpu::MmaOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    WarpgroupProduct product(op, adaptor);
    if (!isOfWarpgroup(op, plan))
      return rewriter.notifyMatchFailure(op, "not for the unit of a warpgroup");
    ThreadCode code(rewriter, op, plan);
    product.fencesProxies = plan.readsGenericWrites(op);
    if (matchPattern(op.getAcc(), m_AnyZeroFloat()))
      product.acc = Value();
    // What a guard needs is decided before: afterwards the accumulator is lost,
    // and there are no registers for a second one.
    auto multiplyAll = [&] { return multiply(code, product); };
    rewriter.replaceOp(
        op, op.getGuarded()
                ? multiplyGuarded(code, TileProduct(op, adaptor), multiplyAll)
                : multiplyAll());
    return success();
  }

private:
  static Value multiply(ThreadCode &code, const WarpgroupProduct &product) {
    SmallVector<Value> held;
    if (!product.sharedA)
      held = wordsOf(code, product.a);
    return waitForProducts(code, ProductAssembly(product).emit(code),
                           /*pending=*/0, held);
  }
};
} // namespace

void populateAsyncProductPatterns(const TileTypeConverter &converter,
                                  const KernelPlan &plan,
                                  RewritePatternSet &patterns) {
  patterns.add<LowerMmaAsync, LowerNotFinite, LowerWait>(converter, plan);
  patterns.add<LowerMmaByWarpgroup>(converter, plan, /*benefit=*/2);
}

} // namespace mlir::smx
