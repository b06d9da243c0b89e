//===- DeviceCode.cpp - compiled code for a GPU ---------------------------===//

#include "DeviceCode.h"

#include "Scalar.h"

#include "llvm/ADT/ScopeExit.h"
#include "llvm/ADT/Twine.h"
#include "llvm/Support/MathExtras.h"

using namespace smx;
using llvm::createStringError;
using llvm::Error;
using mlir::smx::LaunchPlan;

/// What scratch tensors start at multiples of, in bytes.
static constexpr int64_t scratchAlignment = 256;
static constexpr int64_t maxBlocks = (int64_t(1) << 31) - 1;
/// Blocks of a grid along y, and along z, at most.
static constexpr int64_t maxBlocksAcross = 65535;

namespace {
/// The memory of one call.
struct CallMemory {
  llvm::ArrayRef<TensorView> views;
  llvm::ArrayRef<void *> constants;
  llvm::ArrayRef<LaunchPlan::Constant> contents;
  char *scratch = nullptr;
  /// Where each scratch tensor starts, in bytes, and where the last one ends.
  llvm::SmallVector<int64_t, 8> starts;
};
} // namespace

/// Elements that a view reaches: before its first one, and from there on.
static std::pair<int64_t, int64_t> reachOf(const TensorView &view) {
  int64_t before = 0, last = 0;
  for (auto [size, stride] : llvm::zip(view.sizes, view.strides)) {
    if (size == 0)
      return {0, 0};
    const int64_t step = (size - 1) * stride;
    (step < 0 ? before : last) += std::abs(step);
  }
  return {before, last + 1};
}

static LaunchOperand makeOperand(const LaunchPlan::Operand &planned,
                                 llvm::ArrayRef<int64_t> numbers,
                                 const CallMemory &memory) {
  LaunchOperand operand;
  operand.isMemory = planned.isMemory();
  operand.elementBytes = planned.elementBytes;
  for (LaunchPlan::Number number : planned.numbers)
    operand.numbers.push_back(numbers[number]);
  switch (planned.kind) {
  case LaunchPlan::Kind::Number:
    break;
  case LaunchPlan::Kind::Argument: {
    const TensorView &view = memory.views[planned.memory];
    operand.memory = view.data;
    std::tie(operand.capacityBefore, operand.capacity) = reachOf(view);
    break;
  }
  case LaunchPlan::Kind::Scratch: {
    const int64_t start = memory.starts[planned.memory],
                  end = memory.starts[planned.memory + 1];
    operand.memory = memory.scratch + start;
    operand.capacity = (end - start) / operand.elementBytes;
    break;
  }
  case LaunchPlan::Kind::Constant:
    operand.memory = memory.constants[planned.memory];
    operand.capacity =
        memory.contents[planned.memory].bytes.size() / operand.elementBytes;
    break;
  }
  return operand;
}

/// Sizes of the scratch tensors one after the other, in bytes.
static llvm::Expected<llvm::SmallVector<int64_t, 8>>
placeScratch(const LaunchPlan &plan, llvm::ArrayRef<int64_t> numbers) {
  llvm::SmallVector<int64_t, 8> starts{0};
  for (const LaunchPlan::Scratch &wanted : plan.getScratch()) {
    int64_t bytes = wanted.elementBytes, end;
    bool isTooMuch = false;
    for (LaunchPlan::Number size : wanted.sizes)
      isTooMuch |= llvm::MulOverflow(bytes, numbers[size], bytes);
    isTooMuch |= llvm::AddOverflow(bytes, scratchAlignment - 1, bytes);
    bytes -= bytes % scratchAlignment;
    if (isTooMuch || llvm::AddOverflow(starts.back(), bytes, end))
      return createStringError("the call needs 2^63 bytes of scratch memory or "
                               "more; fewer rows at once would work");
    starts.push_back(end);
  }
  return starts;
}

static Error launchKernel(const Launcher &launcher, size_t number,
                          const LaunchPlan::Launch &launch,
                          llvm::ArrayRef<int64_t> numbers,
                          const CallMemory &memory, void *stream) {
  std::array<int64_t, 3> grid;
  for (int dim : {0, 1, 2})
    grid[dim] = numbers[launch.grid[dim]];
  if (llvm::is_contained(grid, 0))
    return Error::success();
  for (int dim : {0, 1, 2}) {
    const int64_t most = dim == 0 ? maxBlocks : maxBlocksAcross;
    if (grid[dim] > most)
      return createStringError(
          "kernel '" + launch.kernel + "' would need " +
          llvm::Twine(grid[dim]) + " blocks; a grid has at most " +
          llvm::Twine(most) + "; larger tiles or fewer rows would work");
  }
  llvm::SmallVector<LaunchOperand, 8> operands;
  for (const LaunchPlan::Operand &operand : launch.operands)
    operands.push_back(makeOperand(operand, numbers, memory));
  return launcher.launch(number, grid, operands, stream);
}

static Error copyMemory(const Launcher &launcher, const LaunchPlan::Copy &step,
                        llvm::ArrayRef<int64_t> numbers,
                        const CallMemory &memory, void *stream) {
  auto copies = planCopies(makeOperand(step.from, numbers, memory),
                           makeOperand(step.to, numbers, memory));
  if (!copies)
    return copies.takeError();
  for (const RowCopy &copy : *copies)
    if (Error error = launcher.copy(copy, stream))
      return error;
  return Error::success();
}

llvm::Expected<std::shared_ptr<const DeviceCode>>
DeviceCode::create(LaunchPlan plan, std::unique_ptr<Launcher> launcher) {
  std::shared_ptr<DeviceCode> code(
      new DeviceCode(std::move(plan), std::move(launcher)));
  for (const LaunchPlan::Constant &constant : code->plan.getConstants()) {
    auto memory = code->device->keep(constant.bytes);
    if (!memory)
      return memory.takeError();
    code->constants.push_back(*memory);
  }
  return code;
}

Error DeviceCode::launch(llvm::ArrayRef<TensorView> views, void *stream) const {
  llvm::SmallVector<LaunchPlan::Argument, 8> arguments;
  for (const TensorView &view : views)
    arguments.push_back({view.sizes, view.strides});
  for (unsigned scalar : plan.getScalars())
    arguments[scalar].integer = readScalar(views[scalar]);
  const std::vector<int64_t> numbers = plan.evaluate(arguments);
  for (const LaunchPlan::Assertion &assertion : plan.getAssertions())
    if (numbers[assertion.holds] == 0)
      return createStringError(assertion.message);

  auto starts = placeScratch(plan, numbers);
  if (!starts)
    return starts.takeError();
  CallMemory memory{views, constants, plan.getConstants(), nullptr,
                    std::move(*starts)};
  if (int64_t bytes = memory.starts.back()) {
    auto scratch = device->allocate(bytes, stream);
    if (!scratch)
      return scratch.takeError();
    memory.scratch = static_cast<char *>(*scratch);
  }
  Error error = Error::success();
  for (auto [number, step] : llvm::enumerate(plan.getSteps())) {
    if (error)
      break;
    if (const auto *launch = std::get_if<LaunchPlan::Launch>(&step))
      error = launchKernel(*device, number, *launch, numbers, memory, stream);
    else
      error = copyMemory(*device, std::get<LaunchPlan::Copy>(step), numbers,
                         memory, stream);
  }
  if (memory.scratch)
    error = llvm::joinErrors(std::move(error),
                             device->release(memory.scratch, stream));
  return error;
}

//===----------------------------------------------------------------------===//
// Copies
//===----------------------------------------------------------------------===//

namespace {
/// A dimension of a copy, in bytes.
struct CopyDim {
  int64_t size, fromStride, toStride;
};
} // namespace

/// The dimensions of a copy, outermost first, as few as there can be: those
/// that are one after the other in both memories are one. The last one are the
/// bytes of what lies without gaps.
static llvm::SmallVector<CopyDim> mergeDims(const LaunchOperand &from,
                                            const LaunchOperand &to) {
  const int64_t width = from.elementBytes;
  llvm::SmallVector<CopyDim> dims;
  for (int64_t d = 0; d < from.rank(); ++d)
    if (from.sizes()[d] != 1)
      dims.push_back({from.sizes()[d], from.strides()[d] * width,
                      to.strides()[d] * width});
  dims.push_back({width, 1, 1});
  llvm::SmallVector<CopyDim> merged;
  for (const CopyDim &inner : dims) {
    auto isOneAfterTheOther = [&](const CopyDim &outer) {
      return outer.fromStride == inner.size * inner.fromStride &&
             outer.toStride == inner.size * inner.toStride;
    };
    if (!merged.empty() && isOneAfterTheOther(merged.back()))
      merged.back() = {merged.back().size * inner.size, inner.fromStride,
                       inner.toStride};
    else
      merged.push_back(inner);
  }
  return merged;
}

llvm::Expected<std::vector<RowCopy>> smx::planCopies(const LaunchOperand &from,
                                                     const LaunchOperand &to) {
  if (from.sizes() != to.sizes())
    return createStringError("a copy between tensors of different sizes; the "
                             "sizes of the arguments do not fit each other");
  std::vector<RowCopy> copies;
  if (llvm::is_contained(from.sizes(), 0))
    return copies;
  llvm::SmallVector<CopyDim> dims = mergeDims(from, to);
  RowCopy copy;
  copy.from =
      static_cast<char *>(from.memory) + from.offset() * from.elementBytes;
  copy.to = static_cast<char *>(to.memory) + to.offset() * to.elementBytes;
  copy.rowBytes = dims.pop_back_val().size;
  // Rows must not overlap, which broadcast ones and reversed ones would.
  if (!dims.empty() && dims.back().fromStride >= copy.rowBytes &&
      dims.back().toStride >= copy.rowBytes) {
    CopyDim rows = dims.pop_back_val();
    copy.rows = rows.size;
    copy.fromPitch = rows.fromStride;
    copy.toPitch = rows.toStride;
  }
  copies.push_back(copy);
  for (const CopyDim &dim : llvm::reverse(dims)) {
    std::vector<RowCopy> inner = std::move(copies);
    copies.clear();
    for (int64_t i = 0; i < dim.size; ++i)
      for (RowCopy one : inner) {
        one.from = static_cast<const char *>(one.from) + i * dim.fromStride;
        one.to = static_cast<char *>(one.to) + i * dim.toStride;
        copies.push_back(one);
      }
  }
  return copies;
}
