//===- HostDriver.cpp - a libcuda.so.1 that runs kernels on the host ------===//
//
// What the C loader calls of the CUDA driver: device memory is host memory, and
// a launch takes the kernel from the smx_gpu module in the file that
// SMX_HOST_KERNELS names, reads its parameters as the machine would, and runs
// it by host execution. So grid, shared memory and packed parameters must all
// be right for a program to print right results. Tensor maps are refused where
// the machine would refuse them, and must be of memory as the memrefs of the
// kernel have it. Each launch and each map is a line on stderr.
//
//===----------------------------------------------------------------------===//

#include "smx/GPUHost/HostExecution.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlow.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Parser/Parser.h"

#include <cstring>
#include <map>

using namespace mlir;
namespace smxgpu = mlir::smx::gpu;
namespace host = mlir::smx::gpuhost;

namespace {
/// What is in the 128 bytes of a tensor map here. Sizes innermost first, and
/// strides in bytes.
struct TensorMap {
  static constexpr uint64_t mark = 0x70616D726F736E74;
  uint64_t isMap, address, rank, sizes[5], strides[4];
};
static_assert(sizeof(TensorMap) <= 128);

/// CUresult.
enum Result {
  done = 0, // CUDA_SUCCESS
  invalidValue = 1,
  invalidContext = 201,
  notFound = 500,
  launchFailed = 719
};

struct Function {
  smxgpu::KernelOp kernel;
  /// Lifted by an attribute of the function.
  unsigned mostShared = 48 * 1024;
};

struct Driver {
  Driver() {
    DialectRegistry registry;
    registry
        .insert<affine::AffineDialect, arith::ArithDialect,
                cf::ControlFlowDialect, func::FuncDialect, gpu::GPUDialect,
                smxgpu::SmxGpuDialect, math::MathDialect, memref::MemRefDialect,
                scf::SCFDialect, tensor::TensorDialect>();
    context.appendDialectRegistry(registry);
    if (const char *file = std::getenv("SMX_HOST_KERNELS"))
      module = parseSourceFile<ModuleOp>(file, ParserConfig(&context));
    if (!module)
      llvm::errs() << "host driver: SMX_HOST_KERNELS names no module\n";
  }
  MLIRContext context{MLIRContext::Threading::DISABLED};
  OwningOpRef<ModuleOp> module;
  std::map<std::string, Function> functions;
  /// Bytes of each piece of memory, by address.
  std::map<uint64_t, size_t> memory;
  int contexts = 0;
};
} // namespace

static Driver &driver() {
  static Driver theDriver;
  return theDriver;
}

/// The next parameter's first `bytes` bytes, as a number.
static int64_t take(void **&parameters, size_t bytes = 8) {
  int64_t value = 0;
  std::memcpy(&value, *parameters++, bytes);
  return value;
}

static host::Argument takeArgument(Type type, void **&parameters) {
  auto memref = dyn_cast<MemRefType>(type);
  if (!memref) {
    unsigned bits = type.isIndex() ? 64 : type.getIntOrFloatBitWidth();
    int64_t number = take(parameters, bits / 8);
    if (auto floatType = dyn_cast<FloatType>(type))
      return APFloat(floatType.getFloatSemantics(),
                     APInt(bits, uint64_t(number)))
          .convertToDouble();
    return number;
  }
  host::StridedBuffer buffer;
  auto address = uint64_t(take(parameters));
  std::string element;
  llvm::raw_string_ostream(element) << memref.getElementType();
  buffer.dtype = *::smx::reference::dtypeFromName(element);
  buffer.data = reinterpret_cast<void *>(address);
  for (auto [start, bytes] : driver().memory)
    if (start <= address && address < start + bytes)
      buffer.capacity = int64_t(start + bytes - address) /
                        ::smx::reference::byteWidth(buffer.dtype);
  buffer.offset = take(parameters);
  for (auto *extents : {&buffer.sizes, &buffer.strides})
    for (int64_t dim = 0; dim < memref.getRank(); ++dim)
      extents->push_back(take(parameters));
  return buffer;
}

/// Whether the map describes one of the buffers.
static bool isOfAny(const TensorMap &map, ArrayRef<host::Argument> arguments) {
  return llvm::any_of(arguments, [&](const host::Argument &argument) {
    auto *buffer = std::get_if<host::StridedBuffer>(&argument);
    if (!buffer || buffer->sizes.size() != map.rank)
      return false;
    int64_t bytes = ::smx::reference::byteWidth(buffer->dtype);
    bool isSame = map.address == reinterpret_cast<uint64_t>(buffer->data) +
                                     uint64_t(buffer->offset * bytes);
    for (auto [i, size, stride] : llvm::enumerate(
             llvm::reverse(buffer->sizes), llvm::reverse(buffer->strides)))
      isSame &= map.sizes[i] == uint64_t(size) &&
                (i == 0 || size == 1 ||
                 map.strides[i - 1] == uint64_t(stride * bytes));
    return isSame;
  });
}

/// Whether the parameter after the arguments is a map of one of them, if the
/// kernel copies by maps.
static bool areMapsRight(smxgpu::KernelOp kernel,
                         ArrayRef<host::Argument> arguments, void *parameter) {
  bool hasMaps = kernel
                     .walk([](smxgpu::PutOp put) {
                       return put.getCopy() == smxgpu::CopyKind::Tensor
                                  ? WalkResult::interrupt()
                                  : WalkResult::advance();
                     })
                     .wasInterrupted();
  if (!hasMaps)
    return true;
  TensorMap map;
  std::memcpy(&map, parameter, sizeof(map));
  return map.isMap == TensorMap::mark && isOfAny(map, arguments);
}

extern "C" {

int cuInit(unsigned) { return driver().module ? done : invalidValue; }

int cuGetErrorName(int result, const char **name) {
  *name = result == launchFailed ? "CUDA_ERROR_LAUNCH_FAILED"
          : result == notFound   ? "CUDA_ERROR_NOT_FOUND"
                                 : "CUDA_ERROR_INVALID_VALUE";
  return done;
}

int cuDeviceGet(int *device, int ordinal) {
  *device = ordinal;
  return ordinal == 0 ? done : invalidValue;
}

int cuDeviceGetAttribute(int *value, int attribute, int) {
  *value = attribute == 75 ? 9 : 0;
  return done;
}

int cuDevicePrimaryCtxRetain(void **context, int) {
  *context = &driver();
  return done;
}
int cuDevicePrimaryCtxRelease_v2(int) {
  if (!driver().memory.empty())
    llvm::errs() << "host driver: " << driver().memory.size()
                 << " pieces of memory were not released\n";
  return done;
}
int cuCtxPushCurrent_v2(void *) {
  ++driver().contexts;
  return done;
}
int cuCtxPopCurrent_v2(void **) {
  --driver().contexts;
  return done;
}
int cuStreamSynchronize(void *) { return done; }

int cuMemAlloc_v2(uint64_t *address, size_t bytes) {
  if (!driver().contexts)
    return invalidContext;
  *address = reinterpret_cast<uint64_t>(
      std::aligned_alloc(256, (bytes + 255) / 256 * 256));
  driver().memory[*address] = bytes;
  return done;
}
int cuMemFree_v2(uint64_t address) {
  std::free(reinterpret_cast<void *>(address));
  return driver().memory.erase(address) ? done : invalidValue;
}
int cuMemAllocAsync(uint64_t *address, size_t bytes, void *) {
  return cuMemAlloc_v2(address, bytes);
}
int cuMemFreeAsync(uint64_t address, void *) { return cuMemFree_v2(address); }

int cuMemcpyHtoD_v2(uint64_t to, const void *from, size_t bytes) {
  std::memcpy(reinterpret_cast<void *>(to), from, bytes);
  return done;
}
int cuMemcpyDtoH_v2(void *to, uint64_t from, size_t bytes) {
  std::memcpy(to, reinterpret_cast<void *>(from), bytes);
  return done;
}
int cuMemsetD8_v2(uint64_t to, unsigned char byte, size_t bytes) {
  std::memset(reinterpret_cast<void *>(to), byte, bytes);
  return done;
}

int cuModuleLoadDataEx(void **module, const void *, unsigned, int *, void **) {
  *module = &driver();
  return driver().contexts ? done : invalidContext;
}
int cuModuleUnload(void *) { return done; }

int cuModuleGetFunction(void **function, void *, const char *name) {
  auto kernel = driver().module->lookupSymbol<smxgpu::KernelOp>(name);
  if (!kernel)
    return notFound;
  Function &found = driver().functions[name];
  found.kernel = kernel;
  *function = &found;
  return done;
}

int cuFuncSetAttribute(void *function, int attribute, int value) {
  if (attribute == 8)
    static_cast<Function *>(function)->mostShared = unsigned(value);
  return done;
}

int cuTensorMapEncodeTiled(void *encoded, int type, unsigned rank,
                           void *address, const uint64_t *sizes,
                           const uint64_t *strides, const uint32_t *box,
                           const uint32_t *steps, int interleave, int swizzle,
                           int promotion, int fill) {
  TensorMap map = {
      TensorMap::mark, reinterpret_cast<uint64_t>(address), rank, {}, {}};
  // Bytes of the types of elements, as the driver numbers them.
  constexpr unsigned widths[] = {1, 2, 4, 4, 8, 8, 2, 4, 8, 2};
  unsigned width = widths[type];
  bool isRight = rank >= 1 && rank <= 5 && map.address != 0 &&
                 map.address % 16 == 0 && interleave == 0 && fill == 0 &&
                 reinterpret_cast<uint64_t>(encoded) % 64 == 0 &&
                 box[0] * width <= (16u << swizzle) && promotion == 2;
  llvm::errs() << "map of " << width << " bytes, swizzle " << swizzle
               << ", sizes";
  for (unsigned d = 0; isRight && d < rank; ++d) {
    map.sizes[d] = sizes[d];
    isRight &= sizes[d] > 0 && box[d] > 0 && box[d] <= 256 && steps[d] == 1;
    llvm::errs() << (d ? "x" : " ") << sizes[d] << "/" << box[d];
    if (d + 1 == rank)
      break;
    map.strides[d] = strides[d];
    isRight &= strides[d] % 16 == 0;
  }
  llvm::errs() << "\n";
  std::memcpy(encoded, &map, sizeof(map));
  return isRight ? done : invalidValue;
}

int cuLaunchKernel(void *function, unsigned x, unsigned y, unsigned z,
                   unsigned threads, unsigned, unsigned, unsigned shared,
                   void *, void **parameters, void **) {
  auto &[kernel, mostShared] = *static_cast<Function *>(function);
  llvm::errs() << "launch " << kernel.getName() << " grid " << x << " " << y
               << " " << z << " threads " << threads << " shared " << shared
               << "\n";
  if (threads != kernel.getWarps() * 32 || shared > mostShared)
    return invalidValue;
  std::vector<host::Argument> arguments;
  for (Type type : kernel.getFunctionType().getInputs())
    arguments.push_back(takeArgument(type, parameters));
  if (!areMapsRight(kernel, arguments, *parameters)) {
    llvm::errs() << "host driver: the tensor map is of other memory\n";
    return invalidValue;
  }
  if (llvm::Error error = host::runKernel(kernel, {x, y, z}, arguments)) {
    llvm::errs() << "host driver: " << llvm::toString(std::move(error)) << "\n";
    return launchFailed;
  }
  return done;
}

} // extern "C"
