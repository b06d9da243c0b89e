//===- ThreadBlock.h - blocks and clusters ----------------------*- C++ -*-===//
#ifndef SMX_LIB_GPUHOST_THREADBLOCK_H
#define SMX_LIB_GPUHOST_THREADBLOCK_H

#include "Program.h"

#include <deque>

namespace mlir::smx::gpuhost {

struct Cluster;

/// A block of the grid, with all that its groups share. Shared tiles, channels
/// and turns are there from the start, so that blocks of a cluster can reach
/// each other's.
struct ThreadBlock {
  Cluster &cluster;
  int64_t rank;
  /// Along x, y and z.
  std::array<int64_t, 3> id, grid;

  std::map<Operation *, SharedTile> tiles;
  std::map<Operation *, Channel> channels;
  std::map<Operation *, Turns> turns;
  /// The kernel's own group, then those of the roles, in order.
  std::deque<Group> groups;
  /// Barriers: that of the kernel's own group is -1.
  std::map<int64_t, Rendezvous> barriers;

  ThreadBlock(Cluster &cluster, int64_t rank, std::array<int64_t, 3> id,
              std::array<int64_t, 3> grid);
};

/// What the blocks of a launch tell each other through global memory.
struct Announcements {
  std::mutex mutex;
  std::condition_variable changed;
  /// Those that have announced at a place of memory.
  std::map<const char *, std::set<uint32_t>> announcers;
  /// Clusters that have not ended, from 1, among those that have begun, and
  /// the first one that has not begun.
  std::set<uint32_t> running;
  uint32_t next = 1;

  /// True if no cluster with a smaller number can announce anything any more.
  bool haveEndedBefore(uint32_t cluster) const {
    return next >= cluster && (running.empty() || *running.begin() >= cluster);
  }
};

/// Blocks that run at the same time and see each other's shared memory.
struct Cluster {
  Machine machine;
  const KernelProgram &kernel;
  /// From 1, in the launch.
  uint32_t number;
  Announcements &announcements;
  std::deque<ThreadBlock> blocks;
  /// Where all blocks meet: per op, for the groups of one key.
  std::map<std::tuple<Operation *, int64_t, int64_t>, Rendezvous> meetings;

  Cluster(const KernelProgram &kernel, uint32_t number,
          Announcements &announcements, const Options &options)
      : machine(options), kernel(kernel), number(number),
        announcements(announcements) {}
};

/// Where the group meets its like in the other blocks of its cluster, for the
/// op of the step.
Rendezvous &findMeeting(const Step &step, Group &group);

/// What `combine` makes of the tiles of all blocks of the cluster, in the order
/// of their ranks; one block calls it.
llvm::Expected<TilePtr>
combineInCluster(const Step &step, Group &group, TilePtr tile,
                 llvm::function_ref<TilePtr(ArrayRef<TilePtr>)> combine);

/// Runs the blocks of one cluster, the `number`-th from 1, to their ends.
llvm::Error runCluster(const KernelProgram &kernel, Grid grid, uint32_t number,
                       std::array<int64_t, 3> firstBlock,
                       ArrayRef<HostValue> arguments,
                       Announcements &announcements, const Options &options);

} // namespace mlir::smx::gpuhost

#endif // SMX_LIB_GPUHOST_THREADBLOCK_H
