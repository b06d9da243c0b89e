//===- Largest.cpp - the largest elements of a row ------------------------===//
//
// Cut a row into disjoint sets of elements: the k-th largest of their maxima is
// not above the k-th largest element. So what is not below that bound has the k
// largest, and if there are 2k sets or more, few others. The threads' maxima,
// of some lanes together, are the maxima of such sets. The few threads that
// have an element not below the bound hand in all of their elements through
// shared memory: so no code is there once for each register. One warp lists the
// elements that are not below the bound, and places each by how many are
// larger. Equal elements may be more than the list holds: then all threads look
// for the largest k times in what was handed in.
//
//===----------------------------------------------------------------------===//

#include "Largest.h"

#include "Candidates.h"
#include "LargestOfRow.h"
#include "WarpExchange.h"

#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

namespace mlir::smx {
using ::smx::gpu::warpThreads;

/// Of the registers, NaN if one is; 16-bit ones two at a time.
Value LargestOfRow::maximum() {
  int64_t count = plan.registers;
  bool inPairs =
      cast<VectorType>(tile.getType()).getElementTypeBitWidth() == 16 &&
      count % 2 == 0;
  SmallVector<Value> values;
  for (int64_t i = 0; i < count; i += inPairs ? 2 : 1)
    values.push_back(inPairs ? code.getRegisters(tile, i, 2)
                             : code.getRegister(tile, i));
  // As many running ones as hide the latency of a step.
  constexpr size_t running = 4;
  for (size_t i = running; i < values.size(); ++i)
    values[i % running] =
        combine(code, gpu::Combiner::Maximum, values[i % running], values[i]);
  values.truncate(std::min(values.size(), running));
  Value all = values.front();
  for (Value value : ArrayRef(values).drop_front())
    all = combine(code, gpu::Combiner::Maximum, all, value);
  if (!inPairs)
    return all;
  return combine(code, gpu::Combiner::Maximum, code.getRegister(all, 0),
                 code.getRegister(all, 1));
}

/// The order of the k-th largest maximum of the sets.
Value LargestOfRow::boundOf(Value order) {
  SmallVector<Value> maxima;
  if (plan.warps() == 1) {
    maxima.push_back(order);
  } else {
    for (int64_t step = 1; step < plan.together; step *= 2)
      order = maximumOfWords(order, exchange(code, order, step));
    Value isFirst = compare(LLVM::ICmpPredicate::eq,
                            code.remainder(inRow, plan.together), code.i32(0));
    code.when(isFirst, [&] {
      store(order, at(plan.maxima(), code.quotient(inRow, plan.together), 4));
    });
    meet();
    for (int64_t i = 0; i < plan.sets(); i += warpThreads) {
      Value number = code.add(code.lane(), code.i32(i));
      auto read = [&] {
        return load(code.getI32Type(), at(plan.maxima(), number, 4));
      };
      maxima.push_back(
          i + warpThreads <= plan.sets()
              ? read()
              : code.choose(code.getI32Type(),
                            code.less(number, code.i32(plan.sets())), read,
                            [&] { return code.i32(0); }));
    }
  }
  return kthOf(maxima);
}

/// Takes the largest out, with all that are equal to it, until k are out.
Value LargestOfRow::kthOf(ArrayRef<Value> orders) {
  Type type = code.getI32Type();
  SmallVector<Value> start(orders);
  start.append(2, code.i32(0)); // how many are out, and the last one
  SmallVector<Type> types(start.size(), type);
  auto loop = scf::WhileOp::create(
      code, types, start,
      [&](OpBuilder &, Location, ValueRange state) {
        Value isShort = code.less(state[orders.size()], code.i32(plan.count));
        scf::ConditionOp::create(code, isShort, state);
      },
      [&](OpBuilder &, Location, ValueRange state) {
        SmallVector<Value> left(state.take_front(orders.size()));
        Value mine = left.front(), out = state[orders.size()];
        for (Value other : ArrayRef(left).drop_front())
          mine = maximumOfWords(mine, other);
        Value largest = warpMaximum(code, mine);
        for (Value &order : left) {
          Value goes = compare(LLVM::ICmpPredicate::eq, order, largest);
          out = code.add(out, countOf(ballot(goes)));
          order = LLVM::SelectOp::create(code, goes, code.i32(0), order);
        }
        left.append({out, largest});
        scf::YieldOp::create(code, left);
      });
  return loop.getResults().back();
}

/// A thread that has an element not below the bound hands in all it has.
void LargestOfRow::handIn(Value order, Value bound, Value firstColumn) {
  code.when(compare(LLVM::ICmpPredicate::uge, order, bound), [&] {
    Value slot =
        LLVM::AtomicRMWOp::create(code, LLVM::AtomicBinOp::add, scratch,
                                  code.i32(1), LLVM::AtomicOrdering::monotonic);
    int64_t bytes = plan.elementBytes(), all = plan.registers * bytes,
            piece = std::min<int64_t>(all & -all, 16);
    for (int64_t at = 0; at < all; at += piece)
      LLVM::StoreOp::create(code,
                            code.getRegisters(tile, at / bytes, piece / bytes),
                            code.advance(slotOf(slot), at), piece);
    store(firstColumn, code.advance(slotOf(slot), plan.columnOfSlot()));
  });
}

Value LargestOfRow::result(Value rank) {
  return load(code.getI64Type(), at(plan.results(), rank, 8));
}

Value LargestOfRow::rankOfThread(int64_t first) {
  return LLVM::UMinOp::create(code, code.add(inRow, code.i32(first)),
                              code.i32(plan.count - 1));
}

void LargestOfRow::find(Value firstColumn) {
  // What used the scratch before is over.
  code.groupBarrier();
  code.when(isFirstOfRow(), [&] { store(code.i32(0), scratch); });
  // Of fewer sets, all elements are candidates.
  Value order = code.i32(0), bound = order;
  if (plan.isScreened()) {
    order = orderOf(code, maximum());
    bound = boundOf(order);
  }
  if (plan.warps() == 1 || !plan.isScreened())
    meet();
  handIn(order, bound, firstColumn);
  meet();
  searchList(bound);
  meet();
  Value isTooLong = LLVM::XOrOp::create(
      code, fitsList(mostListed()),
      LLVM::ConstantOp::create(code, code.getI1Type(), code.getBoolAttr(true)));
  code.when(isTooLong, [&] {
    searchAll();
    meet();
  });
}

int64_t largestScratchBytes(Operation *op) {
  auto largest = dyn_cast<gpu::LargestOp>(op);
  return largest ? LargestPlan(largest).allBytes() : 0;
}

namespace {
struct LowerLargest : TilePattern<gpu::LargestOp> {
  using TilePattern::TilePattern;

  LogicalResult
  matchAndRewrite(gpu::LargestOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    auto tile = cast<RankedTensorType>(op.getTile().getType());
    RankedTensorType slice = op.getSliceType();
    ThreadCode code(rewriter, op, plan);
    LargestPlan largest(op);
    int64_t bytes = llvm::alignTo(largestScratchBytes(op), 16);
    Value scratch = code.advance(code.shared(plan.scratch(op)),
                                 code.mul(code.group(), code.i32(bytes)));
    Value row = code.threadPart(slice).row,
          firstColumn = code.threadPart(tile).column;
    int64_t rows = gpu::getRegisterCount(slice), registers = largest.registers;
    int64_t tiles = op.getValues().size();
    SmallVector<SmallVector<Value>> results(2 * tiles);
    for (int64_t i : llvm::seq(rows)) {
      // Registers go along a row first.
      LargestOfRow ofRow(
          code, largest, row, scratch,
          code.getRegisters(adaptor.getTile(), i * registers, registers));
      ofRow.find(firstColumn);
      auto give = [&](int64_t number, Value rank) {
        Value candidate = ofRow.result(rank);
        results[number].push_back(
            elementOf(code, candidate, tile.getElementType()));
        results[tiles + number].push_back(columnOf(code, candidate));
      };
      if (!op.getRanks()) {
        for (int64_t rank : llvm::seq(largest.count))
          give(rank, code.i32(rank));
        continue;
      }
      auto ranks = cast<RankedTensorType>(op.getValues().front().getType());
      for (int64_t first = 0; first < ranks.getDimSize(1);
           first += largest.threads)
        give(0, ofRow.rankOfThread(first));
    }
    rewriter.replaceOp(op, llvm::map_to_vector(results, [&](auto &registers) {
                         return code.fromRegisters(registers);
                       }));
    return success();
  }
};
} // namespace

void populateLargestPatterns(const TileTypeConverter &converter,
                             const KernelPlan &plan,
                             RewritePatternSet &patterns) {
  patterns.add<LowerLargest>(converter, plan);
}

} // namespace mlir::smx
