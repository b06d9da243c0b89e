//===- Emulator.cpp - kernels for a GPU, run on the host ------------------===//

#include "Emulator.h"

#include "smx/GPUHost/HostExecution.h"

#include "llvm/ADT/StringMap.h"
#include "llvm/Support/MathExtras.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <list>
#include <optional>

using namespace smx;
using llvm::Error;
using llvm::Expected;
using mlir::smx::LaunchPlan;
namespace gpuhost = mlir::smx::gpuhost;

namespace {
class Emulator : public Launcher {
public:
  Emulator(std::shared_ptr<mlir::MLIRContext> context,
           mlir::OwningOpRef<mlir::ModuleOp> module)
      : context(std::move(context)), module(std::move(module)) {}

  /// Looks up the kernel of every launch.
  Error prepare(const LaunchPlan &plan);

  void *ownStream() const override { return nullptr; }
  Error synchronize(void *) const override { return Error::success(); }
  Expected<void *> allocate(int64_t bytes, void *) const override;
  Error release(void *memory, void *) const override {
    std::free(memory);
    return Error::success();
  }
  Error launch(size_t number, const std::array<int64_t, 3> &grid,
               llvm::ArrayRef<LaunchOperand> operands, void *) const override;
  Error copy(const RowCopy &copy, void *) const override {
    for (int64_t row = 0; row < copy.rows; ++row)
      std::memcpy(static_cast<char *>(copy.to) + row * copy.toPitch,
                  static_cast<const char *>(copy.from) + row * copy.fromPitch,
                  copy.rowBytes);
    return Error::success();
  }

  Expected<void *> keep(llvm::ArrayRef<char> bytes) override {
    kept.emplace_back(bytes.begin(), bytes.end());
    return kept.back().data();
  }

private:
  // The kernels point into the module.
  std::shared_ptr<mlir::MLIRContext> context;
  mlir::OwningOpRef<mlir::ModuleOp> module;
  /// By step of the plan; nothing for a copy.
  std::vector<std::optional<gpuhost::HostKernel>> steps;
  std::list<std::vector<char>> kept;
};
} // namespace

Error Emulator::prepare(const LaunchPlan &plan) {
  llvm::StringMap<gpuhost::HostKernel> known;
  steps.resize(plan.getSteps().size());
  for (auto [number, step] : llvm::enumerate(plan.getSteps())) {
    const auto *launch = std::get_if<LaunchPlan::Launch>(&step);
    if (!launch)
      continue;
    auto found = known.find(launch->kernel);
    if (found == known.end()) {
      auto kernel = gpuhost::HostKernel::compile(
          module->lookupSymbol<mlir::smx::gpu::KernelOp>(launch->kernel));
      if (!kernel)
        return kernel.takeError();
      found = known.try_emplace(launch->kernel, *kernel).first;
    }
    steps[number] = found->second;
  }
  return Error::success();
}

Expected<void *> Emulator::allocate(int64_t bytes, void *) const {
  // Allocations are of whole multiples of the alignment.
  constexpr uint64_t alignment = 256;
  void *memory = std::aligned_alloc(
      alignment, llvm::alignTo(std::max<int64_t>(bytes, 1), alignment));
  if (!memory)
    return llvm::createStringError("can not allocate " + llvm::Twine(bytes) +
                                   " bytes of scratch memory");
  // NaN in every float type: what is read before it is written shows.
  std::memset(memory, 0xff, bytes);
  return memory;
}

Error Emulator::launch(size_t number, const std::array<int64_t, 3> &grid,
                       llvm::ArrayRef<LaunchOperand> operands, void *) const {
  std::vector<gpuhost::Argument> arguments;
  for (auto [place, operand] : llvm::enumerate(operands)) {
    if (!operand.isMemory) {
      arguments.push_back(steps[number]->scalar(place, operand.numbers[0]));
      continue;
    }
    gpuhost::StridedBuffer buffer;
    // A buffer starts with its lowest element.
    const int64_t before = operand.capacityBefore;
    buffer.data =
        static_cast<char *>(operand.memory) - before * operand.elementBytes;
    buffer.capacity = before + operand.capacity;
    buffer.dtype = steps[number]->elementType(place);
    buffer.offset = before + operand.offset();
    buffer.sizes.assign(operand.sizes().begin(), operand.sizes().end());
    buffer.strides.assign(operand.strides().begin(), operand.strides().end());
    arguments.push_back(std::move(buffer));
  }
  return steps[number]->run({grid[0], grid[1], grid[2]}, arguments);
}

Expected<std::unique_ptr<Launcher>>
smx::createEmulator(std::shared_ptr<mlir::MLIRContext> context,
                    mlir::OwningOpRef<mlir::ModuleOp> module,
                    const LaunchPlan &plan) {
  auto emulator =
      std::make_unique<Emulator>(std::move(context), std::move(module));
  if (Error error = emulator->prepare(plan))
    return error;
  return emulator;
}
