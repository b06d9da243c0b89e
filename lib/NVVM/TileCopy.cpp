//===- TileCopy.cpp - from global to shared memory, by threads ------------===//

#include "TileCopy.h"

#include "Assembly.h"
#include "ThreadAddresses.h"

#include "mlir/Dialect/LLVMIR/NVVMDialect.h"

// Not by using-directives: `gpu` would be upstream's dialect as well.
namespace mlir::smx {

using ::smx::gpu::CopyGrid;
using ::smx::gpu::SharedTile;

/// Smallest copy that is asynchronous, and the largest of all.
static constexpr int64_t leastAsync = 4, widest = 16;

/// Loads that are in flight before the first is stored.
static constexpr size_t batch = 16;

/// Bytes that a thread moves at a time.
static int64_t bytesAtATime(const GlobalTile &source, gpu::SharedType type) {
  if (!source.contiguous())
    return source.elementBytes;
  int64_t rowBytes = type.getShape()[1] * source.elementBytes;
  int64_t bytes = ::smx::gpu::powerOfTwoFactor(
      rowBytes, std::min<int64_t>(widest, source.aligned));
  // Only an asynchronous copy can fill a part of its bytes with zeros.
  return bytes >= leastAsync ? bytes : source.elementBytes;
}

bool copiesAsynchronously(const GlobalTile &source, gpu::SharedType type) {
  return bytesAtATime(source, type) >= leastAsync;
}

namespace {
/// One copy of a tile.
class TileCopy {
public:
  TileCopy(ThreadCode &code, const GlobalTile &source, gpu::SharedType type,
           Value destination, bool lasting);
  void emit();

private:
  struct Pending {
    Value vector, destination, inTile;
  };

  /// Bytes of `places` places along a dimension, i64.
  Value bytes(int64_t dim, int64_t places);
  /// Bytes of the vector at a step that are valid: i32, or null for all.
  Value validBytes(::smx::gpu::Coordinate step);
  void move(Value from, ::smx::gpu::Coordinate step, Value inTile);
  void store();
  void guarded(Value condition, llvm::function_ref<void()> body);

  ThreadCode &code;
  const GlobalTile &source;
  gpu::SharedType type;
  bool lasting;
  int64_t width;
  CopyGrid grid;
  ThreadIntegerPlace place;
  /// The first row, out of LLVM's sight: the others that are compared with the
  /// number of valid rows are not kept between rounds of a loop.
  ThreadInteger checkedRow;
  ThreadAddresses addresses;
  SmallVector<Pending> pending;
};
} // namespace

TileCopy::TileCopy(ThreadCode &code, const GlobalTile &source,
                   gpu::SharedType type, Value destination, bool lasting)
    : code(code), source(source), type(type), lasting(lasting),
      width(bytesAtATime(source, type)),
      grid(type.getShape()[0], type.getShape()[1], code.team.groupThreads(),
           width / source.elementBytes),
      place(grid.place(ThreadInteger(code, code.thread()))),
      checkedRow(code, source.dims[0].valid ? opaque(code, place.row.getValue())
                                            : place.row.getValue()),
      addresses(code, type, destination, place,
                grid.bits(source.elementBytes)) {}

Value TileCopy::bytes(int64_t dim, int64_t places) {
  const GlobalDim &d = source.dims[dim];
  int64_t factor = places * source.elementBytes;
  if (d.constantStride)
    return code.i64(*d.constantStride * factor);
  return code.mul(d.stride, opaque(code, code.i64(factor)));
}

Value TileCopy::validBytes(::smx::gpu::Coordinate step) {
  Value count;
  if (Value columns = source.dims[1].valid) {
    Value column = (place.column + step.column).getValue();
    Value left = LLVM::SubOp::create(code, columns, column);
    Value leftBytes = code.mul(left, code.i32(source.elementBytes));
    count = LLVM::SMinOp::create(
        code, LLVM::SMaxOp::create(code, leftBytes, code.i32(0)),
        code.i32(width));
  }
  if (Value rows = source.dims[0].valid) {
    Value isValid = code.less((checkedRow + step.row).getValue(), rows);
    count = LLVM::SelectOp::create(
        code, isValid, count ? count : code.i32(width), code.i32(0));
  }
  return count;
}

void TileCopy::guarded(Value condition, llvm::function_ref<void()> body) {
  if (condition)
    code.when(condition, body);
  else
    body();
}

/// Asks for a line that stays in the L2 cache. An asynchronous copy that names
/// such a policy itself is an illegal instruction (ptxas 13.0, sm_90a), and
/// LLVM has no prefetch of that kind for sm_80.
static void prefetchLasting(ThreadCode &code, Value from) {
  emitAssembly(code, TypeRange(), from, "prefetch.global.L2::evict_last [$0];",
               "l", Effects::Order);
}

void TileCopy::move(Value from, ::smx::gpu::Coordinate step, Value inTile) {
  Value to = addresses.at(step);
  Value count = validBytes(step);
  if (width >= leastAsync) {
    auto modifier = width == widest ? NVVM::LoadCacheModifierKind::CG
                                    : NVVM::LoadCacheModifierKind::CA;
    guarded(inTile, [&] {
      // What is not valid may lie behind the end of an allocation. A predicate
      // would be spilled.
      if (lasting && !count)
        prefetchLasting(code, from);
      NVVM::CpAsyncOp::create(code, to, from, width, modifier, count);
    });
    return;
  }
  // A single element.
  Value isValid;
  if (count)
    isValid = LLVM::ICmpOp::create(code, LLVM::ICmpPredicate::eq, count,
                                   code.i32(width));
  if (inTile)
    isValid = isValid ? LLVM::AndOp::create(code, isValid, inTile) : inTile;
  auto vector = VectorType::get(grid.vector, source.elementType);
  pending.push_back({loadGlobal(code, from, vector, isValid), to, inTile});
  if (pending.size() == batch)
    store();
}

void TileCopy::store() {
  for (const Pending &p : pending)
    guarded(p.inTile, [&] { storeShared(code, p.vector, p.destination); });
  pending.clear();
}

void TileCopy::emit() {
  Value row;
  {
    // All that a loop keeps is where the thread starts.
    OpBuilder::InsertionGuard guard(code);
    leaveLoops(code, source.base);
    ThreadIntegerPlace first = grid.place(ThreadInteger(code, code.thread()));
    row = code.advance(source.base,
                       byteOffset(code, source, 0, first.row.getValue(), 0));
    row = code.advance(row,
                       byteOffset(code, source, 1, first.column.getValue(), 0));
    row = opaque(code, row);
  }
  row = code.advance(row, source.moved);
  // A row comes from the one before it. LLVM would otherwise keep the address
  // of every step, less what changes between rounds, in registers of its own.
  if (grid.rowSteps() > 1)
    row = opaque(code, row);
  Value rowStep = bytes(0, grid.rowThreads());
  Value columnStep = bytes(1, grid.step(0, 1).column);
  for (int64_t i = 0, rows = grid.rowSteps(); i < rows; ++i) {
    Value inTile;
    if (grid.isRagged(i))
      inTile = code.less((place.row + grid.step(i, 0).row).getValue(),
                         code.i32(grid.rows));
    Value from = row;
    for (int64_t j = 0, columns = grid.columnSteps(); j < columns; ++j) {
      move(from, grid.step(i, j), inTile);
      if (j + 1 < columns)
        from = code.advance(from, columnStep);
    }
    if (i + 1 < rows)
      row = code.advance(row, rowStep);
  }
  store();
}

void copyTile(ThreadCode &code, const GlobalTile &source, gpu::SharedType type,
              Value destination, bool lasting) {
  TileCopy(code, source, type, destination, lasting).emit();
}

} // namespace mlir::smx
