//===- SchedulesTest.cpp - whole kernels, in many orders ------------------===//
//
// The kernels of the lit tests once more, with groups that rest at random
// moments: results may not depend on the order, and a race of the executor
// itself would be seen by the thread sanitizer.
//
//===----------------------------------------------------------------------===//

#include "KernelFixture.h"
#include "smx/Reference/Attention.h"
#include "smx/Reference/Compare.h"
#include "smx/Reference/Generators.h"

#include "llvm/Support/MemoryBuffer.h"

using smx::reference::Tensor;

namespace {
struct SchedulesTest : KernelFixture {
  void parseFile(const std::string &name) {
    auto file = llvm::MemoryBuffer::getFile(std::string(KERNELS "/") + name);
    ASSERT_TRUE(file);
    parse((*file)->getBuffer());
  }

  /// Elements of `tensor` as bf16.
  static std::vector<uint16_t> toBits(const Tensor &tensor) {
    std::vector<uint16_t> bits;
    for (double value : tensor.values())
      bits.push_back(smx::reference::toBF16Bits(value));
    return bits;
  }

  /// The output bits of attention on `queries` x 128 and `keys` x 128.
  std::vector<uint16_t> attend(int64_t queries, int64_t keys) {
    smx::reference::GeneratorOptions generator;
    generator.dtype = DType::BF16;
    const int64_t rows[] = {queries, keys, keys};
    std::vector<std::vector<uint16_t>> inputs;
    std::vector<Argument> arguments;
    for (int64_t count : rows) {
      ++generator.seed;
      tensors.push_back(
          *smx::reference::generate("normal", {1, count, 128}, generator));
      inputs.push_back(toBits(tensors.back()));
    }
    std::vector<uint16_t> out(queries * 128, 0x7fc0);
    for (size_t i = 0; i < 3; ++i)
      arguments.push_back(
          Buffer::rowMajor(inputs[i].data(), DType::BF16, {1, rows[i], 128}));
    arguments.push_back(
        Buffer::rowMajor(out.data(), DType::BF16, {1, queries, 128}));
    EXPECT_EQ(runFunction(arguments), "");
    return out;
  }

  void expectAttention(const std::vector<uint16_t> &bits) {
    Tensor out({1, static_cast<int64_t>(bits.size()) / 128, 128});
    for (size_t i = 0; i < bits.size(); ++i)
      out[i] = smx::reference::fromBF16Bits(bits[i]);
    smx::reference::AttentionOptions attention;
    attention.scale = 0.1275 * 0.6931471805599453;
    Tensor expected =
        smx::reference::attention(tensors[0], tensors[1], tensors[2], attention)
            .out;
    smx::reference::Tolerance tolerance;
    tolerance.ofLargest = 0.02;
    auto report = smx::reference::compareWithin(out, expected, nullptr,
                                                {DType::BF16}, tolerance);
    EXPECT_TRUE(report.pass) << report.text;
  }

  std::vector<Tensor> tensors;
};
} // namespace

TEST_F(SchedulesTest, RolesGiveTheSameInEveryOrder) {
  parseFile("roles.mlir");
  std::vector<uint16_t> first = attend(128, 192);
  expectAttention(first);
  for (options.jitterSeed = 1; options.jitterSeed <= 5; ++options.jitterSeed) {
    tensors.clear();
    EXPECT_EQ(attend(128, 192), first) << "seed " << options.jitterSeed;
  }
}

TEST_F(SchedulesTest, ClustersAtTheSameTime) {
  parseFile("attention.mlir");
  options.concurrentClusters = 4;
  expectAttention(attend(512, 128));
}

TEST_F(SchedulesTest, RolesOfSeveralBlocksAtTheSameTime) {
  parseFile("roles.mlir");
  options.concurrentClusters = 3;
  options.jitterSeed = 9;
  expectAttention(attend(384, 128));
}
