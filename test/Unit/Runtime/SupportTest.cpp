//===- SupportTest.cpp - what a module becomes, and why -------------------===//

#include "Modules.h"

#include "smx/RegisterAll.h"
#include "smx/Runtime/Support.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/Parser/Parser.h"
#include "llvm/Support/raw_ostream.h"

#include <gtest/gtest.h>

using namespace smx;
using mlir::smx::Stage;
using mlir::smx::Target;

static CompileOptions optionsFor(const char *chip) {
  CompileOptions options;
  options.road.target = Target::Cuda;
  options.road.chip = chip;
  return options;
}

/// Attention over 2 x 256 queries with heads of `dim` elements of `type`.
static std::string attention(const std::string &type, int64_t dim) {
  std::string tensor = "tensor<2x256x" + std::to_string(dim) + "x" + type + ">";
  std::string text;
  llvm::raw_string_ostream(text)
      << "func.func @attention(%q: " << tensor << ", %k: " << tensor
      << ", %v: " << tensor << ") -> " << tensor
      << " {\n  %o = smx.attention %q, %k, %v scale(0.125) : " << tensor << ", "
      << tensor << ", " << tensor << " -> " << tensor
      << "\n  return %o : " << tensor << "\n}\n";
  return text;
}

static std::string valueOf(const OpSupport &op, llvm::StringRef choice,
                           llvm::StringRef key) {
  for (const Decision &decision : op.decisions)
    for (const auto &[name, value] : decision.values)
      if (decision.name == choice && name == key)
        return value;
  return "no such value";
}

/// True if `change` is offered, with an effect that has `effect` in it.
static bool offers(const Support &support, llvm::StringRef change,
                   llvm::StringRef effect) {
  return llvm::any_of(support.alternatives, [&](const Alternative &other) {
    return llvm::StringRef(other.change).contains(change) &&
           llvm::StringRef(other.effect).contains(effect);
  });
}

TEST(Support, SaysWhatThePassesChose) {
  CompileOptions options = optionsFor("sm_80");
  options.road.tileRows = 32;
  options.road.tileStream = 16;
  Support support = llvm::cantFail(supports(attention("bf16", 64), options));
  EXPECT_TRUE(support.compiles);
  EXPECT_EQ(support.target, "sm_80");
  EXPECT_EQ(support.alignment, 16);
  ASSERT_EQ(support.ops.size(), 1u);
  const OpSupport &op = support.ops.front();
  EXPECT_EQ(op.op, "smx.attention");
  EXPECT_EQ(op.place, "<module>:2:8");
  EXPECT_EQ(valueOf(op, "TileSizes", "rows"), "32");
  EXPECT_EQ(valueOf(op, "TileSizes", "stream"), "16");
  ASSERT_EQ(op.kernels.size(), 1u);
  // 16 rows to a warp.
  EXPECT_EQ(op.kernels.front().warps, 2);
  EXPECT_EQ(op.kernels.front().products, "mma.sync");
  EXPECT_EQ(op.schedule(), "2 warps, mma.sync");
}

TEST(Support, KnowsRolesByWhatTheKernelHas) {
  Support support =
      llvm::cantFail(supports(attention("bf16", 64), optionsFor("sm_90a")));
  const KernelFacts &kernel = support.ops.front().kernels.front();
  EXPECT_EQ(kernel.products, "wgmma");
  ASSERT_EQ(kernel.roles.size(), 2u);
  EXPECT_EQ(kernel.roles[0].name, "load");
  EXPECT_EQ(kernel.roles[0].warps + kernel.roles[1].warps, kernel.warps);
  EXPECT_LE(kernel.sharedBytes, kernel.sharedLimit);
  EXPECT_GT(kernel.depth, 0);
  EXPECT_TRUE(support.alternatives.empty());
}

// Rows of 17 elements of 2 bytes: what is fast wants them elsewhere in memory.
TEST(Support, OffersTheAlignmentThatIsMissing) {
  Support support =
      llvm::cantFail(supports(attention("bf16", 17), optionsFor("sm_90a")));
  EXPECT_TRUE(support.compiles);
  EXPECT_EQ(support.alignment, 0);
  EXPECT_TRUE(support.ops.front().kernels.front().roles.empty());
  EXPECT_TRUE(offers(support, "--alignment=16", "roles load and compute"));
  // It is what the caller knows that counts, where he says so.
  CompileOptions options = optionsFor("sm_90a");
  options.road.alignment = 16;
  Support known = llvm::cantFail(
      supports(attention("bf16", 17), options, AlignmentIs::Known));
  EXPECT_FALSE(known.ops.front().kernels.front().roles.empty());
  EXPECT_FALSE(offers(known, "--alignment=16", ""));
}

// Results that are written element by element ask for nothing, others do.
TEST(Support, TakesResultsForAsAlignedAsTheirKernelAsks) {
  auto alignmentOf = [](const char *text) {
    Support support = llvm::cantFail(supports(text, optionsFor("sm_90a")));
    EXPECT_TRUE(support.compiles);
    EXPECT_EQ(support.ops.size(), 1u);
    return support.alignment;
  };
  EXPECT_EQ(alignmentOf(R"mlir(
func.func @largest(%x: tensor<64x64xbf16>) -> (tensor<64x5xbf16>, tensor<64x5xi64>) {
  %p, %i = smx.topk_softmax %x axis(1) k(5) : tensor<64x64xbf16> -> tensor<64x5xbf16>, tensor<64x5xi64>
  return %p, %i : tensor<64x5xbf16>, tensor<64x5xi64>
})mlir"),
            16);
  EXPECT_EQ(alignmentOf(R"mlir(
func.func @narrowed(%x: tensor<64x100xf32>) -> tensor<64x100xbf16> {
  %y = smx.softmax %x axis(1) : tensor<64x100xf32> -> tensor<64x100xbf16>
  return %y : tensor<64x100xbf16>
})mlir"),
            8);
}

TEST(Support, OffersTheMatrixUnitForWideTypes) {
  CompileOptions options = optionsFor("sm_80");
  Support support = llvm::cantFail(supports(attention("f32", 64), options));
  EXPECT_EQ(support.ops.front().kernels.front().products, "fma");
  EXPECT_TRUE(offers(support, "--wide-products=matrix-unit", "mma.sync"));
  options.road.wideProducts = mlir::smx::WideProducts::MatrixUnit;
  support = llvm::cantFail(supports(attention("f32", 64), options));
  EXPECT_EQ(support.ops.front().kernels.front().products, "mma.sync");
}

// Equal ops at one place of the source, as a module in memory may have them.
TEST(Support, KeepsOpsOfOnePlaceApart) {
  const char *text = R"mlir(
func.func @two(%x: tensor<8x64xf32>, %y: tensor<8x4096xbf16>) -> (tensor<8x64xf32>, tensor<8x4096xbf16>) {
  %0 = smx.softmax %x axis(1) : tensor<8x64xf32> -> tensor<8x64xf32> loc("a":1:1)
  %1 = smx.softmax %y axis(1) : tensor<8x4096xbf16> -> tensor<8x4096xbf16> loc("a":1:1)
  return %0, %1 : tensor<8x64xf32>, tensor<8x4096xbf16>
})mlir";
  mlir::DialectRegistry registry;
  mlir::smx::registerAllDialects(registry);
  mlir::MLIRContext context(registry);
  auto module = mlir::parseSourceString<mlir::ModuleOp>(text, &context);
  ASSERT_TRUE(module);
  Support support = llvm::cantFail(supports(*module, optionsFor("sm_80")));
  ASSERT_EQ(support.ops.size(), 2u);
  EXPECT_EQ(support.ops[0].place, "a:1:1");
  EXPECT_EQ(support.ops[1].place, "a:1:1");
  EXPECT_EQ(valueOf(support.ops[0], "TileSizes", "stream"), "64");
  EXPECT_EQ(valueOf(support.ops[1], "TileSizes", "stream"), "4096");
  EXPECT_EQ(support.ops[0].kernels.size(), 1u);
  EXPECT_EQ(support.ops[1].kernels.size(), 1u);
  // The module is left as it was.
  std::string after;
  llvm::raw_string_ostream(after) << *module;
  EXPECT_TRUE(llvm::StringRef(after).contains("smx.softmax"));
}

TEST(Support, AgreesWithTheCompiler) {
  for (const char *type : {"f64", "f32", "bf16", "f8E8M0FNU"})
    for (Target target : {Target::Cpu, Target::Emulator}) {
      CompileOptions options;
      options.road.target = target;
      options.reproducerDir = "";
      const std::string text = attention(type, 24);
      Support support = llvm::cantFail(supports(text, options));
      auto kernel = compile(text, options);
      EXPECT_EQ(support.compiles, bool(kernel)) << type;
      EXPECT_EQ(support.compiles, support.errors.empty()) << type;
      if (!kernel)
        llvm::consumeError(kernel.takeError());
    }
}

TEST(Support, SaysWhereItFailsAndWhatWorks) {
  CompileOptions options = optionsFor("sm_80");
  options.road.tileStream = 100000;
  const std::string text = R"mlir(
func.func @attention(%q: tensor<2x64x128xf32>, %k: tensor<2x?x128xf32>) -> tensor<2x64x128xf32> {
  %o = smx.attention %q, %k, %k scale(0.125) : tensor<2x64x128xf32>, tensor<2x?x128xf32>, tensor<2x?x128xf32> -> tensor<2x64x128xf32>
  return %o : tensor<2x64x128xf32>
})mlir";
  Support support = llvm::cantFail(supports(text, options));
  EXPECT_FALSE(support.compiles);
  ASSERT_FALSE(support.errors.empty());
  EXPECT_TRUE(
      llvm::StringRef(support.errors.front()).starts_with("<module>:3:8: "))
      << support.errors.front();
  EXPECT_TRUE(offers(support, "without --tile-stream=100000", "compiles"));
  EXPECT_TRUE(offers(support, "--target=cpu", "compiles"));
  // What is offered has been tried.
  options.road.tileStream = 0;
  EXPECT_TRUE(llvm::cantFail(supports(text, options)).compiles);
}

TEST(Support, OffersATypeWithConstants) {
  const char *text = R"mlir(
func.func @f(%x: tensor<8x64xf8E8M0FNU>) -> tensor<8x64xf8E8M0FNU> {
  %c = arith.constant dense<2.0> : tensor<8x64xf8E8M0FNU>
  %s = arith.mulf %x, %c : tensor<8x64xf8E8M0FNU>
  %y = smx.softmax %s axis(1) : tensor<8x64xf8E8M0FNU> -> tensor<8x64xf8E8M0FNU>
  return %y : tensor<8x64xf8E8M0FNU>
})mlir";
  Support support = llvm::cantFail(supports(text, optionsFor("sm_80")));
  EXPECT_FALSE(support.compiles);
  EXPECT_TRUE(offers(support, "f16 instead of f8E8M0FNU", "compiles"));
}

TEST(Support, TakesOpenHeadDimsToBeUsual) {
  const char *text = R"mlir(
!t = tensor<?x64x?xf16>
func.func @attention(%q: !t, %k: !t, %v: !t) -> !t {
  %o = smx.attention %q, %k, %v scale(0.125) : !t, !t, !t -> !t
  return %o : !t
})mlir";
  Support support = llvm::cantFail(supports(text, optionsFor("sm_80")));
  EXPECT_TRUE(support.compiles);
  EXPECT_EQ(support.openExtents, (std::vector<std::string>{
                                     "dimension 2 of argument 0 of 'attention'",
                                     "dimension 2 of argument 2 of "
                                     "'attention'"}));
  EXPECT_EQ(support.assumedExtent, 128);
  // A CPU's loops know no such limit.
  EXPECT_TRUE(llvm::cantFail(supports(text)).openExtents.empty());
}

TEST(Support, TellsLengthsThatMayStayOpen) {
  const char *text = R"mlir(
func.func @softmax(%x: tensor<?x?xf16>) -> tensor<?x?xf16> {
  %y = smx.softmax %x axis(1) : tensor<?x?xf16> -> tensor<?x?xf16>
  return %y : tensor<?x?xf16>
})mlir";
  Support support = llvm::cantFail(supports(text, optionsFor("sm_80")));
  EXPECT_TRUE(support.compiles);
  EXPECT_TRUE(support.openExtents.empty());
  EXPECT_EQ(support.openLengths,
            std::vector<std::string>{"dimension 1 of argument 0 of 'softmax'"});
}

TEST(Support, SaysWhyNothingWasRecognised) {
  // The maximum is that of the other axis.
  const char *text = R"mlir(
func.func @f(%x: tensor<9x9xf32>) -> tensor<9x9xf32> {
  %m0 = arith.constant dense<0xFF800000> : tensor<9xf32>
  %l0 = arith.constant dense<0.0> : tensor<9xf32>
  %e = tensor.empty() : tensor<9x9xf32>
  %m = linalg.reduce { arith.maximumf } ins(%x : tensor<9x9xf32>) outs(%m0 : tensor<9xf32>) dimensions = [0]
  %mb = linalg.broadcast ins(%m : tensor<9xf32>) outs(%e : tensor<9x9xf32>) dimensions = [0]
  %d = linalg.sub ins(%x, %mb : tensor<9x9xf32>, tensor<9x9xf32>) outs(%e : tensor<9x9xf32>) -> tensor<9x9xf32>
  %p = linalg.exp ins(%d : tensor<9x9xf32>) outs(%e : tensor<9x9xf32>) -> tensor<9x9xf32>
  %l = linalg.reduce { arith.addf } ins(%p : tensor<9x9xf32>) outs(%l0 : tensor<9xf32>) dimensions = [1]
  %lb = linalg.broadcast ins(%l : tensor<9xf32>) outs(%e : tensor<9x9xf32>) dimensions = [1]
  %y = linalg.div ins(%p, %lb : tensor<9x9xf32>, tensor<9x9xf32>) outs(%e : tensor<9x9xf32>) -> tensor<9x9xf32>
  return %y : tensor<9x9xf32>
})mlir";
  Support support = llvm::cantFail(supports(text));
  EXPECT_TRUE(support.compiles);
  EXPECT_TRUE(support.ops.empty());
  ASSERT_EQ(support.notRecognised.size(), 1u);
  EXPECT_TRUE(llvm::StringRef(support.notRecognised.front())
                  .starts_with("<module>:12:8: not raised to smx.softmax: "));
}

TEST(Support, RefusesWhatIsNoQuestion) {
  auto errorOf = [](llvm::StringRef text, const CompileOptions &options) {
    auto support = supports(text, options);
    return support ? std::string("no error")
                   : llvm::toString(support.takeError());
  };
  EXPECT_TRUE(
      llvm::StringRef(errorOf("func.func @f(", {})).starts_with("<module>:1:"));
  EXPECT_TRUE(llvm::StringRef(errorOf(softmaxModule, optionsFor("sm_1")))
                  .contains("'sm_1' is not an architecture"));
}

TEST(Support, AnswersWhereAnOpIsNotForAType) {
  const char *text = R"mlir(
func.func @f(%x: tensor<4x64xf64>) -> (tensor<4x5xf64>, tensor<4x5xi64>) {
  %p, %i = smx.topk_softmax %x axis(1) k(5) : tensor<4x64xf64> -> tensor<4x5xf64>, tensor<4x5xi64>
  return %p, %i : tensor<4x5xf64>, tensor<4x5xi64>
})mlir";
  Support support = llvm::cantFail(supports(text));
  EXPECT_FALSE(support.compiles);
  ASSERT_FALSE(support.errors.empty());
  EXPECT_TRUE(llvm::StringRef(support.errors.front())
                  .starts_with("<module>:3:12: 'smx.topk_softmax' op expected "
                               "elements of at most 32 bits"))
      << support.errors.front();
  EXPECT_TRUE(offers(support, "f32 instead of f64", "compiles"));
}
