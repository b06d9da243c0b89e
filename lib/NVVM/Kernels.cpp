//===- Kernels.cpp - kernels, blocks, barriers, scalar accesses -----------===//

#include "ClusterExchange.h"
#include "DemandOrder.h"
#include "TensorCopies.h"

#include "mlir/Conversion/LLVMCommon/MemRefBuilder.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

namespace mlir::smx {
using ::smx::gpu::warpThreads;

/// The types of the scalars that stand for an argument.
static SmallVector<Type> argumentTypes(const TileTypeConverter &converter,
                                       Type type) {
  auto memref = dyn_cast<MemRefType>(type);
  if (!memref)
    return {converter.convertType(type)};
  SmallVector<Type> types{
      LLVM::LLVMPointerType::get(type.getContext(), globalSpace)};
  types.append(1 + 2 * memref.getRank(),
               IntegerType::get(type.getContext(), 64));
  return types;
}

static Value descriptorOf(ImplicitLocOpBuilder &b, Type converted,
                          MemRefType memref, ValueRange scalars) {
  Location loc = b.getLoc();
  auto descriptor = MemRefDescriptor::poison(b, loc, converted);
  descriptor.setAllocatedPtr(b, loc, scalars[0]);
  descriptor.setAlignedPtr(b, loc, scalars[0]);
  descriptor.setOffset(b, loc, scalars[1]);
  int64_t rank = memref.getRank();
  for (int64_t d : llvm::seq(rank)) {
    descriptor.setSize(b, loc, d, scalars[2 + d]);
    descriptor.setStride(b, loc, d, scalars[2 + rank + d]);
  }
  return descriptor;
}

namespace {
struct LowerKernel : TilePattern<gpu::KernelOp> {
  using TilePattern::TilePattern;

  LogicalResult
  matchAndRewrite(gpu::KernelOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    const auto &converter =
        *static_cast<const TileTypeConverter *>(getTypeConverter());
    MLIRContext *context = rewriter.getContext();
    ImplicitLocOpBuilder b(op.getLoc(), rewriter);
    SmallVector<Type> types;
    for (Type type : op.getArgumentTypes())
      llvm::append_range(types, argumentTypes(converter, type));
    size_t firstMap = types.size();
    types.append(plan.tensorMaps(op).size(), tensorMapType(context));
    auto function = LLVM::LLVMFuncOp::create(
        b, op.getSymName(),
        LLVM::LLVMFunctionType::get(LLVM::LLVMVoidType::get(context), types));
    setAttributes(op, function);
    for (size_t i = firstMap; i < types.size(); ++i)
      function.setArgAttrs(i, tensorMapAttributes(context));

    Block *entry = function.addEntryBlock(b);
    b.setInsertionPointToStart(entry);
    if (plan.startsCluster(op)) {
      ThreadCode code(b, op, plan);
      startExchanges(code, plan, op);
      b.setInsertionPoint(code.getInsertionBlock(), code.getInsertionPoint());
    }
    SmallVector<Value> arguments;
    ValueRange scalars = entry->getArguments();
    for (Type type : op.getArgumentTypes()) {
      size_t count = argumentTypes(converter, type).size();
      Value argument = scalars.front();
      if (auto memref = dyn_cast<MemRefType>(type))
        argument = descriptorOf(b, converter.convertType(type), memref,
                                scalars.take_front(count));
      arguments.push_back(argument);
      scalars = scalars.drop_front(count);
    }
    rewriter.inlineBlockBefore(&op.getBody().front(), entry, entry->end(),
                               arguments);
    rewriter.eraseOp(op);
    return success();
  }

private:
  void setAttributes(gpu::KernelOp op, LLVM::LLVMFuncOp function) const {
    Builder b(op.getContext());
    function->setAttr(mlir::gpu::GPUDialect::getKernelFuncAttrName(),
                      b.getUnitAttr());
    function->setAttr(NVVM::NVVMDialect::getKernelFuncAttrName(),
                      b.getUnitAttr());
    // Without the exact size ptxas ignores register requests of roles.
    int32_t threads = op.getWarps() * warpThreads;
    function->setAttr(NVVM::NVVMDialect::getReqntidAttrName(),
                      b.getDenseI32ArrayAttr({threads, 1, 1}));
    function->setAttr(NVVM::NVVMDialect::getMinctasmAttrName(),
                      b.getI32IntegerAttr(op.getMinBlocks()));
    // Weights that may be computed again are there together with the scores.
    bool mayRepeat = op->walk([](gpu::AnyOp) {
                         return WalkResult::interrupt();
                       }).wasInterrupted();
    if (plan.reducesLongRow(op) || mayRepeat)
      function.setPassthroughAttr(b.getStrArrayAttr({demandOrderAttribute}));
    if (op.getCluster() > 1) {
      int32_t blocks = op.getCluster();
      function->setAttr(NVVM::NVVMDialect::getClusterDimAttrName(),
                        b.getDenseI32ArrayAttr({blocks, 1, 1}));
    }
    function->setAttr("smx.shared_bytes",
                      b.getI64IntegerAttr(plan.sharedBytes(op)));
    if (ArrayRef<TensorMapUse> maps = plan.tensorMaps(op); !maps.empty())
      function->setAttr(tensorMapsAttribute,
                        toAttribute(op.getContext(), maps));
  }
};

struct LowerReturn : ConvertOpToLLVMPattern<gpu::ReturnOp> {
  using ConvertOpToLLVMPattern::ConvertOpToLLVMPattern;

  LogicalResult
  matchAndRewrite(gpu::ReturnOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    rewriter.replaceOpWithNewOp<LLVM::ReturnOp>(op, ValueRange());
    return success();
  }
};

/// A special register of 32 bits, as an index.
static void replaceByIndex(Operation *op, Value word, RewriterBase &rewriter) {
  rewriter.replaceOpWithNewOp<LLVM::ZExtOp>(op, rewriter.getI64Type(), word);
}

/// gpu.block_id and gpu.grid_dim.
template <typename OpTy, typename X, typename Y, typename Z>
struct LowerGridRegister : ConvertOpToLLVMPattern<OpTy> {
  using ConvertOpToLLVMPattern<OpTy>::ConvertOpToLLVMPattern;
  using OpAdaptor = typename OpTy::Adaptor;

  LogicalResult
  matchAndRewrite(OpTy op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Type word = rewriter.getI32Type();
    Location loc = op.getLoc();
    Value result;
    switch (op.getDimension()) {
    case mlir::gpu::Dimension::x:
      result = X::create(rewriter, loc, word);
      break;
    case mlir::gpu::Dimension::y:
      result = Y::create(rewriter, loc, word);
      break;
    case mlir::gpu::Dimension::z:
      result = Z::create(rewriter, loc, word);
      break;
    }
    replaceByIndex(op, result, rewriter);
    return success();
  }
};

struct LowerBarrier : TilePattern<gpu::BarrierOp> {
  using TilePattern::TilePattern;

  LogicalResult
  matchAndRewrite(gpu::BarrierOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    ThreadCode(rewriter, op, plan).teamBarrier();
    rewriter.eraseOp(op);
    return success();
  }
};

//===----------------------------------------------------------------------===//
// memref ops that a kernel has beside those on tiles
//===----------------------------------------------------------------------===//

struct LowerDim : ConvertOpToLLVMPattern<memref::DimOp> {
  using ConvertOpToLLVMPattern::ConvertOpToLLVMPattern;

  LogicalResult
  matchAndRewrite(memref::DimOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    auto type = dyn_cast<MemRefType>(op.getSource().getType());
    std::optional<int64_t> d = op.getConstantIndex();
    if (!type || !d)
      return op.emitOpError() << "needs a ranked memref and a constant index "
                                 "in a kernel";
    MemRefDescriptor memref(adaptor.getSource());
    Value size;
    if (type.isDynamicDim(*d))
      size = memref.size(rewriter, op.getLoc(), *d);
    else
      size = LLVM::ConstantOp::create(
          rewriter, op.getLoc(), rewriter.getI64Type(),
          rewriter.getI64IntegerAttr(type.getDimSize(*d)));
    rewriter.replaceOp(op, size);
    return success();
  }
};

/// One element, read by all threads of the team.
struct LowerScalarLoad : ConvertOpToLLVMPattern<memref::LoadOp> {
  using ConvertOpToLLVMPattern::ConvertOpToLLVMPattern;

  LogicalResult
  matchAndRewrite(memref::LoadOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    ImplicitLocOpBuilder b(op.getLoc(), rewriter);
    MemRefDescriptor memref(adaptor.getMemref());
    auto [strides, start] = op.getMemRefType().getStridesAndOffset();
    Value place = memref.offset(b, b.getLoc());
    for (auto [d, index] : llvm::enumerate(adaptor.getIndices())) {
      Value stride = ShapedType::isDynamic(strides[d])
                         ? memref.stride(b, b.getLoc(), d)
                         : Value(LLVM::ConstantOp::create(
                               b, b.getI64Type(), b.getIndexAttr(strides[d])));
      place =
          LLVM::AddOp::create(b, place, LLVM::MulOp::create(b, index, stride));
    }
    Type type = getTypeConverter()->convertType(op.getType());
    bool isBit = type.isInteger(1);
    Type stored = isBit ? Type(b.getI8Type()) : type;
    Value pointer = memref.alignedPtr(b, b.getLoc());
    Value address =
        LLVM::GEPOp::create(b, pointer.getType(), stored, pointer, place);
    Value element = LLVM::LoadOp::create(b, stored, address);
    if (isBit)
      element = LLVM::TruncOp::create(b, type, element);
    rewriter.replaceOp(op, element);
    return success();
  }
};
} // namespace

void populateKernelPatterns(const TileTypeConverter &converter,
                            const KernelPlan &plan,
                            RewritePatternSet &patterns) {
  patterns.add<LowerKernel, LowerBarrier>(converter, plan);
  patterns.add<LowerReturn, LowerDim, LowerScalarLoad,
               LowerGridRegister<mlir::gpu::BlockIdOp, NVVM::BlockIdXOp,
                                 NVVM::BlockIdYOp, NVVM::BlockIdZOp>,
               LowerGridRegister<mlir::gpu::GridDimOp, NVVM::GridDimXOp,
                                 NVVM::GridDimYOp, NVVM::GridDimZOp>>(
      converter);
}

} // namespace mlir::smx
