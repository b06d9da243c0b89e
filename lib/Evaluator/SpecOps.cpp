//===- SpecOps.cpp - the smx ops by the plain C++ reference ---------------===//

#include "BodyProgram.h"
#include "Masks.h"

#include "smx/IR/Smx.h"
#include "smx/Reference/Attention.h"
#include "smx/Reference/CrossEntropy.h"
#include "smx/Reference/Naive.h"
#include "smx/Reference/Softmax.h"

#include "llvm/ADT/TypeSwitch.h"

#include <atomic>
#include <cmath>
#include <limits>

using namespace mlir;
using namespace mlir::smx;
namespace reference = ::smx::reference;

/// Scale and masked row, which the softmax family has in common.
template <typename Op>
static reference::SoftmaxOptions softmaxOptions(Op op, int64_t axis) {
  reference::SoftmaxOptions options;
  options.axis = axis;
  options.scale = op.getScale().convertToDouble();
  auto maskedRow = op.getMaskedRow();
  if (maskedRow && *maskedRow == MaskedRow::Zero)
    options.maskedRow = reference::MaskedRow::Zero;
  return options;
}

template <typename Op>
static reference::NormOptions normOptions(Op op) {
  reference::NormOptions options;
  options.axis = op.getAxis();
  options.epsilon = op.getEpsilon().convertToDouble();
  return options;
}

template <typename Op>
static reference::CrossEntropyOptions crossEntropyOptions(Op op) {
  reference::CrossEntropyOptions options;
  options.axis = op.getAxis();
  options.scale = op.getScale().convertToDouble();
  options.smoothing = op.getSmoothing().convertToDouble();
  if (std::optional<uint64_t> ignored = op.getIgnored())
    options.ignored = static_cast<int64_t>(*ignored);
  return options;
}

//===----------------------------------------------------------------------===//
// Attention
//===----------------------------------------------------------------------===//

namespace {
/// A region of an attention, called for one score at a time, from any thread.
class ScoreRegion {
public:
  ScoreRegion(BodyProgram program, const Shape &query)
      : program(std::move(program)), leading(query.begin(), query.end() - 2) {}

  /// The region's value at a place; `score` is its first argument if it takes
  /// one.
  Slot call(std::optional<double> score, int64_t batch, int64_t head,
            int64_t row, int64_t key) const {
    BodyProgram::Registers registers(program, 1);
    unsigned next = 0;
    if (score)
      *registers[next++] = floatSlot(*score);
    for (int64_t index : place(batch, head, row, key))
      *registers[next++] = intSlot(index);
    program.run(registers, 1);
    if (Operation *assertion = registers.getFailed())
      failed = assertion;
    return *registers[program.getYields().front()];
  }

  /// The error of an assertion that did not hold in one of the calls.
  llvm::Error takeFailure() const { return BodyProgram::failureOf(failed); }

private:
  /// The reference numbers batches through; the region has an index per
  /// dimension.
  SmallVector<int64_t, 6> place(int64_t batch, int64_t head, int64_t row,
                                int64_t key) const {
    SmallVector<int64_t, 6> index(leading.size(), 0);
    if (!leading.empty())
      index.back() = head;
    for (int64_t d = static_cast<int64_t>(leading.size()) - 2; d >= 0; --d) {
      index[d] = batch % leading[d];
      batch /= leading[d];
    }
    index.append({row, key});
    return index;
  }

  BodyProgram program;
  Shape leading;
  mutable std::atomic<Operation *> failed = nullptr;
};
} // namespace

static llvm::Expected<std::shared_ptr<ScoreRegion>>
compileRegion(Region &region, const Frame &frame, const Shape &query) {
  if (region.empty())
    return nullptr;
  auto program = BodyProgram::compile(region.front(), frame);
  if (!program)
    return program.takeError();
  return std::make_shared<ScoreRegion>(std::move(*program), query);
}

static std::vector<Tensor> tensorsOf(ValueRange values, const Frame &frame) {
  std::vector<Tensor> tensors;
  for (Value value : values)
    tensors.push_back(frame.tensor(value));
  return tensors;
}

static llvm::Error attention(AttentionOp op, Frame &frame) {
  const Tensor &query = frame.tensor(op.getQuery());
  const Tensor &key = frame.tensor(op.getKey());
  const Tensor &value = frame.tensor(op.getValue());
  if (!reference::AttentionShape::of(query, key, value))
    return errorAt(op, "gets shapes that do not fit together: " +
                           reference::toString(query.shape()) + ", " +
                           reference::toString(key.shape()) + " and " +
                           reference::toString(value.shape()));
  reference::Visible mask;
  if (op.getMaskAttr()) {
    auto read = readMask(op, op.getMaskAttr(),
                         spreadOverHeads(*op.getMask(),
                                         tensorsOf(op.getMaskData(), frame),
                                         ArrayRef(query.shape()).drop_back(2)));
    if (!read)
      return read.takeError();
    mask = std::move(*read);
  }
  auto score = compileRegion(op.getScore(), frame, query.shape());
  if (!score)
    return score.takeError();
  auto visible = compileRegion(op.getVisible(), frame, query.shape());
  if (!visible)
    return visible.takeError();

  reference::AttentionOptions options;
  options.scale = op.getScale().convertToDouble();
  if (op.getSinks())
    options.sinks = frame.tensor(op.getSinks()).values();
  if (*score)
    options.score = [region = *score](double s, int64_t b, int64_t h, int64_t i,
                                      int64_t j) {
      return region->call(s, b, h, i, j).f;
    };
  auto shape = *reference::AttentionShape::of(query, key, value);
  if (mask || *visible)
    options.mask = [=, region = *visible](int64_t b, int64_t h, int64_t i,
                                          int64_t j) {
      reference::HeadPlace head{b * shape.queryHeads + h,
                                shape.batch * shape.queryHeads, shape.queries,
                                shape.keys};
      return (!mask || mask(head, i, j)) &&
             (!region || region->call(std::nullopt, b, h, i, j).i != 0);
    };
  std::optional<reference::DType> dtype =
      getRoundedType(op.getResult().getType(), frame.getRounding());
  reference::AttentionResult result =
      dtype ? reference::naiveAttention(query, key, value, *dtype, options)
            : reference::attention(query, key, value, options);
  for (const auto &region : {*score, *visible})
    if (region)
      if (llvm::Error error = region->takeFailure())
        return error;
  if (EvaluationNotes *notes = frame.getNotes()) {
    double &known = notes->meanScores[op];
    known = std::max(known, result.largestMeanScore);
  }
  frame.set(op.getResult(), std::move(result.out));
  if (op.getLogSumExp())
    frame.set(op.getLogSumExp(), std::move(result.logSumExp));
  return llvm::Error::success();
}

static llvm::Error applyMask(MaskOp op, Frame &frame) {
  Tensor result = frame.tensor(op.getInput());
  const int64_t leading = std::min(op.getRowDim(), op.getKeyDim());
  auto mask =
      readMask(op, op.getMask(),
               spreadOverHeads(op.getMask(), tensorsOf(op.getData(), frame),
                               ArrayRef(result.shape()).take_front(leading)));
  if (!mask)
    return mask.takeError();
  if (!op.getData().empty() && frame.integer(op.getFirstRow()) != 0)
    return errorAt(op, "reads numbers of some rows; only all are supported");
  const int64_t firstRow = frame.integer(op.getFirstRow());
  const int64_t firstKey = frame.integer(op.getFirstKey());
  reference::HeadPlace head;
  head.queries = frame.integer(op.getRows());
  head.keys = frame.integer(op.getKeys());
  for (int64_t dim = 0; dim < leading; ++dim)
    head.count *= result.dim(dim);
  for (int64_t offset = 0; offset < result.size(); ++offset) {
    Shape index = result.indexOf(offset);
    head.number = 0;
    for (int64_t dim = 0; dim < leading; ++dim)
      head.number = head.number * result.dim(dim) + index[dim];
    if (!(*mask)(head, index[op.getRowDim()] + firstRow,
                 index[op.getKeyDim()] + firstKey))
      result[offset] = -std::numeric_limits<double>::infinity();
  }
  frame.set(op, std::move(result));
  return llvm::Error::success();
}

static llvm::Error gatherPages(PagedOp op, Frame &frame) {
  const Tensor &pages = frame.tensor(op.getPages());
  const Tensor &table = frame.tensor(op.getTable());
  const Tensor &lengths = frame.tensor(op.getLengths());
  const int64_t page = pages.dim(1), heads = pages.dim(2), dim = pages.dim(3);
  const int64_t batches = table.dim(0), keys = table.dim(1) * page;
  // What lies behind the length is unspecified: NaN shows who looks at it.
  Tensor result({batches, heads, keys, dim},
                std::numeric_limits<double>::quiet_NaN());
  for (int64_t b = 0; b < batches; ++b) {
    const auto length = static_cast<int64_t>(lengths[b]);
    if (length > keys)
      return errorAt(op, "gets a length of " + std::to_string(length) +
                             " for batch " + std::to_string(b) +
                             ", whose pages have " + std::to_string(keys) +
                             " keys");
    for (int64_t j = 0; j < length; ++j) {
      const auto number = static_cast<int64_t>(table.at({b, j / page}));
      if (number < 0 || number >= pages.dim(0))
        return errorAt(op, "gets page " + std::to_string(number) +
                               " at entry " + std::to_string(j / page) +
                               " of batch " + std::to_string(b) +
                               ", but there are " +
                               std::to_string(pages.dim(0)) + " pages");
      for (int64_t h = 0; h < heads; ++h)
        for (int64_t d = 0; d < dim; ++d)
          result.at({b, h, j, d}) = pages.at({number, j % page, h, d});
    }
  }
  frame.set(op.getResult(), std::move(result));
  return llvm::Error::success();
}

static llvm::Error crossEntropy(CrossEntropyOp op, Frame &frame) {
  auto set = [&](Value result, const Tensor &tensor) {
    std::optional<reference::DType> dtype =
        getRoundedType(result.getType(), frame.getRounding());
    frame.set(result, dtype ? tensor.roundedTo(*dtype) : tensor);
  };
  const Tensor &input = frame.tensor(op.getInput());
  reference::CrossEntropyOptions options = crossEntropyOptions(op);
  if (op.getLogSumExp()) {
    reference::SoftmaxOptions softmax;
    softmax.axis = options.axis;
    softmax.scale = options.scale;
    set(op.getLogSumExp(), reference::logSumExp(input, softmax));
  }
  set(op.getLoss(),
      reference::crossEntropy(input, frame.tensor(op.getTargets()), options));
  return llvm::Error::success();
}

static Tensor layerNorm(LayerNormOp op, Frame &frame) {
  const Tensor &input = frame.tensor(op.getInput());
  reference::NormOptions options = normOptions(op);
  // What is not f64 is reduced in f32.
  const auto dtype = op.getInput().getType().getElementType().isF64()
                         ? reference::DType::F64
                         : reference::DType::F32;
  const double error = reference::errorOfMean(input.dim(options.axis), dtype);
  if (frame.getRounding() == Rounding::OfMeans)
    options.errorOfMean = error;
  if (EvaluationNotes *notes = frame.getNotes())
    notes->ulpsOfMeans = std::max(
        notes->ulpsOfMeans, error * reference::largestMean(input, options) /
                                std::ldexp(1, -reference::mantissaBits(dtype)));
  return reference::layerNorm(input, options);
}

template <typename Op>
static void noteLargestScore(Op op, Frame &frame) {
  EvaluationNotes *notes = frame.getNotes();
  if (!notes || !op.getInput().getType().getElementType().isF64())
    return;
  double &largest = notes->largestScores[op];
  for (double score : frame.tensor(op.getInput()).values())
    if (std::isfinite(score))
      largest =
          std::max(largest, std::abs(score * op.getScale().convertToDouble()));
}

static llvm::Error topK(TopKSoftmaxOp op, Frame &frame) {
  noteLargestScore(op, frame);
  reference::SoftmaxOptions options;
  options.axis = op.getAxis();
  options.scale = op.getScale().convertToDouble();
  const Tensor &input = frame.tensor(op.getInput());
  const int64_t extent = input.dim(options.axis), k = op.getK();
  reference::TopK found =
      reference::topkSoftmax(input, std::min(k, extent), options);
  auto set = [&](Value result, const Tensor &tensor, double missing) {
    reference::Shape shape = input.shape();
    shape[options.axis] = k;
    Tensor whole(shape, missing);
    for (int64_t at = 0; at < tensor.size(); ++at)
      whole.at(tensor.indexOf(at)) = tensor[at];
    std::optional<reference::DType> dtype =
        getRoundedType(result.getType(), frame.getRounding());
    frame.set(result, dtype ? whole.roundedTo(*dtype) : whole);
  };
  set(op.getProbabilities(), found.values, 0);
  set(op.getPlaces(), found.indices, -1);
  return llvm::Error::success();
}

llvm::Expected<bool> mlir::smx::evaluateSpecOp(Operation *op, Frame &frame) {
  bool isKnown = true;
  std::optional<reference::DType> dtype =
      op->getNumResults() == 0
          ? std::nullopt
          : getRoundedType(op->getResult(0).getType(), frame.getRounding());
  auto set = [&](Tensor tensor) {
    frame.set(op->getResult(0), dtype ? tensor.roundedTo(*dtype) : tensor);
    return llvm::Error::success();
  };
  llvm::Error error =
      llvm::TypeSwitch<Operation *, llvm::Error>(op)
          .Case([&](SoftmaxOp o) {
            noteLargestScore(o, frame);
            return set(reference::softmax(frame.tensor(o.getInput()),
                                          softmaxOptions(o, o.getAxis())));
          })
          .Case([&](LogSoftmaxOp o) {
            return set(reference::logSoftmax(frame.tensor(o.getInput()),
                                             softmaxOptions(o, o.getAxis())));
          })
          .Case([&](LogSumExpOp o) {
            return set(reference::logSumExp(frame.tensor(o.getInput()),
                                            softmaxOptions(o, o.getAxis())));
          })
          .Case([&](SoftmaxDotOp o) {
            return set(reference::softmaxDot(frame.tensor(o.getScores()),
                                             frame.tensor(o.getValues()),
                                             softmaxOptions(o, -1)));
          })
          .Case([&](LayerNormOp o) { return set(layerNorm(o, frame)); })
          .Case([&](RmsNormOp o) {
            return set(
                reference::rmsNorm(frame.tensor(o.getInput()), normOptions(o)));
          })
          .Case([&](TopKSoftmaxOp o) { return topK(o, frame); })
          .Case([&](CrossEntropyOp o) { return crossEntropy(o, frame); })
          .Case([&](CrossEntropyBackwardOp o) {
            return set(reference::crossEntropyBackward(
                frame.tensor(o.getInput()), frame.tensor(o.getTargets()),
                frame.tensor(o.getLogSumExp()), frame.tensor(o.getGradient()),
                crossEntropyOptions(o)));
          })
          .Case([&](SoftmaxBackwardOp o) {
            return set(reference::softmaxBackward(
                frame.tensor(o.getOutput()), frame.tensor(o.getGradient()),
                o.getAxis(), o.getScale().convertToDouble()));
          })
          .Case([&](LogSoftmaxBackwardOp o) {
            return set(reference::logSoftmaxBackward(
                frame.tensor(o.getOutput()), frame.tensor(o.getGradient()),
                o.getAxis(), o.getScale().convertToDouble()));
          })
          .Case([&](AttentionOp o) { return attention(o, frame); })
          .Case([&](MaskOp o) { return applyMask(o, frame); })
          .Case([&](PagedOp o) { return gatherPages(o, frame); })
          .Default([&](Operation *) {
            isKnown = false;
            return llvm::Error::success();
          });
  if (error)
    return error;
  return isKnown;
}
