//===- DeviceCodeTest.cpp - a plan's steps on a launcher ------------------===//
//
// The launcher only writes down what it is asked for.
//
//===----------------------------------------------------------------------===//

#include "EvaluatorFixture.h"

#include "Runtime/DeviceCode.h"

#include <cstring>

using namespace smx;
using mlir::smx::LaunchPlan;

namespace {
struct Recorded {
  std::vector<size_t> steps;
  std::vector<std::array<int64_t, 3>> grids;
  std::vector<std::vector<LaunchOperand>> operands;
  std::vector<RowCopy> copies;
  std::vector<int64_t> allocated;
  int released = 0;
  std::string failure;
};

class RecordingLauncher : public Launcher {
public:
  explicit RecordingLauncher(Recorded &recorded) : recorded(recorded) {}

  void *ownStream() const override { return nullptr; }
  llvm::Error synchronize(void *) const override {
    return llvm::Error::success();
  }
  llvm::Expected<void *> allocate(int64_t bytes, void *) const override {
    recorded.allocated.push_back(bytes);
    return reinterpret_cast<void *>(0x1000);
  }
  llvm::Error release(void *memory, void *) const override {
    EXPECT_EQ(memory, reinterpret_cast<void *>(0x1000));
    ++recorded.released;
    return llvm::Error::success();
  }
  llvm::Error launch(size_t number, const std::array<int64_t, 3> &grid,
                     llvm::ArrayRef<LaunchOperand> operands,
                     void *) const override {
    if (!recorded.failure.empty())
      return llvm::createStringError(recorded.failure);
    recorded.steps.push_back(number);
    recorded.grids.push_back(grid);
    recorded.operands.push_back(operands.vec());
    return llvm::Error::success();
  }
  llvm::Error copy(const RowCopy &copy, void *) const override {
    recorded.copies.push_back(copy);
    return llvm::Error::success();
  }
  llvm::Expected<void *> keep(llvm::ArrayRef<char>) override { return nullptr; }

private:
  Recorded &recorded;
};

struct DeviceCodeTest : EvaluatorFixture {
  /// `f(x, y)` on two matrices with any strides.
  std::shared_ptr<const DeviceCode> make(llvm::StringRef body) {
    std::string text = (R"mlir(
      smx_gpu.kernel @k(%x: memref<?x?xf32, strided<[?, 1], offset: ?>>) warps(1) {
        smx_gpu.return
      }
      func.func @f(%x: memref<?x?xf32, strided<[?, 1], offset: ?>>,
                   %y: memref<?x?xf32, strided<[?, 1], offset: ?>>) {
        %c0 = arith.constant 0 : index
        %c1 = arith.constant 1 : index
        %rows = memref.dim %x, %c0 : memref<?x?xf32, strided<[?, 1], offset: ?>>
        )mlir" + body + "\n return }")
                           .str();
    auto plan = LaunchPlan::build(parse(text));
    return llvm::cantFail(DeviceCode::create(
        std::move(*plan), std::make_unique<RecordingLauncher>(recorded)));
  }
  std::string launch(const DeviceCode &code, int64_t rows) {
    TensorView x(data, {rows, 8}), y(data + 4, {rows, 8});
    return llvm::toString(code.launch({x, y}, nullptr));
  }

  float data[64] = {};
  Recorded recorded;
};

constexpr char launchOfX[] =
    "smx_gpu.launch @k grid(%rows, %c1, %c1) (%x : memref<?x?xf32, "
    "strided<[?, 1], offset: ?>>)\n";
} // namespace

TEST_F(DeviceCodeTest, LaunchesWithTheMemoryOfTheCall) {
  auto code = make(launchOfX);
  EXPECT_EQ(launch(*code, 3), "");
  ASSERT_EQ(recorded.operands.size(), 1u);
  EXPECT_EQ(recorded.grids[0], (std::array<int64_t, 3>{3, 1, 1}));
  const LaunchOperand &x = recorded.operands[0][0];
  EXPECT_EQ(x.memory, data);
  EXPECT_EQ(x.capacity, 24);
  EXPECT_EQ(llvm::ArrayRef(x.numbers),
            llvm::ArrayRef<int64_t>({0, 3, 8, 8, 1}));
  EXPECT_TRUE(recorded.allocated.empty());
}

TEST_F(DeviceCodeTest, NegativeStridesReachBeforeTheFirstElement) {
  auto code = make(launchOfX);
  TensorView x(data + 16, reference::DType::F32, {3, 5}, {-8, 1}),
      y(data, {3, 8});
  EXPECT_EQ(llvm::toString(code->launch({x, y}, nullptr)), "");
  const LaunchOperand &operand = recorded.operands.at(0)[0];
  EXPECT_EQ(operand.memory, data + 16);
  EXPECT_EQ(operand.capacityBefore, 16);
  EXPECT_EQ(operand.capacity, 5);
}

TEST_F(DeviceCodeTest, AGridWithoutBlocksIsNoLaunch) {
  auto code = make(launchOfX);
  EXPECT_EQ(launch(*code, 0), "");
  EXPECT_TRUE(recorded.steps.empty());
}

TEST_F(DeviceCodeTest, TooManyBlocksAreRefused) {
  auto code = make(launchOfX);
  EXPECT_EQ(launch(*code, int64_t(1) << 31),
            "kernel 'k' would need 2147483648 blocks; a grid has at most "
            "2147483647; larger tiles or fewer rows would work");
  auto across = make("smx_gpu.launch @k grid(%c1, %rows, %c1) (%x : "
                     "memref<?x?xf32, strided<[?, 1], offset: ?>>)");
  EXPECT_NE(launch(*across, 65536).find("at most 65535"), std::string::npos);
}

TEST_F(DeviceCodeTest, AnAssertionIsTheErrorBeforeAnything) {
  auto code = make("%ok = arith.cmpi sge, %c1, %rows : index\n"
                   "cf.assert %ok, \"one row at most\"\n" +
                   std::string(launchOfX));
  EXPECT_EQ(launch(*code, 2), "one row at most");
  EXPECT_TRUE(recorded.steps.empty());
  EXPECT_EQ(launch(*code, 1), "");
}

TEST_F(DeviceCodeTest, ScratchIsOneAllocationThatIsReleased) {
  constexpr char body[] = R"mlir(
    %a = memref.alloc(%rows) : memref<?x5xf32>
    %b = memref.alloc(%rows) : memref<?x7xf32>
    %v = memref.cast %a : memref<?x5xf32> to memref<?x?xf32, strided<[?, 1], offset: ?>>
    %w = memref.cast %b : memref<?x7xf32> to memref<?x?xf32, strided<[?, 1], offset: ?>>
    smx_gpu.launch @k grid(%c1, %c1, %c1) (%v : memref<?x?xf32, strided<[?, 1], offset: ?>>)
    smx_gpu.launch @k grid(%c1, %c1, %c1) (%w : memref<?x?xf32, strided<[?, 1], offset: ?>>))mlir";
  auto code = make(body);
  EXPECT_EQ(launch(*code, 20), "");
  // 400 bytes are 512, as 560 are 768.
  EXPECT_EQ(recorded.allocated, std::vector<int64_t>({512 + 768}));
  EXPECT_EQ(recorded.released, 1);
  ASSERT_EQ(recorded.operands.size(), 2u);
  EXPECT_EQ(recorded.operands[0][0].memory, reinterpret_cast<void *>(0x1000));
  EXPECT_EQ(recorded.operands[1][0].memory,
            reinterpret_cast<void *>(0x1000 + 512));
  recorded.failure = "no luck";
  EXPECT_EQ(launch(*code, 20), "no luck");
  EXPECT_EQ(recorded.released, 2);
}

//===----------------------------------------------------------------------===//
// Copies
//===----------------------------------------------------------------------===//

/// Elements 0, 1, 2, .. of `from` copied to where `to` has them.
static std::vector<float> copied(std::vector<int64_t> sizes,
                                 std::vector<int64_t> fromStrides,
                                 std::vector<int64_t> toStrides,
                                 size_t &count) {
  std::vector<float> source(256), target(256, -1);
  for (size_t i = 0; i < source.size(); ++i)
    source[i] = float(i);
  auto operand = [&](float *memory, llvm::ArrayRef<int64_t> strides) {
    LaunchOperand result;
    result.memory = memory;
    result.elementBytes = 4;
    result.numbers.push_back(0);
    result.numbers.append(sizes.begin(), sizes.end());
    result.numbers.append(strides.begin(), strides.end());
    return result;
  };
  auto copies = llvm::cantFail(planCopies(operand(source.data(), fromStrides),
                                          operand(target.data(), toStrides)));
  count = copies.size();
  for (const RowCopy &copy : copies)
    for (int64_t row = 0; row < copy.rows; ++row)
      std::memcpy(static_cast<char *>(copy.to) + row * copy.toPitch,
                  static_cast<const char *>(copy.from) + row * copy.fromPitch,
                  copy.rowBytes);
  return target;
}

TEST(PlanCopies, WithoutGapsItIsOneCopy) {
  size_t count = 0;
  std::vector<float> target = copied({2, 3, 4}, {12, 4, 1}, {12, 4, 1}, count);
  EXPECT_EQ(count, 1u);
  EXPECT_EQ(target[23], 23);
  EXPECT_EQ(target[24], -1);
}

TEST(PlanCopies, GapsMakeRows) {
  size_t count = 0;
  std::vector<float> target = copied({2, 3, 4}, {12, 4, 1}, {18, 6, 1}, count);
  EXPECT_EQ(count, 1u);
  EXPECT_EQ(target[18 + 6 + 2], 12 + 4 + 2);
  EXPECT_EQ(target[4], -1);
}

TEST(PlanCopies, StridesOfElementsAndRepeatedRowsWork) {
  size_t count = 0;
  // A transposed source: the rows of a copy are elements.
  std::vector<float> target = copied({3, 4}, {1, 3}, {4, 1}, count);
  EXPECT_EQ(target[1 * 4 + 2], 1 + 2 * 3);
  EXPECT_EQ(count, 3u);
  // A row that is read three times.
  target = copied({3, 4}, {0, 1}, {4, 1}, count);
  EXPECT_EQ(target[2 * 4 + 3], 3);
  EXPECT_EQ(count, 3u);
  copied({3, 0}, {0, 1}, {4, 1}, count);
  EXPECT_EQ(count, 0u);
}
