//===- SoftmaxAlgebra.cpp - (m, l, acc) as arithmetic on tiles ------------===//
//
// Every generic carries the name of its step as its location ("rescale",
// "running maximum", ...), so that dumps can be read and tests can find a step.
//
//===----------------------------------------------------------------------===//

#include "SoftmaxArithmetic.h"
#include "smx/IR/Smx.h"

#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::smx;

//===----------------------------------------------------------------------===//
// The attribute
//===----------------------------------------------------------------------===//

LogicalResult
SoftmaxAlgebraAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                           ExpBase, FloatAttr scale, MaskedRow) {
  double value = scale.getValueAsDouble();
  if (scale.getValue().isFinite() && value > 0)
    return success();
  // max(scale*s) = scale*max(s) holds for positive scales only.
  return emitError() << "expected a finite scale above 0, got " << value;
}

Attribute SoftmaxAlgebraAttr::parse(AsmParser &parser, Type) {
  StringRef word;
  SMLoc loc = parser.getCurrentLocation();
  if (parser.parseLess() || parser.parseKeyword(&word))
    return {};
  std::optional<ExpBase> base = symbolizeExpBase(word);
  if (!base) {
    parser.emitError(loc) << "expected exp or exp2, got '" << word << "'";
    return {};
  }
  double scale = 1.0;
  MaskedRow maskedRow = MaskedRow::NaN;
  llvm::SmallSetVector<StringRef, 2> seen;
  while (succeeded(parser.parseOptionalComma())) {
    loc = parser.getCurrentLocation();
    if (parser.parseKeyword(&word) || parser.parseEqual())
      return {};
    if (!seen.insert(word)) {
      parser.emitError(loc) << "expected " << word << " once";
      return {};
    }
    if (word == "scale") {
      if (parser.parseFloat(scale))
        return {};
    } else if (word == "masked_row") {
      if (parser.parseKeyword(&word))
        return {};
      std::optional<MaskedRow> parsed = symbolizeMaskedRow(word);
      if (!parsed) {
        parser.emitError(loc) << "expected nan or zero, got '" << word << "'";
        return {};
      }
      maskedRow = *parsed;
    } else {
      parser.emitError(loc)
          << "expected scale or masked_row, got '" << word << "'";
      return {};
    }
  }
  if (parser.parseGreater())
    return {};
  auto scaleAttr = FloatAttr::get(Float64Type::get(parser.getContext()), scale);
  return parser.getChecked<SoftmaxAlgebraAttr>(loc, parser.getContext(), *base,
                                               scaleAttr, maskedRow);
}

void SoftmaxAlgebraAttr::print(AsmPrinter &printer) const {
  printer << "<" << stringifyExpBase(getBase());
  if (getScaleValue() != 1.0) {
    printer << ", scale = ";
    printer.printFloat(getScale().getValue());
  }
  if (getMaskedRow() != MaskedRow::NaN)
    printer << ", masked_row = " << stringifyMaskedRow(getMaskedRow());
  printer << ">";
}

SmallVector<StringRef> SoftmaxAlgebraAttr::getQuantities() const {
  return {"softmax",           "log_softmax",
          "logsumexp",         "average",
          "weights",           "softmax_of_weights",
          "average_with_sink", "logsumexp_with_sink"};
}
std::pair<unsigned, unsigned> SoftmaxAlgebraAttr::getStateCount() const {
  return {2, 3};
}
unsigned SoftmaxAlgebraAttr::getInputCount(unsigned states) const {
  return states - 1;
}
unsigned SoftmaxAlgebraAttr::getFinishInputCount(StringRef quantity) const {
  return llvm::StringSwitch<unsigned>(quantity)
      .Cases({"softmax", "log_softmax", "weights", "average_with_sink",
              "logsumexp_with_sink"},
             1)
      .Case("softmax_of_weights", 2)
      .Default(0);
}
unsigned SoftmaxAlgebraAttr::getFinishStateCount(StringRef quantity) const {
  return quantity.starts_with("average") ? 3 : 2;
}
std::optional<DeferredQuantity>
SoftmaxAlgebraAttr::getDeferred(StringRef quantity) const {
  if (quantity != "softmax")
    return std::nullopt;
  return DeferredQuantity{"weights", "softmax_of_weights"};
}

bool SoftmaxAlgebraAttr::hasParts() const { return true; }

std::optional<unsigned>
SoftmaxAlgebraAttr::getDoubleSum(Operation *operation) const {
  auto op = cast<UpdateOp>(operation);
  // With an accumulator, which is f32, nothing is won.
  if (op.getStates().size() == 3)
    return std::nullopt;
  SoftmaxArithmetic soft = arithmeticOf(*this, op.getStates()[0]);
  return soft.doubleSum(getElementTypeOrSelf(op.getInputs()[0].getType()));
}

//===----------------------------------------------------------------------===//
// identity, update, merge
//===----------------------------------------------------------------------===//

SmallVector<Value>
SoftmaxAlgebraAttr::expandIdentity(OpBuilder &builder,
                                   Operation *operation) const {
  return filledState(builder, cast<IdentityOp>(operation), [](unsigned number) {
    return number == 0 ? -std::numeric_limits<double>::infinity() : 0.0;
  });
}

SmallVector<Value> SoftmaxAlgebraAttr::expandMerge(OpBuilder &builder,
                                                   Operation *operation) const {
  auto op = cast<MergeOp>(operation);
  SmallVector<AffineMap> maps = op.getOperandMaps();
  SoftmaxArithmetic soft = arithmeticOf(*this, op.getLhs()[0]);
  ValueRange a = op.getLhs(), b = op.getRhs();
  AffineMap row = maps[0];
  TileArithmetic tile{builder, op.getLoc()};
  // m = max(a.m, b.m), ca = exp(a.m - m), cb = exp(b.m - m), l = ca*a.l +
  // cb*b.l
  SmallVector<Value> merged = tile.map(
      "merge", {{a[0], row}, {a[1], row}, {b[0], row}, {b[1], row}},
      {{a[0], row}, {a[1], row}, {a[0], row}, {a[0], row}},
      [&](ScalarMath m, ValueRange v) -> SmallVector<Value> {
        Value maximum = m.max(v[0], v[2]);
        Value reference = soft.guarded(m, maximum);
        Value ca = soft.rescale(m, v[0], reference);
        Value cb = soft.rescale(m, v[2], reference);
        return {maximum, m.add(m.mul(ca, v[1]), m.mul(cb, v[3])), ca, cb};
      });
  SmallVector<Value> results{merged[0], merged[1]};
  if (a.size() == 3) {
    results.push_back(tile.map(
        "merge accumulators",
        {{a[2], maps[2]}, {merged[2], row}, {b[2], maps[2]}, {merged[3], row}},
        {{a[2], maps[2]}},
        [&](ScalarMath m, ValueRange v) -> SmallVector<Value> {
          return {m.add(m.mul(v[0], v[1]), m.mul(v[2], v[3]))};
        })[0]);
  }
  return results;
}
