//===- KernelRecords.h - compiled functions as files ------------*- C++ -*-===//
//
// What the cache on disk has of a function: what is known before a call, and,
// for each piece of code for a GPU, the plan of its launches and the kernels.
// Pairs of functions as of LLVM's JSON; see smx/Evaluator/Records.h.
//
//===----------------------------------------------------------------------===//
#ifndef SMX_LIB_RUNTIME_KERNELRECORDS_H
#define SMX_LIB_RUNTIME_KERNELRECORDS_H

#include "DeviceImage.h"
#include "DeviceVariants.h"
#include "smx/Runtime/Signature.h"

#include "smx/Evaluator/LaunchPlan.h"
#include "smx/Evaluator/ShapeProgram.h"

#include "llvm/Support/JSON.h"

namespace smx {

/// A function before a call.
struct FunctionRecord {
  std::string name;
  Signature signature;
  std::optional<mlir::smx::ShapeProgram> resultShapes;
  /// What code for a GPU has to be made for.
  std::vector<mlir::smx::gpu::ArgumentExtent> openExtents;
};
llvm::json::Value toJSON(const FunctionRecord &record);
bool fromJSON(const llvm::json::Value &value, FunctionRecord &record,
              llvm::json::Path path);

/// A piece of code for a GPU, but for the text of its kernels; or the plan
/// alone, which tells what calls the code would be for.
struct VariantRecord {
  mlir::smx::LaunchPlan plan;
  DeviceImage::Launches launches;

  /// Nothing that the plan launches is missing.
  bool hasKernels() const;
};
llvm::json::Value toJSON(const VariantRecord &record);
bool fromJSON(const llvm::json::Value &value, VariantRecord &record,
              llvm::json::Path path);

} // namespace smx

#endif // SMX_LIB_RUNTIME_KERNELRECORDS_H
