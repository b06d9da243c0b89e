//===- AdjacentRows.cpp - short rows that are moved as one piece ----------===//

#include "smx/Tiling/AdjacentRows.h"
#include "smx/Tiling/LongRows.h"

#include "llvm/ADT/SmallVector.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir::smx;

static constexpr int64_t warpLanes = 32, wordBits = 32;
/// Elements of a row that is only read, of one lane.
static constexpr int64_t mostOfLane = 72;

/// Accesses of 128 bytes that shared memory makes for all that a warp reads of
/// rows which follow one another, `each` elements of a word at a time: words of
/// one bank are read after each other.
static int64_t countWavefronts(int64_t columns, int64_t lanes, int64_t vector,
                               int64_t elementsOfWord, int64_t each = 1) {
  constexpr int64_t banks = 32;
  int64_t registers = llvm::divideCeil(columns, lanes * vector) * vector;
  int64_t count = 0;
  for (int64_t i = 0; i < registers; i += each) {
    llvm::SmallVector<int64_t, warpLanes> ofBank[banks];
    size_t most = 0;
    for (int64_t lane = 0; lane < warpLanes; ++lane) {
      int64_t column =
          vector * (lane % lanes + lanes * (i / vector)) + i % vector;
      int64_t word = (lane / lanes * columns + column) / elementsOfWord;
      auto &words = ofBank[word % banks];
      if (!llvm::is_contained(words, word))
        words.push_back(word);
      most = std::max(most, words.size());
    }
    count += most;
  }
  return count;
}

namespace {
/// How lanes share a row, and what it takes to read it.
struct Lanes {
  Lanes(int64_t columns, int64_t lanes, int64_t elementsOfWord) : lanes(lanes) {
    // Neighbouring elements for each lane, an odd number: so few meet in a
    // bank. Or each lane takes the next one.
    vector = llvm::divideCeil(columns, lanes) | 1;
    wavefronts = countWavefronts(columns, lanes, vector, elementsOfWord);
    int64_t ofNext =
        countWavefronts(columns, lanes, /*vector=*/1, elementsOfWord);
    if (lanes > 1 && ofNext <= wavefronts) {
      vector = 1;
      wavefronts = ofNext;
    }
  }
  /// For all rows of the lanes of a warp.
  int64_t cost() const { return wavefronts * lanes; }

  int64_t lanes, vector, wavefronts;
};

/// How lanes share a row of 16-bit elements that is only read, in words.
struct ReadingLanes {
  static constexpr int64_t elementsOfWord = 2;

  ReadingLanes(int64_t columns, int64_t lanes, int64_t runs)
      : lanes(lanes),
        vector(llvm::alignTo(llvm::divideCeil(columns, lanes * runs),
                             elementsOfWord)),
        each(vector * llvm::divideCeil(columns, lanes * vector)),
        wavefronts(countWavefronts(columns, lanes, vector, elementsOfWord,
                                   elementsOfWord)) {}

  /// Cycles that a multiprocessor takes, of all rows of the lanes of 32 warps:
  /// it reads an access of shared memory in each, or starts four instructions,
  /// of which there are 11 for each two elements, and those of a row.
  int64_t cost() const {
    constexpr int64_t ofRow = 150, ofWord = 11;
    return lanes * std::max(wavefronts, (ofRow + ofWord * each / 2) / 4);
  }

  /// Lanes of a row, neighbouring elements of one, and all of its elements.
  int64_t lanes, vector, each, wavefronts;
};
} // namespace

/// Of rows of 16-bit elements that are only read: a lane keeps as many elements
/// as there are registers for beside other warps, since what lanes exchange,
/// and what each computes of its row's values, takes as long as 25 elements.
static std::optional<AdjacentRows> ofReadRows(int64_t columns,
                                              int64_t alignment) {
  // Those whose words are aligned move nearly as fast by themselves from there
  // on.
  constexpr int64_t mostRuns = 16, longestOfWords = 640;
  // What memory delivers in 32 * 0.9 cycles of a multiprocessor.
  constexpr int64_t mostOfColumn = 3;
  if (columns >
      (8 * alignment < wordBits ? AdjacentRows::longest : longestOfWords))
    return std::nullopt;
  std::optional<ReadingLanes> chosen;
  for (int64_t lanes = 1; lanes <= warpLanes; lanes *= 2)
    for (int64_t runs = 1; runs <= mostRuns; ++runs) {
      ReadingLanes each(columns, lanes, runs);
      if (each.each <= mostOfLane && (!chosen || each.cost() < chosen->cost()))
        chosen = each;
    }
  if (!chosen || (chosen->lanes > 1 && chosen->cost() > mostOfColumn * columns))
    return std::nullopt;
  // A thread has several rows if they are shorter.
  constexpr int64_t perThread = 34;
  int64_t ofThreads =
      llvm::bit_floor(uint64_t(AdjacentRows::threads * perThread / columns));
  return AdjacentRows{
      chosen->lanes, chosen->vector,
      std::max(ofThreads, AdjacentRows::threads / chosen->lanes)};
}

/// Elements of the longest rows that are faster by it (an H200), but for those
/// of 16 bits that are read in words. What else is only read has a thread to
/// itself: what lanes exchange takes longer than it takes to read a row by
/// element. Words of 32 bits, and those of two rows if they are
/// aligned, move nearly as fast by themselves.
static int64_t longestOf(const ShortRows &rows, int64_t each) {
  constexpr int64_t narrowPair = 136;
  // More rows take the shared memory of other blocks.
  constexpr int64_t mostRead = 3;
  if (rows.read > mostRead)
    return 0;
  const bool isNarrow = rows.readBits < wordBits && rows.writtenBits < wordBits;
  if (!isNarrow && rows.read > 1)
    return 0;
  if (rows.writtenBits == 0)
    return isNarrow ? mostOfLane : each;
  if (rows.writtenBits >= wordBits)
    return 4 * each;
  if (rows.read > 1 && 8 * rows.alignment >= wordBits)
    return narrowPair;
  return warpLanes * each;
}

std::optional<AdjacentRows> AdjacentRows::of(const ShortRows &rows) {
  constexpr int64_t fewest = 3, fewestOfLane = 8, fewestBits = 16;
  const int64_t bits = std::max(rows.readBits, rows.writtenBits),
                each = bytesOfThread * 8 / bits,
                elementsOfWord = wordBits / bits;
  if (std::min(rows.readBits, rows.writtenBits ? rows.writtenBits : bits) <
          fewestBits ||
      bits > wordBits || 8 * rows.alignment >= accessBits ||
      rows.columns < fewest)
    return std::nullopt;
  // One lane ranks a row 14 to 26 % faster without columns behind it, which
  // only words need (an H200). Longer ones stand as if words were read, though
  // columns that are ranked have an order.
  if (rows.writtenBits == 0 && rows.read == 1 && bits < wordBits &&
      !(rows.isRanked && rows.columns <= mostOfLane))
    return ofReadRows(rows.columns, rows.alignment);
  if (rows.columns > longestOf(rows, each))
    return std::nullopt;
  int64_t lanes = 1;
  if (rows.writtenBits != 0 && rows.columns > each)
    while (lanes < warpLanes && rows.columns > lanes * each / 2)
      lanes *= 2;
  Lanes chosen(rows.columns, lanes, elementsOfWord);
  if (rows.columns <= lanes / 2 * each)
    if (Lanes fewer(rows.columns, lanes / 2, elementsOfWord);
        fewer.cost() * 2 < chosen.cost())
      chosen = fewer;
  // Rows of a multiple of 16 bytes, of which that is not known, start in few
  // banks.
  while (chosen.lanes < warpLanes &&
         rows.columns >= 2 * chosen.lanes * fewestOfLane) {
    Lanes more(rows.columns, 2 * chosen.lanes, elementsOfWord);
    if (more.cost() * 2 > chosen.cost())
      break;
    chosen = more;
  }
  if (rows.writtenBits == 0 && chosen.lanes > 1)
    return std::nullopt;
  return AdjacentRows{
      chosen.lanes, chosen.vector,
      int64_t(llvm::bit_floor(uint64_t(threads * each / rows.columns)))};
}
