//===- Masks.cpp - who sees whom ------------------------------------------===//
#include "smx/Reference/Masks.h"

namespace smx::reference {

Visible inBand(Band band) {
  return [=](const HeadPlace &head, int64_t i, int64_t j) {
    return band.contains(i, j, head.queries, head.keys);
  };
}

Visible inPrefixOrBand(int64_t length, Band band) {
  return [=](const HeadPlace &head, int64_t i, int64_t j) {
    return j < length || band.contains(i, j, head.queries, head.keys);
  };
}

static int64_t floorOfQuotient(int64_t x, int64_t y) {
  return x >= 0 ? x / y : -((-x + y - 1) / y);
}

Visible inChunk(BandAnchor anchor, int64_t size) {
  return [=](const HeadPlace &head, int64_t i, int64_t j) {
    const int64_t diagonal =
        anchor == BandAnchor::TopLeft ? i : i + head.keys - head.queries;
    return floorOfQuotient(j, size) == floorOfQuotient(diagonal, size);
  };
}

/// The element of `tensor`, which has `rows` for each of its leading places,
/// at row `i` of a head.
static double elementFor(const Tensor &tensor, const HeadPlace &head,
                         int64_t rows, int64_t i) {
  const int64_t places = tensor.size() / rows;
  return tensor[head.number / (head.count / places) * rows + i];
}

Visible beforeLength(Tensor lengths, bool causal) {
  return [=](const HeadPlace &head, int64_t i, int64_t j) {
    const int64_t after = causal ? head.queries - 1 - i : 0;
    return static_cast<double>(j + after) < elementFor(lengths, head, 1, 0);
  };
}

Visible inRange(Tensor begins, Tensor ends) {
  return [=](const HeadPlace &head, int64_t i, int64_t j) {
    const double key = static_cast<double>(j);
    return elementFor(begins, head, head.queries, i) <= key &&
           key < elementFor(ends, head, head.queries, i);
  };
}

Visible inBlocks(Tensor marks, int64_t blockQueries, int64_t blockKeys) {
  return [=](const HeadPlace &head, int64_t i, int64_t j) {
    const int64_t across = marks.dim(-1);
    return elementFor(marks, head, marks.dim(-2) * across,
                      i / blockQueries * across + j / blockKeys) != 0;
  };
}

Visible repeated(Visible mask, int64_t queries) {
  return [=](const HeadPlace &head, int64_t i, int64_t j) {
    HeadPlace once = head;
    once.queries = queries;
    return mask(once, i % queries, j);
  };
}

Visible inAll(std::vector<Visible> conditions) {
  return [=](const HeadPlace &head, int64_t i, int64_t j) {
    for (const Visible &condition : conditions)
      if (!condition(head, i, j))
        return false;
    return true;
  };
}

} // namespace smx::reference
