//===- ThreadCode.cpp - what one thread does for an op --------------------===//

#include "BranchSides.h"
#include "KernelLowering.h"

#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

namespace mlir::smx {
using ::smx::gpu::warpThreads;

Value ThreadCode::i32(int64_t value) {
  return LLVM::ConstantOp::create(*this, getI32Type(),
                                  getI32IntegerAttr(value));
}

Value ThreadCode::i64(int64_t value) {
  return LLVM::ConstantOp::create(*this, getI64Type(),
                                  getI64IntegerAttr(value));
}

//===----------------------------------------------------------------------===//
// Who the thread is
//===----------------------------------------------------------------------===//

static Value threadOfTeam(ThreadCode &code) {
  Value thread = NVVM::ThreadIdXOp::create(code, code.getI32Type());
  int64_t first = code.team.firstWarp * warpThreads;
  return first ? code.add(thread, code.i32(-first)) : thread;
}

Value ThreadCode::thread() {
  Value thread = threadOfTeam(*this);
  return team.groups() == 1 ? thread : remainder(thread, team.groupThreads());
}

Value ThreadCode::lane() {
  Value thread = NVVM::ThreadIdXOp::create(*this, getI32Type());
  return remainder(thread, warpThreads);
}

Value ThreadCode::warp() { return quotient(thread(), warpThreads); }

Value ThreadCode::group() {
  if (team.groups() == 1)
    return i32(0);
  return quotient(add(uniformWarp(), i32(-team.firstWarp)), team.group);
}

Value ThreadCode::uniformWarp() {
  // One exchange at the start of the function serves all.
  auto function =
      getInsertionBlock()->getParentOp()->getParentOfType<LLVM::LLVMFuncOp>();
  if (!function)
    function = cast<LLVM::LLVMFuncOp>(getInsertionBlock()->getParentOp());
  Block &entry = function.getBody().front();
  constexpr llvm::StringLiteral isWarp = "smx.is_warp";
  for (auto exchange : entry.getOps<NVVM::ShflOp>())
    if (exchange->hasAttr(isWarp))
      return exchange;
  InsertionGuard guard(*this);
  setInsertionPointToStart(&entry);
  constexpr int64_t wholeWarp = 31;
  Value thread = NVVM::ThreadIdXOp::create(*this, getI32Type());
  auto exchange = NVVM::ShflOp::create(
      *this, getI32Type(), allLanes(), quotient(thread, warpThreads), i32(0),
      i32(wholeWarp), NVVM::ShflKind::idx, UnitAttr());
  exchange->setAttr(isWarp, getUnitAttr());
  return exchange;
}

Value ThreadCode::scratch(const KernelPlan &plan, Operation *op) {
  return advance(shared(plan.scratch(op)),
                 mul(group(), i32(plan.scratchStride(op))));
}

Value ThreadCode::isFirstLane() {
  return LLVM::ICmpOp::create(*this, LLVM::ICmpPredicate::eq, lane(), i32(0));
}

//===----------------------------------------------------------------------===//
// Arithmetic
//===----------------------------------------------------------------------===//

static Value constantLike(ThreadCode &code, Value like, int64_t value) {
  return like.getType().isInteger(32) ? code.i32(value) : code.i64(value);
}

Value ThreadCode::quotient(Value i, int64_t n) {
  if (n == 1)
    return i;
  if (llvm::isPowerOf2_64(n))
    return LLVM::LShrOp::create(*this, i,
                                constantLike(*this, i, llvm::Log2_64(n)));
  return LLVM::UDivOp::create(*this, i, constantLike(*this, i, n));
}

Value ThreadCode::remainder(Value i, int64_t n) {
  if (llvm::isPowerOf2_64(n))
    return LLVM::AndOp::create(*this, i, constantLike(*this, i, n - 1));
  return LLVM::URemOp::create(*this, i, constantLike(*this, i, n));
}

Value ThreadCode::add(Value a, Value b) {
  return LLVM::AddOp::create(*this, a, b, LLVM::IntegerOverflowFlags::nsw);
}

Value ThreadCode::mul(Value a, Value b) {
  return LLVM::MulOp::create(*this, a, b, LLVM::IntegerOverflowFlags::nsw);
}

Value ThreadCode::less(Value a, Value b) {
  return LLVM::ICmpOp::create(*this, LLVM::ICmpPredicate::slt, a, b);
}

Value ThreadCode::clamped(Value i, int64_t high) {
  Value least = LLVM::SMaxOp::create(*this, i, i64(0));
  Value most = LLVM::SMinOp::create(*this, least, i64(high));
  return LLVM::TruncOp::create(*this, getI32Type(), most);
}

//===----------------------------------------------------------------------===//
// Barriers, addresses, branches
//===----------------------------------------------------------------------===//

static void meet(ThreadCode &code, Value barrier, int64_t threads) {
  NVVM::BarrierOp::create(code, TypeRange(), barrier, code.i32(threads),
                          NVVM::BarrierReductionAttr(), Value());
}

void ThreadCode::teamBarrier() {
  if (team.barrier == 0)
    NVVM::Barrier0Op::create(*this);
  else
    meet(*this, i32(team.barrier), team.warps * warpThreads);
}

void ThreadCode::groupBarrier() {
  if (team.groups() == 1)
    return teamBarrier();
  meet(*this, groupBarrierNumber(), team.groupThreads());
}

void ThreadCode::warpBarrier() { NVVM::SyncWarpOp::create(*this, allLanes()); }

Value ThreadCode::isAnyOfGroup(Value isTrue) {
  Value barrier = team.groups() == 1 ? i32(team.barrier) : groupBarrierNumber();
  // nvvm.barrier reduces at barrier 0 alone.
  return LLVM::CallIntrinsicOp::create(
             *this, getI1Type(),
             getStringAttr("llvm.nvvm.barrier.cta.red.or.aligned.count"),
             ValueRange{barrier, i32(team.groupThreads()), isTrue})
      .getResult(0);
}

Value ThreadCode::groupBarrierNumber() {
  return add(group(), i32(team.groupBarrier));
}

Value ThreadCode::shared(int64_t offset) {
  auto pointer = LLVM::LLVMPointerType::get(getContext(), sharedSpace);
  Value start = LLVM::AddressOfOp::create(*this, pointer, sharedSymbol);
  return advance(start, offset);
}

Value ThreadCode::advance(Value base, Value bytes) {
  return LLVM::GEPOp::create(*this, base.getType(), getI8Type(), base,
                             ArrayRef<LLVM::GEPArg>{bytes});
}

Value ThreadCode::advance(Value base, int64_t bytes) {
  if (bytes == 0)
    return base;
  return llvm::isInt<32>(bytes)
             ? Value(LLVM::GEPOp::create(
                   *this, base.getType(), getI8Type(), base,
                   ArrayRef<LLVM::GEPArg>{static_cast<int32_t>(bytes)}))
             : advance(base, i64(bytes));
}

Value ThreadCode::addressBits(Value address) {
  return LLVM::PtrToIntOp::create(*this, getI32Type(), address);
}

Value ThreadCode::negated(Value condition) {
  Value yes = LLVM::ConstantOp::create(*this, getI1Type(), getBoolAttr(true));
  return LLVM::XOrOp::create(*this, condition, yes);
}

Value ThreadCode::both(Value a, Value b) {
  return !a ? b : !b ? a : Value(LLVM::AndOp::create(*this, a, b));
}

void ThreadCode::when(Value condition, llvm::function_ref<void()> body) {
  auto branch = scf::IfOp::create(*this, condition, /*withElseRegion=*/false);
  InsertionGuard guard(*this);
  setInsertionPointToStart(branch.thenBlock());
  body();
}

void ThreadCode::when(Value condition, llvm::function_ref<void()> then,
                      llvm::function_ref<void()> otherwise) {
  auto branch = scf::IfOp::create(*this, condition, /*withElseRegion=*/true);
  branch->setAttr(sidesAttribute, getUnitAttr());
  InsertionGuard guard(*this);
  setInsertionPointToStart(branch.thenBlock());
  then();
  setInsertionPointToStart(branch.elseBlock());
  otherwise();
}

Value ThreadCode::choose(Type type, Value condition,
                         llvm::function_ref<Value()> then,
                         llvm::function_ref<Value()> otherwise) {
  auto branch = scf::IfOp::create(*this, TypeRange(type), condition,
                                  /*addThenBlock=*/true,
                                  /*addElseBlock=*/true);
  InsertionGuard guard(*this);
  setInsertionPointToStart(branch.thenBlock());
  scf::YieldOp::create(*this, then());
  setInsertionPointToStart(branch.elseBlock());
  scf::YieldOp::create(*this, otherwise());
  return branch.getResult(0);
}

Value ThreadCode::repeat(
    Value count, Value start,
    llvm::function_ref<Value(Value round, Value value)> body) {
  auto loop = scf::ForOp::create(*this, i32(0), count, i32(1), start);
  MLIRContext *context = getContext();
  auto unroll = LLVM::LoopUnrollAttr::get(context, getBoolAttr(true), {}, {},
                                          {}, {}, {}, {});
  loop->setAttr("loop_annotation", LLVM::LoopAnnotationAttr::get(
                                       context, {}, {}, {}, unroll, {}, {}, {},
                                       {}, {}, {}, {}, {}, {}, {}, {}));
  InsertionGuard guard(*this);
  setInsertionPointToStart(loop.getBody());
  scf::YieldOp::create(*this,
                       body(loop.getInductionVar(), loop.getRegionIterArg(0)));
  return loop.getResult(0);
}

//===----------------------------------------------------------------------===//
// Registers
//===----------------------------------------------------------------------===//

Value ThreadCode::getRegister(Value tile, int64_t i) {
  return LLVM::ExtractElementOp::create(*this, tile, i32(i));
}

Value ThreadCode::getRegisters(Value tile, int64_t i, int64_t count) {
  if (count == cast<VectorType>(tile.getType()).getNumElements())
    return tile;
  SmallVector<int32_t> lanes =
      llvm::to_vector(llvm::seq<int32_t>(i, i + count));
  return LLVM::ShuffleVectorOp::create(*this, tile, tile, lanes);
}

Value ThreadCode::fromRegisters(ArrayRef<Value> registers) {
  auto type = VectorType::get(static_cast<int64_t>(registers.size()),
                              registers.front().getType());
  Value tile = LLVM::PoisonOp::create(*this, type);
  for (auto [i, value] : llvm::enumerate(registers))
    tile = LLVM::InsertElementOp::create(*this, tile, value, i32(i));
  return tile;
}

Value ThreadCode::fromVectors(ArrayRef<Value> vectors) {
  if (vectors.size() == 1)
    return vectors.front();
  SmallVector<Value> registers;
  for (Value vector : vectors)
    for (int64_t i :
         llvm::seq(cast<VectorType>(vector.getType()).getNumElements()))
      registers.push_back(getRegister(vector, i));
  return fromRegisters(registers);
}

//===----------------------------------------------------------------------===//
// Layouts
//===----------------------------------------------------------------------===//

/// Row and column of the first element that the executing thread holds of a
/// two-dimensional tile with the layout.
static ThreadCoordinate firstElement(ThreadCode &code,
                                     gpu::LayoutAttrInterface layout) {
  Value thread = code.thread();
  if (auto striped = dyn_cast<gpu::StripedAttr>(layout)) {
    int64_t columns = striped.getColumnThreads();
    Value inRow = code.remainder(thread, columns);
    return {code.quotient(thread, columns),
            code.mul(inRow, code.i32(striped.getVector()))};
  }
  // 16 rows a warp; lanes in groups of four to a row.
  Value lane = code.lane();
  Value row =
      code.add(code.mul(code.warp(), code.i32(16)), code.quotient(lane, 4));
  return {row, code.mul(code.remainder(lane, 4), code.i32(2))};
}

ThreadCoordinate ThreadCode::threadPart(RankedTensorType tile) {
  if (gpu::LayoutAttrInterface layout = gpu::getLayout(tile))
    return firstElement(*this, layout);
  gpu::SliceAttr slice = gpu::getSlice(tile);
  ThreadCoordinate at = firstElement(*this, slice.getParent());
  return {slice.getDim() == 1 ? at.row : at.column, Value()};
}

Value ThreadCode::isOwner(RankedTensorType tile) {
  gpu::SliceAttr slice = gpu::getSlice(tile);
  if (!slice)
    return {};
  // Of the threads that share a row, the one at its start.
  ThreadCoordinate at = firstElement(*this, slice.getParent());
  return LLVM::ICmpOp::create(*this, LLVM::ICmpPredicate::eq,
                              slice.getDim() == 1 ? at.column : at.row, i32(0));
}

int64_t neighbouringRegisters(RankedTensorType tile) {
  gpu::SliceAttr slice = gpu::getSlice(tile);
  auto layout = slice ? slice.getParent() : gpu::getLayout(tile);
  if (slice && slice.getDim() == 1)
    return 1;
  if (isa<gpu::FragmentAttr>(layout))
    return 2;
  int64_t vector = cast<gpu::StripedAttr>(layout).getVector();
  return vector & -vector;
}

} // namespace mlir::smx
