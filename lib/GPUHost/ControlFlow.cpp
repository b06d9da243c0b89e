//===- ControlFlow.cpp - loops, branches, index maps ----------------------===//

#include "Program.h"
#include "smx/IR/AffineValue.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace mlir::smx;
using namespace mlir::smx::gpuhost;

llvm::Error mlir::smx::gpuhost::execute(const Code &code, Group &group) {
  for (const Step &step : code.steps)
    if (llvm::Error error = step.run(step, group))
      return error;
  return llvm::Error::success();
}

using Values = SmallVector<HostValue, 4>;

/// Copies, because what is assigned may be what is read.
static Values read(ArrayRef<unsigned> slots, Group &group) {
  Values values;
  for (unsigned slot : slots)
    values.push_back(group.frame[slot]);
  return values;
}

static void assign(ArrayRef<unsigned> slots, Values values, Group &group) {
  for (auto [slot, value] : llvm::zip_equal(slots, values))
    group.frame[slot] = std::move(value);
}

static llvm::Error runFor(const Step &step, Group &group) {
  const Code &body = step.regions.front();
  const int64_t end = getInteger(step, group, 1),
                stride = getInteger(step, group, 2);
  if (stride <= 0)
    return errorAt(step.op, "has a step of " + Twine(stride));
  assign(ArrayRef(body.arguments).drop_front(),
         read(ArrayRef(step.in).drop_front(3), group), group);
  for (int64_t i = getInteger(step, group, 0); i < end; i += stride) {
    if (llvm::Error error = group.machine.checkProgress(step.op))
      return error;
    group.frame[body.arguments.front()] = intSlot(i);
    if (llvm::Error error = execute(body, group))
      return error;
    assign(ArrayRef(body.arguments).drop_front(), read(body.yields, group),
           group);
  }
  assign(step.out, read(ArrayRef(body.arguments).drop_front(), group), group);
  return llvm::Error::success();
}

static llvm::Error runIf(const Step &step, Group &group) {
  const Code &taken = step.regions[getInteger(step, group, 0) ? 0 : 1];
  if (llvm::Error error = execute(taken, group))
    return error;
  assign(step.out, read(taken.yields, group), group);
  return llvm::Error::success();
}

static llvm::Error runWhile(const Step &step, Group &group) {
  const Code &before = step.regions[0], &after = step.regions[1];
  assign(before.arguments, read(step.in, group), group);
  while (true) {
    if (llvm::Error error = group.machine.checkProgress(step.op))
      return error;
    if (llvm::Error error = execute(before, group))
      return error;
    const bool goesOn = std::get<Slot>(group.frame[before.yields.front()]).i;
    ArrayRef<unsigned> passed = ArrayRef(before.yields).drop_front();
    if (!goesOn) {
      assign(step.out, read(passed, group), group);
      return llvm::Error::success();
    }
    assign(after.arguments, read(passed, group), group);
    if (llvm::Error error = execute(after, group))
      return error;
    assign(before.arguments, read(after.yields, group), group);
  }
}

static llvm::Error runAssert(const Step &step, Group &group) {
  if (getInteger(step, group, 0))
    return llvm::Error::success();
  return errorAt(step.op, "fails: " + cast<cf::AssertOp>(step.op).getMsg());
}

//===----------------------------------------------------------------------===//
// Affine maps
//===----------------------------------------------------------------------===//

/// affine.apply, and affine.min and affine.max, which choose among results.
template <typename Op, bool takesMinimum = false>
static llvm::Error runAffine(const Step &step, Group &group) {
  AffineMap map = cast<Op>(step.op).getMap();
  SmallVector<std::optional<int64_t>> operands;
  for (unsigned i = 0; i < step.in.size(); ++i)
    operands.push_back(getInteger(step, group, i));
  ArrayRef<std::optional<int64_t>> all(operands);
  std::optional<int64_t> chosen;
  for (AffineExpr expression : map.getResults()) {
    std::optional<int64_t> value =
        affineValue(expression, all.take_front(map.getNumDims()),
                    all.drop_front(map.getNumDims()));
    if (!value)
      return errorAt(step.op,
                     "divides by less than 1, or takes more than 64 bits");
    chosen = !chosen        ? *value
             : takesMinimum ? std::min(*chosen, *value)
                            : std::max(*chosen, *value);
  }
  setResult(step, group, intSlot(*chosen));
  return llvm::Error::success();
}

void mlir::smx::gpuhost::addControlFlow(HandlerTable &table) {
  table["scf.for"] = runFor;
  table["scf.if"] = runIf;
  table["scf.while"] = runWhile;
  table["cf.assert"] = runAssert;
  table["affine.apply"] = runAffine<affine::AffineApplyOp>;
  table["affine.min"] = runAffine<affine::AffineMinOp, true>;
  table["affine.max"] = runAffine<affine::AffineMaxOp>;
}
