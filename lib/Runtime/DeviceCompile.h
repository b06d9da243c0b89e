//===- DeviceCompile.h - from a module to code for a GPU --------*- C++ -*-===//
#ifndef SMX_LIB_RUNTIME_DEVICECOMPILE_H
#define SMX_LIB_RUNTIME_DEVICECOMPILE_H

#include "DeviceVariants.h"
#include "KernelFiles.h"
#include "ModuleInContext.h"
#include "smx/Runtime/Signature.h"

#include "smx/Evaluator/LaunchPlan.h"

namespace smx {

/// The views of a likely call, inputs first: tensors without gaps in memory
/// that starts at a cache line. Open extents count as multiples of everything.
std::vector<TensorView> likelyViews(const Signature &signature);

/// What code that is made before a call takes the inputs of the call to be
/// aligned to, in bytes, looked at up to `options.road.alignment`.
int64_t likelyAlignment(const Signature &signature,
                        const CompileOptions &options);

/// The extents that kernels have to be made for. `module` is at stage `tiled`
/// and stays as it is.
llvm::Expected<std::vector<mlir::smx::gpu::ArgumentExtent>>
findOpenExtents(ModuleInContext &module, llvm::StringRef entry);

/// What the host does to run `function` of `module`, which is at stage `gpu`.
llvm::Expected<mlir::smx::LaunchPlan> planLaunches(ModuleInContext &module,
                                                   mlir::func::FuncOp function);

/// A function that becomes code for a GPU or the emulator, when it is called if
/// not before.
struct DeviceFunction {
  /// The module that has it, at stage `options.from`.
  std::string text;
  std::string entry;
  Signature signature;
  CompileOptions options;
  /// Where its code is kept.
  KernelFiles files;
  /// The extents that its code has to be made for.
  std::vector<mlir::smx::gpu::ArgumentExtent> openExtents;
};

/// Compiles `function`, whose module was parsed into `module`, which is
/// consumed, and finds its open extents. What is likely to be called is
/// compiled now, unless there are any. Adds its steps to `steps`.
llvm::Expected<DeviceVariants>
compileForDevice(DeviceFunction &function,
                 std::unique_ptr<ModuleInContext> module,
                 std::vector<CompileStep> &steps);

/// The same for a function that was compiled before and whose open extents are
/// known: what is kept in its files is loaded.
llvm::Expected<DeviceVariants> loadForDevice(const DeviceFunction &function,
                                             std::vector<CompileStep> &steps);

} // namespace smx

#endif // SMX_LIB_RUNTIME_DEVICECOMPILE_H
