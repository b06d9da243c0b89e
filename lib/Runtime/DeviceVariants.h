//===- DeviceVariants.h - code for a GPU, made for calls --------*- C++ -*-===//
//
// Code for a GPU is made for some facts of a call: how the tensors are aligned
// that it asks that of, and the extents that no kernel can leave open. A
// function has one piece of code for each such set of facts, compiled when the
// first call needs it and kept as long as the kernel. All other sizes and
// strides are arguments.
//
// Extents that a kernel may leave open are facts, too, while calls have few
// sizes of them: code for one is faster, and whoever calls with ever new ones
// does not wait for a compiler every time.
//
//===----------------------------------------------------------------------===//
#ifndef SMX_LIB_RUNTIME_DEVICEVARIANTS_H
#define SMX_LIB_RUNTIME_DEVICEVARIANTS_H

#include "DeviceCode.h"

#include "smx/GPU/OpenExtents.h"
#include "smx/Runtime/KernelCache.h"

#include <functional>
#include <mutex>
#include <set>

namespace smx {

/// What a piece of code is made for.
struct VariantFacts {
  /// Bytes that pointers and strides of tensors are multiples of: a power of
  /// two from 4 on, or 0.
  int64_t alignment = 0;
  /// The sizes of the open extents, in their order; -1 of one that stays open.
  llvm::SmallVector<int64_t, 4> sizes;
};

/// What is made for some facts.
struct Variant {
  /// The arguments that the facts' alignment is asked of: LaunchPlan's.
  std::vector<unsigned> aligned;
  /// Null if that was more than the call has that it was to be made for.
  std::shared_ptr<const DeviceCode> code;
};

class DeviceVariants {
public:
  using CodePtr = std::shared_ptr<const DeviceCode>;
  /// True for a call in which these arguments are as aligned as the facts say.
  using Fits = llvm::function_ref<bool(llvm::ArrayRef<unsigned> aligned)>;
  using Compile =
      std::function<llvm::Expected<Variant>(const VariantFacts &, Fits)>;

  /// `extents` is what is open, `alignment` the most that is looked for, in
  /// bytes. Where no size is needed `mostSizes` sets of them get code of their
  /// own. `compile` may be called from any thread, once for each set
  /// of facts, and again for the code if it stopped without.
  DeviceVariants(std::vector<mlir::smx::gpu::ArgumentExtent> extents,
                 int64_t alignment, size_t mostSizes, Compile compile)
      : extents(std::move(extents)), alignment(alignment), mostSizes(mostSizes),
        compile(std::move(compile)) {}

  /// The code for a call with these views, of which the first ones are inputs.
  llvm::Expected<CodePtr> get(llvm::ArrayRef<TensorView> views,
                              size_t inputs) const {
    return get(views, inputs, compile);
  }
  /// The same; what is missing is made by `make`.
  llvm::Expected<CodePtr> get(llvm::ArrayRef<TensorView> views, size_t inputs,
                              const Compile &make) const;
  /// How many there are.
  size_t count() const { return variants->size(); }

private:
  /// The sizes that have got code of their own so far.
  struct KnownSizes {
    std::mutex mutex;
    std::set<std::vector<int64_t>> sizes;
  };
  /// True if `sizes` get code of their own, as one of the first or again.
  bool areKept(llvm::ArrayRef<int64_t> sizes) const;

  std::vector<mlir::smx::gpu::ArgumentExtent> extents;
  int64_t alignment;
  size_t mostSizes;
  Compile compile;
  std::shared_ptr<KernelCache<Variant>> variants =
      std::make_shared<KernelCache<Variant>>();
  /// The code of those that stopped without.
  std::shared_ptr<KernelCache<CodePtr>> codes =
      std::make_shared<KernelCache<CodePtr>>();
  std::shared_ptr<KnownSizes> known = std::make_shared<KnownSizes>();
};

/// The largest power of two up to `most` that the addresses and all strides but
/// the innermost are multiples of, in bytes; 0 if it is below 4, which helps
/// nobody. Tensors without elements and scalars are aligned to everything.
int64_t alignmentOf(llvm::ArrayRef<TensorView> views, int64_t most);
/// The same of some of them.
int64_t alignmentOf(llvm::ArrayRef<TensorView> views,
                    llvm::ArrayRef<unsigned> some, int64_t most);

} // namespace smx

#endif // SMX_LIB_RUNTIME_DEVICEVARIANTS_H
