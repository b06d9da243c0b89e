//===- MatrixOperands.h - what the matrix unit multiplies -------*- C++ -*-===//
//
// A *fragment* is one instruction's share of an operand in one thread: four
// registers of a (16 rows), two of b (8 columns), each of 32 bits: two
// neighbouring 16-bit elements, or one single-precision element.
//
//===----------------------------------------------------------------------===//
#ifndef SMX_LIB_NVVM_MATRIXOPERANDS_H
#define SMX_LIB_NVVM_MATRIXOPERANDS_H

#include "Products.h"

#include "mlir/Dialect/LLVMIR/NVVMDialect.h"

#include <memory>

namespace mlir::smx {

using Fragment = SmallVector<Value, 4>;

/// A place along a dimension: `first`, and `round` (i32, null: 0) times
/// `stride`.
struct LoopPlace {
  LoopPlace(int64_t first) : first(first) {}
  LoopPlace(int64_t first, Value round, int64_t stride)
      : first(first), round(round), stride(stride) {}

  LoopPlace operator+(int64_t by) const { return {first + by, round, stride}; }

  int64_t first;
  Value round;
  int64_t stride = 0;
};

/// Where a thread finds operands in shared memory that it takes in pairs along
/// the reduced dimension, as it has the accumulator's columns: of a row of a
/// (column of b) for every four lanes, the first lane has places 0 and 1.
/// `thread` (i32) is its number in its group. Keeps `code`.
ThreadAddresses pairsOfA(ThreadCode &code, const TileProduct &product,
                         Value thread);
ThreadAddresses pairsOfB(ThreadCode &code, const TileProduct &product,
                         Value thread);
/// Two neighbouring elements of shared memory.
Fragment loadPair(ThreadCode &code, Type element, Value address);
/// `count` (2 or 4) matrices of 8 x 8 elements of 16 bits, one register of each
/// in this thread, whose `address` is of one row of 16 bytes. `registerType` is
/// a vector of two.
Fragment loadMatrices(ThreadCode &code, Value address, int64_t count,
                      bool transposes, Type registerType);

/// Brings the operands of a product to the matrix unit.
class MatrixOperands {
public:
  virtual ~MatrixOperands() = default;

  /// a in rows of block `i`, from column `k`.
  Fragment getA(int64_t i, LoopPlace k);
  /// b for `groups` (1 or 2) groups of 8 columns from column `n`, and rows from
  /// `k`: two registers per group.
  virtual Fragment getB(LoopPlace k, LoopPlace n, int64_t groups) = 0;
  /// The parts that add up to a fragment, the large one first. A product is the
  /// sum of those of each part with the other operand's large part.
  virtual SmallVector<Fragment, 2> split(const Fragment &fragment) = 0;

  /// Columns of a that an instruction multiplies, and its name for the type.
  int64_t depth;
  NVVM::MMATypes type;
  /// The type of a register: a vector of two, or f32.
  Type registerType;

protected:
  MatrixOperands(ThreadCode &code, const TileProduct &product, int64_t depth,
                 NVVM::MMATypes type, Type registerType)
      : depth(depth), type(type), registerType(registerType), code(code),
        product(product) {}

  /// a, if it is in shared memory, or else in registers.
  virtual Fragment loadA(int64_t i, LoopPlace k) = 0;
  virtual Fragment heldA(int64_t i, int64_t k) = 0;

  /// The address of a's element in the thread's first row of block `i`, `rows`
  /// further down, or of b's for row `k` and column `n`.
  Value addressInA(int64_t i, int64_t rows, LoopPlace k);
  Value addressInB(LoopPlace k, LoopPlace n);

  ThreadCode &code;
  const TileProduct &product;
  /// Set by the constructors of the kinds; `inA` only where a is shared.
  std::optional<ThreadAddresses> inA, inB;
};

/// The operands of a product of f16, bf16 or f32 tiles. `thread` (i32) is this
/// thread's number in its group. Keeps the arguments.
std::unique_ptr<MatrixOperands>
makeMatrixOperands(ThreadCode &code, const TileProduct &product, Value thread);

} // namespace mlir::smx

#endif // SMX_LIB_NVVM_MATRIXOPERANDS_H
