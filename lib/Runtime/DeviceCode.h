//===- DeviceCode.h - compiled code for a GPU -------------------*- C++ -*-===//
#ifndef SMX_LIB_RUNTIME_DEVICECODE_H
#define SMX_LIB_RUNTIME_DEVICECODE_H

#include "Launcher.h"

#include "smx/Evaluator/LaunchPlan.h"
#include "smx/Runtime/TensorView.h"

namespace smx {

/// The plan by which the host launches kernels, and what they run on.
class DeviceCode {
public:
  /// Brings the constants of the plan to where the launcher's kernels are.
  static llvm::Expected<std::shared_ptr<const DeviceCode>>
  create(mlir::smx::LaunchPlan plan, std::unique_ptr<Launcher> launcher);

  /// Queues everything, in order, on `stream`; `views` are the inputs and then
  /// the outputs, in the launcher's memory. Returns before the work is done if
  /// the launcher does.
  llvm::Error launch(llvm::ArrayRef<TensorView> views, void *stream) const;
  const Launcher &launcher() const { return *device; }

private:
  DeviceCode(mlir::smx::LaunchPlan plan, std::unique_ptr<Launcher> launcher)
      : plan(std::move(plan)), device(std::move(launcher)) {}

  mlir::smx::LaunchPlan plan;
  std::unique_ptr<Launcher> device;
  /// Where the constants are.
  std::vector<void *> constants;
};

/// The copies that bring all elements of `from` to their places in `to`: one if
/// both lie without gaps, else rows, as few copies as there can be. Fails if
/// the operands have different sizes.
llvm::Expected<std::vector<RowCopy>> planCopies(const LaunchOperand &from,
                                                const LaunchOperand &to);

} // namespace smx

#endif // SMX_LIB_RUNTIME_DEVICECODE_H
