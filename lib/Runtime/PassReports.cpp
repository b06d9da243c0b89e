//===- PassReports.cpp - what passes say and leave ------------------------===//

#include "PassReports.h"

#include "DiagnosticText.h"
#include "smx/GPU/SmxGpu.h"
#include "smx/IR/SourcePlace.h"
#include "smx/Pipeline/ScheduleTable.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/IR/Remarks.h"
#include "llvm/Support/raw_ostream.h"

using namespace ::smx;
using namespace mlir;
using mlir::smx::gpu::KernelOp;
using mlir::smx::gpu::MakeChannelOp;
using mlir::smx::gpu::MmaAsyncOp;
using mlir::smx::gpu::MmaOp;
using mlir::smx::gpu::RoleOp;

/// A location that says the number of an op, around the op's own.
using Mark = FusedLocWith<IntegerAttr>;

static std::optional<size_t> numberOf(Location location) {
  std::optional<size_t> number;
  location->walk([&](Location inner) {
    auto mark = dyn_cast<Mark>(inner);
    if (!mark)
      return WalkResult::advance();
    number = mark.getMetadata().getInt();
    return WalkResult::interrupt();
  });
  return number;
}

struct PassReports::Gathered {
  std::vector<OpSupport> ops;
  /// Code of no op in particular.
  OpSupport others;
  std::vector<std::string> errors, notRecognised;

  OpSupport &at(Location location) {
    std::optional<size_t> number = numberOf(location);
    return number && *number < ops.size() ? ops[*number] : others;
  }
  void add(const remark::detail::Remark &remark);
};

void PassReports::Gathered::add(const remark::detail::Remark &remark) {
  Decision decision;
  decision.pass = remark.getCategoryName().str();
  decision.name = remark.getRemarkName().str();
  decision.isMissed = remark.getRemarkType() == llvm::remarks::Type::Missed;
  for (const remark::detail::Remark::Arg &arg : remark.getArgs())
    if (arg.key == "Remark")
      decision.text += arg.val;
    else
      decision.values.emplace_back(arg.key, arg.val);
  // Text that leads to a number.
  decision.text = StringRef(decision.text).rtrim(": ").str();
  // What is raised is told by the ops; a pass says the same of several kernels.
  std::vector<Decision> &known = at(remark.getLocation()).decisions;
  if (decision.pass != "smx-raise" && !llvm::is_contained(known, decision))
    known.push_back(std::move(decision));
}

PassReports::PassReports(MLIRContext *context)
    : gathered(std::make_shared<Gathered>()) {
  handler.emplace(context, [this](Diagnostic &diagnostic) {
    std::string text = mlir::smx::textOf(diagnostic);
    if (diagnostic.getSeverity() == DiagnosticSeverity::Error)
      gathered->errors.push_back(std::move(text));
    else if (diagnostic.getSeverity() == DiagnosticSeverity::Remark)
      gathered->notRecognised.push_back(std::move(text));
  });
}

PassReports::~PassReports() = default;

llvm::Expected<std::unique_ptr<PassReports>>
PassReports::attach(MLIRContext *context) {
  struct Streamer : remark::detail::MLIRRemarkStreamerBase {
    explicit Streamer(std::shared_ptr<Gathered> gathered)
        : gathered(std::move(gathered)) {}
    void
    streamOptimizationRemark(const remark::detail::Remark &remark) override {
      gathered->add(remark);
    }
    std::shared_ptr<Gathered> gathered;
  };
  std::unique_ptr<PassReports> reports(new PassReports(context));
  // A kind that has no pattern of its own is not reported at all.
  const std::string any = ".*";
  remark::RemarkCategories categories{/*all=*/std::nullopt, any, any, any, any};
  if (failed(remark::enableOptimizationRemarks(
          *context, std::make_unique<Streamer>(reports->gathered),
          std::make_unique<remark::RemarkEmittingPolicyAll>(), categories)))
    return llvm::createStringError("the context's remarks are taken");
  return reports;
}

/// "(tensor<4xf32>) -> tensor<4xf32>".
static std::string typeText(Operation *op) {
  std::string text;
  llvm::raw_string_ostream os(text);
  os << "(";
  llvm::interleaveComma(op->getOperandTypes(), os);
  os << ") -> ";
  if (op->getNumResults() != 1)
    os << "(";
  llvm::interleaveComma(op->getResultTypes(), os);
  if (op->getNumResults() != 1)
    os << ")";
  return text;
}

void PassReports::markOps(ModuleOp module) {
  Builder builder(module.getContext());
  mlir::smx::walkOps(module, [&](Operation *op) {
    OpSupport entry;
    entry.op = op->getName().getStringRef().str();
    entry.place = mlir::smx::placeOf(op->getLoc());
    entry.type = typeText(op);
    op->setLoc(FusedLoc::get({op->getLoc()},
                             builder.getI64IntegerAttr(gathered->ops.size()),
                             module.getContext()));
    gathered->ops.push_back(std::move(entry));
  });
}

void PassReports::readKernels(ModuleOp module) {
  for (auto kernel : module.getOps<KernelOp>()) {
    KernelFacts facts;
    facts.name = kernel.getName().str();
    facts.warps = kernel.getWarps();
    facts.cluster = kernel.getCluster();
    facts.sharedBytes = kernel.getSharedBytes();
    facts.sharedLimit = kernel.getSharedLimit();
    kernel->walk([&](Operation *op) {
      if (auto channel = dyn_cast<MakeChannelOp>(op)) {
        ++facts.channels;
        facts.depth =
            std::max(facts.depth, channel.getChannel().getType().getDepth());
      } else if (auto role = dyn_cast<RoleOp>(op)) {
        facts.roles.push_back({role.getName().str(), int64_t(role.getWarps()),
                               int64_t(role.getGroup()),
                               int64_t(role.getRegisters())});
      } else if (isa<MmaAsyncOp>(op)) {
        facts.products = "mma_async";
      } else if (isa<MmaOp>(op) && facts.products.empty()) {
        facts.products = "mma";
      }
    });
    gathered->at(kernel.getLoc()).kernels.push_back(std::move(facts));
  }
}

/// The unit that the code of one thread multiplies matrices on.
static StringRef unitOf(LLVM::LLVMFuncOp function) {
  StringRef unit = "fma";
  function.walk([&](Operation *op) {
    if (isa<NVVM::MmaOp>(op))
      unit = "mma.sync";
    auto assembly = dyn_cast<LLVM::InlineAsmOp>(op);
    if (!assembly || !assembly.getAsmString().contains("wgmma.mma_async"))
      return WalkResult::advance();
    unit = "wgmma";
    return WalkResult::interrupt();
  });
  return unit;
}

void PassReports::readProducts(ModuleOp module) {
  llvm::StringMap<StringRef> units;
  module->walk([&](LLVM::LLVMFuncOp function) {
    units[function.getName()] = unitOf(function);
  });
  auto read = [&](OpSupport &op) {
    for (KernelFacts &kernel : op.kernels)
      if (!kernel.products.empty())
        kernel.products = units.lookup(kernel.name).str();
  };
  llvm::for_each(gathered->ops, read);
  read(gathered->others);
}

void PassReports::moveTo(Support &support) {
  support.ops = std::move(gathered->ops);
  if (!gathered->others.decisions.empty() || !gathered->others.kernels.empty())
    support.ops.push_back(std::move(gathered->others));
  support.errors = std::move(gathered->errors);
  support.notRecognised = std::move(gathered->notRecognised);
}
