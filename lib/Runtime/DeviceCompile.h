//===- DeviceCompile.h - from a module to code for a GPU --------*- C++ -*-===//
#ifndef SMX_LIB_RUNTIME_DEVICECOMPILE_H
#define SMX_LIB_RUNTIME_DEVICECOMPILE_H

#include "DeviceVariants.h"
#include "ModuleInContext.h"
#include "Signature.h"

#include "smx/Evaluator/LaunchPlan.h"

namespace smx {

/// What code that is made before a call takes the tensors of the call to be
/// aligned to, in bytes: those without gaps in memory that starts at a cache
/// line, looked at up to `options.road.alignment`. Open extents count as
/// multiples of everything.
int64_t likelyAlignment(const Signature &signature,
                        const CompileOptions &options);

/// The extents that kernels have to be made for. `module` is at stage `tiled`
/// and stays as it is.
llvm::Expected<std::vector<mlir::smx::gpu::ArgumentExtent>>
findOpenExtents(ModuleInContext &module, llvm::StringRef entry);

/// What the host does to run `function` of `module`, which is at stage `gpu`.
llvm::Expected<mlir::smx::LaunchPlan> planLaunches(ModuleInContext &module,
                                                   mlir::func::FuncOp function);

/// Compiles the function `entry` of `module`, which was parsed from `text`, for
/// a GPU or the emulator, consuming it. What is likely to be called is compiled
/// now, unless extents are open that kernels have to be made for. Adds its
/// steps to `steps`.
llvm::Expected<DeviceVariants>
compileForDevice(std::unique_ptr<ModuleInContext> module, llvm::StringRef text,
                 llvm::StringRef entry, const Signature &signature,
                 const CompileOptions &options,
                 std::vector<CompileStep> &steps);

} // namespace smx

#endif // SMX_LIB_RUNTIME_DEVICECOMPILE_H
