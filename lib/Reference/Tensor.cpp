//===- Tensor.cpp - dense tensors of doubles ------------------------------===//
#include "smx/Reference/Tensor.h"

#include <algorithm>
#include <cassert>

namespace smx::reference {

std::optional<int64_t> elementCount(const Shape &shape) {
  if (std::any_of(shape.begin(), shape.end(), [](int64_t n) { return n < 0; }))
    return std::nullopt;
  if (std::find(shape.begin(), shape.end(), 0) != shape.end())
    return 0;
  int64_t count = 1;
  for (int64_t extent : shape)
    if (__builtin_mul_overflow(count, extent, &count))
      return std::nullopt;
  return count;
}

std::string toString(const Shape &shape) {
  std::string text;
  for (int64_t extent : shape)
    text += (text.empty() ? "" : "x") + std::to_string(extent);
  return text.empty() ? "scalar" : text;
}

std::string indexToString(const Shape &index) {
  std::string text = "[";
  for (size_t d = 0; d < index.size(); ++d)
    text += (d ? ", " : "") + std::to_string(index[d]);
  return text + "]";
}

static int64_t checkedCount(const Shape &shape) {
  std::optional<int64_t> count = elementCount(shape);
  assert(count && "negative extent, or more elements than can be counted");
  return count.value_or(0);
}

Tensor::Tensor(Shape shape, double fill)
    : extents(std::move(shape)), elements(checkedCount(extents), fill) {}

Tensor::Tensor(Shape shape, std::vector<double> values)
    : extents(std::move(shape)), elements(std::move(values)) {
  assert(checkedCount(extents) == size() && "values must fill the shape");
}

int64_t Tensor::offsetOf(const Shape &index) const {
  assert(index.size() == extents.size() && "one index for every axis");
  int64_t offset = 0;
  for (size_t d = 0; d < extents.size(); ++d) {
    assert(index[d] >= 0 && index[d] < extents[d] && "index out of range");
    offset = offset * extents[d] + index[d];
  }
  return offset;
}

Shape Tensor::indexOf(int64_t offset) const {
  assert(offset >= 0 && offset < size() && "offset out of range");
  Shape index(extents.size());
  for (size_t d = extents.size(); d-- > 0; offset /= extents[d])
    index[d] = offset % extents[d];
  return index;
}

int64_t Tensor::resolveAxis(int64_t axis) const {
  assert(axis >= -rank() && axis < rank() && "axis out of range");
  return axis < 0 ? axis + rank() : axis;
}

Shape Tensor::shapeWithout(int64_t axis) const {
  Shape shape = extents;
  shape.erase(shape.begin() + resolveAxis(axis));
  return shape;
}

Tensor Tensor::reshaped(Shape shape) const {
  return Tensor(std::move(shape), elements);
}

Tensor Tensor::slice(int64_t axis, int64_t begin, int64_t end) const {
  axis = resolveAxis(axis);
  assert(0 <= begin && begin <= end && end <= extents[axis] &&
         "slice out of range");
  Shape shape = extents;
  shape[axis] = end - begin;
  Tensor result(shape);
  RowLayout from(extents, axis);
  const int64_t block = (end - begin) * from.inner;
  for (int64_t o = 0; o < from.outer; ++o)
    std::copy_n(data() + (o * from.length + begin) * from.inner, block,
                result.data() + o * block);
  return result;
}

/// Reads `from` at a step per axis, in the row-major order of `to`.
static void gather(const double *from, const Shape &steps, Tensor &to) {
  Shape index(to.rank(), 0);
  int64_t source = 0;
  for (int64_t offset = 0; offset < to.size(); ++offset) {
    to[offset] = from[source];
    for (int64_t d = to.rank() - 1; d >= 0; --d) {
      source += steps[d];
      if (++index[d] < to.shape()[d])
        break;
      source -= steps[d] * index[d];
      index[d] = 0;
    }
  }
}

/// Elements between neighbours along each axis.
static Shape stepsOf(const Shape &shape) {
  Shape steps(shape.size(), 1);
  for (size_t d = shape.size(); d-- > 1;)
    steps[d - 1] = steps[d] * shape[d];
  return steps;
}

Tensor Tensor::transposed(const Shape &order) const {
  assert(static_cast<int64_t>(order.size()) == rank() &&
         "one source axis for every axis");
  Shape steps = stepsOf(extents), shape, permuted;
  for (int64_t axis : order) {
    shape.push_back(dim(axis));
    permuted.push_back(steps[resolveAxis(axis)]);
  }
  Tensor result(shape);
  gather(data(), permuted, result);
  return result;
}

Tensor Tensor::broadcastTo(const Shape &shape) const {
  assert(shape.size() >= extents.size() && "broadcast does not lower the rank");
  Shape own = stepsOf(extents), steps(shape.size(), 0);
  const size_t added = shape.size() - extents.size();
  for (size_t d = 0; d < extents.size(); ++d) {
    assert((extents[d] == 1 || extents[d] == shape[d + added]) &&
           "only an extent of 1 can be repeated");
    steps[d + added] = extents[d] == 1 ? 0 : own[d];
  }
  Tensor result(shape);
  gather(data(), steps, result);
  return result;
}

Tensor Tensor::roundedTo(DType dtype) const {
  Tensor result = *this;
  if (dtype != DType::F64)
    for (double &x : result.elements)
      x = roundTo(dtype, x);
  return result;
}

RowLayout::RowLayout(const Shape &shape, int64_t axis) {
  const int64_t rank = static_cast<int64_t>(shape.size());
  assert(axis >= -rank && axis < rank && "axis out of range");
  axis = axis < 0 ? axis + rank : axis;
  for (int64_t d = 0; d < axis; ++d)
    outer *= shape[d];
  length = shape[axis];
  for (int64_t d = axis + 1; d < rank; ++d)
    inner *= shape[d];
}

} // namespace smx::reference
