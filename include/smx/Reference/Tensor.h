//===- Tensor.h - dense tensors of doubles ---------------------*- C++ -*-===//
//
// What the reference computes on: a shape and row-major doubles, nothing lazy,
// no strides. Wrong shapes are errors of the caller and asserted; what comes
// from outside is checked by Npy.h.
//
//===----------------------------------------------------------------------===//
#ifndef SMX_REFERENCE_TENSOR_H
#define SMX_REFERENCE_TENSOR_H

#include "smx/Reference/DType.h"

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace smx::reference {

/// Extents, outermost first. Also used for multi-dimensional indices.
using Shape = std::vector<int64_t>;

/// Number of elements (1 for rank 0); nothing if an extent is negative or the
/// product exceeds 2^63 - 1. A zero extent makes it 0, whatever stands beside
/// it.
std::optional<int64_t> elementCount(const Shape &shape);
/// "2x8x128", or "scalar" for rank 0.
std::string toString(const Shape &shape);
/// "[1, 0, 17]".
std::string indexToString(const Shape &index);

/// A dense row-major tensor of any rank.
class Tensor {
public:
  /// Rank 0, value 0.
  Tensor() : elements(1, 0.0) {}
  /// Every element is `fill`.
  explicit Tensor(Shape shape, double fill = 0.0);
  /// `values.size()` must be the element count of the shape.
  Tensor(Shape shape, std::vector<double> values);

  const Shape &shape() const { return extents; }
  int64_t rank() const { return static_cast<int64_t>(extents.size()); }
  /// Extent of one axis; a negative axis counts from the end.
  int64_t dim(int64_t axis) const { return extents[resolveAxis(axis)]; }
  int64_t size() const { return static_cast<int64_t>(elements.size()); }

  double *data() { return elements.data(); }
  const double *data() const { return elements.data(); }
  std::vector<double> &values() & { return elements; }
  const std::vector<double> &values() const & { return elements; }
  /// By value, so that a loop over the values of a temporary is safe.
  std::vector<double> values() && { return std::move(elements); }

  double &operator[](int64_t offset) { return elements[offset]; }
  double operator[](int64_t offset) const { return elements[offset]; }
  double &at(const Shape &index) { return elements[offsetOf(index)]; }
  double at(const Shape &index) const { return elements[offsetOf(index)]; }

  /// Row-major offset of an index, and the index of an offset.
  int64_t offsetOf(const Shape &index) const;
  Shape indexOf(int64_t offset) const;
  /// An axis in [0, rank), from one in [-rank, rank).
  int64_t resolveAxis(int64_t axis) const;
  /// The extents of all other axes, in order.
  Shape shapeWithout(int64_t axis) const;

  /// The same elements under another shape of the same size.
  Tensor reshaped(Shape shape) const;
  /// Indices [begin, end) of one axis.
  Tensor slice(int64_t axis, int64_t begin, int64_t end) const;
  /// Axis `d` of the result is axis `order[d]` of this tensor.
  Tensor transposed(const Shape &order) const;
  /// NumPy's broadcast: axes are aligned at the end, extents of 1 are repeated.
  Tensor broadcastTo(const Shape &shape) const;
  /// Every element stored as `dtype` and loaded back.
  Tensor roundedTo(DType dtype) const;

private:
  Shape extents;
  std::vector<double> elements;
};

/// How the rows along one axis lie in memory: row (o, i) has its element j at
/// `(o * length + j) * inner + i`, for o in [0, outer) and i in [0, inner).
struct RowLayout {
  int64_t outer = 1;
  int64_t length = 1;
  int64_t inner = 1;

  RowLayout(const Shape &shape, int64_t axis);

  int64_t rowCount() const { return outer * inner; }
  /// Offset of element 0 of a row; rows are numbered row-major over the
  /// remaining axes.
  int64_t begin(int64_t row) const {
    return row / inner * length * inner + row % inner;
  }
  int64_t stride() const { return inner; }
};

} // namespace smx::reference

#endif // SMX_REFERENCE_TENSOR_H
