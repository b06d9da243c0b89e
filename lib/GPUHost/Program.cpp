//===- Program.cpp - a body, looked up once -------------------------------===//

#include "Program.h"

#include "smx/GPU/RowCopy.h"
#include "smx/IR/ElementBits.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;
using namespace mlir::smx;
using namespace mlir::smx::gpuhost;

static const HandlerTable &getHandlers() {
  static const HandlerTable table = [] {
    HandlerTable table;
    for (auto *add :
         {addControlFlow, addMemoryOps, addTileOps, addLargest, addSlidRows,
          addProducts, addSharedTileOps, addChannelOps, addTensorStores,
          addMeetingOps, addOrderOps, addPartOps, addBlockOps, addLaunches})
      add(table);
    return table;
  }();
  return table;
}

//===----------------------------------------------------------------------===//
// Arithmetic
//===----------------------------------------------------------------------===//

llvm::Expected<TilePtr>
mlir::smx::gpuhost::getTile(const Step &step, Group &group, unsigned operand) {
  const TilePtr &tile = get<TilePtr>(step, group, operand);
  if (const ProductPtr &product = tile->runningProduct)
    return errorAt(step.op, "reads the accumulator of the product at " +
                                placeOf(product->op) +
                                " before it was waited for");
  return tile;
}

static llvm::Error runScalar(const Step &step, Group &group) {
  SmallVector<const Slot *, 3> operands;
  for (unsigned slot : step.in)
    operands.push_back(&std::get<Slot>(group.frame[slot]));
  Slot result;
  mlir::smx::execute(step.instruction, operands.data(), &result, 1);
  setResult(step, group, result);
  return llvm::Error::success();
}

static llvm::Error runElementwise(const Step &step, Group &group) {
  SmallVector<TilePtr, 3> tiles;
  SmallVector<const Slot *, 3> operands;
  for (unsigned i = 0; i < step.in.size(); ++i) {
    auto tile = getTile(step, group, i);
    if (!tile)
      return tile.takeError();
    tiles.push_back(*tile);
    operands.push_back((*tile)->elements.data());
  }
  auto result = makeTile(step.elements);
  mlir::smx::execute(step.instruction, operands.data(), result->elements.data(),
                     step.elements);
  setResult(step, group, TilePtr(std::move(result)));
  return llvm::Error::success();
}

/// A choice between whole values.
static llvm::Error runChoice(const Step &step, Group &group) {
  setResult(step, group,
            group.frame[step.in[getInteger(step, group, 0) ? 1 : 2]]);
  return llvm::Error::success();
}

static llvm::Error runConstant(const Step &step, Group &group) {
  setResult(step, group, step.constant);
  return llvm::Error::success();
}

/// The value of a constant, or nothing for a kind that is not known.
static std::optional<HostValue> readConstant(arith::ConstantOp op) {
  if (std::optional<Slot> scalar = readScalar(op.getValue()))
    return *scalar;
  auto dense = dyn_cast<DenseElementsAttr>(op.getValue());
  if (!dense)
    return std::nullopt;
  auto tile = std::make_shared<Tile>();
  if (dense.isSplat())
    tile->elements.resize(dense.getNumElements(),
                          *readScalar(dense.getSplatValue<Attribute>()));
  else
    for (Attribute element : dense.getValues<Attribute>())
      tile->elements.push_back(*readScalar(element));
  return TilePtr(std::move(tile));
}

//===----------------------------------------------------------------------===//
// Compilation
//===----------------------------------------------------------------------===//

namespace {
class Compiler {
public:
  llvm::Expected<Program> compile(Region &region);

private:
  llvm::Error compile(Block &block, Code &code);
  llvm::Error compile(Operation *op, Step &step);
  llvm::Expected<Handler> findHandler(Operation *op, Step &step);
  unsigned define(Value value) { return slots[value] = slots.size(); }

  DenseMap<Value, unsigned> slots;
};
} // namespace

/// True if the op's result need not be rounded: it may be contracted with all
/// that use it, up to an exponential. The lowering to a GPU does so in f32,
/// where rounding a difference would cost the exponential its last digits.
static bool mayStayUnrounded(Operation *op) {
  auto flags = dyn_cast<arith::ArithFastMathInterface>(op);
  if (!isa<arith::SubFOp, arith::MulFOp, math::FmaOp>(op) ||
      !arith::bitEnumContainsAll(flags.getFastMathFlagsAttr().getValue(),
                                 arith::FastMathFlags::contract))
    return false;
  return llvm::all_of(op->getUsers(), [](Operation *user) {
    return isa<math::ExpOp, math::Exp2Op>(user) ||
           (isa<arith::MulFOp, math::FmaOp>(user) && mayStayUnrounded(user));
  });
}

llvm::Expected<Handler> Compiler::findHandler(Operation *op, Step &step) {
  auto found = getHandlers().find(op->getName().getStringRef());
  if (found != getHandlers().end())
    return found->second;
  if (auto constant = dyn_cast<arith::ConstantOp>(op)) {
    if (std::optional<HostValue> value = readConstant(constant)) {
      step.constant = std::move(*value);
      return runConstant;
    }
    return errorAt(op, "has a kind of constant that is not supported");
  }
  std::optional<Instruction> instruction = lookUpScalarOp(
      op, mayStayUnrounded(op) ? Rounding::None : Rounding::AsTyped);
  if (!instruction)
    return errorAt(op, "is not known to host execution");
  step.instruction = std::move(*instruction);
  if (isa<arith::SelectOp>(op) && !isa<ShapedType>(op->getOperand(0).getType()))
    return runChoice;
  auto tile = dyn_cast<RankedTensorType>(op->getResult(0).getType());
  if (!tile)
    return runScalar;
  step.elements = tile.getNumElements();
  return runElementwise;
}

/// Which warps read the elements of a shared `a`: those that hold the row of
/// the result.
static std::shared_ptr<const WarpMap> findProductWarps(gpu::MmaOp op) {
  auto a = dyn_cast<gpu::SharedType>(op.getA().getType());
  auto result = dyn_cast<RankedTensorType>(op.getResult().getType());
  if (!a || !gpu::getLayout(result))
    return nullptr;
  WarpMap ofResult = getWarpMap(result);
  const int64_t depth = a.getShape()[1], columns = result.getDimSize(1);
  auto warps = std::make_shared<WarpMap>();
  for (int64_t r = 0; r < result.getDimSize(0); ++r)
    warps->insert(warps->end(), depth, ofResult[r * columns]);
  return warps;
}

/// The warps that copy a row by threads, in their order.
static std::shared_ptr<const WarpMap> findCopyWarps(gpu::CopyOp op) {
  int64_t count = op->getParentOfType<gpu::KernelOp>().getWarps();
  if (op->getParentOfType<gpu::RoleOp>() ||
      !gpu::copiesByThreads(op, count * ::smx::gpu::warpThreads))
    return nullptr;
  gpu::SharedType type = op.getShared().getType();
  int64_t bytes = elementBytes(type.getElementType());
  auto warps = std::make_shared<WarpMap>();
  for (int64_t i = 0; i < type.getShape()[1]; ++i)
    warps->push_back(i * bytes / gpu::rowCopyBytes / ::smx::gpu::warpThreads %
                     count);
  return warps;
}

/// Which warps read or write the elements of the shared tile of `op`.
static std::shared_ptr<const WarpMap> findWarps(Operation *op) {
  RankedTensorType tile;
  if (auto product = dyn_cast<gpu::MmaOp>(op))
    return findProductWarps(product);
  if (auto copy = dyn_cast<gpu::CopyOp>(op))
    return findCopyWarps(copy);
  if (auto read = dyn_cast<gpu::ReadOp>(op))
    tile = dyn_cast<RankedTensorType>(read.getTile().getType());
  else if (auto write = dyn_cast<gpu::WriteOp>(op))
    tile = dyn_cast<RankedTensorType>(write.getTile().getType());
  if (!tile || !gpu::getLayout(tile))
    return nullptr;
  return std::make_shared<const WarpMap>(getWarpMap(tile));
}

llvm::Error Compiler::compile(Operation *op, Step &step) {
  step.op = op;
  auto handler = findHandler(op, step);
  if (!handler)
    return handler.takeError();
  step.run = *handler;
  step.warps = findWarps(op);
  for (Value operand : op->getOperands())
    step.in.push_back(slots.lookup(operand));
  if (auto launch = dyn_cast<gpu::LaunchOp>(op)) {
    auto kernel = SymbolTable::lookupNearestSymbolFrom<gpu::KernelOp>(
        op, launch.getKernelAttr());
    if (!kernel)
      return errorAt(op, "launches '" + launch.getKernel() +
                             "', which is no kernel of this module");
    auto program = compileKernel(kernel);
    if (!program)
      return program.takeError();
    step.kernel = std::move(*program);
  }
  // Roles see nothing of this body, and have programs of their own.
  if (auto specialize = dyn_cast<gpu::WarpSpecializeOp>(op)) {
    for (auto role : specialize.getBody().getOps<gpu::RoleOp>())
      for (Value capture : role.getCaptures())
        step.roleCaptures[role].push_back(slots.lookup(capture));
  } else {
    for (Region &region : op->getRegions()) {
      Code &code = step.regions.emplace_back();
      if (region.empty())
        continue;
      if (!llvm::hasSingleElement(region))
        return errorAt(op, "has more than one block in a region; host "
                           "execution needs structured control flow");
      if (llvm::Error error = compile(region.front(), code))
        return error;
    }
  }
  for (Value result : op->getResults())
    step.out.push_back(define(result));
  return llvm::Error::success();
}

llvm::Error Compiler::compile(Block &block, Code &code) {
  for (BlockArgument argument : block.getArguments())
    code.arguments.push_back(define(argument));
  for (Operation &op : block) {
    if (op.hasTrait<OpTrait::IsTerminator>()) {
      for (Value value : op.getOperands())
        code.yields.push_back(slots.lookup(value));
      continue;
    }
    Step step;
    if (llvm::Error error = compile(&op, step))
      return error;
    code.steps.push_back(std::move(step));
  }
  return llvm::Error::success();
}

llvm::Expected<Program> Compiler::compile(Region &region) {
  Program program;
  if (!llvm::hasSingleElement(region))
    return errorAt(region.getParentOp(),
                   "has " + Twine(region.getBlocks().size()) +
                       " blocks; host execution needs exactly one");
  if (llvm::Error error = compile(region.front(), program.code))
    return error;
  program.numSlots = slots.size();
  return program;
}

llvm::Expected<Program> mlir::smx::gpuhost::compileFunction(Region &body) {
  return Compiler().compile(body);
}

llvm::Expected<std::shared_ptr<const KernelProgram>>
mlir::smx::gpuhost::compileKernel(gpu::KernelOp kernel) {
  auto result = std::make_shared<KernelProgram>();
  result->op = kernel;
  auto body = Compiler().compile(kernel.getBody());
  if (!body)
    return body.takeError();
  result->body = std::move(*body);
  for (auto specialize : kernel.getBody().getOps<gpu::WarpSpecializeOp>())
    for (auto role : specialize.getBody().getOps<gpu::RoleOp>()) {
      auto program = Compiler().compile(role.getBody());
      if (!program)
        return program.takeError();
      result->roles.push_back({role, std::move(*program)});
    }
  auto users = findChannelUsers(kernel);
  if (!users)
    return users.takeError();
  result->channelUsers = std::move(*users);
  return std::shared_ptr<const KernelProgram>(std::move(result));
}
