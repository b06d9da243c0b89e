//===- Parallel.h - a loop over independent rows ---------------*- C++ -*-===//
#ifndef SMX_REFERENCE_PARALLEL_H
#define SMX_REFERENCE_PARALLEL_H

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <thread>
#include <vector>

namespace smx::reference {

/// Calls body(begin, end) for consecutive pieces of [0, count), each of at most
/// `grain`, on all cores. The pieces do not depend on the number of cores, so
/// neither do results.
template <typename Body>
void parallelFor(int64_t count, int64_t grain, const Body &body) {
  grain = std::max<int64_t>(grain, 1);
  const int64_t pieces = (count + grain - 1) / grain;
  const int64_t cores = std::max(1u, std::thread::hardware_concurrency());
  std::atomic<int64_t> next{0};
  auto work = [&] {
    for (int64_t piece = next++; piece < pieces; piece = next++)
      body(piece * grain, std::min(count, (piece + 1) * grain));
  };
  std::vector<std::thread> helpers;
  for (int64_t t = 1; t < std::min(cores, pieces); ++t)
    helpers.emplace_back(work);
  work();
  for (std::thread &helper : helpers)
    helper.join();
}

/// Rows a piece should have so that starting a thread is worth it.
inline int64_t grainForRowsOf(int64_t elements) {
  return std::max<int64_t>(1, 65536 / std::max<int64_t>(1, elements));
}

} // namespace smx::reference

#endif // SMX_REFERENCE_PARALLEL_H
