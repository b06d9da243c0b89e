//===- Signature.cpp - what a function takes and gives --------------------===//

#include "smx/Runtime/Signature.h"

#include "DenseCopies.h"
#include "smx/Evaluator/ScalarOps.h"
#include "smx/IR/SourcePlace.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Support/DebugStringHelper.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/MathExtras.h"

#include <cstdlib>

using namespace smx;
using llvm::createStringError;
using llvm::Expected;
using llvm::StringRef;
using llvm::Twine;
using reference::DType;

/// The strides that code for `type` counts on; it starts at the first element.
static llvm::Error readLayout(mlir::MemRefType type, TensorSpec &spec,
                              const Twine &place) {
  int64_t offset;
  llvm::SmallVector<int64_t> strides;
  if (failed(type.getStridesAndOffset(strides, offset)))
    return createStringError(place + " has the layout " +
                             mlir::debugString(type.getLayout()) +
                             "; a kernel takes strided layouts");
  if (offset != 0 && !mlir::ShapedType::isDynamic(offset))
    return createStringError(place + " has a layout with offset " +
                             Twine(offset) +
                             "; a call passes the address of the first "
                             "element, so that it must be 0 or open");
  // What has another stride is copied in front of the call.
  if (!strides.empty() && strides.back() != 1 &&
      !mlir::ShapedType::isDynamic(strides.back()))
    return createStringError(place + " has a layout with a stride of " +
                             Twine(strides.back()) +
                             " in its innermost dimension; it must be 1, or "
                             "open for tensors of any strides");
  for (int64_t stride : strides)
    spec.strides.push_back(mlir::ShapedType::isDynamic(stride) ? -1 : stride);
  return llvm::Error::success();
}

static Expected<TensorSpec> readType(mlir::Type type, const Twine &place) {
  TensorSpec spec;
  mlir::Type element = type;
  if (auto shaped = llvm::dyn_cast<mlir::ShapedType>(type)) {
    if (!shaped.hasRank())
      return createStringError(place + " has the type " +
                               mlir::debugString(type) +
                               "; a kernel needs ranked tensors");
    element = shaped.getElementType();
    for (int64_t size : shaped.getShape())
      spec.sizes.push_back(mlir::ShapedType::isDynamic(size) ? -1 : size);
    if (auto memref = llvm::dyn_cast<mlir::MemRefType>(type))
      if (llvm::Error error = readLayout(memref, spec, place))
        return error;
  } else {
    spec.isTensor = false;
  }
  std::optional<DType> dtype = mlir::smx::getStoredType(element);
  if (!dtype)
    return createStringError(place + " has elements of type " +
                             mlir::debugString(element) + "; supported are " +
                             std::string(reference::dtypeNames()));
  spec.dtype = *dtype;
  return spec;
}

llvm::SmallVector<size_t, 8> smx::ranksOf(const Signature &signature) {
  llvm::SmallVector<size_t, 8> ranks;
  for (const auto *specs : {&signature.inputs, &signature.outputs})
    for (const TensorSpec &spec : *specs)
      ranks.push_back(spec.sizes.size());
  return ranks;
}

Expected<Signature> smx::readSignature(mlir::func::FuncOp function) {
  Signature signature;
  auto name = [&](mlir::Location loc, llvm::StringRef what, size_t i) {
    return mlir::smx::placed(loc, what + " " + Twine(i) + " of '" +
                                      function.getName() + "'");
  };
  for (auto [i, type] : llvm::enumerate(function.getArgumentTypes())) {
    mlir::Location loc = function.isExternal()
                             ? function.getLoc()
                             : function.getArgument(i).getLoc();
    auto spec = readType(type, name(loc, "argument", i));
    if (!spec)
      return spec.takeError();
    signature.inputs.push_back(std::move(*spec));
  }
  for (auto [i, type] : llvm::enumerate(function.getResultTypes())) {
    std::string place = name(function.getLoc(), "result", i);
    if (!llvm::isa<mlir::RankedTensorType>(type)) {
      std::string found = mlir::debugString(type);
      return createStringError(place + " has the type " + found +
                               "; a kernel gives ranked tensors only" +
                               (type.isIntOrIndexOrFloat()
                                    ? ", and tensor<" + found + "> would work"
                                    : ""));
    }
    auto spec = readType(type, place);
    if (!spec)
      return spec.takeError();
    signature.outputs.push_back(std::move(*spec));
  }
  return signature;
}

//===----------------------------------------------------------------------===//
// Calls
//===----------------------------------------------------------------------===//

static std::string printSizes(llvm::ArrayRef<int64_t> sizes) {
  if (sizes.empty())
    return "a scalar";
  auto texts = llvm::map_range(sizes, [](int64_t size) {
    return size < 0 ? std::string("?") : std::to_string(size);
  });
  return llvm::join(texts, "x");
}

/// True if memory of type `given` can be read as `wanted`.
static bool isSameMemory(DType given, DType wanted) {
  // Who has no type of f8E4M3FN passes its codes as bytes.
  auto isByte = [wanted](DType t) {
    return t == DType::I8 || t == DType::U8 ||
           (t == DType::F8E4M3FN && t == wanted);
  };
  return given == wanted || (isByte(given) && isByte(wanted));
}

static std::string printStrides(llvm::ArrayRef<int64_t> strides) {
  return llvm::join(
      llvm::map_range(strides,
                      [](int64_t stride) { return std::to_string(stride); }),
      ", ");
}

/// An error where there are more elements or bytes than can be counted.
static llvm::Error checkCounts(const TensorView &view, const Twine &place) {
  int64_t bytes = byteWidth(view.dtype);
  for (auto [d, size] : llvm::enumerate(view.sizes))
    if (size < 0)
      return createStringError(place + " has the negative extent " +
                               Twine(size) + " in dimension " + Twine(d));
  if (llvm::is_contained(view.sizes, 0))
    return llvm::Error::success();
  for (int64_t size : view.sizes) {
    if (size > 1 && llvm::MulOverflow(bytes, size, bytes))
      return createStringError(place + " is " + printSizes(view.sizes) +
                               ": more than 2^63 bytes, which can not be "
                               "counted");
  }
  return llvm::Error::success();
}

/// An error where the code counts on other strides.
static llvm::Error checkStrides(const TensorView &view, const TensorSpec &spec,
                                const Twine &place) {
  for (size_t d = 0; d < spec.strides.size(); ++d)
    if (spec.strides[d] >= 0 && view.sizes[d] > 1 &&
        view.strides[d] != spec.strides[d])
      return createStringError(
          place + " has strides " + printStrides(view.strides) +
          ", but the kernel was compiled for " + printStrides(spec.strides));
  return llvm::Error::success();
}

/// An error where elements are further apart than can be counted.
static llvm::Error checkReach(const TensorView &view, const Twine &place) {
  const int64_t width = byteWidth(view.dtype);
  int64_t reach = width;
  for (auto [size, stride] : llvm::zip(view.sizes, view.strides)) {
    int64_t steps = 0;
    if (size > 1 && (stride == INT64_MIN ||
                     llvm::MulOverflow(size - 1, std::abs(stride), steps) ||
                     llvm::MulOverflow(steps, width, steps) ||
                     llvm::AddOverflow(reach, steps, reach)))
      return createStringError(place + " has strides " +
                               printStrides(view.strides) + " for " +
                               printSizes(view.sizes) +
                               ": it reaches over more than 2^63 bytes, which "
                               "can not be counted");
  }
  return llvm::Error::success();
}

static llvm::Error checkView(const TensorView &view, const TensorSpec &spec,
                             const Twine &place) {
  if (StringRef(nameOf(view.dtype)).empty())
    return createStringError(place + " has elements of type " +
                             Twine(static_cast<int>(view.dtype)) +
                             ", which is none of DType's");
  if (!isSameMemory(view.dtype, spec.dtype))
    return createStringError(
        place + " has elements of type " + StringRef(nameOf(view.dtype)) +
        ", but the kernel was compiled for " + StringRef(nameOf(spec.dtype)));
  if (view.strides.size() != view.sizes.size())
    return createStringError(place + " has " + Twine(view.sizes.size()) +
                             " sizes, but " + Twine(view.strides.size()) +
                             " strides");
  if (llvm::Error error = checkCounts(view, place))
    return error;
  bool fits = view.sizes.size() == spec.sizes.size();
  for (size_t d = 0; fits && d < view.sizes.size(); ++d)
    fits = spec.sizes[d] < 0 || spec.sizes[d] == view.sizes[d];
  if (!fits)
    return createStringError(place + " is " + printSizes(view.sizes) +
                             ", but the kernel was compiled for " +
                             printSizes(spec.sizes));
  if (view.elementCount() == 0)
    return llvm::Error::success();
  if (llvm::Error error = checkStrides(view, spec, place))
    return error;
  if (llvm::Error error = checkReach(view, place))
    return error;
  if (!view.data)
    return createStringError(place + " has a null address, but " +
                             Twine(view.elementCount()) + " elements");
  auto width = static_cast<uintptr_t>(byteWidth(view.dtype));
  if (reinterpret_cast<uintptr_t>(view.data) % width != 0)
    return createStringError(place + " is not aligned to the " + Twine(width) +
                             " bytes of its elements");
  return llvm::Error::success();
}

namespace {
/// Bytes `[begin, end)` that a view may touch.
struct ByteRange {
  explicit ByteRange(const TensorView &view) {
    int64_t first = 0, last = 0;
    for (auto [size, stride] : llvm::zip(view.sizes, view.strides))
      (stride < 0 ? first : last) += (size - 1) * stride;
    const int64_t width = byteWidth(view.dtype);
    auto base = reinterpret_cast<intptr_t>(view.data);
    begin = base + first * width;
    end = base + (last + 1) * width;
  }
  intptr_t begin, end;
};
} // namespace

/// True if the views certainly share memory. Strided views may lie in each
/// other's gaps, which is legitimate, so these count only where they start at
/// the same place.
static bool overlap(const TensorView &a, const TensorView &b) {
  if (a.elementCount() == 0 || b.elementCount() == 0)
    return false;
  if (a.data == b.data)
    return true;
  ByteRange rangeA(a), rangeB(b);
  return rangeA.begin < rangeB.end && rangeB.begin < rangeA.end &&
         a.isContiguous() && b.isContiguous();
}

/// True if each element surely has memory of its own: each dimension steps over
/// all that those with smaller strides reach.
static bool hasOwnElements(const TensorView &view) {
  llvm::SmallVector<std::pair<int64_t, int64_t>> dims;
  for (auto [size, stride] : llvm::zip(view.sizes, view.strides))
    if (size > 1)
      dims.push_back({std::abs(stride), size});
  llvm::sort(dims);
  int64_t reach = 1;
  for (auto [stride, size] : dims) {
    if (stride < reach)
      return false;
    reach += (size - 1) * stride;
  }
  return true;
}

static llvm::Error checkOverlaps(StringRef name,
                                 llvm::ArrayRef<TensorView> inputs,
                                 llvm::ArrayRef<TensorView> outputs) {
  auto report = [&](const Twine &one, const Twine &other) {
    return createStringError("'" + name + "': " + one + " shares memory with " +
                             other + "; give every output memory of its own");
  };
  for (auto [i, output] : llvm::enumerate(outputs)) {
    if (output.elementCount() != 0 && !hasOwnElements(output))
      return createStringError(
          "'" + name + "': output " + Twine(i) + " has strides " +
          printStrides(output.strides) + " for " + printSizes(output.sizes) +
          ": its elements share memory; give each its own");
    for (auto [j, input] : llvm::enumerate(inputs))
      if (overlap(output, input))
        return report("output " + Twine(i), "input " + Twine(j));
    for (size_t j = 0; j < i; ++j)
      if (overlap(output, outputs[j]))
        return report("output " + Twine(i), "output " + Twine(j));
  }
  return llvm::Error::success();
}

static llvm::Error checkViews(StringRef name, StringRef role,
                              llvm::ArrayRef<TensorSpec> specs,
                              llvm::ArrayRef<TensorView> views) {
  if (views.size() != specs.size())
    return createStringError("'" + name + "' has " + Twine(specs.size()) + " " +
                             role + "s, but the call gives " +
                             Twine(views.size()));
  for (auto [i, spec] : llvm::enumerate(specs))
    if (llvm::Error error = checkView(
            views[i], spec, "'" + name + "': " + role + " " + Twine(i)))
      return error;
  return llvm::Error::success();
}

llvm::Error smx::checkUnitStrides(StringRef name,
                                  llvm::ArrayRef<TensorView> inputs) {
  for (auto [i, view] : llvm::enumerate(inputs))
    if (!hasUnitStride(view))
      return createStringError(
          "'" + name + "': input " + Twine(i) + " has a stride of " +
          Twine(view.strides.back()) +
          " elements in its innermost dimension, which must be 1 where a "
          "function takes its destinations; copy it into row-major order");
  return llvm::Error::success();
}

llvm::Error smx::checkInputs(StringRef name, const Signature &signature,
                             llvm::ArrayRef<TensorView> inputs) {
  return checkViews(name, "input", signature.inputs, inputs);
}

llvm::Error smx::explainInputs(StringRef name,
                               llvm::ArrayRef<TensorView> inputs,
                               llvm::Error error) {
  auto sizes = llvm::map_range(
      inputs, [](const TensorView &view) { return printSizes(view.sizes); });
  return createStringError("'" + name + "': the inputs do not go together: " +
                           llvm::toString(std::move(error)) +
                           "; the inputs are " + llvm::join(sizes, ", "));
}

llvm::Error smx::checkOutputSizes(StringRef name,
                                  llvm::ArrayRef<reference::Shape> expected,
                                  llvm::ArrayRef<TensorView> outputs) {
  for (auto [i, shape] : llvm::enumerate(expected))
    for (auto [wanted, given] : llvm::zip(shape, outputs[i].sizes))
      if (wanted >= 0 && wanted != given)
        return createStringError("'" + name + "': output " + Twine(i) + " is " +
                                 printSizes(outputs[i].sizes) +
                                 ", but for these inputs the result is " +
                                 printSizes(shape));
  return llvm::Error::success();
}

llvm::Error smx::checkCall(StringRef name, const Signature &signature,
                           llvm::ArrayRef<TensorView> inputs,
                           llvm::ArrayRef<TensorView> outputs) {
  if (llvm::Error error = checkInputs(name, signature, inputs))
    return error;
  if (llvm::Error error =
          checkViews(name, "output", signature.outputs, outputs))
    return error;
  return checkOverlaps(name, inputs, outputs);
}
