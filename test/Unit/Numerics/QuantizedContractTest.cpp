//===- QuantizedContractTest.cpp - the contract of f8E4M3FN ---------------===//

#include "QuantizedCases.h"
#include "TargetUnderTest.h"

#include "gtest/gtest.h"

#include <cmath>
#include <string>

using namespace smx;
using namespace smx::test;
using reference::Band;
using reference::BandAnchor;
using Quantized = NumericCase::Quantized;
using Scales = NumericCase::Scales;

/// Every code, and as many threads and lanes as it takes.
TEST(QuantizedContract, EveryCodeIsWidenedExactly) {
  Tensor codes({4, 256});
  for (int64_t i = 0; i < codes.size(); ++i)
    codes[i] = reference::fromF8E4M3FNBits(static_cast<uint8_t>(i % 256));
  for (DType wide : {DType::F64, DType::F32, DType::F16, DType::BF16}) {
    std::string to(nameOf(wide));
    std::string text =
        "func.func @f(%x: tensor<4x256xf8E4M3FN>) -> tensor<4x256x" + to +
        "> {\n  %e = tensor.empty() : tensor<4x256x" + to +
        ">\n  %y = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, "
        "j)>, affine_map<(i, j) -> (i, j)>], iterator_types = [\"parallel\", "
        "\"parallel\"]} ins(%x : tensor<4x256xf8E4M3FN>) outs(%e : "
        "tensor<4x256x" +
        to + ">) {\n  ^bb0(%a: f8E4M3FN, %b: " + to +
        "):\n    %w = arith.extf %a : f8E4M3FN to " + to +
        "\n    linalg.yield %w : " + to + "\n  } -> tensor<4x256x" + to +
        ">\n  return %y : tensor<4x256x" + to + ">\n}\n";
    CompileOptions options;
    targetUnderTest().applyTo(options.road);
    llvm::Expected<Kernel> kernel = compile(text, options);
    ASSERT_TRUE(static_cast<bool>(kernel))
        << llvm::toString(kernel.takeError());
    auto results = runKernel(*kernel, {codes}, {{4, 256}}, {DType::F8E4M3FN},
                             {wide}, /*gap=*/0);
    ASSERT_TRUE(static_cast<bool>(results))
        << llvm::toString(results.takeError());
    for (int64_t i = 0; i < codes.size(); ++i) {
      double x = results->front()[i];
      if (std::isnan(codes[i])) {
        EXPECT_TRUE(std::isnan(x)) << to << " of code " << i % 256;
        continue;
      }
      EXPECT_EQ(x, codes[i]) << to << " of code " << i % 256;
      EXPECT_EQ(std::signbit(x), std::signbit(codes[i])) << to << " of " << i;
    }
  }
}

/// Many queries, and few: what is widened in front of a kernel, and with it.
static std::vector<NumericCase> casesOf(const char *generator) {
  std::vector<NumericCase> cases;
  for (int64_t queries : {4, 150})
    for (Quantized quantized : {Quantized::KeysAndValues, Quantized::All})
      for (Scales scales : {Scales::None, Scales::PerHead, Scales::PerToken}) {
        if (quantized == Quantized::All && scales != Scales::None)
          continue;
        NumericCase c;
        c.op = Op::Attention;
        c.dtype = DType::BF16;
        c.generator = generator;
        c.seed = 17;
        c.quantized = quantized;
        c.scales = scales;
        c.queryHeads = c.keyHeads = 2;
        c.queries = queries;
        c.keys = 200;
        c.headDim = c.valueDim = 64;
        c.scale = 0.125;
        cases.push_back(c);
      }
  return cases;
}

TEST(QuantizedContract, NaNOfAHiddenKeyIsIgnored) {
  for (NumericCase c : casesOf("normal")) {
    c.band = Band::causal(BandAnchor::TopLeft);
    c.poisonsHiddenKeys = true;
    EXPECT_EQ(checkCase(c), "");
  }
}

TEST(QuantizedContract, NaNOfAVisibleKeyMakesTheRowNaN) {
  for (const NumericCase &c : casesOf("one_nan")) {
    std::vector<Tensor> inputs = c.makeInputs();
    bool hasNaN = false;
    for (double x : inputs[1].values())
      hasNaN |= std::isnan(x);
    ASSERT_TRUE(hasNaN);
    EXPECT_TRUE(std::isnan(c.expect(inputs)[0].exact[0]));
    EXPECT_EQ(checkCase(c), "");
  }
}
