//===- TensorOps.cpp - the tensor dialect on doubles ----------------------===//

#include "BodyProgram.h"

#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "llvm/ADT/TypeSwitch.h"

#include <limits>

using namespace mlir;
using namespace mlir::smx;

/// What memory holds that nothing was written to.
static double undefinedElement(Type type) {
  return hasFloatElements(type) ? std::numeric_limits<double>::quiet_NaN()
                                : 0.0;
}

static double storedScalar(const Frame &frame, Value value) {
  return storedElement(frame.get(value).scalar,
                       hasFloatElements(value.getType()));
}

/// The extents of a type whose dynamic ones are `dynamicSizes`, in order.
static Shape fillIn(ShapedType type, ValueRange dynamicSizes,
                    const Frame &frame) {
  Shape shape(type.getShape().begin(), type.getShape().end());
  auto next = dynamicSizes.begin();
  for (int64_t &size : shape)
    if (ShapedType::isDynamic(size))
      size = frame.integer(*next++);
  return shape;
}

/// Calls `visit` with every index of `shape`, row-major.
static void forEachIndex(const Shape &shape,
                         llvm::function_ref<void(const Shape &)> visit) {
  if (llvm::is_contained(shape, 0))
    return;
  Shape index(shape.size(), 0);
  while (true) {
    visit(index);
    int64_t d = static_cast<int64_t>(shape.size()) - 1;
    for (; d >= 0; --d) {
      if (++index[d] < shape[d])
        break;
      index[d] = 0;
    }
    if (d < 0)
      return;
  }
}

namespace {
/// The places that an extract_slice or insert_slice touches.
struct Window {
  Shape offsets, sizes, strides;

  Window(OffsetSizeAndStrideOpInterface op, const Frame &frame)
      : offsets(frame.shape(op.getMixedOffsets())),
        sizes(frame.shape(op.getMixedSizes())),
        strides(frame.shape(op.getMixedStrides())) {}

  bool isInside(const Tensor &tensor) const {
    for (int64_t d = 0; d < tensor.rank(); ++d) {
      if (sizes[d] == 0)
        continue;
      const int64_t last = offsets[d] + (sizes[d] - 1) * strides[d];
      if (std::min(offsets[d], last) < 0 ||
          std::max(offsets[d], last) >= tensor.dim(d))
        return false;
    }
    return true;
  }

  Shape place(const Shape &index) const {
    Shape result = offsets;
    for (size_t d = 0; d < index.size(); ++d)
      result[d] += index[d] * strides[d];
    return result;
  }
};
} // namespace

static llvm::Error extractSlice(tensor::ExtractSliceOp op, Frame &frame) {
  const Tensor &source = frame.tensor(op.getSource());
  Window window(op, frame);
  if (!window.isInside(source))
    return errorAt(op, "reads outside of its source");
  std::vector<double> values;
  forEachIndex(window.sizes, [&](const Shape &index) {
    values.push_back(source.at(window.place(index)));
  });
  llvm::SmallBitVector dropped = op.getDroppedDims();
  Shape shape;
  for (auto [d, size] : llvm::enumerate(window.sizes))
    if (!dropped.test(d))
      shape.push_back(size);
  frame.set(op, Tensor(shape, std::move(values)));
  return llvm::Error::success();
}

static llvm::Error insertSlice(tensor::InsertSliceOp op, Frame &frame) {
  const Tensor &source = frame.tensor(op.getSource());
  Tensor result = frame.tensor(op.getDest());
  Window window(op, frame);
  if (!window.isInside(result))
    return errorAt(op, "writes outside of its destination");
  int64_t next = 0;
  forEachIndex(window.sizes, [&](const Shape &index) {
    result.at(window.place(index)) = source[next++];
  });
  frame.set(op, std::move(result));
  return llvm::Error::success();
}

/// One value per place from a body that takes the indices.
static llvm::Error
evaluateBody(Region &body, const Shape &shape, const Frame &frame,
             llvm::function_ref<void(const Shape &, double)> store) {
  auto program = BodyProgram::compile(body.front(), frame);
  if (!program)
    return program.takeError();
  const bool isFloat =
      hasFloatElements(body.front().getTerminator()->getOperand(0).getType());
  BodyProgram::Registers registers(*program, 1);
  forEachIndex(shape, [&](const Shape &index) {
    for (auto [d, position] : llvm::enumerate(index))
      *registers[d] = intSlot(position);
    program->run(registers, 1);
    store(index,
          storedElement(*registers[program->getYields().front()], isFloat));
  });
  return registers.takeFailure();
}

static llvm::Error generate(tensor::GenerateOp op, Frame &frame) {
  Tensor result(fillIn(op.getType(), op.getDynamicExtents(), frame));
  llvm::Error error = evaluateBody(
      op.getBody(), result.shape(), frame,
      [&](const Shape &index, double value) { result.at(index) = value; });
  if (!error)
    frame.set(op, std::move(result));
  return error;
}

static llvm::Error pad(tensor::PadOp op, Frame &frame) {
  const Tensor &source = frame.tensor(op.getSource());
  Shape low = frame.shape(op.getMixedLowPad());
  Shape shape = frame.shape(op.getMixedHighPad());
  for (int64_t d = 0; d < source.rank(); ++d)
    shape[d] += low[d] + source.dim(d);
  Tensor result(shape);
  llvm::Error error = evaluateBody(
      op.getRegion(), shape, frame,
      [&](const Shape &index, double value) { result.at(index) = value; });
  if (error)
    return error;
  forEachIndex(source.shape(), [&](const Shape &index) {
    Shape place = index;
    for (size_t d = 0; d < place.size(); ++d)
      place[d] += low[d];
    if (llvm::all_of(llvm::zip(place, shape), [](auto pair) {
          return std::get<0>(pair) >= 0 &&
                 std::get<0>(pair) < std::get<1>(pair);
        }))
      result.at(place) = source.at(index);
  });
  frame.set(op, std::move(result));
  return llvm::Error::success();
}

static llvm::Error concatenate(tensor::ConcatOp op, Frame &frame) {
  const auto axis = static_cast<size_t>(op.getDim());
  Shape shape = frame.tensor(op.getInputs().front()).shape();
  shape[axis] = 0;
  for (Value input : op.getInputs())
    shape[axis] += frame.tensor(input).shape()[axis];
  Tensor result(shape);
  int64_t begin = 0;
  for (Value input : op.getInputs()) {
    const Tensor &part = frame.tensor(input);
    forEachIndex(part.shape(), [&](const Shape &index) {
      Shape place = index;
      place[axis] += begin;
      result.at(place) = part.at(index);
    });
    begin += part.shape()[axis];
  }
  frame.set(op, std::move(result));
  return llvm::Error::success();
}

static llvm::Error reshape(Operation *op, const Tensor &source, Shape shape,
                           Frame &frame) {
  if (::smx::reference::elementCount(shape) != source.size())
    return errorAt(op, "makes " + ::smx::reference::toString(shape) + " of " +
                           ::smx::reference::toString(source.shape()));
  frame.set(op->getResult(0), source.reshaped(std::move(shape)));
  return llvm::Error::success();
}

static llvm::Error reshapeTo(tensor::ReshapeOp op, Frame &frame) {
  Shape shape;
  for (double size : frame.tensor(op.getShape()).values())
    shape.push_back(static_cast<int64_t>(size));
  return reshape(op, frame.tensor(op.getSource()), std::move(shape), frame);
}

static llvm::Error collapse(tensor::CollapseShapeOp op, Frame &frame) {
  const Tensor &source = frame.tensor(op.getSrc());
  Shape shape;
  for (const ReassociationIndices &group : op.getReassociationIndices()) {
    shape.push_back(1);
    for (int64_t d : group)
      shape.back() *= source.dim(d);
  }
  return reshape(op, source, std::move(shape), frame);
}

static llvm::Error castTensor(tensor::CastOp op, Frame &frame) {
  const Tensor &source = frame.tensor(op.getSource());
  if (auto type = dyn_cast<RankedTensorType>(op.getType()))
    for (auto [d, size] : llvm::enumerate(type.getShape()))
      if (!ShapedType::isDynamic(size) && size != source.shape()[d])
        return errorAt(op, "expects extent " + Twine(size) + " in dimension " +
                               Twine(d) + ", but it is " +
                               Twine(source.shape()[d]));
  frame.set(op, frame.get(op.getSource()));
  return llvm::Error::success();
}

static llvm::Expected<Shape> readIndices(Operation *op, ValueRange indices,
                                         const Tensor &tensor,
                                         const Frame &frame) {
  Shape index;
  for (auto [d, value] : llvm::enumerate(indices)) {
    index.push_back(frame.integer(value));
    if (index.back() < 0 || index.back() >= tensor.shape()[d])
      return errorAt(op, "index " + Twine(index.back()) +
                             " is outside of extent " +
                             Twine(tensor.shape()[d]));
  }
  return index;
}

static llvm::Error extract(tensor::ExtractOp op, Frame &frame) {
  const Tensor &tensor = frame.tensor(op.getTensor());
  auto index = readIndices(op, op.getIndices(), tensor, frame);
  if (!index)
    return index.takeError();
  frame.set(op, loadElement(tensor.at(*index), hasFloatElements(op.getType())));
  return llvm::Error::success();
}

static llvm::Error insert(tensor::InsertOp op, Frame &frame) {
  Tensor result = frame.tensor(op.getDest());
  auto index = readIndices(op, op.getIndices(), result, frame);
  if (!index)
    return index.takeError();
  result.at(*index) = storedScalar(frame, op.getScalar());
  frame.set(op, std::move(result));
  return llvm::Error::success();
}

static llvm::Error dim(tensor::DimOp op, Frame &frame) {
  const Tensor &tensor = frame.tensor(op.getSource());
  const int64_t axis = frame.integer(op.getIndex());
  if (axis < 0 || axis >= tensor.rank())
    return errorAt(op, "dimension " + Twine(axis) + " of a tensor of rank " +
                           Twine(tensor.rank()));
  frame.set(op, intSlot(tensor.dim(axis)));
  return llvm::Error::success();
}

static llvm::Error fromElements(tensor::FromElementsOp op, Frame &frame) {
  std::vector<double> values;
  for (Value element : op.getElements())
    values.push_back(storedScalar(frame, element));
  ArrayRef<int64_t> sizes = op.getType().getShape();
  frame.set(op, Tensor(Shape(sizes.begin(), sizes.end()), std::move(values)));
  return llvm::Error::success();
}

llvm::Expected<bool> mlir::smx::evaluateTensorOp(Operation *op, Frame &frame) {
  bool isKnown = true;
  llvm::Error error =
      llvm::TypeSwitch<Operation *, llvm::Error>(op)
          .Case([&](tensor::EmptyOp empty) {
            frame.set(empty, Tensor(fillIn(empty.getType(),
                                           empty.getDynamicSizes(), frame),
                                    undefinedElement(empty.getType())));
            return llvm::Error::success();
          })
          .Case([&](tensor::SplatOp splat) {
            frame.set(splat, Tensor(fillIn(splat.getType(),
                                           splat.getDynamicSizes(), frame),
                                    storedScalar(frame, splat.getInput())));
            return llvm::Error::success();
          })
          .Case([&](tensor::ExpandShapeOp expand) {
            return reshape(op, frame.tensor(expand.getSrc()),
                           frame.shape(expand.getMixedOutputShape()), frame);
          })
          .Case([&](tensor::RankOp rank) {
            frame.set(rank, intSlot(frame.tensor(rank.getTensor()).rank()));
            return llvm::Error::success();
          })
          .Case([&](tensor::CastOp o) { return castTensor(o, frame); })
          .Case([&](tensor::CollapseShapeOp o) { return collapse(o, frame); })
          .Case([&](tensor::ConcatOp o) { return concatenate(o, frame); })
          .Case([&](tensor::DimOp o) { return dim(o, frame); })
          .Case([&](tensor::ExtractOp o) { return extract(o, frame); })
          .Case(
              [&](tensor::ExtractSliceOp o) { return extractSlice(o, frame); })
          .Case(
              [&](tensor::FromElementsOp o) { return fromElements(o, frame); })
          .Case([&](tensor::GenerateOp o) { return generate(o, frame); })
          .Case([&](tensor::InsertOp o) { return insert(o, frame); })
          .Case([&](tensor::InsertSliceOp o) { return insertSlice(o, frame); })
          .Case([&](tensor::PadOp o) { return pad(o, frame); })
          .Case([&](tensor::ReshapeOp o) { return reshapeTo(o, frame); })
          .Default([&](Operation *) {
            isKnown = false;
            return llvm::Error::success();
          });
  if (error)
    return error;
  return isKnown;
}
