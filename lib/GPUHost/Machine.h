//===- Machine.h - groups that wait for each other --------------*- C++ -*-===//
//
// One machine runs the blocks of one cluster. A group is a thread of the host:
// all warps of a kernel outside of its roles, or one group of a role. Groups
// meet only through the machine, under its one mutex; it knows who waits for
// what, and so when nobody can go on.
//
//===----------------------------------------------------------------------===//
#ifndef SMX_LIB_GPUHOST_MACHINE_H
#define SMX_LIB_GPUHOST_MACHINE_H

#include "Clock.h"
#include "Values.h"
#include "smx/GPUHost/HostExecution.h"

#include <atomic>
#include <condition_variable>
#include <functional>
#include <map>
#include <mutex>
#include <random>
#include <set>
#include <string>

namespace mlir::smx::gpuhost {

struct ThreadBlock;
class Machine;

/// Which group of a kernel: that of the kernel's own body, or one of a role.
struct GroupKey {
  /// -1 outside of the roles.
  int64_t role = -1;
  int64_t number = 0;
  friend bool operator==(const GroupKey &, const GroupKey &) = default;
};

/// What a group that can not go on waits for.
struct Waiting {
  Operation *op = nullptr;
  std::function<bool()> isOver;
  std::function<std::string()> describe;
};

/// Warps that execute in step, on a thread of their own.
struct Group {
  Machine &machine;
  /// Null for the host.
  ThreadBlock *block = nullptr;
  GroupKey key;
  /// Its cluster's number in the launch, from 1; 0 on the host.
  uint32_t cluster = 0;
  std::string name;
  int64_t warps = 1;
  /// Groups of the role.
  int64_t siblings = 1;

  unsigned id = 0;
  std::vector<HostValue> frame;
  /// What the group has seen of the others; its own entry is its epoch.
  Clock clock;
  /// Clusters of the launch whose announcements the group has awaited.
  std::set<uint32_t> awaited;
  /// Barriers passed: what warps of the group know of each other.
  uint64_t meetings = 0;
  /// Products issued, and how many of them, counted from the first, are done.
  int64_t issued = 0, completed = 0;
  SmallVector<ProductPtr> products;
  /// What the tensor copy engine has still to write to memory, from each shared
  /// tile.
  std::map<SharedTile *, std::function<llvm::Error()>> tensorStores;

  const Waiting *waiting = nullptr;
  bool hasEnded = false;
  /// The group that started this one, and those of its own that have not ended.
  Group *parent = nullptr;
  unsigned runningRoles = 0;
  std::minstd_rand random;

  Group(Machine &machine, std::string name)
      : machine(machine), name(std::move(name)) {}

  Moment now() const { return {id, clock[id]}; }
  /// Everything so far is seen by whoever takes `handedOver`.
  void publish(Clock &handedOver) {
    handedOver.join(clock);
    clock.set({id, clock[id] + 1});
  }
};

/// Groups that all have to arrive before one of them leaves.
struct Rendezvous {
  /// Those that belong to it.
  SmallVector<const Group *> expected;
  SmallVector<const Group *> arrived;
  uint64_t round = 0;
  Clock gathering, released;
  /// One tile per group, in the order of `expected`, and what they make.
  SmallVector<TilePtr> contributions;
  TilePtr result;
};

class Machine {
public:
  explicit Machine(const Options &options);

  const Options &getOptions() const { return options; }

  using Lock = std::unique_lock<std::mutex>;
  Lock lock() { return Lock(mutex); }

  /// A group starts or ends; under the lock.
  void start(Group &group);
  void end(Group &group);
  /// `group` stands aside until the groups of its roles, which have been
  /// started, have ended; under the lock.
  void standAside(Group &group, unsigned roleGroups);

  /// Waits until `waiting.isOver()`. An error if that can not happen any more,
  /// or if the machine was stopped.
  llvm::Error wait(Lock &lock, Group &group, const Waiting &waiting);
  /// The state that groups wait for has changed; under the lock.
  void notify() { changed.notify_all(); }
  /// Arrives at `rendezvous`, unless `arrive` fails, and waits for the others.
  /// The last one to arrive calls `combine` before they leave.
  llvm::Error meet(Group &group, Operation *op, Rendezvous &rendezvous,
                   llvm::function_ref<llvm::Error()> arrive = {},
                   llvm::function_ref<llvm::Error()> combine = {});

  /// Something was done that a hung kernel does not do.
  void noteProgress();
  /// An error if nothing was done for too long, or the machine was stopped.
  llvm::Error checkProgress(Operation *op);
  /// A moment's rest, if the options ask for it.
  void jitter(Group &group);

  /// Ends the run; the first reason is kept.
  void fail(llvm::Error error);
  /// The reason why the run ended early, if it did.
  llvm::Error takeFailure();
  bool isStopped() const { return stopped.load(std::memory_order_relaxed); }

  /// Where the counters of the channels come from, for the wait graph.
  std::function<std::string()> describeChannels;

private:
  void failLocked(std::string text);
  /// Ends the run if all running groups wait for what can not happen.
  void checkDeadlock();
  /// What every group does, and the counters of the channels: a line each.
  std::string describeAll() const;

  const Options &options;
  std::mutex mutex;
  std::condition_variable changed;
  std::vector<Group *> groups;
  unsigned running = 0, blocked = 0;
  std::atomic<int64_t> lastProgress;
  std::atomic<bool> stopped = false;
  std::string failure;
};

/// "role @load" or "role @load (has ended)".
std::string nameWithState(const Group &group);

/// "file:line:column", or the op's name where there is no place.
std::string placeOf(Operation *op);

} // namespace mlir::smx::gpuhost

#endif // SMX_LIB_GPUHOST_MACHINE_H
