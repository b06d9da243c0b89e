//===- Masks.cpp - which keys a row sees ----------------------------------===//

#include "smx/IR/IndexMath.h"

#include "mlir/IR/DialectImplementation.h"

using namespace mlir;
using namespace mlir::smx;

//===----------------------------------------------------------------------===//
// #smx.band
//===----------------------------------------------------------------------===//

LogicalResult BandAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                               Anchor, std::optional<int64_t> left,
                               std::optional<int64_t> right) {
  // Places are below 2^62: sides negate, and add to these, without overflow.
  constexpr int64_t bound = int64_t(1) << 62;
  for (std::optional<int64_t> side : {left, right})
    if (side && (*side <= -bound || *side >= bound))
      return emitError() << "expected sides of a band between -2^62 and 2^62, "
                            "got "
                         << *side << "; a side that is left out is unbounded";
  // -left <= right is what makes the band non-empty around its diagonal.
  if (left && right && *left < -*right)
    return emitError() << "band is empty: left = " << *left
                       << " and right = " << *right
                       << ", expected left >= -right";
  return success();
}

Attribute BandAttr::parse(AsmParser &parser, Type) {
  Anchor anchor = Anchor::TopLeft;
  std::optional<int64_t> left, right;
  StringRef word;
  SMLoc loc = parser.getCurrentLocation();
  if (parser.parseLess() || parser.parseKeyword(&word))
    return {};
  std::optional<Anchor> parsed = symbolizeAnchor(word);
  if (!parsed) {
    parser.emitError(loc) << "unknown anchor '" << word
                          << "', expected top_left or bottom_right";
    return {};
  }
  anchor = *parsed;
  while (succeeded(parser.parseOptionalComma())) {
    int64_t extent = 0;
    loc = parser.getCurrentLocation();
    if (parser.parseKeyword(&word))
      return {};
    std::optional<int64_t> *side = word == "left"    ? &left
                                   : word == "right" ? &right
                                                     : nullptr;
    if (!side || side->has_value()) {
      parser.emitError(loc)
          << "expected 'left' or 'right' once, got '" << word << "'";
      return {};
    }
    if (parser.parseEqual() || parser.parseInteger(extent))
      return {};
    *side = extent;
  }
  if (parser.parseGreater())
    return {};
  return parser.getChecked<BandAttr>(loc, parser.getContext(), anchor, left,
                                     right);
}

void BandAttr::print(AsmPrinter &printer) const {
  printer << "<" << stringifyAnchor(getAnchor());
  if (getLeft())
    printer << ", left = " << *getLeft();
  if (getRight())
    printer << ", right = " << *getRight();
  printer << ">";
}

VisibleKeys BandAttr::buildVisibleKeys(OpBuilder &builder, Location loc,
                                       Value firstRow, Value numRows,
                                       Value rows, Value keys,
                                       ArrayRef<IndexRange>) const {
  IndexMath math{builder, loc};
  Value first = math.diagonal(getAnchor(), firstRow, rows, keys);
  Value last = math.add(math.add(first, numRows), -1);
  VisibleKeys visible;
  visible.begin = visible.fullBegin = math.constant(0);
  visible.end = visible.fullEnd = keys;
  if (getLeft()) {
    visible.begin = math.clamp(math.add(first, -*getLeft()), keys);
    visible.fullBegin = math.clamp(math.add(last, -*getLeft()), keys);
  }
  if (getRight()) {
    visible.end = math.clamp(math.add(last, *getRight() + 1), keys);
    visible.fullEnd = math.clamp(math.add(first, *getRight() + 1), keys);
  }
  return visible;
}

Value BandAttr::buildIsVisible(OpBuilder &builder, Location loc, Value row,
                               Value key, Value rows, Value keys,
                               ValueRange) const {
  IndexMath math{builder, loc};
  Value diagonal = math.diagonal(getAnchor(), row, rows, keys);
  Value seen;
  if (getRight())
    seen = math.lessEqual(key, math.add(diagonal, *getRight()));
  if (getLeft()) {
    Value notBefore = math.lessEqual(math.add(diagonal, -*getLeft()), key);
    seen =
        seen ? arith::AndIOp::create(builder, loc, seen, notBefore).getResult()
             : notBefore;
  }
  if (!seen)
    seen = arith::ConstantOp::create(builder, loc, builder.getBoolAttr(true));
  return seen;
}

bool BandAttr::isAllVisible(int64_t rows, int64_t keys) const {
  if (!getLeft() && !getRight())
    return true;
  if (ShapedType::isDynamic(rows) || ShapedType::isDynamic(keys))
    return false;
  int64_t offset = getAnchor() == Anchor::TopLeft ? 0 : keys - rows;
  // The first row must see the last key, and the last row the first key.
  bool rightOpen = !getRight() || keys - 1 <= offset + *getRight();
  bool leftOpen = !getLeft() || rows - 1 + offset - *getLeft() <= 0;
  return rightOpen && leftOpen;
}

//===----------------------------------------------------------------------===//
// #smx.prefix
//===----------------------------------------------------------------------===//

LogicalResult PrefixAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                                 Anchor, int64_t length) {
  if (length >= 0)
    return success();
  return emitError() << "expected a length of at least 0, got " << length;
}

VisibleKeys PrefixAttr::buildVisibleKeys(OpBuilder &builder, Location loc,
                                         Value firstRow, Value numRows,
                                         Value rows, Value keys,
                                         ArrayRef<IndexRange>) const {
  IndexMath math{builder, loc};
  Value length = math.clamp(math.constant(getLength()), keys);
  Value first = math.diagonal(getAnchor(), firstRow, rows, keys);
  auto boundary = [&](Value row) -> Value {
    return arith::MaxSIOp::create(builder, loc, length,
                                  math.clamp(math.add(row, 1), keys));
  };
  VisibleKeys visible;
  visible.begin = visible.fullBegin = math.constant(0);
  visible.fullEnd = boundary(first);
  visible.end = boundary(math.add(math.add(first, numRows), -1));
  return visible;
}

Value PrefixAttr::buildIsVisible(OpBuilder &builder, Location loc, Value row,
                                 Value key, Value rows, Value keys,
                                 ValueRange) const {
  IndexMath math{builder, loc};
  Value causal =
      math.lessEqual(key, math.diagonal(getAnchor(), row, rows, keys));
  Value prefix = math.less(key, math.constant(getLength()));
  return arith::OrIOp::create(builder, loc, prefix, causal);
}

bool PrefixAttr::isAllVisible(int64_t rows, int64_t keys) const {
  if (ShapedType::isDynamic(keys))
    return false;
  return keys <= getLength();
}

//===----------------------------------------------------------------------===//
// #smx.chunks
//===----------------------------------------------------------------------===//

LogicalResult ChunksAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                                 Anchor, int64_t size) {
  if (size >= 1)
    return success();
  return emitError() << "expected chunks of at least 1 key, got " << size;
}

VisibleKeys ChunksAttr::buildVisibleKeys(OpBuilder &builder, Location loc,
                                         Value firstRow, Value numRows,
                                         Value rows, Value keys,
                                         ArrayRef<IndexRange>) const {
  IndexMath math{builder, loc};
  Value first = math.diagonal(getAnchor(), firstRow, rows, keys);
  Value last = math.add(math.add(first, numRows), -1);
  auto startOf = [&](Value diagonal) {
    return math.sub(diagonal, math.remainder(diagonal, getSize()));
  };
  Value start = startOf(first), lastStart = startOf(last);
  return {math.clamp(start, keys), math.clamp(lastStart, keys),
          math.clamp(math.add(start, getSize()), keys),
          math.clamp(math.add(lastStart, getSize()), keys)};
}

Value ChunksAttr::buildIsVisible(OpBuilder &builder, Location loc, Value row,
                                 Value key, Value rows, Value keys,
                                 ValueRange) const {
  IndexMath math{builder, loc};
  Value diagonal = math.diagonal(getAnchor(), row, rows, keys);
  Value start = math.sub(diagonal, math.remainder(diagonal, getSize()));
  return math.isWithin(key, start, math.add(start, getSize()));
}

bool ChunksAttr::isAllVisible(int64_t rows, int64_t keys) const {
  if (ShapedType::isDynamic(rows) || ShapedType::isDynamic(keys))
    return false;
  // Rows and keys are all of the first chunk.
  int64_t offset = getAnchor() == Anchor::TopLeft ? 0 : keys - rows;
  return keys <= getSize() && offset >= 0 && rows + offset <= getSize();
}
