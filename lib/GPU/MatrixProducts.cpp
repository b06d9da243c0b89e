//===- MatrixProducts.cpp - verifiers of products and their tokens --------===//

#include "smx/GPU/SmxGpu.h"

using namespace mlir;
using namespace mlir::smx::gpu;

namespace {
struct Operand {
  ArrayRef<int64_t> shape;
  Type elementType;
};
} // namespace

static Operand operandOf(Value value) {
  if (auto shared = dyn_cast<SharedType>(value.getType()))
    return {shared.getShape(), shared.getElementType()};
  auto tile = cast<RankedTensorType>(value.getType());
  return {tile.getShape(), tile.getElementType()};
}

static int64_t reducedExtent(SharedType b, bool transposed) {
  return b.getShape()[transposed ? 1 : 0];
}

int64_t MmaOp::getReducedExtent() {
  return reducedExtent(getB().getType(), getTransposeB());
}

/// P10
static LogicalResult verifyShapes(Operation *op, Operand a, Operand b,
                                  bool transposed, RankedTensorType acc) {
  ArrayRef<int64_t> c = acc.getShape();
  bool isProduct = a.shape.size() == 2 && c.size() == 2 && a.shape[0] == c[0] &&
                   b.shape[transposed ? 0 : 1] == c[1] &&
                   a.shape[1] == b.shape[transposed ? 1 : 0];
  if (isProduct)
    return success();
  return op->emitOpError(transposed ? "expected shapes m x k, n x k and m x n, "
                                      "got ["
                                    : "expected shapes m x k, k x n and m x n, "
                                      "got [")
         << a.shape << "], [" << b.shape << "] and [" << c << "]";
}

/// P10 to P13
static LogicalResult verifyProduct(Operation *op, Value aValue,
                                   SharedType bType, bool transposed,
                                   RankedTensorType acc) {
  Operand a = operandOf(aValue);
  Operand b{bType.getShape(), bType.getElementType()};
  if (failed(verifyShapes(op, a, b, transposed, acc)))
    return failure();
  auto layout = dyn_cast_or_null<FragmentAttr>(acc.getEncoding());
  if (!layout) // P11
    return op->emitOpError("expected an accumulator with a fragment layout, "
                           "got ")
           << acc;
  auto tile = dyn_cast<RankedTensorType>(aValue.getType());
  if (tile && tile.getEncoding() != layout) // P11
    return op->emitOpError("expected a register operand in the layout of the "
                           "accumulator, ")
           << layout << ", got " << tile << "; convert it first";
  if (a.elementType != b.elementType || !isa<FloatType>(a.elementType)) // P12
    return op->emitOpError("expected operands of one floating-point type, got ")
           << a.elementType << " and " << b.elementType;
  Type wide = a.elementType.isF64() ? Type(Float64Type::get(op->getContext()))
                                    : Type(Float32Type::get(op->getContext()));
  if (acc.getElementType() != wide) // P12
    return op->emitOpError("expected an accumulator of ")
           << wide << " for operands of " << a.elementType << ", got "
           << acc.getElementType();
  int64_t multiple = a.elementType.getIntOrFloatBitWidth() == 16 ? 16 : 8;
  int64_t reduced = reducedExtent(bType, transposed);
  if (reduced % multiple != 0) // P13
    return op->emitOpError("expected a reduced dimension that is a multiple "
                           "of ")
           << multiple << " for " << a.elementType << ", got " << reduced
           << "; pad it with zeros";
  return success();
}

LogicalResult MmaOp::verify() {
  if (failed(verifyProduct(*this, getA(), getB().getType(), getTransposeB(),
                           cast<RankedTensorType>(getAcc().getType()))))
    return failure();
  Type type = getB().getType().getElementType();
  if (getPrecision() == Precision::TF32x3 && !type.isF32()) // P12
    return emitOpError("expected operands of f32 for precision(tf32x3), got ")
           << type;
  if (!getTerms() ||
      (getGuarded() && type.getIntOrFloatBitWidth() == 16)) // P28
    return success();
  return emitOpError("expected 'terms' of a guarded product of 16-bit "
                     "operands, got ")
         << (getGuarded() ? "operands of " : "no guard, and operands of ")
         << type;
}

//===----------------------------------------------------------------------===//
// mma_async and wait
//===----------------------------------------------------------------------===//

/// P18
static LogicalResult verifyAsyncOperands(MmaAsyncOp op) {
  SharedType b = op.getB().getType();
  if (b.getElementType().getIntOrFloatBitWidth() != 16)
    return op.emitOpError("expected operands of a 16-bit type, got ")
           << b.getElementType() << "; smx_gpu.mma takes wider ones";
  for (Value operand : {op.getA(), Value(op.getB())}) {
    auto shared = dyn_cast<SharedType>(operand.getType());
    if (shared && shared.getSwizzle() == 0)
      return op.emitOpError("expected shared operands with a swizzle of 32, 64 "
                            "or 128 bytes, got ")
             << shared;
  }
  auto acc = cast<RankedTensorType>(op.getAcc().getType());
  int64_t warps = cast<FragmentAttr>(acc.getEncoding()).getWarps();
  if (warps != 4)
    return op.emitOpError("expected a fragment of 4 warps, a warpgroup, got ")
           << warps;
  return success();
}

/// P14
static LogicalResult verifyUses(MmaAsyncOp op) {
  auto report = [&](Operation *user, StringRef text) -> LogicalResult {
    InFlightDiagnostic diagnostic = op.emitOpError() << text;
    if (user)
      diagnostic.attachNote(user->getLoc()) << "used here";
    return diagnostic;
  };
  bool isAccumulatedOnto = false;
  for (OpOperand &use : op.getResult().getUses()) {
    Operation *user = use.getOwner();
    auto next = dyn_cast<MmaAsyncOp>(user);
    bool asAcc =
        next && use.get() == next.getAcc() &&
        use.getOperandNumber() == next.getAccMutable().getOperandNumber();
    if (!asAcc && !isa<WaitOp>(user))
      return report(user, "has a result that is read before "
                          "'smx_gpu.wait'");
    isAccumulatedOnto |= asAcc;
    if (user->getBlock() != op->getBlock())
      return report(user, "has a result that is used in another block; wait "
                          "where the product is issued");
  }
  if (op.getResult().use_empty())
    return report(nullptr, "is never waited for: its result has no use");
  if (!op.getResult().hasOneUse())
    return report(*std::next(op.getResult().user_begin()),
                  isAccumulatedOnto
                      ? "has a result that is used twice; the other use would "
                        "see its registers change"
                      : "is waited for twice; use the result of the first "
                        "wait");
  for (Operation *user : op.getToken().getUsers())
    if (!isa<WaitOp>(user))
      return report(user, "has a token that goes elsewhere than to "
                          "'smx_gpu.wait'");
  if (isAccumulatedOnto && !op.getToken().use_empty())
    return report(*op.getToken().user_begin(),
                  "is waited for, but its result is accumulated onto; wait for "
                  "the last product");
  return success();
}

LogicalResult MmaAsyncOp::verify() {
  if (failed(verifyProduct(*this, getA(), getB().getType(), getTransposeB(),
                           cast<RankedTensorType>(getAcc().getType()))) ||
      failed(verifyAsyncOperands(*this)))
    return failure();
  if (getZero() && getUnless()) // P29
    return emitOpError("starts from zero, and has no accumulator to leave as "
                       "it is; 'unless' needs one");
  return verifyUses(*this);
}

LogicalResult NotFiniteOp::verify() { // P30
  Type element = getTile().getType().getElementType();
  if (isa<FloatType>(element) && element.getIntOrFloatBitWidth() == 16)
    return success();
  return emitOpError(
             "expected a tile of a floating-point type of 16 bits, got ")
         << element;
}

LogicalResult WaitOp::verify() { // P15
  auto product = getToken().getDefiningOp<MmaAsyncOp>();
  if (!product || product.getResult() != getTile())
    return emitOpError("expected the token and the tile of one "
                       "'smx_gpu.mma_async'");
  int64_t later = 0;
  for (Operation *op = product->getNextNode(); op && op != *this;
       op = op->getNextNode())
    later += isa<MmaAsyncOp>(op);
  int64_t pending = getPending();
  if (pending >= 0 && pending <= later)
    return success();
  return emitOpError("expected pending from 0 to ")
         << later << ", the products issued after the one that it waits for, "
         << "got " << pending;
}
