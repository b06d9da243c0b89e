//===- HostExecution.h - smx_gpu kernels, run on the host -------*- C++ -*-===//
//
// Runs `smx_gpu` as it is written: roles (and each group of a role) are
// threads, channels are bounded queues, tiles are arrays. Floating-point ops
// compute in double and round to their element type, but for differences that
// may be contracted with their exponential; a matrix product rounds to the
// accumulator's type at every step.
//
// It is a check of the schedule more than of the arithmetic. What a GPU answers
// with a hang or with wrong numbers is an error here, with the op and its
// place:
//   * nothing can go on any more, or nothing has for too long (with a wait
//     graph: who waits where, for what, and the counters of every channel);
//   * global memory accessed out of bounds, or less aligned than promised, or
//     written in one block and read, or written with another value, in another
//     that has not awaited its announcement;
//   * an announcement awaited that no block before makes;
//   * an accumulator read before its wait, a wait that does not cover its
//     product, operands of a product changed or released while it runs;
//   * a tile of a channel used after its release, tiles left in a channel at
//     the end, turns passed that were not taken;
//   * shared memory read before it is written, or accessed by groups, or by
//     warps of one group, that nothing has put in order.
//
// Order is decided by vector clocks, one entry per group, and between barriers
// by the warps that hold an element: a race is found whichever way the threads
// happened to run. It is found at the granularity of what is executed, with the
// data of this run; how copies and products are timed inside of an op is not
// modelled, nor is anything below the level of tiles (banks, fences, phases).
//
//===----------------------------------------------------------------------===//
#ifndef SMX_GPUHOST_HOSTEXECUTION_H
#define SMX_GPUHOST_HOSTEXECUTION_H

#include "smx/GPU/SmxGpu.h"
#include "smx/Reference/Tensor.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/Support/Error.h"

#include <chrono>
#include <memory>
#include <variant>

namespace mlir::smx::gpuhost {

/// Memory of the caller as a memref: element `i` of the shape is element
/// `offset + sum(i[d] * strides[d])` of `data`, which holds `capacity`
/// elements. Buffers of one launch with the same `data`, capacity and type are
/// parts of one piece of memory.
struct StridedBuffer {
  void *data = nullptr;
  int64_t capacity = 0;
  ::smx::reference::DType dtype = ::smx::reference::DType::F32;
  int64_t offset = 0;
  ::smx::reference::Shape sizes, strides;

  /// Elements one after the other, the last dimension fastest.
  static StridedBuffer rowMajor(void *data, ::smx::reference::DType dtype,
                                const ::smx::reference::Shape &sizes);
};

/// What a kernel or function is called with: a memref, an index or integer, or
/// a floating-point value.
using Argument = std::variant<StridedBuffer, int64_t, double>;

/// Blocks of a launch along each dimension.
struct Grid {
  int64_t x = 1, y = 1, z = 1;
};

struct Options {
  /// How long a launch may go without any tile being loaded, stored, computed
  /// or handed over before it counts as hung.
  std::chrono::milliseconds stallLimit{10000};
  /// Clusters that run at the same time.
  unsigned concurrentClusters = 1;
  /// If not 0, groups sleep for random moments where they meet, so that
  /// different runs see different orders.
  uint64_t jitterSeed = 0;
};

struct KernelProgram;

/// A kernel, looked up once and run often. Copies share it; the op must outlive
/// them. May be used from any number of threads at once.
class HostKernel {
public:
  /// Fails for an op that host execution does not know.
  static llvm::Expected<HostKernel> compile(gpu::KernelOp kernel);

  /// Runs the kernel on every block of `grid`, clusters in the order of x, y,
  /// z. An error is the first fault found, or arguments that do not fit the
  /// kernel. Memory may have been written in either case.
  llvm::Error run(Grid grid, llvm::ArrayRef<Argument> arguments,
                  const Options &options = {}) const;
  /// What the elements of argument `number`, a memref, are in memory.
  ::smx::reference::DType elementType(size_t number) const;
  /// Argument `number`, a scalar, from its bits.
  Argument scalar(size_t number, int64_t bits) const;

private:
  explicit HostKernel(std::shared_ptr<const KernelProgram> program)
      : program(std::move(program)) {}
  std::shared_ptr<const KernelProgram> program;
};

/// Looks up `kernel` and runs it once.
llvm::Error runKernel(gpu::KernelOp kernel, Grid grid,
                      llvm::ArrayRef<Argument> arguments,
                      const Options &options = {});

/// Runs a host function (index arithmetic, `scf`, memrefs, `smx_gpu.launch`),
/// one launch after the other. It returns nothing: results are in memory that
/// it is given.
llvm::Error runFunction(func::FuncOp function,
                        llvm::ArrayRef<Argument> arguments,
                        const Options &options = {});

} // namespace mlir::smx::gpuhost

#endif // SMX_GPUHOST_HOSTEXECUTION_H
