//===- SharedBarriers.h - mbarriers and copies in flight --------*- C++ -*-===//
#ifndef SMX_LIB_NVVM_SHAREDBARRIERS_H
#define SMX_LIB_NVVM_SHAREDBARRIERS_H

#include "KernelLowering.h"

namespace mlir::smx {

/// Bytes for a stage of a channel: an mbarrier of 8 bytes for full, one for
/// empty, which is so far behind the other.
inline constexpr int64_t stageBarrierBytes = 16, emptyBarrier = 8;

/// The barrier at `address` (!llvm.ptr<3>) completes a phase whenever
/// `arrivals` threads have arrived. Executed by one thread.
void initBarrier(ThreadCode &code, Value address, int64_t arrivals);

/// This thread arrives, if `predicate` (i1) is true or null. What it has read
/// and written before is done for those who wait.
void arrive(ThreadCode &code, Value address, Value predicate);

/// The same at this barrier of block `rank` of the cluster (i32; where
/// `predicate` is false it may be any number).
void arriveInBlock(ThreadCode &code, Value address, Value rank,
                   Value predicate);

/// This thread arrives, and the phase is not complete before so many bytes of
/// tensor copies have.
void arriveExpecting(ThreadCode &code, Value address, int64_t bytes);

/// Starts a copy of a box of the tensor that `map` describes, from
/// `coordinates` (i32, the innermost dimension first) to shared memory; its
/// bytes arrive at `barrier`. With `ranks` (i16, a bit for each block of the
/// cluster) it goes to the same place of each, and their barriers. Source: PTX
/// ISA, "cp.async.bulk.tensor".
void copyTensor(ThreadCode &code, Value to, Value map, ValueRange coordinates,
                Value barrier, Value ranks);

/// This thread arrives once all asynchronous copies that it has issued are
/// done.
void arriveAfterCopies(ThreadCode &code, Value address);

/// Waits until the phase of this parity (i32) is complete. `suspends`: the chip
/// can put the thread to sleep (sm_90 on); otherwise it polls.
void waitForPhase(ThreadCode &code, Value address, Value parity, bool suspends);

/// The barriers that this thread has made are there for the cluster, as soon as
/// this thread has said so.
void publishBarriers(ThreadCode &code);

/// Writes 4 or 8 bytes (an integer) to where `address` is in the block of that
/// rank (i32) of the cluster; their arrival is counted by the barrier there.
void sendAnnounced(ThreadCode &code, Value value, Value address, Value barrier,
                   Value rank);

/// As waitForPhase, for what comes from other blocks of the cluster.
void waitForPhaseOfCluster(ThreadCode &code, Value address, Value parity);

/// Waits for all asynchronous copies that this thread has issued.
void waitForCopies(ThreadCode &code);

/// The asynchronous copies that this thread has issued since the last call are
/// a group.
void commitCopies(ThreadCode &code);

/// Waits for all groups of copies that this thread has issued but the last
/// `later` ones.
void waitForCopies(ThreadCode &code, int64_t later);

/// What this thread has written to shared memory is there for the tensor copy
/// engine, once the thread that starts a copy has met this one.
void fenceWritesForEngine(ThreadCode &code);

} // namespace mlir::smx

#endif // SMX_LIB_NVVM_SHAREDBARRIERS_H
