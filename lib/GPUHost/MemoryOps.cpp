//===- MemoryOps.cpp - memrefs --------------------------------------------===//

#include "GlobalMemory.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"

#include <limits>

using namespace mlir;
using namespace mlir::smx;
using namespace mlir::smx::gpuhost;

static llvm::Error runDim(const Step &step, Group &group) {
  const Memory &memory = *get<MemoryPtr>(step, group, 0);
  const int64_t d = getInteger(step, group, 1);
  if (d < 0 || d >= static_cast<int64_t>(memory.sizes.size()))
    return errorAt(step.op, "asks for dimension " + Twine(d) +
                                " of a memref of rank " +
                                Twine(memory.sizes.size()));
  setResult(step, group, intSlot(memory.sizes[d]));
  return llvm::Error::success();
}

static llvm::Error runCast(const Step &step, Group &group) {
  setResult(step, group, group.frame[step.in[0]]);
  return llvm::Error::success();
}

/// The values of static and dynamic sizes, the dynamic ones from operand `next`
/// on.
static SmallVector<int64_t, 4> fillIn(ArrayRef<int64_t> sizes, unsigned &next,
                                      const Step &step, Group &group) {
  SmallVector<int64_t, 4> filled(sizes);
  for (int64_t &size : filled)
    if (ShapedType::isDynamic(size))
      size = getInteger(step, group, next++);
  return filled;
}

static llvm::Error runMemRefAlloc(const Step &step, Group &group) {
  auto type = cast<MemRefType>(step.op->getResult(0).getType());
  auto dtype = getStoredType(type.getElementType());
  if (!dtype || !type.getLayout().isIdentity())
    return errorAt(step.op, "allocates a memref that is not row-major, or has "
                            "elements that are not supported");
  auto memory = std::make_shared<Memory>();
  unsigned next = 0;
  memory->dtype = *dtype;
  memory->sizes = fillIn(type.getShape(), next, step, group);
  memory->strides.resize(memory->sizes.size());
  int64_t count = 1;
  for (int64_t d = memory->sizes.size() - 1; d >= 0; --d) {
    if (memory->sizes[d] < 0)
      return errorAt(step.op, "has an extent of " + Twine(memory->sizes[d]));
    memory->strides[d] = count;
    count *= memory->sizes[d];
  }
  auto allocation = std::make_shared<Allocation>();
  // A NaN in every floating-point type.
  allocation->owned.assign(count * byteWidth(*dtype), '\xff');
  allocation->data = allocation->owned.data();
  allocation->capacity = count;
  memory->allocation = std::move(allocation);
  setResult(step, group, MemoryPtr(std::move(memory)));
  return llvm::Error::success();
}

static llvm::Error runDealloc(const Step &step, Group &group) {
  Allocation &allocation = *get<MemoryPtr>(step, group, 0)->allocation;
  if (allocation.freed)
    return errorAt(step.op, "deallocates memory for the second time");
  allocation.freed = true;
  return llvm::Error::success();
}

static llvm::Error runSubview(const Step &step, Group &group) {
  auto op = cast<memref::SubViewOp>(step.op);
  const Memory &source = *get<MemoryPtr>(step, group, 0);
  unsigned next = 1;
  auto offsets = fillIn(op.getStaticOffsets(), next, step, group);
  auto sizes = fillIn(op.getStaticSizes(), next, step, group);
  auto strides = fillIn(op.getStaticStrides(), next, step, group);
  auto view = std::make_shared<Memory>(source);
  view->sizes.clear();
  view->strides.clear();
  llvm::SmallBitVector dropped = op.getDroppedDims();
  for (unsigned d = 0; d < sizes.size(); ++d) {
    const int64_t last = offsets[d] + (sizes[d] - 1) * strides[d];
    if (sizes[d] > 0 && (std::min(offsets[d], last) < 0 ||
                         std::max(offsets[d], last) >= source.sizes[d]))
      return errorAt(step.op, "views " + Twine(offsets[d]) + " to " +
                                  Twine(last) + " of dimension " + Twine(d) +
                                  ", whose extent is " +
                                  Twine(source.sizes[d]));
    view->offset += offsets[d] * source.strides[d];
    if (dropped.test(d))
      continue;
    view->sizes.push_back(sizes[d]);
    view->strides.push_back(strides[d] * source.strides[d]);
  }
  setResult(step, group, MemoryPtr(std::move(view)));
  return llvm::Error::success();
}

static llvm::Error runReinterpret(const Step &step, Group &group) {
  auto op = cast<memref::ReinterpretCastOp>(step.op);
  auto view = std::make_shared<Memory>(*get<MemoryPtr>(step, group, 0));
  unsigned next = 1;
  view->offset = fillIn(op.getStaticOffsets(), next, step, group).front();
  view->sizes = fillIn(op.getStaticSizes(), next, step, group);
  view->strides = fillIn(op.getStaticStrides(), next, step, group);
  setResult(step, group, MemoryPtr(std::move(view)));
  return llvm::Error::success();
}

static llvm::Error runMetadata(const Step &step, Group &group) {
  MemoryPtr memory = get<MemoryPtr>(step, group, 0);
  auto base = std::make_shared<Memory>(*memory);
  base->offset = 0;
  base->sizes.clear();
  base->strides.clear();
  unsigned next = 0;
  setResult(step, group, MemoryPtr(std::move(base)), next++);
  setResult(step, group, intSlot(memory->offset), next++);
  for (int64_t size : memory->sizes)
    setResult(step, group, intSlot(size), next++);
  for (int64_t stride : memory->strides)
    setResult(step, group, intSlot(stride), next++);
  return llvm::Error::success();
}

/// One element, at the indices from operand `first` on.
static llvm::Expected<Window> findElement(const Step &step, Group &group,
                                          unsigned memory, StringRef does) {
  static constexpr int64_t one[] = {1, 1};
  WindowOperands operands{get<MemoryPtr>(step, group, memory), {}, {}, {}, one};
  for (unsigned i = memory + 1; i < step.in.size(); ++i)
    operands.offsets.push_back(getInteger(step, group, i));
  return findWindow(step.op, does, operands);
}

static llvm::Error runMemRefLoad(const Step &step, Group &group) {
  auto window = findElement(step, group, 0, "reads");
  if (!window)
    return window.takeError();
  setResult(step, group,
            loadElement(window->memory->dtype, window->address(0, 0)));
  return llvm::Error::success();
}

static llvm::Error runMemRefStore(const Step &step, Group &group) {
  auto window = findElement(step, group, 1, "writes");
  if (!window)
    return window.takeError();
  storeElement(window->memory->dtype, window->address(0, 0),
               get<Slot>(step, group, 0));
  return llvm::Error::success();
}

void mlir::smx::gpuhost::addMemoryOps(HandlerTable &table) {
  table["memref.dim"] = runDim;
  table["memref.cast"] = runCast;
  table["memref.alloc"] = runMemRefAlloc;
  table["memref.alloca"] = runMemRefAlloc;
  table["memref.dealloc"] = runDealloc;
  table["memref.subview"] = runSubview;
  table["memref.reinterpret_cast"] = runReinterpret;
  table["memref.extract_strided_metadata"] = runMetadata;
  table["memref.load"] = runMemRefLoad;
  table["memref.store"] = runMemRefStore;
}
