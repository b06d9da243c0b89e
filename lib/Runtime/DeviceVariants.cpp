//===- DeviceVariants.cpp - code for a GPU, made for calls ----------------===//

#include "DeviceVariants.h"

#include "llvm/Support/MathExtras.h"

using namespace smx;
using llvm::Expected;

/// What the narrowest copy to shared memory moves.
static constexpr int64_t leastAlignment = 4;

int64_t smx::alignmentOf(llvm::ArrayRef<TensorView> views, int64_t most) {
  uint64_t places = most;
  for (const TensorView &view : views) {
    if (view.rank() == 0 || view.elementCount() == 0)
      continue;
    places |= reinterpret_cast<uintptr_t>(view.data);
    const int64_t width = reference::byteWidth(view.dtype);
    for (auto [dim, stride] : llvm::enumerate(view.strides))
      if (dim + 1 < view.strides.size() && view.sizes[dim] > 1)
        places |= stride * width;
  }
  const auto common = static_cast<int64_t>(places & -places);
  return most < leastAlignment || common < leastAlignment ? 0 : common;
}

int64_t smx::alignmentOf(llvm::ArrayRef<TensorView> views,
                         llvm::ArrayRef<unsigned> some, int64_t most) {
  for (unsigned view : some)
    most = alignmentOf(views[view], most);
  return most;
}

bool DeviceVariants::areKept(llvm::ArrayRef<int64_t> sizes) const {
  std::lock_guard<std::mutex> lock(known->mutex);
  if (known->sizes.size() < mostSizes)
    known->sizes.insert(sizes.vec());
  return known->sizes.count(sizes.vec()) != 0;
}

/// The facts as bytes.
static llvm::SmallString<64> makeKey(const VariantFacts &facts) {
  llvm::SmallString<64> key;
  auto add = [&](const int64_t *numbers, size_t count) {
    key.append(llvm::StringRef(reinterpret_cast<const char *>(numbers),
                               count * sizeof(int64_t)));
  };
  add(&facts.alignment, 1);
  add(facts.sizes.data(), facts.sizes.size());
  return key;
}

static Expected<DeviceVariants::CodePtr> codeOf(Expected<Variant> variant) {
  if (!variant)
    return variant.takeError();
  return std::move(variant->code);
}

Expected<DeviceVariants::CodePtr>
DeviceVariants::get(llvm::ArrayRef<TensorView> views, size_t inputs,
                    const Compile &make) const {
  VariantFacts facts;
  for (mlir::smx::gpu::ArgumentExtent extent : extents)
    facts.sizes.push_back(views[extent.argument].sizes[extent.dim]);
  auto isNeeded = [](const mlir::smx::gpu::ArgumentExtent &extent) {
    return extent.isNeeded;
  };
  if (!llvm::all_of(extents, isNeeded) && !areKept(facts.sizes))
    for (auto [extent, size] : llvm::zip(extents, facts.sizes))
      if (!extent.isNeeded)
        size = -1;
  // Only the code says what it asks of results: those of few columns may be
  // anywhere, and would make it read inputs slowly if they counted.
  facts.alignment = alignmentOf(views.take_front(inputs), alignment);
  while (true) {
    auto had = [&](llvm::ArrayRef<unsigned> aligned) {
      return alignmentOf(views, aligned, facts.alignment);
    };
    auto fits = [&](llvm::ArrayRef<unsigned> aligned) {
      return had(aligned) == facts.alignment;
    };
    const llvm::SmallString<64> key = makeKey(facts);
    auto variant = variants->get(key, [&] { return make(facts, fits); });
    if (!variant)
      return variant.takeError();
    if (fits(variant->aligned)) {
      if (variant->code)
        return std::move(variant->code);
      return codes->get(
          key, [&] { return codeOf(make(facts, [](auto) { return true; })); });
    }
    facts.alignment = had(variant->aligned);
  }
}
