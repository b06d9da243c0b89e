// Compiles a softmax for this machine, calls it, and prints the sum of a row.
#include "smx/Runtime/Kernel.h"

#include "llvm/Support/raw_ostream.h"

#include <numeric>
#include <vector>

static constexpr llvm::StringLiteral text = R"mlir(
  func.func @softmax(%x: tensor<?x1000xf32>) -> tensor<?x1000xf32> {
    %c0 = arith.constant 0 : index
    %rows = tensor.dim %x, %c0 : tensor<?x1000xf32>
    %empty = tensor.empty(%rows) : tensor<?x1000xf32>
    %y = linalg.softmax dimension(1) ins(%x : tensor<?x1000xf32>)
                        outs(%empty : tensor<?x1000xf32>) -> tensor<?x1000xf32>
    return %y : tensor<?x1000xf32>
  })mlir";

int main() {
  llvm::ExitOnError orExit("consumer: ");
  smx::Kernel softmax = orExit(smx::compile(text));
  std::vector<float> x(8 * 1000), y(x.size());
  for (size_t i = 0; i < x.size(); ++i)
    x[i] = static_cast<float>(i % 77);
  orExit(softmax({{x.data(), {8, 1000}}}, {{y.data(), {8, 1000}}}));
  double sum = std::accumulate(y.begin(), y.begin() + 1000, 0.0);
  llvm::outs() << llvm::format("row 0 sums to %.6f\n", sum);
}
