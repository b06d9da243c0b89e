//===- DeviceOutput.cpp - PTX, machine code and C headers -----------------===//

#include "DeviceOutput.h"

#include "smx/NVVM/Pipeline.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/Remarks.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;
using namespace mlir::smx;

llvm::Expected<DeviceOutput> DeviceOutput::create(DeviceOutputOptions options,
                                                  Stage from) {
  DeviceOutput output(std::move(options));
  const DeviceOutputOptions &wanted = output.options;
  bool isHeader = wanted.form == "c-header";
  if (llvm::Error error = checkChip(wanted.road.chip))
    return std::move(error);
  if (isHeader || wanted.withManifest) {
    if (from > Stage::Gpu)
      return llvm::createStringError(
          Twine(isHeader ? "a C header" : "a manifest") +
          " needs the functions that launch the kernels, which a module at "
          "stage '" +
          getStageInfo(from).name +
          "' has no more; hand over one at stage 'gpu' or before");
    output.builder.emplace(from, wanted.road);
  }
  if (wanted.form == "ptx" || (isHeader && wanted.image == "ptx"))
    return output;
  auto assembler = Assembler::find(wanted.ptxas, wanted.argv0);
  if (assembler) {
    output.assembler = std::move(*assembler);
    return output;
  }
  if (!isHeader || wanted.image == "cubin" || !wanted.ptxas.empty())
    return assembler.takeError();
  llvm::errs() << "softmax-compile: the header holds PTX: "
               << llvm::toString(assembler.takeError()) << "\n";
  return output;
}

static Location findKernel(ModuleOp module, StringRef name) {
  Location location = module.getLoc();
  module->walk([&](LLVM::LLVMFuncOp function) {
    if (function.getName() == name)
      location = function.getLoc();
  });
  return location;
}

llvm::Expected<std::string> DeviceOutput::assemble(ModuleOp module,
                                                   StringRef ptx) const {
  auto assembly = assembler->assemble(ptx, options.road.chip);
  if (!assembly)
    return assembly.takeError();
  for (const KernelUsage &use : assembly->kernels) {
    Location location = findKernel(module, use.kernel);
    remark::analysis(
        location,
        remark::RemarkOpts::name("Registers").category("smx-assemble"))
        << remark::metric("kernel", use.kernel)
        << remark::metric("registers", use.registers)
        << remark::metric("stack", use.stackBytes)
        << remark::metric("spilled", use.spillStoreBytes);
    if (use.isSpilled())
      emitWarning(location)
          << "kernel '" << use.kernel << "' does not fit its registers ("
          << use.registers << " a thread): " << use.spillStoreBytes
          << " bytes of spill stores, " << use.spillLoadBytes
          << " bytes of spill loads, a stack frame of " << use.stackBytes
          << " bytes";
  }
  for (const std::string &notice : assembly->notices)
    emitWarning(module.getLoc()) << "ptxas: " << notice;
  return std::move(assembly->cubin);
}

llvm::Error DeviceOutput::write(ModuleOp module, llvm::raw_ostream &output,
                                llvm::raw_ostream *manifest) {
  Bundle bundle;
  if (builder) {
    auto gathered = builder->finish();
    if (!gathered)
      return gathered.takeError();
    bundle = std::move(*gathered);
  } else {
    auto ptx = emitPTX(module, options.road.chip);
    if (!ptx)
      return ptx.takeError();
    bundle.ptx = std::move(*ptx);
  }
  ImageKind kind = assembler ? ImageKind::Cubin : ImageKind::PTX;
  std::string image = bundle.ptx;
  if (assembler) {
    auto cubin = assemble(module, bundle.ptx);
    if (!cubin)
      return cubin.takeError();
    image = std::move(*cubin);
  }
  if (manifest)
    printManifest(bundle, kind, *manifest);
  if (options.form == "c-header")
    return printCHeader(bundle, kind, image, options.name, options.prefix,
                        output);
  output << image;
  return llvm::Error::success();
}
