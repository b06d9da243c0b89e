//===- Products.cpp - matrix products, at once and later ------------------===//

#include "Program.h"

#include "llvm/ADT/bit.h"

#include <cmath>
#include <limits>

using namespace mlir;
using namespace mlir::smx;
using namespace mlir::smx::gpuhost;

namespace {
/// sum + a b: `a` is rows x depth; `b` is depth x columns, or columns x depth
/// if it is transposed. Guarded: where `a` is -0, the term is 0.
struct ProductShape {
  int64_t rows, columns, depth;
  bool transposed, guarded;
  gpu::Precision precision;
};
} // namespace

/// The TF32 number that the leading bits of an f32 number are.
static double leadingTF32(double x) {
  auto bits = llvm::bit_cast<uint32_t>(static_cast<float>(x));
  return llvm::bit_cast<float>(bits & ~uint32_t(0x1fff));
}

/// a b of f32 numbers as the matrix unit has it: the sum of two TF32 numbers
/// each, without the product of the small ones, and without what is left of an
/// infinity.
static double multiplyTF32x3(double a, double b) {
  const double bigA = leadingTF32(a), bigB = leadingTF32(b);
  const double smallA = a == bigA ? 0 : leadingTF32(a - bigA);
  const double smallB = b == bigB ? 0 : leadingTF32(b - bigB);
  return smallA * bigB + bigA * smallB + bigA * bigB;
}

/// `Sum` is the accumulator's type: every addition rounds to it, and the
/// product before it does not round.
template <typename Sum>
static void multiplyInto(const ProductShape &shape, const Slot *a,
                         const Slot *b, std::vector<Slot> &sum) {
  std::vector<double> bRows(shape.depth * shape.columns);
  for (int64_t k = 0; k < shape.depth; ++k)
    for (int64_t n = 0; n < shape.columns; ++n)
      bRows[k * shape.columns + n] =
          b[shape.transposed ? n * shape.depth + k : k * shape.columns + n].f;
  std::vector<Sum> row(shape.columns);
  for (int64_t m = 0; m < shape.rows; ++m) {
    for (int64_t n = 0; n < shape.columns; ++n)
      row[n] = static_cast<Sum>(sum[m * shape.columns + n].f);
    for (int64_t k = 0; k < shape.depth; ++k) {
      const double factor = a[m * shape.depth + k].f;
      if (shape.guarded && factor == 0 && std::signbit(factor))
        continue;
      const double *bRow = &bRows[k * shape.columns];
      for (int64_t n = 0; n < shape.columns; ++n)
        if constexpr (std::is_same_v<Sum, double>)
          row[n] = std::fma(factor, bRow[n], row[n]);
        else if (shape.precision == gpu::Precision::TF32x3)
          row[n] = static_cast<Sum>(row[n] + multiplyTF32x3(factor, bRow[n]));
        else
          row[n] = static_cast<Sum>(row[n] + factor * bRow[n]);
    }
    for (int64_t n = 0; n < shape.columns; ++n)
      sum[m * shape.columns + n] = floatSlot(row[n]);
  }
}

template <typename Op>
static void multiply(Op op, bool guarded, gpu::Precision precision,
                     const Slot *a, const Slot *b, std::vector<Slot> &sum) {
  auto result = cast<RankedTensorType>(op.getResult().getType());
  ArrayRef<int64_t> bShape = op.getB().getType().getShape();
  const ProductShape shape{result.getDimSize(0),
                           result.getDimSize(1),
                           bShape[op.getTransposeB() ? 1 : 0],
                           op.getTransposeB(),
                           guarded,
                           precision};
  if (result.getElementType().isF64())
    multiplyInto<double>(shape, a, b, sum);
  else
    multiplyInto<float>(shape, a, b, sum);
}

/// The elements of operand `a`, a register tile (kept alive by `tile`) or a
/// shared one, and those of `b`.
template <typename Op>
static llvm::Expected<std::pair<const Slot *, const Slot *>>
readOperands(Op op, const Step &step, Group &group, TilePtr &tile,
             const ProductPtr &runningProduct) {
  const Slot *elements[2];
  for (unsigned i = 0; i < 2; ++i) {
    const HostValue &value = group.frame[step.in[i]];
    if (const auto *shared = std::get_if<SharedHandle>(&value)) {
      if (llvm::Error error = beginRead(group, op, *shared,
                                        i == 0 ? step.warps.get() : nullptr))
        return error;
      if (runningProduct)
        addReader(group, *shared->tile, runningProduct);
      elements[i] = shared->tile->elements.data();
      continue;
    }
    auto read = getTile(step, group, i);
    if (!read)
      return read.takeError();
    tile = *read;
    elements[i] = tile->elements.data();
  }
  return std::make_pair(elements[0], elements[1]);
}

static llvm::Error runMma(const Step &step, Group &group) {
  auto op = cast<gpu::MmaOp>(step.op);
  auto accumulator = getTile(step, group, 2);
  if (!accumulator)
    return accumulator.takeError();
  TilePtr a;
  auto operands = readOperands(op, step, group, a, nullptr);
  if (!operands)
    return operands.takeError();
  auto result = std::make_shared<Tile>(**accumulator);
  multiply(op, op.getGuarded(), op.getPrecision(), operands->first,
           operands->second, result->elements);
  setResult(step, group, TilePtr(std::move(result)));
  group.machine.noteProgress();
  return llvm::Error::success();
}

//===----------------------------------------------------------------------===//
// Products that run on their own
//===----------------------------------------------------------------------===//

/// What the product adds to: it may still be running itself, if it is one of
/// the same group.
static llvm::Expected<std::vector<Slot>>
readAccumulator(gpu::MmaAsyncOp op, const Step &step, Group &group) {
  const Tile &tile = *get<TilePtr>(step, group, 2);
  if (op.getZero())
    return std::vector<Slot>(tile.elements.size(), floatSlot(0.0));
  const ProductPtr &product = tile.runningProduct;
  if (!product)
    return tile.elements;
  if (product->issuer != &group)
    return errorAt(op, "adds to a product of " + product->issuer->name +
                           " that is still running");
  return product->sum;
}

static llvm::Error runMmaAsync(const Step &step, Group &group) {
  auto op = cast<gpu::MmaAsyncOp>(step.op);
  if (group.warps != 4)
    return errorAt(op, "is executed by a group of " + Twine(group.warps) +
                           " warps; a warpgroup has 4");
  auto sum = readAccumulator(op, step, group);
  if (!sum)
    return sum.takeError();
  auto product = std::make_shared<Product>();
  product->op = op;
  product->issuer = &group;
  product->number = ++group.issued;
  TilePtr a;
  auto operands = readOperands(op, step, group, a, product);
  if (!operands)
    return operands.takeError();
  product->sum = std::move(*sum);
  bool isLeftOut = op.getUnless() && getInteger(step, group, 3);
  if (!isLeftOut)
    multiply(op, /*guarded=*/false, gpu::Precision::Exact, operands->first,
             operands->second, product->sum);

  auto result = makeTile(product->sum.size());
  std::fill(result->elements.begin(), result->elements.end(),
            floatSlot(std::numeric_limits<double>::quiet_NaN()));
  result->runningProduct = product;
  group.products.push_back(product);
  setResult(step, group, TilePtr(std::move(result)), 0);
  setResult(step, group, product, 1);
  group.machine.noteProgress();
  return llvm::Error::success();
}

static llvm::Error runWait(const Step &step, Group &group) {
  auto op = cast<gpu::WaitOp>(step.op);
  const ProductPtr product = get<ProductPtr>(step, group, 0);
  const std::string place = placeOf(product->op);
  if (get<TilePtr>(step, group, 1)->runningProduct != product)
    return errorAt(op, "has the token of the product at " + place +
                           ", but a tile that it does not make");
  if (product->issuer != &group)
    return errorAt(op, "waits for a product of " + product->issuer->name);
  if (product->waitedFor)
    return errorAt(op, "waits for the product at " + place +
                           " for the second time");
  const int64_t done = group.issued - static_cast<int64_t>(op.getPending());
  if (product->number > done)
    return errorAt(op, "leaves " + Twine(op.getPending()) +
                           " products running, and the product at " + place +
                           " is one of them: only " +
                           Twine(group.issued - product->number) +
                           " were issued after it");
  {
    Machine::Lock held = group.machine.lock();
    group.completed = std::max(group.completed, done);
    product->waitedFor = true;
  }
  llvm::erase_if(group.products, [&](const ProductPtr &running) {
    return running->number <= group.completed;
  });
  auto result = makeTile(0);
  result->elements = product->sum;
  setResult(step, group, TilePtr(std::move(result)));
  group.machine.noteProgress();
  return llvm::Error::success();
}

llvm::Error mlir::smx::gpuhost::checkNoProductRuns(const Group &group) {
  if (group.products.empty())
    return llvm::Error::success();
  return errorAt(group.products.front()->op, "is still running at the end of " +
                                                 group.name +
                                                 ": nothing has waited for it");
}

static llvm::Error runNotFinite(const Step &step, Group &group) {
  const auto &shared = get<SharedHandle>(step, group, 0);
  if (llvm::Error error = beginRead(group, step.op, shared, nullptr))
    return error;
  bool isAny = llvm::any_of(shared.tile->elements, [](const Slot &element) {
    return !std::isfinite(element.f);
  });
  setResult(step, group, intSlot(isAny));
  group.machine.noteProgress();
  return llvm::Error::success();
}

void mlir::smx::gpuhost::addProducts(HandlerTable &table) {
  table["smx_gpu.mma"] = runMma;
  table["smx_gpu.mma_async"] = runMmaAsync;
  table["smx_gpu.not_finite"] = runNotFinite;
  table["smx_gpu.wait"] = runWait;
}
