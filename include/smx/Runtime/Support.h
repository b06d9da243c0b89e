//===- Support.h - what a module becomes on a target, and why ---*- C++ -*-===//
//
// The answer comes from the passes that compile: they are run, their remarks
// are gathered, and the kernels that they leave are looked at. No table says
// what is supported, so none can be wrong.
//
//===----------------------------------------------------------------------===//
#ifndef SMX_RUNTIME_SUPPORT_H
#define SMX_RUNTIME_SUPPORT_H

#include "smx/Runtime/Kernel.h"

#include "llvm/Support/JSON.h"

#include <string>
#include <utility>
#include <vector>

namespace smx {

/// What a pass chose, or did not do, as its remark says it.
struct Decision {
  /// The pass, "smx-tile", and the name of the choice, "TileSizes".
  std::string pass, name;
  /// The pass could not do it; `text` says why.
  bool isMissed = false;
  std::string text;
  /// "rows" and "64", in the order of the remark.
  std::vector<std::pair<std::string, std::string>> values;

  friend bool operator==(const Decision &, const Decision &) = default;
};

/// Warps of a kernel that do one thing.
struct RoleFacts {
  std::string name;
  int64_t warps = 0;
  /// Warps of a group, which run in step.
  int64_t group = 0;
  /// Registers that a thread asks for; 0: no request.
  int64_t registers = 0;
};

/// A kernel for a GPU as it stands in the IR.
struct KernelFacts {
  std::string name;
  /// Warps of a block, and blocks of a cluster.
  int64_t warps = 0, cluster = 1;
  /// Bytes of shared memory that tiles and channels take, and that a block may
  /// have.
  int64_t sharedBytes = 0, sharedLimit = 0;
  /// Channels between global and shared memory, and stages of the deepest.
  int64_t channels = 0, depth = 0;
  /// Empty if all warps do the same.
  std::vector<RoleFacts> roles;
  /// What multiplies matrices: "wgmma", "mma.sync" or "fma", on the emulator
  /// the op, "mma_async" or "mma"; empty if there is no product.
  std::string products;
};

/// One op of the dialect at stage `naive`, whether it was written as such or
/// raised; or, with an empty name, all other code of the module.
struct OpSupport {
  /// "smx.attention".
  std::string op;
  /// "file:line:column".
  std::string place;
  /// Types of operands and results: "(tensor<..>, ..) -> tensor<..>".
  std::string type;
  std::vector<Decision> decisions;
  std::vector<KernelFacts> kernels;

  /// What runs, in a few words: "roles load and compute, wgmma", "4 warps,
  /// mma.sync, 2 kernels", "loops". Empty if nothing does.
  std::string schedule() const;
};

/// Something else to ask for, which the passes were asked for as well.
struct Alternative {
  /// "--chip=sm_80", "bf16 instead of f8E4M3FN".
  std::string change;
  /// "compiles", "4 warps, mma.sync instead of 4 warps, fma".
  std::string effect;
};

/// The answer for a module and a target.
struct Support {
  bool compiles = false;
  /// "cpu", the chip as PTX names it, or "emulator of" a chip.
  std::string target;
  /// Bytes that addresses and strides of rows are taken to be multiples of,
  /// where kernels ask that of them; 0: of nothing that helps. Of no meaning on
  /// a CPU.
  int64_t alignment = 0;
  /// Bits of the widest vectors, on a CPU.
  int64_t vectorBits = 0;
  /// Open extents that kernels have to be made for, "dimension 3 of argument 0
  /// of 'attention'", and what they were taken to be.
  std::vector<std::string> openExtents;
  /// Those that a kernel may leave open, but is faster if it is made for them.
  std::vector<std::string> openLengths;
  int64_t assumedExtent = 0;
  std::vector<OpSupport> ops;
  /// What is missing: "file:line:column: message", with its notes.
  std::vector<std::string> errors;
  /// Code that was not recognised, and why: "file:line:column: reason". It
  /// compiles as it is, or the errors say why not.
  std::vector<std::string> notRecognised;
  /// The nearest questions with a better answer: what compiles, where this does
  /// not, and else what multiplies matrices on a faster unit or by roles.
  std::vector<Alternative> alternatives;
};

/// What `options.road.alignment` says of a question.
enum class AlignmentIs {
  /// The most that a call's tensors are looked at for, as `compile` takes it;
  /// the answer is for tensors without gaps.
  LookedFor,
  /// What holds for every call, as the road takes it.
  Known,
};

/// What `compile` would make of a module for `options.road`, without a device
/// and without machine code. An error is a question that can not be asked: text
/// that is no valid module, a chip that does not exist.
llvm::Expected<Support>
supports(llvm::StringRef mlirText, const CompileOptions &options = {},
         AlignmentIs alignment = AlignmentIs::LookedFor);
/// The same for a module in memory, which is left as it is.
llvm::Expected<Support>
supports(mlir::ModuleOp module, const CompileOptions &options = {},
         AlignmentIs alignment = AlignmentIs::LookedFor);

/// A report to read.
void print(const Support &support, llvm::raw_ostream &os);
/// The same as one JSON object.
llvm::json::Value toJSON(const Support &support);

} // namespace smx

#endif // SMX_RUNTIME_SUPPORT_H
