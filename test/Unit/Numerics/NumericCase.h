//===- NumericCase.h - one configuration of the numeric suite ---*- C++ -*-===//
//
// A case says which op, shapes, types and options; it can write itself as MLIR,
// make its inputs, compute its reference, and run a kernel on memory with gaps,
// poison and canaries.
//
//===----------------------------------------------------------------------===//
#ifndef SMX_TEST_NUMERICS_NUMERICCASE_H
#define SMX_TEST_NUMERICS_NUMERICCASE_H

#include "smx/Reference/Attention.h"
#include "smx/Reference/Compare.h"
#include "smx/Runtime/Kernel.h"

#include "llvm/ADT/STLFunctionalExtras.h"

namespace smx::test {

using reference::DType;
using reference::Shape;
using reference::Tensor;

enum class Op {
  Softmax,
  LogSoftmax,
  LogSumExp,
  SoftmaxDot,
  LayerNorm,
  Attention,
  CrossEntropy,
  CrossEntropyBackward,
  SoftmaxBackward,
  LogSoftmaxBackward,
  TopK,
  RmsNorm
};

inline bool isNorm(Op op) { return op == Op::LayerNorm || op == Op::RmsNorm; }

/// Row ops use `shape` and `axis`; softmax_dot adds `columns`; attention uses
/// the rest.
struct NumericCase {
  Op op = Op::Softmax;
  DType dtype = DType::F32;
  double scale = 1.0;
  std::string generator = "normal";
  uint64_t seed = 0;
  /// Every extent is dynamic in the types (heads stay static: their ratio is a
  /// fact of the kernel).
  bool isDynamic = false;
  /// Elements between the rows of the inputs and outputs in memory.
  int64_t gap = 0;
  mlir::smx::RoadOptions road;

  Shape shape;
  int64_t axis = 0;
  bool zeroForMaskedRow = false;
  /// The type of the result, where a row op has one of its own.
  std::optional<DType> resultType;
  int64_t columns = 0;

  /// Cross entropy: `isLossWide` has the loss in the type of the state.
  double smoothing = 0;
  std::optional<int64_t> ignored;
  DType targetType = DType::I64;
  bool isLossWide = true;
  /// Top-k; `targetType` is that of the places.
  int64_t k = 1;

  int64_t batch = 1, queryHeads = 1, keyHeads = 1, queries = 0, keys = 0,
          headDim = 0, valueDim = 0;
  std::optional<reference::Band> band;
  int64_t prefix = 0;
  /// Queries, keys and values are `[b, h, s, d]`; or `[b, s, h, d]`, which the
  /// module transposes, as it does the result; or one tensor `[b, s, heads, d]`
  /// of which they are slices (as many keys as queries, one head dim); or
  /// `[b, h, s, d]` that lie as `[b, s, h, d]` or `[b, h, d, s]` in memory.
  enum class Layout { HeadsOutside, HeadsInside, Packed, Strided, Columns };
  Layout layout = Layout::HeadsOutside;
  /// Further masks, which hold together with the band: keys for each chunk,
  /// and what data say, in integers of `targetType`.
  std::optional<int64_t> chunk;
  enum class MaskData { None, Lengths, CausalLengths, Ranges, Documents };
  MaskData maskData = MaskData::None;
  /// Queries and keys of a block, of which three of five are marked; of each
  /// such mask.
  struct MarkedBlocks {
    int64_t queries, keys;
  };
  std::vector<MarkedBlocks> blocks;
  /// Lengths or blocks for each head, not for each batch.
  bool isMaskPerHead = false;
  bool hasSinks = false;
  /// Keys and values lie in pages of so many keys, if any, by a table; lengths
  /// for each batch say how many there are (`maskData`).
  int64_t page = 0;
  /// Keys and values, or queries too, are f8E4M3FN; `dtype` is that of the
  /// others and of the result. Scales of keys and values, one for each head or
  /// token of it, are multiplied in front of the op.
  enum class Quantized { None, KeysAndValues, All };
  Quantized quantized = Quantized::None;
  enum class Scales { None, PerHead, PerToken };
  Scales scales = Scales::None;
  /// NaN in every key and value past the last query's position: with a causal
  /// top-left mask nobody sees them.
  bool poisonsHiddenKeys = false;

  std::string text() const;
  /// For failure messages.
  std::string describe() const;
  std::vector<Tensor> makeInputs() const;
  /// The types of as many inputs.
  std::vector<DType> inputTypes(size_t count) const;
  /// The reference and, for low precision, the naive result of the same
  /// precision.
  struct Expected {
    Tensor exact;
    std::optional<Tensor> naive;
    reference::Comparison how;
    /// The type in memory, if it is not that of the comparison.
    std::optional<DType> stored = std::nullopt;
  };
  std::vector<Expected> expect(const std::vector<Tensor> &inputs) const;

private:
  double largestScore(const Tensor &q, const Tensor &k) const;
};

/// Compiles the case for the target under test, and there for `chip` if it is
/// given.
llvm::Expected<Kernel> compileCase(const NumericCase &config,
                                   llvm::StringRef chip = "");

/// Runs `kernel` on copies of `inputs` in memory with gaps; outputs start as a
/// poison value, and nothing but their elements may change. `orderOfRank` has
/// the dimensions of a tensor of a rank in the order of memory, row-major if it
/// is null. Returns the outputs, or what went wrong.
llvm::Expected<std::vector<Tensor>>
runKernel(const Kernel &kernel, const std::vector<Tensor> &inputs,
          const std::vector<Shape> &outputShapes,
          const std::vector<DType> &inputTypes,
          const std::vector<DType> &outputTypes, int64_t gap,
          llvm::function_ref<std::vector<int64_t>(size_t)> orderOfRank = {});

/// Compiles and runs the case, from `module` at `from` if text is given; empty
/// if all is well.
std::string checkCase(const NumericCase &config);
std::string checkCase(const NumericCase &config, llvm::StringRef module,
                      mlir::smx::Stage from);

} // namespace smx::test

#endif // SMX_TEST_NUMERICS_NUMERICCASE_H
