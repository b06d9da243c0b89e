//===- TopKKeys.h - scores that carry their places --------------*- C++ -*-===//
//
// A key is an f64 that compares like (score, -place): the score has 24 bits of
// the significand at most, and the place stands in the lowest 29. Negative
// scores have it as it is, others its complement. Infinite scores become
// +-2^200, which no finite f32 reaches, and NaN the lower one: every score has
// a key, and none is -inf.
//
//===----------------------------------------------------------------------===//
#ifndef SMX_IR_TOPKKEYS_H
#define SMX_IR_TOPKKEYS_H

#include "mlir/IR/Builders.h"
#include <optional>

namespace mlir::smx {

/// Most keys that `#smx.topk` keeps of a row: each is a component of the state,
/// and has two quantities of its own.
constexpr int64_t mostTopK = 64;

/// Most keys of rows that blocks of threads share: who merges parts holds k
/// lists of keys, and compares k^2 of each part.
constexpr int64_t mostTopKOfParts = 8;

/// What the 53 bits of an f64's significand leave of a score's 24. Places are
/// below 2^29.
constexpr int64_t bitsOfPlace = 29;

/// The key of `score`, an f32, at `place`, an index.
Value buildKey(OpBuilder &builder, Location loc, Value score, Value place);
/// What `key` is built of, for a number or, elementwise, for a whole tensor;
/// none if it is no key.
struct KeyParts {
  Value score, place;
};
std::optional<KeyParts> matchKey(Value key);
/// The score, as f64.
Value scoreOfKey(OpBuilder &builder, Location loc, Value key);
/// The place, as f64.
Value placeOfKey(OpBuilder &builder, Location loc, Value key);
/// The key that such a score or place is of; null if it is no such thing.
Value matchScoreOfKey(Value score);
Value matchPlaceOfKey(Value place);

/// The quantities of a rank, and what a quantity is.
StringRef probabilityOfRank(int64_t rank);
StringRef placeOfRank(int64_t rank);
struct RankedQuantity {
  bool isProbability;
  int64_t rank;
};
std::optional<RankedQuantity> rankOfQuantity(StringRef quantity);

} // namespace mlir::smx

#endif // SMX_IR_TOPKKEYS_H
