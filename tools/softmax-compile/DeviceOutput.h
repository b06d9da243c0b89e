//===- DeviceOutput.h - PTX, machine code and C headers ---------*- C++ -*-===//
#ifndef SMX_TOOLS_SOFTMAX_COMPILE_DEVICEOUTPUT_H
#define SMX_TOOLS_SOFTMAX_COMPILE_DEVICEOUTPUT_H

#include "smx/Bundle/Assembler.h"
#include "smx/Bundle/Bundle.h"

#include <optional>

namespace mlir::smx {

/// What the command line asks for.
struct DeviceOutputOptions {
  /// "ptx", "cubin" or "c-header".
  std::string form;
  /// What a header holds: "ptx", "cubin", or empty for machine code where there
  /// is an assembler.
  std::string image;
  /// The assembler to use, if it was named, and this program.
  std::string ptxas, argv0;
  /// Names in a header: that of the tables, and what functions' begin with.
  std::string name, prefix;
  bool withManifest = false;
  RoadOptions road;
};

/// Follows a module to stage `nvvm` and writes what runs on a device.
class DeviceOutput {
public:
  /// Fails where an assembler is needed and there is none.
  static llvm::Expected<DeviceOutput> create(DeviceOutputOptions options,
                                             Stage from);

  /// Takes what the module shows at `stage`, which was reached.
  void visit(Stage stage, ModuleOp module) {
    if (builder)
      builder->visit(stage, module);
  }
  /// The output, and the manifest if it was asked for. `module` is at stage
  /// `nvvm`. Warns, at the kernel, of spills and of what the assembler did not
  /// do.
  llvm::Error write(ModuleOp module, llvm::raw_ostream &output,
                    llvm::raw_ostream *manifest);

private:
  DeviceOutput(DeviceOutputOptions options) : options(std::move(options)) {}
  llvm::Expected<std::string> assemble(ModuleOp module, StringRef ptx) const;

  DeviceOutputOptions options;
  std::optional<BundleBuilder> builder;
  std::optional<Assembler> assembler;
};

} // namespace mlir::smx

#endif // SMX_TOOLS_SOFTMAX_COMPILE_DEVICEOUTPUT_H
