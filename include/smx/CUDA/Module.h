//===- Module.h - loaded GPU code -------------------------------*- C++ -*-===//
#ifndef SMX_CUDA_MODULE_H
#define SMX_CUDA_MODULE_H

#include "smx/CUDA/Device.h"

#include "llvm/ADT/ArrayRef.h"

#include <optional>
#include <vector>

namespace smx::cuda {

namespace detail {
struct ModuleState;
struct FunctionState;
} // namespace detail

/// How the driver's assembler treats PTX; a cubin is taken as it is.
struct ModuleOptions {
  /// What messages call the module.
  std::string name = "<module>";
  /// Registers a thread may have; 0 leaves it to the code.
  int maxRegisters = 0;
  /// 0 to 4.
  int optLevel = 4;
  bool lineInfo = false;
};

class Function;

/// A module in a device's context. Copies share it; it is unloaded when the
/// last copy and the last of its functions are gone.
class Module {
public:
  /// Loads PTX text or the bytes of a cubin or fatbin. If the driver refuses,
  /// the error contains its log.
  static llvm::Expected<Module> load(const Device &device,
                                     llvm::StringRef image,
                                     const ModuleOptions &options = {});

  const Device &device() const;
  /// What the driver's assembler said: registers, spills, warnings; may be
  /// empty.
  llvm::StringRef log() const;
  /// The kernel of that name. If there is none, the error lists those there
  /// are, as far as the driver can tell.
  llvm::Expected<Function> function(llvm::StringRef name) const;

private:
  explicit Module(std::shared_ptr<const detail::ModuleState> state)
      : state(std::move(state)) {}
  std::shared_ptr<const detail::ModuleState> state;
};

/// What a kernel takes of a multiprocessor.
struct FunctionInfo {
  /// 32-bit registers of a thread.
  int registers = 0;
  /// Local memory of a thread, in bytes: spills and arrays.
  int localBytes = 0;
  /// Static shared memory of a block, in bytes.
  int64_t staticSharedBytes = 0;
  int maxThreadsPerBlock = 0;
  /// 80 for PTX 8.0.
  int ptxVersion = 0;
  /// 90 for code of sm_90.
  int binaryVersion = 0;
  /// Blocks of a cluster in x, y, z if the code fixes them; otherwise 0.
  int clusterDim[3] = {0, 0, 0};
};

/// A kernel of a loaded module. Copies share it. May be used from several
/// threads at once.
class Function {
public:
  llvm::StringRef name() const;
  const Device &device() const;
  const FunctionInfo &info() const;
  /// Bytes of every parameter in order; nothing if the driver is older than
  /// CUDA 12.4 and can not tell.
  const std::optional<std::vector<int64_t>> &parameterBytes() const;

  /// Lets launches use up to `bytes` of dynamic shared memory. Fails, saying
  /// needed and limit, if the block would have more than the device gives.
  /// `launch` does this by itself.
  llvm::Error allowDynamicShared(int64_t bytes) const;
  /// Lets launches use clusters of more than 8 blocks. `launch` does this by
  /// itself.
  llvm::Error allowLargeClusters() const;

  /// For the library's own use.
  void *handle() const;

private:
  friend class Module;
  /// Reads what info() and parameterBytes() give.
  llvm::Error describe() const;
  explicit Function(std::shared_ptr<detail::FunctionState> state)
      : state(std::move(state)) {}
  std::shared_ptr<detail::FunctionState> state;
};

} // namespace smx::cuda

#endif // SMX_CUDA_MODULE_H
