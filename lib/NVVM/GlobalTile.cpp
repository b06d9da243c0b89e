//===- GlobalTile.cpp - addresses and accesses in global memory -----------===//

#include "GlobalTile.h"
#include "Assembly.h"

#include "mlir/Conversion/LLVMCommon/MemRefBuilder.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/LoopLikeInterface.h"

namespace mlir::smx {

void leaveLoops(ThreadCode &code, ValueRange needed) {
  Operation *outermost = nullptr;
  for (Operation *op = code.getInsertionBlock()->getParentOp(); op;
       op = op->getParentOp())
    if (auto loop = dyn_cast<LoopLikeOpInterface>(op)) {
      if (!llvm::all_of(needed, [&](Value value) {
            return loop.isDefinedOutsideOfLoop(value);
          }))
        break;
      outermost = op;
    }
  if (outermost)
    code.setInsertionPoint(outermost);
}

Value opaque(ThreadCode &code, Value value) {
  bool isWord = value.getType().isInteger(32);
  return emitAssembly(code, value.getType(), value,
                      isWord ? "mov.b32 $0, $1;" : "mov.b64 $0, $1;",
                      isWord ? "=r,r" : "=l,l", Effects::Order);
}

GlobalTile makeGlobalTile(ThreadCode &code, MemRefType type, Value descriptor,
                          ValueRange offsets, ValueRange valid,
                          ArrayRef<int64_t> dims, ArrayRef<int64_t> extents,
                          int64_t aligned) {
  auto [strides, start] = type.getStridesAndOffset();
  MemRefDescriptor memref(descriptor);
  auto strideOf = [&](int64_t k) {
    return ShapedType::isDynamic(strides[k])
               ? memref.stride(code, code.getLoc(), k)
               : code.i64(strides[k]);
  };
  GlobalTile tile;
  tile.elementType = registerElement(type.getElementType());
  tile.elementBytes = elementBytes(tile.elementType);
  tile.aligned = std::max(aligned, tile.elementBytes);

  Value moved = code.i64(0);
  SmallVector<Value> fixed{descriptor};
  for (auto [k, offset] : llvm::enumerate(offsets)) {
    if (!llvm::is_contained(dims, k))
      fixed.push_back(offset);
    else // Multiplied in every round: a running sum takes four registers.
      moved = code.add(moved, code.mul(opaque(code, offset), strideOf(k)));
  }
  tile.moved = code.mul(moved, code.i64(tile.elementBytes));
  {
    OpBuilder::InsertionGuard guard(code);
    leaveLoops(code, fixed);
    Value place = ShapedType::isDynamic(start)
                      ? memref.offset(code, code.getLoc())
                      : code.i64(start);
    for (auto [k, offset] : llvm::enumerate(offsets))
      if (!llvm::is_contained(dims, k))
        place = code.add(place, code.mul(offset, strideOf(k)));
    tile.base = code.advance(memref.alignedPtr(code, code.getLoc()),
                             code.mul(place, code.i64(tile.elementBytes)));
    for (int64_t along : dims) {
      GlobalDim dim;
      if (along < 0)
        dim.constantStride = 0;
      else if (!ShapedType::isDynamic(strides[along]))
        dim.constantStride = strides[along];
      else
        dim.stride = strideOf(along);
      tile.dims.push_back(dim);
    }
  }

  if (valid.empty())
    return tile;
  for (auto [d, extent] : llvm::enumerate(extents)) {
    APInt constant;
    if (!matchPattern(valid[d], m_ConstantInt(&constant)) ||
        constant.getSExtValue() < extent)
      tile.dims[d].valid = code.clamped(valid[d], extent);
  }
  return tile;
}

Value byteOffset(ThreadCode &code, const GlobalTile &tile, int64_t d, Value at,
                 int64_t constant) {
  const GlobalDim &dim = tile.dims[d];
  if (dim.constantStride) {
    int64_t step = *dim.constantStride * tile.elementBytes;
    if (!at || step == 0)
      return code.i64(step * constant);
    Value wide = LLVM::SExtOp::create(code, code.getI64Type(), at);
    Value bytes = code.mul(wide, code.i64(step));
    return constant ? code.add(bytes, code.i64(step * constant)) : bytes;
  }
  Value step = code.mul(dim.stride, code.i64(tile.elementBytes));
  Value place = code.i64(constant);
  if (at) {
    Value wide = LLVM::SExtOp::create(code, code.getI64Type(), at);
    place = constant ? code.add(wide, place) : wide;
  }
  return code.mul(place, step);
}

//===----------------------------------------------------------------------===//
// Accesses
//===----------------------------------------------------------------------===//

namespace {
/// An access as PTX moves it: in words of at most 32 bits.
struct Words {
  int64_t bytes, count;
  IntegerType type;

  Words(MLIRContext *context, VectorType vector)
      : bytes(vector.getNumElements() * elementBytes(vector.getElementType())),
        count(llvm::divideCeil(bytes, 4)),
        // No 8-bit registers.
        type(IntegerType::get(context, bytes >= 4 ? 32 : 16)) {}

  /// `qualifiers`: what follows the state space, if anything.
  std::string instruction(StringRef name, StringRef qualifiers = "") const {
    std::string text = (name + qualifiers).str();
    if (count > 1)
      text += ".v" + std::to_string(count);
    return text + ".b" + std::to_string(std::min<int64_t>(bytes, 4) * 8);
  }
  std::string operands(int64_t first) const {
    std::string text = count > 1 ? "{" : "";
    for (int64_t i : llvm::seq(count))
      text += (i ? ", $" : "$") + std::to_string(first + i);
    return text + (count > 1 ? "}" : "");
  }
  StringRef constraint() const { return type.getWidth() == 32 ? "r" : "h"; }
};
} // namespace

/// i1 in memory is a byte of 0 or 1.
static VectorType memoryType(VectorType type) {
  return type.getElementType().isInteger(1)
             ? VectorType::get(type.getShape(),
                               IntegerType::get(type.getContext(), 8))
             : type;
}

/// i64: the policy of what is to stay in the L2 cache. One of a kernel is left.
static Value lastingPolicy(ThreadCode &code) {
  return emitAssembly(code, code.getI64Type(), ValueRange(),
                      "createpolicy.fractional.L2::evict_last.b64 $0, 1.0;",
                      "=l", Effects::None);
}

/// A load in PTX: predicated, or one that is to stay in the L2 cache.
static Value loadWords(ThreadCode &code, Value address, VectorType type,
                       Value predicate, bool again, bool lasting) {
  Words words(code.getContext(), type);
  SmallVector<Value> operands{address};
  std::string text = "{\n\t", constraints, inputs = "l";
  auto next = [&] {
    return "$" + std::to_string(words.count + operands.size() - 1);
  };
  std::string place = next();
  for (int64_t i : llvm::seq(words.count)) {
    constraints += ((predicate ? "=&" : "=") + words.constraint() + ",").str();
    if (predicate)
      text += "mov.b" + std::to_string(words.type.getWidth()) + " $" +
              std::to_string(i) + ", 0;\n\t";
  }
  if (predicate) {
    operands.push_back(predicate);
    inputs += ",b";
    text += "@" + next() + " ";
  }
  std::string policy;
  if (lasting) {
    operands.push_back(lastingPolicy(code));
    inputs += ",l";
    policy = ", " + next();
  }
  std::string name = again ? "ld.volatile.global" : "ld.global";
  text += words.instruction(name, lasting ? ".L2::cache_hint" : "") + " " +
          words.operands(0) + ", [" + place + "]" + policy + ";\n\t}";
  SmallVector<Value> loaded =
      emitAssembly(code, SmallVector<Type>(words.count, words.type), operands,
                   text, constraints + inputs, Effects::Order);
  Value bits = loaded.size() == 1 ? loaded.front() : code.fromRegisters(loaded);
  if (words.bytes == 1)
    bits = LLVM::TruncOp::create(code, code.getI8Type(), bits);
  return LLVM::BitcastOp::create(code, type, bits);
}

Value loadGlobal(ThreadCode &code, Value address, VectorType type,
                 Value predicate, bool again, bool lasting) {
  VectorType stored = memoryType(type);
  Value vector =
      predicate || lasting
          ? loadWords(code, address, stored, predicate, again, lasting)
          : Value(LLVM::LoadOp::create(code, stored, address,
                                       Words(code.getContext(), stored).bytes,
                                       /*isVolatile=*/again));
  return stored == type ? vector : LLVM::TruncOp::create(code, type, vector);
}

void storeGlobal(ThreadCode &code, Value vector, Value address,
                 Value predicate) {
  auto type = cast<VectorType>(vector.getType());
  VectorType stored = memoryType(type);
  if (stored != type)
    vector = LLVM::ZExtOp::create(code, stored, vector);
  Words words(code.getContext(), stored);
  if (!predicate) {
    LLVM::StoreOp::create(code, vector, address, words.bytes);
    return;
  }
  SmallVector<Value> operands{predicate, address};
  std::string constraints = "b,l";
  if (words.count == 1) {
    Type bits = words.bytes == 1 ? code.getI8Type() : Type(words.type);
    Value word = LLVM::BitcastOp::create(code, bits, vector);
    if (words.bytes == 1)
      word = LLVM::ZExtOp::create(code, words.type, word);
    operands.push_back(word);
  } else {
    Value all = LLVM::BitcastOp::create(
        code, VectorType::get(words.count, words.type), vector);
    for (int64_t i : llvm::seq(words.count))
      operands.push_back(code.getRegister(all, i));
  }
  for ([[maybe_unused]] int64_t i : llvm::seq(words.count))
    constraints += ("," + words.constraint()).str();
  emitAssembly(code, TypeRange(), operands,
               "@$0 " + words.instruction("st.global") + " [$1], " +
                   words.operands(2) + ";",
               constraints, Effects::Memory);
}

} // namespace mlir::smx
