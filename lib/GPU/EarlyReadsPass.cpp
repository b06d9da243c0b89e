//===- EarlyReadsPass.cpp - terms of scores come under the products -------===//

#include "LoopRegisters.h"

#include "smx/GPU/Passes.h"
#include "smx/GPU/SmxGpu.h"
#include "smx/IR/OptionBounds.h"

#include "mlir/Analysis/SliceAnalysis.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/Remarks.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/Support/MathExtras.h"

#include <set>

namespace mlir::smx::gpu {
#define GEN_PASS_DEF_EARLYREADSPASS
#include "smx/GPU/Passes.h.inc"
} // namespace mlir::smx::gpu

using namespace mlir;
using namespace mlir::smx::gpu;

namespace {
/// What a tile of places grows by from one row, and from one column, to the
/// next.
struct Steps {
  int64_t row = 0, column = 0;
};

/// The rounds of a role that wait for products.
class Rounds {
public:
  static std::optional<Rounds> match(scf::ForOp loop);
  int64_t countRegisters() { return registersOfRounds(loop); }
  /// The reads behind the first wait that can stand in front of it, with what
  /// they need of it, in order.
  SmallVector<llvm::SetVector<Operation *>> findReads();

  WaitOp wait;

private:
  scf::ForOp loop;
};
} // namespace

static std::optional<Steps> stepsOf(Value places) {
  if (auto op = places.getDefiningOp<PositionOp>()) {
    SliceAttr slice = getSlice(op.getTile().getType());
    bool isColumn = slice ? slice.getDim() == 0 : op.getDim() == 1;
    return isColumn ? Steps{0, 1} : Steps{1, 0};
  }
  if (auto op = places.getDefiningOp<BroadcastOp>())
    return stepsOf(op.getValues());
  if (places.getDefiningOp<tensor::SplatOp>() ||
      places.getDefiningOp<arith::ConstantOp>())
    return Steps();
  // Where all elements are there, or none.
  if (auto choice = places.getDefiningOp<arith::SelectOp>())
    if (choice.getCondition().getDefiningOp<tensor::SplatOp>() &&
        matchPattern(choice.getFalseValue(), m_Zero()))
      return stepsOf(choice.getTrueValue());
  Operation *op = places.getDefiningOp();
  if (!isa_and_nonnull<arith::AddIOp, arith::SubIOp>(op))
    return std::nullopt;
  std::optional<Steps> left = stepsOf(op->getOperand(0)),
                       right = stepsOf(op->getOperand(1));
  if (!left || !right)
    return std::nullopt;
  int64_t sign = isa<arith::AddIOp>(op) ? 1 : -1;
  return Steps{left->row + sign * right->row,
               left->column + sign * right->column};
}

/// What the places of a read grow by along each dimension of memory; nothing if
/// that is not known.
static std::optional<SmallVector<Steps>> stepsOfRead(Operation *read) {
  SmallVector<Steps> steps;
  if (auto load = dyn_cast<LoadOp>(read)) {
    ArrayRef<int64_t> dims = load.getDims();
    if (dims.size() != 2)
      return std::nullopt;
    return SmallVector<Steps>{{dims[0] != -1, 0}, {0, dims[1] != -1}};
  }
  for (Value index : cast<GatherOp>(read).getIndices()) {
    std::optional<Steps> found = stepsOf(index);
    if (!found)
      return std::nullopt;
    steps.push_back(*found);
  }
  return steps;
}

/// Registers of what is read: elements at the same place are one, whichever
/// places of the tile they are for. A gather has a register for each.
static int64_t registersOfRead(Operation *read) {
  auto tile = cast<RankedTensorType>(read->getResult(0).getType());
  int64_t all = getRegisterCount(tile);
  std::optional<SmallVector<Steps>> steps = stepsOfRead(read);
  if (!steps)
    return isa<GatherOp>(read) ? all : registersOf(tile);
  std::set<SmallVector<int64_t>> places;
  for (int64_t i : llvm::seq(all)) {
    ::smx::gpu::Coordinate at = getElement(tile, 0, i);
    places.insert(llvm::map_to_vector(*steps, [&](Steps step) {
      return step.row * at.row + step.column * at.column;
    }));
  }
  if (isa<GatherOp>(read))
    return places.size();
  return llvm::divideCeil(registersOf(tile) * int64_t(places.size()), all);
}

static bool isRead(Operation *op) { return isa<GatherOp, LoadOp>(op); }

std::optional<Rounds> Rounds::match(scf::ForOp loop) {
  auto waits = loop.getBody()->getOps<WaitOp>();
  if (waits.empty())
    return std::nullopt;
  Rounds found;
  found.loop = loop;
  found.wait = *waits.begin();
  return found;
}

SmallVector<llvm::SetVector<Operation *>> Rounds::findReads() {
  SmallVector<llvm::SetVector<Operation *>> found;
  BackwardSliceOptions options;
  options.inclusive = true;
  options.omitBlockArguments = true;
  options.filter = [&](Operation *op) {
    return op->getBlock() == loop.getBody();
  };
  for (Operation &op :
       llvm::make_range(wait->getIterator(), loop.getBody()->end())) {
    if (isRead(&op)) {
      llvm::SetVector<Operation *> slice;
      if (succeeded(getBackwardSlice(&op, &slice, options)) &&
          llvm::all_of(slice, [&](Operation *of) {
            return of == &op || (isMemoryEffectFree(of) && !isa<WaitOp>(of));
          }))
        found.push_back(std::move(slice));
    } else if (!isa<WaitOp, ReleaseOp, PassTurnOp>(op) &&
               !isMemoryEffectFree(&op)) {
      // What is written there may be what is read. A turn is one of products.
      break;
    }
  }
  return found;
}

namespace {
struct EarlyReadsPass
    : mlir::smx::gpu::impl::EarlyReadsPassBase<EarlyReadsPass> {
  using EarlyReadsPassBase::EarlyReadsPassBase;

  LogicalResult initialize(MLIRContext *context) override {
    return mlir::smx::checkOptions(
        context, {{"registers", registers}, {"reserve", reserve}});
  }

  void runOnOperation() override {
    getOperation().walk([&](RoleOp role) {
      if (int64_t(role.getRegisters()) >= registers)
        role.walk([&](scf::ForOp loop) {
          if (std::optional<Rounds> rounds = Rounds::match(loop))
            move(role, *rounds);
        });
    });
  }

  void move(RoleOp role, Rounds &rounds) {
    int64_t room =
        int64_t(role.getRegisters()) - rounds.countRegisters() - reserve;
    for (const llvm::SetVector<Operation *> &slice : rounds.findReads()) {
      Operation *read = slice.back();
      int64_t needed = registersOfRead(read);
      auto options = remark::RemarkOpts::name("EarlyReads")
                         .category("smx-gpu-early-reads");
      if (needed > room) {
        remark::missed(read->getLoc(), options)
            << "no room for what is read beside the products: "
            << remark::metric("needed", needed)
            << remark::metric("room", std::max<int64_t>(room, 0));
        continue;
      }
      remark::passed(read->getLoc(), options)
          << "comes while the products are under way: "
          << remark::metric("registers", needed);
      room -= needed;
      for (Operation *op : slice)
        if (rounds.wait->isBeforeInBlock(op))
          op->moveBefore(rounds.wait);
    }
  }
};
} // namespace
