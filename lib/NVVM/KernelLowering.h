//===- KernelLowering.h - whole tiles become per-thread code ----*- C++ -*-===//
//
// What the patterns of this folder share: how types are converted, where things
// lie in shared memory, who executes an op, and the index algebra of tiles in
// terms of the executing thread.
//
//   register tile      vector of the thread's registers (index: i64)
//   !smx_gpu.shared    !llvm.ptr<3>
//   !smx_gpu.channel   ChannelParts, as a struct
//   !smx_gpu.token     i32
//   !smx_gpu.turns     i32: the first of its named barriers
//   memref             the usual descriptor, on !llvm.ptr<1>
//
// A memref argument of a kernel is passed as scalars: pointer (!llvm.ptr<1>),
// offset, sizes, strides (i64, in elements): the usual expansion, less the
// allocated pointer. Tensor maps come behind all arguments.
//
//===----------------------------------------------------------------------===//
#ifndef SMX_LIB_NVVM_KERNELLOWERING_H
#define SMX_LIB_NVVM_KERNELLOWERING_H

#include "smx/GPU/SmxGpu.h"
#include "smx/IR/ElementBits.h"
#include "smx/NVVM/TensorMapUse.h"

#include "mlir/Conversion/LLVMCommon/Pattern.h"
#include "mlir/Conversion/LLVMCommon/TypeConverter.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace mlir::smx {

/// Address spaces of NVPTX.
inline constexpr unsigned globalSpace = 1, sharedSpace = 3;

/// The dynamic shared memory of a kernel: an external symbol of this name.
inline constexpr StringLiteral sharedSymbol = "smem";

//===----------------------------------------------------------------------===//
// Types
//===----------------------------------------------------------------------===//

class TileTypeConverter : public LLVMTypeConverter {
public:
  explicit TileTypeConverter(MLIRContext *context);
};

/// The type of a register that holds an element of a tile: index has 64 bits,
/// and floats of 8 bits, for which LLVM has no type, are integers.
Type registerElement(Type element);

/// True for a tensor with a layout or a slice of one.
bool isRegisterTile(Type type);

/// The fields of a converted channel: counters (i32 in `llvm.alloca`s, which
/// LLVM promotes) of the puts, gets and releases of the executing thread.
enum ChannelPart : int64_t {
  channelPuts,
  channelGets,
  channelReleases, // the stage to release, where one tile is held at a time
};

//===----------------------------------------------------------------------===//
// The plan of a kernel
//===----------------------------------------------------------------------===//

/// The warps that execute an op in step, and how they share tiles.
struct Team {
  /// First warp of the role (0 outside roles), and number of its warps.
  int64_t firstWarp = 0, warps = 1;
  /// Warps that share a tile; divides `warps`.
  int64_t group = 1;
  /// Named barriers: of the whole team, and of its first group (that of group
  /// `g` is `groupBarrier + g`; the two agree when there is one group).
  int64_t barrier = 0, groupBarrier = 0;
  /// Of the kernel: blocks of a cluster, and registers that a thread starts
  /// with when all are given away (a multiple of 8, for setmaxnreg).
  int64_t cluster = 1, launchRegisters = 0;

  int64_t groups() const { return warps / group; }
  int64_t groupThreads() const { return group * ::smx::gpu::warpThreads; }
};

/// The mbarrier that counts the bytes of an exchange between the blocks of a
/// cluster, by its place in shared memory.
struct Exchange {
  int64_t barrier, bytes;
};

/// Where each op of the kernels keeps its data in shared memory (bytes from the
/// start of `smem`), and which team executes it. Made before the conversion and
/// asked by the patterns about the original ops. In this order:
/// tiles and channels (1024-byte aligned), mbarriers, scratch.
class KernelPlan {
public:
  /// Plans all kernels of the module. An error names what does not fit.
  static FailureOr<KernelPlan> make(ModuleOp module);

  /// The team of an `smx_gpu` op (also of one that was in a role).
  const Team &team(Operation *op) const;
  /// Shared tile or first stage of an alloc or make_channel; also of an op that
  /// uses the channel.
  int64_t data(Operation *op) const { return dataOffsets.lookup(op); }
  /// The mbarriers of a make_channel, or of an op that uses the channel: per
  /// stage a full and an empty one; or that of an exchange.
  int64_t barriers(Operation *op) const { return barrierOffsets.lookup(op); }
  /// The first named barrier of a turns op.
  int64_t turns(Operation *op) const { return turnBarriers.lookup(op); }
  /// Scratch of an op that moves values between warps, 16-byte aligned: that of
  /// the first group, and how far that of the next one is from it. Ops that
  /// share an area are as far apart: only the warps of a group meet between
  /// them.
  int64_t scratch(Operation *op) const { return scratchOffsets.lookup(op); }
  int64_t scratchStride(Operation *op) const {
    return scratchStrides.lookup(op);
  }
  /// Nobody reads the scratch any more when the op is reached. Otherwise the
  /// team has to meet before it is written; for a cluster_reduce, the cluster.
  bool isScratchFree(Operation *op) const { return scratchIsFree.contains(op); }
  /// The first such cluster_reduce, which waits until all blocks of the cluster
  /// have started, and the kernel, at whose start they say so.
  bool startsCluster(Operation *op) const { return starts.contains(op); }
  /// The exchanges of the cluster that `start` starts, if they have barriers
  /// (see ClusterExchange.h); and whether an op is one of them.
  ArrayRef<Exchange> exchangesOf(Operation *start) const;
  bool isExchange(Operation *op) const;
  /// Of an exchange in a loop over rounds, which has barriers and scratch for
  /// two: the bytes that a round brings into one block; 0 for others.
  int64_t bytesOfRound(Operation *op) const { return repeated.lookup(op); }
  /// Bytes of scratch that a group needs for `op`; 0 for most ops.
  static int64_t scratchBytes(Operation *op);
  /// Dynamic shared memory of a kernel.
  int64_t sharedBytes(gpu::KernelOp kernel) const {
    return kernelBytes.lookup(kernel);
  }
  /// Every thread reads only what it has copied itself: the copy is a group of
  /// its own, which the first op that accesses the tile waits for.
  bool isAwaitedByReaders(gpu::CopyOp copy) const;
  /// Of that op: how many later groups may still be in flight.
  std::optional<int64_t> copiesInFlight(Operation *op) const;
  /// The loads of adjacent rows that the first of them asks for: those that
  /// follow each other. None for the others.
  ArrayRef<gpu::LoadOp> loadsFrom(gpu::LoadOp first) const {
    auto found = adjacentLoads.find(first);
    return found == adjacentLoads.end() ? ArrayRef<gpu::LoadOp>()
                                        : ArrayRef(found->second);
  }
  /// A thread has many registers of one row, which the kernel reduces to one
  /// value; there are no matrix products, whose order in time is a schedule.
  bool reducesLongRow(Operation *kernel) const {
    return rowKernels.contains(kernel);
  }
  /// The tensor maps that a kernel needs, and which of them a put by tensor
  /// copies or a tensor store uses: counted from the last one, which is 1.
  ArrayRef<TensorMapUse> tensorMaps(Operation *kernel) const {
    auto found = kernelMaps.find(kernel);
    return found == kernelMaps.end() ? ArrayRef<TensorMapUse>()
                                     : ArrayRef(found->second);
  }
  int64_t tensorMapFromEnd(Operation *op) const { return maps.lookup(op); }
  /// The role has tensor stores, which may still be reading when it ends.
  bool storesTensors(Operation *role) const {
    return storingRoles.contains(role);
  }
  /// A shared operand of the product was written by threads, not by the tensor
  /// copy engine: their writes have to become visible to the matrix unit.
  bool readsGenericWrites(Operation *product) const {
    return genericReaders.contains(product);
  }
  /// Lanes of a warp that arrive when it releases the tile: one where tensor
  /// copies fill the stage again, and otherwise all.
  int64_t lanesThatRelease(Operation *release) const {
    return releasedToEngine.contains(release) ? 1 : ::smx::gpu::warpThreads;
  }
  /// Of a get or release: no more than one tile of the channel is held at a
  /// time, so that a release is always of the one that was got last.
  bool holdsOneTile(Operation *op) const { return ofOneTile.contains(op); }
  /// Blocks that fill the stages of a make_channel or release together.
  int64_t blocksThatFill(Operation *op) const {
    return filledByCluster.contains(op) ? team(op).cluster : 1;
  }

private:
  LogicalResult add(gpu::KernelOp kernel);
  LogicalResult addTensorCopies(gpu::KernelOp kernel);
  /// Plans the meetings of a cluster where all its reductions follow each other
  /// and nothing else of the kernel meets in the cluster.
  void addClusterStart(gpu::KernelOp kernel);
  void addCopyGroups(gpu::KernelOp kernel);
  void addAdjacentLoads(gpu::KernelOp kernel);
  void addReleaseOrder(gpu::KernelOp kernel);
  /// Adds the barriers behind the first `bytes` of shared memory.
  void addExchanges(gpu::KernelOp kernel, int64_t &bytes);

  llvm::DenseMap<Operation *, Team> teams;
  llvm::DenseMap<Operation *, int64_t> dataOffsets, barrierOffsets,
      turnBarriers, scratchOffsets, scratchStrides, kernelBytes;
  llvm::DenseSet<Operation *> scratchIsFree, rowKernels, genericReaders,
      releasedToEngine, ofOneTile, groupedCopies, filledByCluster, storingRoles;
  llvm::DenseMap<Operation *, int64_t> maps, laterCopies, repeated;
  llvm::DenseMap<Operation *, std::vector<TensorMapUse>> kernelMaps;
  llvm::DenseMap<Operation *, SmallVector<Exchange, 2>> starts;
  llvm::DenseMap<Operation *, SmallVector<gpu::LoadOp, 2>> adjacentLoads;
};

/// The ops that use a channel, also inside the roles that it is passed to.
void collectUsers(Value channel, SmallVectorImpl<Operation *> &users);

//===----------------------------------------------------------------------===//
// Code of one thread
//===----------------------------------------------------------------------===//

/// A coordinate of the executing thread: i32 values.
struct ThreadCoordinate {
  Value row, column;
};

/// Emits what one thread does for one op, at the builder's insertion point.
/// Nothing is kept between calls: equal values are merged by CSE.
class ThreadCode : public ImplicitLocOpBuilder {
public:
  ThreadCode(OpBuilder &builder, Operation *op, const KernelPlan &plan)
      : ImplicitLocOpBuilder(op->getLoc(), builder), team(plan.team(op)) {}

  const Team team;

  Value i32(int64_t value);
  Value i64(int64_t value);

  /// This thread's number in its group (of `team.groupThreads()`), its lane,
  /// its warp's number in the group, and its group's number in the team: i32.
  Value thread();
  Value lane();
  Value warp();
  Value group();
  /// Shared memory of the thread's group that the plan has for `op`.
  Value scratch(const KernelPlan &plan, Operation *op);
  /// Number of the warp in the block, which the assembler knows to be the same
  /// for all lanes: what follows from it is computed once per warp, and a
  /// branch on it does not part lanes. i32.
  Value uniformWarp();
  /// `i / n` and `i % n` of an i32 that is not negative, n > 0.
  Value quotient(Value i, int64_t n);
  Value remainder(Value i, int64_t n);
  /// a + b, a * b of two i32 or two i64 values, without overflow.
  Value add(Value a, Value b);
  Value mul(Value a, Value b);
  /// a < b, signed.
  Value less(Value a, Value b);
  /// `!condition` of an i1; `a && b` of two of which a null one is true.
  Value negated(Value condition);
  Value both(Value a, Value b);
  /// An i64 limited to [0, high], as i32.
  Value clamped(Value i, int64_t high);

  /// All warps of the team, or of the thread's group, meet.
  void teamBarrier();
  void groupBarrier();
  /// i1: meets likewise, and is true for all if `isTrue` is for one.
  Value isAnyOfGroup(Value isTrue);
  /// The named barrier of the thread's group: i32.
  Value groupBarrierNumber();
  /// i1: true in one thread of each warp; no elect.sync needed (lane 0).
  Value isFirstLane();
  /// The lanes of a warp meet, and see each other's memory accesses.
  void warpBarrier();
  /// Whom votes and exchanges of a warp ask, i32.
  Value allLanes() { return i32(-1); }

  /// Address `offset` bytes from the start of dynamic shared memory.
  Value shared(int64_t offset);
  /// `base` and a number of bytes (i32 or i64) further.
  Value advance(Value base, Value bytes);
  Value advance(Value base, int64_t bytes);
  /// An address in shared memory as PTX takes it: i32.
  Value addressBits(Value address);

  /// Register `i` of a converted tile; `count` registers from `i` as a vector;
  /// a converted tile (or any vector) from its registers.
  Value getRegister(Value tile, int64_t i);
  Value getRegisters(Value tile, int64_t i, int64_t count);
  Value fromRegisters(ArrayRef<Value> registers);
  /// A converted tile from vectors of consecutive registers.
  Value fromVectors(ArrayRef<Value> vectors);

  /// The element in register i of this thread is at `threadPart(tile)` plus
  /// `gpu::getElement(tile, 0, i)`: layouts are separable. Of a one-dimensional
  /// tile the position is in `row` and `column` is null.
  ThreadCoordinate threadPart(RankedTensorType tile);
  /// i1: this thread is the one that writes the elements it holds, of those
  /// that hold them; null where nobody else does.
  Value isOwner(RankedTensorType tile);

  /// The branch `if (condition) { body }`, or with two sides that compute
  /// vectors each for themselves; afterwards the builder is behind it. Emits
  /// scf.if, without results.
  void when(Value condition, llvm::function_ref<void()> body);
  void when(Value condition, llvm::function_ref<void()> then,
            llvm::function_ref<void()> otherwise);
  /// `condition ? then() : otherwise()`, of `type`, as a branch (scf.if).
  Value choose(Type type, Value condition, llvm::function_ref<Value()> then,
               llvm::function_ref<Value()> otherwise);
  /// `count` rounds of `body`, which takes the number of the round (i32) and a
  /// value, and returns the value for the next round; the last one. Emits
  /// scf.for, marked to stay a loop.
  Value repeat(Value count, Value start,
               llvm::function_ref<Value(Value round, Value value)> body);
  Value repeat(int64_t count, Value start,
               llvm::function_ref<Value(Value round, Value value)> body) {
    return repeat(i32(count), start, body);
  }
};

/// Registers i, i+1, .. i+n-1 of every thread hold neighbouring columns (or
/// positions, of a slice) for every i that is a multiple of n, the first of
/// them at a multiple of n: the largest such n that is a power of two.
int64_t neighbouringRegisters(RankedTensorType tile);

/// A pattern on an op of the dialect.
template <typename OpTy>
class TilePattern : public ConvertOpToLLVMPattern<OpTy> {
public:
  TilePattern(const TileTypeConverter &converter, const KernelPlan &plan,
              PatternBenefit benefit = 1)
      : ConvertOpToLLVMPattern<OpTy>(converter, benefit), plan(plan) {}

protected:
  const KernelPlan &plan;
};

/// The register of `values`, a slice of `tile`, that goes with each one of the
/// tile.
SmallVector<Value> valuesOfRegisters(ThreadCode &code, RankedTensorType slice,
                                     Value values, RankedTensorType tile);

//===----------------------------------------------------------------------===//
// Patterns
//===----------------------------------------------------------------------===//

void populateKernelPatterns(const TileTypeConverter &converter,
                            const KernelPlan &plan,
                            RewritePatternSet &patterns);
/// `setsRegisters`: the chip has setmaxnreg.
void populateRolePatterns(const TileTypeConverter &converter,
                          const KernelPlan &plan, bool setsRegisters,
                          RewritePatternSet &patterns);
void populateClusterPatterns(const TileTypeConverter &converter,
                             const KernelPlan &plan,
                             RewritePatternSet &patterns);
void populateElementwisePatterns(const TileTypeConverter &converter,
                                 const KernelPlan &plan,
                                 RewritePatternSet &patterns);
void populateWideningPatterns(const TileTypeConverter &converter,
                              const KernelPlan &plan,
                              RewritePatternSet &patterns);
void populatePositionPatterns(const TileTypeConverter &converter,
                              const KernelPlan &plan,
                              RewritePatternSet &patterns);
void populateGlobalTilePatterns(const TileTypeConverter &converter,
                                const KernelPlan &plan,
                                RewritePatternSet &patterns);
void populateAssertPatterns(const TileTypeConverter &converter,
                            const KernelPlan &plan,
                            RewritePatternSet &patterns);
void populateGatherPatterns(const TileTypeConverter &converter,
                            const KernelPlan &plan,
                            RewritePatternSet &patterns);
void populateReductionPatterns(const TileTypeConverter &converter,
                               const KernelPlan &plan,
                               RewritePatternSet &patterns);
void populateLargestPatterns(const TileTypeConverter &converter,
                             const KernelPlan &plan,
                             RewritePatternSet &patterns);
void populateSharedTilePatterns(const TileTypeConverter &converter,
                                const KernelPlan &plan,
                                RewritePatternSet &patterns);
void populateTensorStorePatterns(const TileTypeConverter &converter,
                                 const KernelPlan &plan,
                                 RewritePatternSet &patterns);
void populateChannelPatterns(const TileTypeConverter &converter,
                             const KernelPlan &plan,
                             RewritePatternSet &patterns);
void populateAsyncProductPatterns(const TileTypeConverter &converter,
                                  const KernelPlan &plan,
                                  RewritePatternSet &patterns);
void populateHoldPatterns(const TileTypeConverter &converter,
                          const KernelPlan &plan, RewritePatternSet &patterns);
void populatePartPatterns(const TileTypeConverter &converter,
                          const KernelPlan &plan, RewritePatternSet &patterns);
void populateOrderPatterns(const TileTypeConverter &converter,
                           const KernelPlan &plan, RewritePatternSet &patterns);
void populateProductPatterns(const TileTypeConverter &converter,
                             const KernelPlan &plan, bool doublesOnMatrixUnit,
                             RewritePatternSet &patterns);

} // namespace mlir::smx

#endif // SMX_LIB_NVVM_KERNELLOWERING_H
