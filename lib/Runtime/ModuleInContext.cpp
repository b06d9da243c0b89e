//===- ModuleInContext.cpp - a module on its way to code ------------------===//

#include "ModuleInContext.h"

#include "StepTimer.h"
#include "smx/Pipeline/Entry.h"
#include "smx/RegisterAll.h"

#include "mlir/Dialect/Tensor/IR/TensorInferTypeOpInterfaceImpl.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Target/LLVMIR/Dialect/Builtin/BuiltinToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/LLVMIR/LLVMToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/OpenMP/OpenMPToLLVMIRTranslation.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"

using namespace smx;
using llvm::createStringError;
using mlir::smx::Stage;

// Threads of its own would cost more than they save on one function, and
// callers may compile on several threads themselves.
ModuleInContext::ModuleInContext(const mlir::DialectRegistry &registry)
    : context(std::make_shared<mlir::MLIRContext>(
          registry, mlir::MLIRContext::Threading::DISABLED)),
      diagnostics(context.get()) {
  context->printOpOnDiagnostic(false);
}

llvm::Expected<std::unique_ptr<ModuleInContext>>
ModuleInContext::parse(llvm::StringRef text, const CompileOptions &options,
                       std::vector<CompileStep> &steps, bool verify) {
  StepTimer timer(steps);
  mlir::DialectRegistry registry;
  mlir::smx::registerAllDialects(registry);
  mlir::tensor::registerInferTypeOpInterfaceExternalModels(registry);
  mlir::registerBuiltinDialectTranslation(registry);
  mlir::registerLLVMDialectTranslation(registry);
  mlir::registerOpenMPDialectTranslation(registry);
  std::unique_ptr<ModuleInContext> result(new ModuleInContext(registry));
  timer.finish("context");

  // The parser takes a place that is null for the one to complete code at.
  if (!text.data())
    text = "";
  result->module = mlir::parseSourceString<mlir::ModuleOp>(
      text, mlir::ParserConfig(result->context.get(), verify),
      options.sourceName);
  if (!result->module)
    return result->explain(
        createStringError("'" + options.sourceName + "' is not valid MLIR"));
  // Who asks for another one, or for one of several, is told so later.
  if (auto entry = mlir::smx::findEntry(*result->module, options.entry))
    mlir::smx::keepWhatIsCalled(*entry);
  else
    llvm::consumeError(entry.takeError());
  timer.finish("parse");
  return result;
}

llvm::Error ModuleInContext::explain(llvm::Error error) const {
  if (diagnostics.empty())
    return error;
  return createStringError(diagnostics.str() + "\n" +
                           llvm::toString(std::move(error)));
}

static std::string reproducerDir(const CompileOptions &options) {
  if (options.reproducerDir)
    return *options.reproducerDir;
  llvm::SmallString<64> dir;
  llvm::sys::path::system_temp_directory(/*ErasedOnReboot=*/true, dir);
  return dir.str().str();
}

llvm::Error ModuleInContext::lead(Stage from, Stage to,
                                  const CompileOptions &options,
                                  std::vector<CompileStep> &steps) {
  mlir::smx::RoadHooks hooks;
  hooks.reproducerDir = reproducerDir(options);
  hooks.onStage = [&](Stage stage, mlir::ModuleOp reached, double ms) {
    llvm::StringRef name = mlir::smx::getStageInfo(stage).name;
    if (stage != from)
      steps.push_back({name.str(), ms});
    // A stage in the middle of the road was shown when it was reached.
    if (!options.onText || (stage == from && from != options.from))
      return;
    std::string text;
    llvm::raw_string_ostream(text) << reached;
    options.onText(name, text);
  };
  if (llvm::Error error =
          mlir::smx::runRoad(*module, from, to, options.road, hooks))
    return explain(std::move(error));
  return llvm::Error::success();
}
