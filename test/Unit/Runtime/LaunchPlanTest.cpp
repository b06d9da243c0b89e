//===- LaunchPlanTest.cpp - what the host does for a GPU function ---------===//

#include "EvaluatorFixture.h"

#include "smx/Evaluator/LaunchPlan.h"

using mlir::smx::LaunchPlan;

namespace {
struct LaunchPlanTest : EvaluatorFixture {
  LaunchPlan build(llvm::StringRef body, llvm::StringRef before = "") {
    auto plan = LaunchPlan::build(parse(text(body, before)));
    EXPECT_TRUE(mlir::succeeded(plan));
    return mlir::succeeded(plan) ? *plan : LaunchPlan();
  }

  std::string errorOf(llvm::StringRef body) {
    std::string error;
    mlir::ScopedDiagnosticHandler handler(
        &context,
        [&](mlir::Diagnostic &diagnostic) { error += diagnostic.str(); });
    EXPECT_TRUE(mlir::failed(LaunchPlan::build(parse(text(body, "")))));
    return error;
  }

  /// The numbers of operand `operand` of step `step`.
  static std::vector<int64_t> numbersOf(const LaunchPlan &plan, size_t step,
                                        size_t operand,
                                        llvm::ArrayRef<int64_t> numbers) {
    std::vector<int64_t> result;
    const auto &launch = std::get<LaunchPlan::Launch>(plan.getSteps()[step]);
    for (LaunchPlan::Number number : launch.operands[operand].numbers)
      result.push_back(numbers[number]);
    return result;
  }

private:
  static std::string text(llvm::StringRef body, llvm::StringRef before) {
    return (before + R"mlir(
      smx_gpu.kernel @k(%x: memref<?x?xf32, strided<[?, 1], offset: ?>>, %n: index, %s: f32) warps(1) {
        smx_gpu.return
      }
      func.func @f(%x: memref<?x?xf32, strided<[?, 1], offset: ?>>,
                   %y: memref<?x?xf32, strided<[?, 1], offset: ?>>, %s: f32, %i: i32) {
        %c0 = arith.constant 0 : index
        %c1 = arith.constant 1 : index
        %c32 = arith.constant 32 : index
        %rows = memref.dim %x, %c0 : memref<?x?xf32, strided<[?, 1], offset: ?>>
        %blocks = arith.ceildivsi %rows, %c32 : index
        )mlir" +
            body + "\n return }")
        .str();
  }
};

using Numbers = std::vector<int64_t>;

const int64_t sizes[] = {70, 8}, strides[] = {12, 1}, none[] = {0};
} // namespace

TEST_F(LaunchPlanTest, OperandsAreOffsetSizesStridesAndBits) {
  LaunchPlan plan =
      build("smx_gpu.launch @k grid(%blocks, %c1, %c1) (%x, %rows, %s : "
            "memref<?x?xf32, strided<[?, 1], offset: ?>>, index, f32)");
  ASSERT_EQ(plan.getSteps().size(), 1u);
  EXPECT_EQ(plan.getScalars(), llvm::ArrayRef<unsigned>({2, 3}));
  LaunchPlan::Argument x{sizes, strides}, s{{}, {}, 0x3f000000};
  Numbers numbers = plan.evaluate({x, x, s, {}});
  const auto &launch = std::get<LaunchPlan::Launch>(plan.getSteps()[0]);
  EXPECT_EQ(launch.kernel, "k");
  EXPECT_EQ(numbers[launch.grid[0]], 3);
  EXPECT_EQ(numbers[launch.grid[1]], 1);
  ASSERT_EQ(launch.operands.size(), 3u);
  EXPECT_EQ(launch.operands[0].kind, LaunchPlan::Kind::Argument);
  EXPECT_EQ(launch.operands[0].memory, 0u);
  EXPECT_EQ(numbersOf(plan, 0, 0, numbers), Numbers({0, 70, 8, 12, 1}));
  EXPECT_FALSE(launch.operands[1].isMemory());
  EXPECT_EQ(launch.operands[1].elementBytes, 8);
  EXPECT_EQ(numbersOf(plan, 0, 1, numbers), Numbers({70}));
  EXPECT_EQ(launch.operands[2].elementBytes, 4);
  EXPECT_EQ(numbersOf(plan, 0, 2, numbers), Numbers({0x3f000000}));
}

TEST_F(LaunchPlanTest, ViewsHaveTheirOwnLayout) {
  LaunchPlan plan = build(R"mlir(
    %v = memref.subview %y[%c1, %c32] [%rows, 4] [2, 1]
        : memref<?x?xf32, strided<[?, 1], offset: ?>> to memref<?x4xf32, strided<[?, 1], offset: ?>>
    %w = memref.cast %v : memref<?x4xf32, strided<[?, 1], offset: ?>> to memref<?x?xf32, strided<[?, 1], offset: ?>>
    smx_gpu.launch @k grid(%c1, %c1, %c1) (%w, %rows, %s : memref<?x?xf32, strided<[?, 1], offset: ?>>, index, f32))mlir");
  ASSERT_EQ(plan.getSteps().size(), 1u);
  LaunchPlan::Argument x{sizes, strides};
  EXPECT_EQ(numbersOf(plan, 0, 0, plan.evaluate({x, x, {}, {}})),
            Numbers({12 + 32, 70, 4, 24, 1}));
}

TEST_F(LaunchPlanTest, ScratchIsContiguousAndCopiesKeepTheirPlace) {
  LaunchPlan plan = build(R"mlir(
    %a = memref.alloc(%rows) : memref<?x5xf32>
    %b = memref.cast %a : memref<?x5xf32> to memref<?x?xf32, strided<[?, 1], offset: ?>>
    smx_gpu.launch @k grid(%c1, %c1, %c1) (%b, %rows, %s : memref<?x?xf32, strided<[?, 1], offset: ?>>, index, f32)
    memref.copy %b, %y : memref<?x?xf32, strided<[?, 1], offset: ?>> to memref<?x?xf32, strided<[?, 1], offset: ?>>
    memref.dealloc %a : memref<?x5xf32>)mlir");
  ASSERT_EQ(plan.getSteps().size(), 2u);
  ASSERT_EQ(plan.getScratch().size(), 1u);
  EXPECT_EQ(plan.getScratch()[0].elementBytes, 4);
  LaunchPlan::Argument x{sizes, strides};
  Numbers numbers = plan.evaluate({x, x, {}, {}});
  EXPECT_EQ(numbersOf(plan, 0, 0, numbers), Numbers({0, 70, 5, 5, 1}));
  const auto &copy = std::get<LaunchPlan::Copy>(plan.getSteps()[1]);
  EXPECT_EQ(copy.from.kind, LaunchPlan::Kind::Scratch);
  EXPECT_EQ(copy.to.kind, LaunchPlan::Kind::Argument);
  EXPECT_EQ(copy.to.memory, 1u);
}

TEST_F(LaunchPlanTest, SizesOfScratchAreNumbersToo) {
  LaunchPlan plan = build(R"mlir(
    %a = memref.alloc(%rows) : memref<2x4x?xf32>
    %b = memref.collapse_shape %a [[0, 1], [2]] : memref<2x4x?xf32> into memref<8x?xf32>
    %length = memref.dim %b, %c1 : memref<8x?xf32>
    %c = memref.cast %b : memref<8x?xf32> to memref<?x?xf32, strided<[?, 1], offset: ?>>
    smx_gpu.launch @k grid(%length, %c1, %c1) (%c, %length, %s : memref<?x?xf32, strided<[?, 1], offset: ?>>, index, f32))mlir");
  ASSERT_EQ(plan.getSteps().size(), 1u);
  LaunchPlan::Argument x{sizes, strides};
  Numbers numbers = plan.evaluate({x, x, {}, {}});
  EXPECT_EQ(numbersOf(plan, 0, 0, numbers), Numbers({0, 8, 70, 70, 1}));
  EXPECT_EQ(numbersOf(plan, 0, 1, numbers), Numbers({70}));
}

TEST_F(LaunchPlanTest, ConstantsAreBytes) {
  LaunchPlan plan = build(R"mlir(
    %g = memref.get_global @g : memref<1x2xf32>
    %c = memref.cast %g : memref<1x2xf32> to memref<?x?xf32, strided<[?, 1], offset: ?>>
    smx_gpu.launch @k grid(%c1, %c1, %c1) (%c, %rows, %s : memref<?x?xf32, strided<[?, 1], offset: ?>>, index, f32))mlir",
                          "memref.global \"private\" constant @g : "
                          "memref<1x2xf32> = dense<[[1.0, -2.0]]>\n");
  ASSERT_EQ(plan.getConstants().size(), 1u);
  EXPECT_EQ(plan.getConstants()[0].bytes,
            std::vector<char>({0, 0, char(0x80), 0x3f, 0, 0, 0, char(0xc0)}));
}

TEST_F(LaunchPlanTest, AssertionsKeepTheirText) {
  LaunchPlan plan = build("%ok = arith.cmpi sle, %rows, %c32 : index\n"
                          "cf.assert %ok, \"at most 32 rows\"");
  ASSERT_EQ(plan.getAssertions().size(), 1u);
  EXPECT_EQ(plan.getAssertions()[0].message, "at most 32 rows");
  LaunchPlan::Argument x{sizes, strides};
  EXPECT_EQ(plan.evaluate({x, x, {}, {}})[plan.getAssertions()[0].holds], 0);
}

static constexpr char movingKernels[] = R"mlir(
  !m = memref<?x?xf32, strided<[?, 1], offset: ?>>
  #row = #smx_gpu.striped<rows = 1, columns = 32, vector = 4>
  smx_gpu.kernel @wide(%from: !m, %to: !m) warps(1) {
    %c0 = arith.constant 0 : index
    %b = gpu.block_id x
    %t = smx_gpu.load %from[%b, %c0] dims [-1, 1] {aligned = 16} : !m -> tensor<1x128xf32, #row>
    smx_gpu.store %t, %to[%b, %c0] dims [-1, 1] : tensor<1x128xf32, #row>, !m
    smx_gpu.return
  }
  smx_gpu.kernel @single(%from: !m, %to: !m) warps(1) {
    %c0 = arith.constant 0 : index
    %b = gpu.block_id x
    %t = smx_gpu.load %from[%b, %c0] dims [-1, 1] : !m -> tensor<1x128xf32, #row>
    smx_gpu.store %t, %to[%b, %c0] dims [-1, 1] : tensor<1x128xf32, #row>, !m
    smx_gpu.return
  }
  smx_gpu.kernel @other(%from: !m) warps(1) {
    %c0 = arith.constant 0 : index
    %s = smx_gpu.alloc : !smx_gpu.shared<32x32xf32, swizzle = 0>
    smx_gpu.copy %from[%c0, %c0] to %s dims [0, 1] : !m, !smx_gpu.shared<32x32xf32, swizzle = 0>
    smx_gpu.return
  })mlir";

TEST_F(LaunchPlanTest, MemoryOfSingleElementsMayBeAnywhere) {
  constexpr char launch[] = " grid(%blocks, %c1, %c1) ",
                 two[] = "(%x, %y : memref<?x?xf32, strided<[?, 1], "
                         "offset: ?>>, memref<?x?xf32, strided<[?, 1], "
                         "offset: ?>>)\n";
  auto alignedOf = [&](const std::string &body) {
    return build(body, movingKernels).getAligned().vec();
  };
  auto launchOf = [&](const std::string &kernel) {
    return "smx_gpu.launch @" + kernel + launch + two;
  };
  using Arguments = std::vector<unsigned>;
  EXPECT_EQ(alignedOf(launchOf("single")), Arguments());
  EXPECT_EQ(alignedOf(launchOf("wide")), Arguments({0}));
  EXPECT_EQ(alignedOf(launchOf("single") + launchOf("wide")), Arguments({0}));
  // What else is done with memory may ask for anything.
  EXPECT_EQ(alignedOf(std::string("smx_gpu.launch @other") + launch +
                      "(%x : memref<?x?xf32, strided<[?, 1], offset: ?>>)"),
            Arguments({0}));
  EXPECT_EQ(alignedOf("memref.copy %x, %y : memref<?x?xf32, strided<[?, 1], "
                      "offset: ?>> to memref<?x?xf32, strided<[?, 1], "
                      "offset: ?>>"),
            Arguments({0, 1}));
  // Views are of the same memory, whatever they promise.
  EXPECT_EQ(alignedOf(std::string(R"mlir(
    %v = memref.subview %y[%c1, %c32] [%rows, 4] [2, 1]
        : memref<?x?xf32, strided<[?, 1], offset: ?>> to memref<?x4xf32, strided<[?, 1], offset: ?>>
    %w = memref.cast %v : memref<?x4xf32, strided<[?, 1], offset: ?>> to memref<?x?xf32, strided<[?, 1], offset: ?>>
    smx_gpu.launch @wide)mlir") +
                      launch +
                      "(%w, %x : memref<?x?xf32, strided<[?, 1], offset: ?>>, "
                      "memref<?x?xf32, strided<[?, 1], offset: ?>>)"),
            Arguments({1}));
}

TEST_F(LaunchPlanTest, RefusesWhatTheHostCanNotDo) {
  EXPECT_NE(errorOf("memref.store %s, %x[%c0, %c0] : memref<?x?xf32, "
                    "strided<[?, 1], offset: ?>>")
                .find("can not be done on the host of a GPU function, which "
                      "computes sizes, launches kernels and copies memory"),
            std::string::npos);
}
