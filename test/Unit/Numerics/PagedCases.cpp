//===- PagedCases.cpp - keys and values in pages --------------------------===//

#include "PagedCases.h"

#include <algorithm>
#include <limits>
#include <numeric>
#include <random>

using namespace smx;
using namespace smx::test;

int64_t smx::test::pageCount(const NumericCase &config) {
  return config.batch * (config.keys / config.page) + 3;
}

Tensor smx::test::makePageTable(const NumericCase &config,
                                const Tensor &lengths) {
  std::mt19937_64 random(config.seed + 1);
  std::vector<int64_t> pages(pageCount(config));
  std::iota(pages.begin(), pages.end(), 0);
  std::shuffle(pages.begin(), pages.end(), random);
  Tensor table({config.batch, config.keys / config.page});
  for (int64_t at = 0; at < table.size(); ++at) {
    const int64_t first = at % table.dim(1) * config.page;
    const bool isUsed = static_cast<double>(first) < lengths[at / table.dim(1)];
    table[at] = isUsed         ? static_cast<double>(pages[at])
                : random() % 2 ? -1000000
                               : 1000000000;
  }
  return table;
}

/// Calls `visit` with the page and the place in it of each key in front of the
/// length of its batch.
template <typename Visit>
static void forEachKey(const NumericCase &config, const Tensor &table,
                       const Tensor &lengths, Visit visit) {
  for (int64_t b = 0; b < config.batch; ++b)
    for (int64_t j = 0; j < config.keys; ++j)
      if (static_cast<double>(j) < lengths[b])
        visit(b, j, static_cast<int64_t>(table.at({b, j / config.page})),
              j % config.page);
}

void smx::test::poisonUnused(const NumericCase &config, const Tensor &table,
                             const Tensor &lengths, Tensor &pages) {
  const int64_t keySize = pages.dim(2) * pages.dim(3);
  std::vector<bool> isUsed(pages.dim(0) * config.page);
  forEachKey(config, table, lengths,
             [&](int64_t, int64_t, int64_t page, int64_t place) {
               isUsed[page * config.page + place] = true;
             });
  for (int64_t at = 0; at < pages.size(); ++at)
    if (!isUsed[at / keySize])
      pages[at] = std::numeric_limits<double>::quiet_NaN();
}

Tensor smx::test::gatherPages(const NumericCase &config, const Tensor &pages,
                              const Tensor &table, const Tensor &lengths) {
  Tensor keys({config.batch, pages.dim(2), config.keys, pages.dim(3)});
  forEachKey(config, table, lengths,
             [&](int64_t b, int64_t j, int64_t page, int64_t place) {
               for (int64_t h = 0; h < pages.dim(2); ++h)
                 for (int64_t d = 0; d < pages.dim(3); ++d)
                   keys.at({b, h, j, d}) = pages.at({page, place, h, d});
             });
  return keys;
}
