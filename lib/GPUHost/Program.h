//===- Program.h - a body, looked up once -----------------------*- C++ -*-===//
//
// The ops of a kernel, a role or a host function as steps on numbered slots.
// A program does not change once it is compiled, and is executed by many
// threads.
//
//===----------------------------------------------------------------------===//
#ifndef SMX_LIB_GPUHOST_PROGRAM_H
#define SMX_LIB_GPUHOST_PROGRAM_H

#include "Channels.h"

#include <map>

namespace mlir::smx::gpuhost {

struct Step;
struct KernelProgram;

/// Executes a step: results are in the group's frame afterwards.
using Handler = llvm::Error (*)(const Step &step, Group &group);

/// A block of ops.
struct Code {
  SmallVector<unsigned> arguments;
  std::vector<Step> steps;
  /// What the terminator passes on.
  SmallVector<unsigned> yields;
};

struct Step {
  Operation *op = nullptr;
  Handler run = nullptr;
  SmallVector<unsigned, 4> in, out;
  std::vector<Code> regions;

  /// Arithmetic, on so many elements; 0: on scalars.
  Instruction instruction;
  int64_t elements = 0;
  HostValue constant;
  /// Which warps touch which element of a shared operand.
  std::shared_ptr<const WarpMap> warps;
  /// The slots of what the roles of a `warp_specialize` capture.
  DenseMap<Operation *, SmallVector<unsigned>> roleCaptures;
  /// What a launch runs.
  std::shared_ptr<const KernelProgram> kernel;
};

/// A region that sees nothing from outside.
struct Program {
  Code code;
  unsigned numSlots = 0;
};

struct RoleProgram {
  gpu::RoleOp op;
  Program program;
};

struct KernelProgram {
  gpu::KernelOp op;
  Program body;
  std::vector<RoleProgram> roles;
  DenseMap<Operation *, ChannelUsers> channelUsers;
};

/// What a kernel does; an error for an op that host execution does not know.
llvm::Expected<std::shared_ptr<const KernelProgram>>
compileKernel(gpu::KernelOp kernel);
/// What a host function does.
llvm::Expected<Program> compileFunction(Region &body);

/// The handlers of ops, by name; added up from the files that implement them.
using HandlerTable = llvm::StringMap<Handler>;
void addControlFlow(HandlerTable &table);
void addMemoryOps(HandlerTable &table);
void addTileOps(HandlerTable &table);
void addLargest(HandlerTable &table);
void addSlidRows(HandlerTable &table);
void addProducts(HandlerTable &table);
void addSharedTileOps(HandlerTable &table);
void addChannelOps(HandlerTable &table);
void addTensorStores(HandlerTable &table);
void addMeetingOps(HandlerTable &table);
void addOrderOps(HandlerTable &table);
void addPartOps(HandlerTable &table);
void addBlockOps(HandlerTable &table);
void addLaunches(HandlerTable &table);

/// Runs the steps of `code`.
llvm::Error execute(const Code &code, Group &group);

//===----------------------------------------------------------------------===//
// Operands and results
//===----------------------------------------------------------------------===//

template <typename T>
const T &get(const Step &step, Group &group, unsigned operand) {
  return std::get<T>(group.frame[step.in[operand]]);
}
inline int64_t getInteger(const Step &step, Group &group, unsigned operand) {
  return get<Slot>(step, group, operand).i;
}
inline void setResult(const Step &step, Group &group, HostValue value,
                      unsigned result = 0) {
  group.frame[step.out[result]] = std::move(value);
}

/// Writes what the group's tensor stores have not written yet.
llvm::Error finishTensorStores(Group &group);

/// An error if a product was issued that nothing has waited for.
llvm::Error checkNoProductRuns(const Group &group);

/// A register tile that may be read; an error if a product is still making it.
llvm::Expected<TilePtr> getTile(const Step &step, Group &group,
                                unsigned operand);

/// Tiles of one type combined element by element, in their order.
TilePtr combineTiles(gpu::Combiner kind, Type type, ArrayRef<TilePtr> tiles);

/// A tile of so many elements, to be filled.
inline std::shared_ptr<Tile> makeTile(int64_t elements) {
  auto tile = std::make_shared<Tile>();
  tile->elements.resize(elements, intSlot(0));
  return tile;
}

} // namespace mlir::smx::gpuhost

#endif // SMX_LIB_GPUHOST_PROGRAM_H
