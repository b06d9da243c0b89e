//===- Ownership.h - who holds the elements of a tile -----------*- C++ -*-===//
#ifndef SMX_TEST_UNIT_GPU_OWNERSHIP_H
#define SMX_TEST_UNIT_GPU_OWNERSHIP_H

#include "smx/GPU/Layout.h"

#include <cstddef>
#include <vector>

/// How often each element of a `rows` x `columns` tile is held, over all
/// threads and registers, row-major; empty if one holds what is not in it.
template <typename Layout>
std::vector<int> countOwners(const Layout &layout, int64_t rows,
                             int64_t columns) {
  std::vector<int> owners(rows * columns);
  for (int64_t thread = 0; thread < layout.threads(); ++thread) {
    for (int64_t i = 0; i < layout.registers(rows, columns); ++i) {
      smx::gpu::Coordinate at = layout.coordinate(rows, columns, thread, i);
      if (at.row < 0 || at.row >= rows || at.column < 0 || at.column >= columns)
        return {};
      ++owners[at.row * columns + at.column];
    }
  }
  return owners;
}

/// Every element of the tile is held by one register of one thread.
template <typename Layout>
bool holdsEachElementOnce(const Layout &layout, int64_t rows, int64_t columns) {
  return countOwners(layout, rows, columns) ==
         std::vector<int>(static_cast<size_t>(rows * columns), 1);
}

#endif // SMX_TEST_UNIT_GPU_OWNERSHIP_H
