//===- Bundle.h - kernels and how to launch them, as data -------*- C++ -*-===//
//
// What a program needs to run compiled functions without this library: the
// image with the kernels, and for every function its arguments, the numbers of
// the call as a straight-line program, and the launches. It is written as a
// JSON manifest or as a C header; integration/c/README.md documents both.
//
//===----------------------------------------------------------------------===//
#ifndef SMX_BUNDLE_BUNDLE_H
#define SMX_BUNDLE_BUNDLE_H

#include "smx/Evaluator/LaunchPlan.h"
#include "smx/Pipeline/Pipelines.h"
#include "smx/Reference/DType.h"

#include "mlir/IR/BuiltinOps.h"
#include "llvm/Support/Error.h"

namespace mlir::smx {

/// An argument of a function: a tensor in device memory, or a number of the
/// host.
struct BundleArgument {
  /// A function that was already on memrefs when it was handed over does not
  /// say which of them it writes.
  enum Role { In, Out, InOut };

  std::string name;
  Role role = In;
  bool isTensor = true;
  ::smx::reference::DType dtype;
  /// -1 where any will do.
  std::vector<int64_t> sizes;
  /// For results: the number that each size must equal; none where it is not
  /// known before the call.
  std::vector<std::optional<NumberProgram::Number>> extents;
  /// False for a tensor that may be anywhere, whatever the bundle's alignment.
  bool isAligned = true;

  /// A number of the host that is a float: what is computed with is its bits.
  bool isFloat() const { return !isTensor && ::smx::reference::isFloat(dtype); }
};

/// A parameter of a kernel: the address of an argument or of scratch memory, a
/// number, or a tensor map of the launch.
struct BundleParameter {
  enum Kind { Argument, Scratch, Number, TensorMap };
  Kind kind;
  unsigned index;
  int64_t bytes;
};

/// A tensor map that the caller makes of memory for a launch. Dimensions are
/// innermost first, as the driver wants them; all is such that the driver takes
/// it, whatever the sizes are.
struct BundleTensorMap {
  /// Argument or Scratch, and which of them.
  BundleParameter::Kind memory;
  unsigned index;
  ::smx::reference::DType dtype;
  /// How many elements there are. Without any nothing is copied, and the map
  /// may be of any address but 0.
  NumberProgram::Number elements;
  /// Where the first element is, in bytes from the address.
  NumberProgram::Number offset;
  /// In elements; and in bytes, of all dimensions but the innermost.
  std::vector<NumberProgram::Number> sizes, strides;
  /// What one copy moves, in elements, and the span of the swizzle in bytes.
  std::vector<int64_t> box;
  int64_t swizzle;
};

struct BundleLaunch {
  std::string kernel;
  NumberProgram::Number grid[3];
  /// Threads of a block, and blocks of a cluster (1: none), along x.
  int64_t threads, cluster;
  /// Dynamic shared memory in bytes.
  int64_t sharedBytes;
  /// The kernel waits for the one in front of it: its launch may have the
  /// attribute CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION.
  bool overlapsPrevious;
  std::vector<BundleParameter> parameters;
  /// Where the parameters of each argument of the kernel begin.
  std::vector<size_t> arguments;
  std::vector<BundleTensorMap> tensorMaps;
};

struct BundleFunction {
  std::string name;
  std::vector<BundleArgument> arguments;
  NumberProgram numbers;
  std::vector<LaunchPlan::Assertion> assertions;
  /// Bytes of each piece of scratch memory.
  std::vector<NumberProgram::Number> scratch;
  std::vector<BundleLaunch> launches;
};

struct Bundle {
  std::string chip;
  /// Bytes that pointers and strides of tensors must be multiples of; 0 for
  /// any.
  int64_t alignment = 0;
  std::string ptx;
  std::vector<BundleFunction> functions;
};

/// Gathers a bundle from a module on its way down the road.
class BundleBuilder {
public:
  BundleBuilder(Stage from, const RoadOptions &options)
      : from(from), chip(options.chip), alignment(options.alignment) {}

  /// Takes what the module shows at `stage`. To be called for `from`, Gpu and
  /// Nvvm; other stages are ignored, and so is all that follows a failure.
  void visit(Stage stage, ModuleOp module);
  /// What was gathered. Fails, after diagnostics at the place, if a public
  /// function can not be described or is not done by kernels alone.
  llvm::Expected<Bundle> finish();

private:
  llvm::Error readSignatures(ModuleOp module);
  llvm::Error readPlans(ModuleOp module);
  llvm::Error readKernels(ModuleOp module);

  Stage from;
  std::string chip;
  int64_t alignment;
  Bundle bundle;
  /// Why the bundle can not be made; empty as long as it can.
  std::string problem;
  bool isComplete = false;
};

/// What the image of a bundle is.
enum class ImageKind { PTX, Cubin };

/// Writes the manifest: JSON, version 2.
void printManifest(const Bundle &bundle, ImageKind kind, llvm::raw_ostream &os);

/// Writes a C99 header with the image, the manifest as tables, and a function
/// per function of the bundle, called `prefix` and its name; `name` becomes
/// part of the other names. To be compiled with integration/c/smx_loader.h.
/// Fails if a name is none in C, a tensor has more than 8 dimensions, or a
/// number of the host is a float that C has no type of.
llvm::Error printCHeader(const Bundle &bundle, ImageKind kind, StringRef image,
                         StringRef name, StringRef prefix,
                         llvm::raw_ostream &os);

} // namespace mlir::smx

#endif // SMX_BUNDLE_BUNDLE_H
