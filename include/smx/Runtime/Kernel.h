//===- Kernel.h - compile a module and call it ------------------*- C++ -*-===//
//
// The C++ front door: MLIR text or a module in, something callable out. Nothing
// throws; every error says what was wrong and what would work. `compile` and a
// kernel may be used from any number of threads at once.
//
//===----------------------------------------------------------------------===//
#ifndef SMX_RUNTIME_KERNEL_H
#define SMX_RUNTIME_KERNEL_H

#include "smx/Pipeline/RoadOptions.h"
#include "smx/Runtime/TensorView.h"

#include "llvm/Support/Error.h"

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace mlir {
class ModuleOp;
} // namespace mlir

namespace smx {

/// How to compile. Members without a comment on their default may be left
/// alone.
struct CompileOptions {
  /// Tile sizes, splits, threads; the model chooses what is not given. For a
  /// GPU, `alignment` is the most that a call's tensors are looked at for (0:
  /// 16): code is made for what they have, so that none is refused.
  mlir::smx::RoadOptions road;
  /// The device that code for Target::Cuda is for and runs on, counted as the
  /// driver does.
  int device = 0;
  /// The driver's library; another one only in tests.
  std::string cudaDriver = "libcuda.so.1";
  /// The function to call; may be empty where the module has one public
  /// function.
  std::string entry;
  /// The stage that the module is at.
  mlir::smx::Stage from = mlir::smx::Stage::Input;
  /// Optimisation of the machine code: 0 none, 1 what vectorised loops need, 2
  /// and 3 as clang.
  int optLevel = 1;
  /// Lengths of rows, where the types leave them open, that get code for a GPU
  /// of their own, which is faster, as calls have them; all others share code.
  /// 0: all do.
  int rowLengths = 8;
  /// What error messages call the module text.
  std::string sourceName = "<module>";
  /// Folder for the file that reproduces a pass failure; the system's temporary
  /// folder if not set, no file if empty.
  std::optional<std::string> reproducerDir;
  /// Folder that later processes find compiled code in, and that need not exist
  /// yet; $SMX_CACHE_DIR if not set, no folder if empty. The emulator's code is
  /// not kept. Any number of processes may use a folder, and any files in it
  /// may be deleted at any time.
  std::optional<std::string> cacheDir;
  /// Called with the name and text of every stage, of "llvm-ir" (optimised) and
  /// of "asm". A compilation with this set is neither taken from a cache nor
  /// put there.
  std::function<void(llvm::StringRef stage, llvm::StringRef text)> onText;
};

/// One step of a compilation and the milliseconds it took.
struct CompileStep {
  std::string name;
  double milliseconds;
};

/// What a kernel takes or gives in one place.
struct TensorSpec {
  reference::DType dtype = reference::DType::F32;
  /// False for a scalar argument.
  bool isTensor = true;
  /// Extents; -1 where any will do.
  llvm::SmallVector<int64_t, 4> sizes;
  /// Strides in elements, -1 where any will do: those of a memref's layout.
  /// None for tensors, which take any.
  llvm::SmallVector<int64_t, 4> strides;
};

namespace detail {
struct KernelState;
} // namespace detail

/// A compiled function. Copies share the code, which lives as long as any of
/// them. Calls of one that was moved from fail, and it has no name nor types.
///
/// Code for a GPU is specialised: on element types, masks and regions, which
/// the module says, and on two things that a call may say: how its inputs are
/// aligned, and results that are not written element by element; and extents
/// that the types leave open although no loop cuts them (head dims), or that a
/// kernel is faster for (lengths of rows: the first 8 that are called, then one
/// kernel for all). All other sizes and strides are arguments. The first call
/// that needs another specialisation compiles it, once however many threads
/// call, and it is kept as long as the kernel; `compile` makes the one that the
/// types suggest, if they leave nothing open that it needs.
class Kernel {
public:
  /// Runs the kernel, on tensors in the memory of its target (host memory, for
  /// the emulator too, or memory of its CUDA device; scalars always lie on the
  /// host):
  /// results are written to `outputs`, of which each must have its own memory.
  /// Checks number, element types, ranks and sizes, and that open sizes are
  /// what the ops of the function expect of them (those that belong together
  /// are the same, reshapes keep the number of elements, slices lie within
  /// their tensors), before anything is touched.
  /// Tensors may have any strides; one whose innermost stride is not 1 is
  /// copied into row-major order for the call (on a GPU row by row, which takes
  /// long). A function that writes to its inputs fails for such an input: it
  /// would write to the copy. A failed `cf.assert` of the module is no error on
  /// the CPU: it says on stderr what failed where, and ends the process.
  llvm::Error run(llvm::ArrayRef<TensorView> inputs,
                  llvm::ArrayRef<TensorView> outputs) const;
  llvm::Error operator()(llvm::ArrayRef<TensorView> inputs,
                         llvm::ArrayRef<TensorView> outputs) const {
    return run(inputs, outputs);
  }
  /// The same for Target::Cuda, on a stream of the caller (a CUstream or
  /// cudaStream_t; null is the default stream), without waiting for the result.
  /// `run` uses a stream of its own and waits. The emulator has run everything
  /// when this returns, whatever the stream. Until the stream is done, tensors
  /// and (a copy of) the kernel have to stay.
  llvm::Error launch(llvm::ArrayRef<TensorView> inputs,
                     llvm::ArrayRef<TensorView> outputs, void *stream) const;

  /// The function's name in the module.
  llvm::StringRef name() const;
  llvm::ArrayRef<TensorSpec> inputs() const;
  llvm::ArrayRef<TensorSpec> outputs() const;
  /// Sizes of every output for these inputs; -1 where they can not be told from
  /// the inputs' sizes.
  llvm::Expected<std::vector<llvm::SmallVector<int64_t, 4>>>
  outputSizes(llvm::ArrayRef<TensorView> inputs) const;
  /// What the compilation spent its time on, in order; "read" and "read code"
  /// are what a folder of compiled code (CompileOptions::cacheDir) had.
  llvm::ArrayRef<CompileStep> timing() const;
  /// Why code could not be read from that folder or kept there, one reason a
  /// line; empty if all went well. The kernel is as it should be in any case.
  std::string cacheProblems() const;

private:
  friend llvm::Expected<Kernel> compile(llvm::StringRef,
                                        const CompileOptions &);
  explicit Kernel(std::shared_ptr<const detail::KernelState> state)
      : state(std::move(state)) {}
  std::shared_ptr<const detail::KernelState> state;
};

/// Compiles a module, given as text, for `options.road.target`. The same text
/// with the same options is compiled once, also if several threads ask at the
/// same time, and with `options.cacheDir` once for all processes.
llvm::Expected<Kernel> compile(llvm::StringRef mlirText,
                               const CompileOptions &options = {});
/// The same for a module in memory, which is left as it is.
llvm::Expected<Kernel> compile(mlir::ModuleOp module,
                               const CompileOptions &options = {});

/// Forgets every kernel in the cache; those in use stay alive.
void clearKernelCache();

/// Threads that kernels run on; 0 asks for as many as the machine has cores,
/// and there are eight for each core at most.
/// Holds for calls made from the calling thread from now on.
void setThreadCount(int threads);
int threadCount();

} // namespace smx

#endif // SMX_RUNTIME_KERNEL_H
