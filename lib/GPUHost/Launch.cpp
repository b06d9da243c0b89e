//===- Launch.cpp - kernels on grids, host functions ----------------------===//

#include "GlobalMemory.h"
#include "ThreadBlock.h"

#include "mlir/Support/DebugStringHelper.h"

#include <thread>

using namespace mlir;
using namespace mlir::smx;
using namespace mlir::smx::gpuhost;
using ::smx::reference::DType;
using ::smx::reference::Shape;

StridedBuffer StridedBuffer::rowMajor(void *data, DType dtype,
                                      const Shape &sizes) {
  StridedBuffer buffer{data, 1, dtype, 0, sizes, Shape(sizes.size())};
  for (size_t d = sizes.size(); d-- > 0;) {
    buffer.strides[d] = buffer.capacity;
    buffer.capacity *= sizes[d];
  }
  return buffer;
}

//===----------------------------------------------------------------------===//
// Arguments
//===----------------------------------------------------------------------===//

/// An error if a static extent, stride or offset of the type is another one.
static llvm::Error checkStatic(Operation *op, const Twine &what,
                               ArrayRef<int64_t> expected,
                               ArrayRef<int64_t> found) {
  if (expected.size() != found.size())
    return errorAt(op, "takes " + Twine(expected.size()) + " " + what +
                           ", got " + Twine(found.size()));
  for (auto [d, size] : llvm::enumerate(expected))
    if (!ShapedType::isDynamic(size) && size != found[d])
      return errorAt(op, "takes " + Twine(size) + " as number " + Twine(d) +
                             " of the " + what + ", got " + Twine(found[d]));
  return llvm::Error::success();
}

/// True if the two are parts of one piece of memory of the caller.
static bool isSameMemory(const Memory &a, const Memory &b) {
  return a.allocation->data == b.allocation->data &&
         a.allocation->capacity == b.allocation->capacity && a.dtype == b.dtype;
}

static llvm::Expected<std::shared_ptr<Memory>>
convertBuffer(Operation *op, unsigned number, MemRefType type,
              const StridedBuffer &buffer) {
  std::string element;
  llvm::raw_string_ostream(element) << type.getElementType();
  std::optional<DType> stored = getStoredType(type.getElementType());
  if (!stored)
    return errorAt(op, "takes elements of " + Twine(element) + " as argument " +
                           Twine(number) +
                           ", which this machine does not run kernels for; "
                           "i1, i8, i32 and i64 would work");
  if (*stored != buffer.dtype)
    return errorAt(op, "takes elements of " + Twine(element) + " as argument " +
                           Twine(number) + ", which is given those of " +
                           Twine(nameOf(buffer.dtype).data()));
  SmallVector<int64_t> strides;
  int64_t offset = 0;
  if (failed(type.getStridesAndOffset(strides, offset)))
    return errorAt(op, "takes a memref without strides as argument " +
                           Twine(number));
  const std::string of = (" of argument " + Twine(number)).str();
  if (llvm::Error error =
          checkStatic(op, "sizes" + of, type.getShape(), buffer.sizes))
    return error;
  if (llvm::Error error =
          checkStatic(op, "strides" + of, strides, buffer.strides))
    return error;
  if (llvm::Error error =
          checkStatic(op, "offsets" + of, offset, buffer.offset))
    return error;
  auto memory = std::make_shared<Memory>();
  memory->allocation = std::make_shared<Allocation>();
  memory->allocation->data = static_cast<char *>(buffer.data);
  memory->allocation->capacity = buffer.capacity;
  memory->dtype = buffer.dtype;
  memory->offset = buffer.offset;
  memory->sizes.assign(buffer.sizes.begin(), buffer.sizes.end());
  memory->strides.assign(buffer.strides.begin(), buffer.strides.end());
  return memory;
}

static llvm::Expected<SmallVector<HostValue>>
convertArguments(Operation *op, TypeRange types, ArrayRef<Argument> arguments) {
  if (types.size() != arguments.size())
    return errorAt(op, "takes " + Twine(types.size()) +
                           " arguments, but there are " +
                           Twine(arguments.size()));
  SmallVector<HostValue> values;
  SmallVector<MemoryPtr> memories;
  for (auto [i, type] : llvm::enumerate(types)) {
    const Argument &argument = arguments[i];
    const auto *buffer = std::get_if<StridedBuffer>(&argument);
    const auto *integer = std::get_if<int64_t>(&argument);
    const auto *number = std::get_if<double>(&argument);
    if (auto memref = dyn_cast<MemRefType>(type); memref && buffer) {
      auto memory = convertBuffer(op, i, memref, *buffer);
      if (!memory)
        return memory.takeError();
      for (const MemoryPtr &other : memories)
        if (isSameMemory(*other, **memory))
          (*memory)->allocation = other->allocation;
      memories.push_back(*memory);
      values.push_back(MemoryPtr(*memory));
    } else if (type.isIntOrIndex() && integer) {
      values.push_back(intSlot(*integer));
    } else if (isa<FloatType>(type) && number) {
      auto dtype = getStoredType(type);
      values.push_back(floatSlot(dtype ? roundTo(*dtype, *number) : *number));
    } else {
      return errorAt(op, "takes " + debugString(type) + " as argument " +
                             Twine(i) + ", got a value of another kind");
    }
  }
  return values;
}

//===----------------------------------------------------------------------===//
// Grids
//===----------------------------------------------------------------------===//

namespace {
/// The clusters of a launch, handed to a few threads in their order.
class GridRun {
public:
  GridRun(const KernelProgram &kernel, Grid grid, ArrayRef<HostValue> arguments,
          const Options &options)
      : kernel(kernel), grid(grid), arguments(arguments), options(options),
        width(gpu::KernelOp(kernel.op).getCluster()),
        clusters(grid.x / width * grid.y * grid.z) {}

  llvm::Error run();

private:
  void work();
  /// A cluster begins, in the order of their numbers, and ends.
  void begin(uint32_t cluster);
  void end(uint32_t cluster);

  const KernelProgram &kernel;
  Grid grid;
  ArrayRef<HostValue> arguments;
  const Options &options;
  int64_t width, clusters;

  std::mutex mutex;
  int64_t next = 0, firstWrong = INT64_MAX;
  Announcements announcements;
  std::string failure;
};
} // namespace

void GridRun::begin(uint32_t cluster) {
  std::lock_guard<std::mutex> held(announcements.mutex);
  announcements.running.insert(cluster);
  announcements.next = cluster + 1;
}

void GridRun::end(uint32_t cluster) {
  std::lock_guard<std::mutex> held(announcements.mutex);
  announcements.running.erase(cluster);
  announcements.changed.notify_all();
}

void GridRun::work() {
  std::unique_lock<std::mutex> held(mutex);
  // Clusters are handed out in order, so no earlier one can be missed.
  while (next < clusters && firstWrong == INT64_MAX) {
    const int64_t number = next++;
    begin(number + 1);
    held.unlock();
    const int64_t perRow = grid.x / width;
    const std::array<int64_t, 3> block = {number % perRow * width,
                                          number / perRow % grid.y,
                                          number / perRow / grid.y};
    llvm::Error error = runCluster(kernel, grid, number + 1, block, arguments,
                                   announcements, options);
    held.lock();
    end(number + 1);
    if (!error)
      continue;
    std::string text = llvm::toString(std::move(error));
    if (number >= firstWrong)
      continue;
    firstWrong = number;
    failure = "@" + gpu::KernelOp(kernel.op).getSymName().str() + " block (" +
              std::to_string(block[0]) + ", " + std::to_string(block[1]) +
              ", " + std::to_string(block[2]) + "): " + text;
  }
}

llvm::Error GridRun::run() {
  std::vector<std::thread> helpers;
  const int64_t count =
      std::min<int64_t>(clusters, std::max(1u, options.concurrentClusters));
  for (int64_t i = 1; i < count; ++i)
    helpers.emplace_back([this] { work(); });
  work();
  for (std::thread &helper : helpers)
    helper.join();
  if (firstWrong == INT64_MAX)
    return llvm::Error::success();
  return llvm::createStringError(failure);
}

static llvm::Error runGrid(const KernelProgram &kernel, Grid grid,
                           ArrayRef<HostValue> arguments,
                           const Options &options) {
  gpu::KernelOp op = kernel.op;
  const int64_t width = op.getCluster();
  if (grid.x < 0 || grid.y < 0 || grid.z < 0 || grid.x % width != 0)
    return errorAt(op, "is launched on a grid of " + Twine(grid.x) + " x " +
                           Twine(grid.y) + " x " + Twine(grid.z) +
                           " blocks; extents are not negative, and the first "
                           "a multiple of the cluster's " +
                           Twine(width));
  for (const HostValue &argument : arguments)
    if (const auto *memory = std::get_if<MemoryPtr>(&argument)) {
      Allocation &allocation = *(*memory)->allocation;
      allocation.accesses =
          std::make_shared<LaunchAccesses>(allocation.capacity);
    }
  return GridRun(kernel, grid, arguments, options).run();
}

static llvm::Error runLaunch(const Step &step, Group &group) {
  SmallVector<HostValue> arguments;
  for (unsigned slot : ArrayRef(step.in).drop_front(3))
    arguments.push_back(group.frame[slot]);
  const Grid grid{getInteger(step, group, 0), getInteger(step, group, 1),
                  getInteger(step, group, 2)};
  llvm::Error error =
      runGrid(*step.kernel, grid, arguments, group.machine.getOptions());
  group.machine.noteProgress();
  return error;
}

void mlir::smx::gpuhost::addLaunches(HandlerTable &table) {
  table["smx_gpu.launch"] = runLaunch;
}

//===----------------------------------------------------------------------===//
// Entry points
//===----------------------------------------------------------------------===//

llvm::Expected<HostKernel> HostKernel::compile(gpu::KernelOp kernel) {
  auto program = compileKernel(kernel);
  if (!program)
    return program.takeError();
  return HostKernel(std::move(*program));
}

llvm::Error HostKernel::run(Grid grid, ArrayRef<Argument> arguments,
                            const Options &options) const {
  gpu::KernelOp op = program->op;
  auto values = convertArguments(op, op.getArgumentTypes(), arguments);
  if (!values)
    return values.takeError();
  return runGrid(*program, grid, *values, options);
}

DType HostKernel::elementType(size_t number) const {
  gpu::KernelOp op = program->op;
  auto type = cast<MemRefType>(op.getArgumentTypes()[number]);
  // What has no such type is refused when the kernel runs.
  return getStoredType(type.getElementType()).value_or(DType::F32);
}

gpuhost::Argument HostKernel::scalar(size_t number, int64_t bits) const {
  gpu::KernelOp op = program->op;
  std::optional<DType> type = getStoredType(op.getArgumentTypes()[number]);
  if (!type || !isFloat(*type))
    return bits;
  return loadElement(*type, reinterpret_cast<const char *>(&bits)).f;
}

llvm::Error mlir::smx::gpuhost::runKernel(gpu::KernelOp kernel, Grid grid,
                                          ArrayRef<Argument> arguments,
                                          const Options &options) {
  auto compiled = HostKernel::compile(kernel);
  if (!compiled)
    return compiled.takeError();
  return compiled->run(grid, arguments, options);
}

llvm::Error mlir::smx::gpuhost::runFunction(func::FuncOp function,
                                            ArrayRef<Argument> arguments,
                                            const Options &options) {
  if (function.getNumResults() != 0)
    return errorAt(function,
                   "returns " + Twine(function.getNumResults()) +
                       " values; host execution takes functions that return "
                       "nothing, with results in memory that they are given");
  auto program = compileFunction(function.getBody());
  if (!program)
    return program.takeError();
  auto values =
      convertArguments(function, function.getArgumentTypes(), arguments);
  if (!values)
    return values.takeError();
  Machine machine(options);
  Group host(machine, "the host");
  machine.start(host);
  host.frame.resize(program->numSlots);
  for (auto [slot, value] : llvm::zip_equal(program->code.arguments, *values))
    host.frame[slot] = value;
  return execute(program->code, host);
}
