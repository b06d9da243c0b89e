//===- NumberReaderTest.cpp - arith as steps on int64 ---------------------===//
//
// Every op of every width, read as a number program through the size of a
// result, against the evaluator's own arithmetic on the same IR.
//
//===----------------------------------------------------------------------===//

#include "../Runtime/EvaluatorFixture.h"
#include "Numbers.h"

#include "smx/Evaluator/ScalarOps.h"
#include "smx/Evaluator/ShapeProgram.h"

#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "llvm/Support/FormatVariadic.h"

#include <limits>

using namespace mlir;
using namespace mlir::smx;

namespace {
struct NumberReaderOf : EvaluatorFixture {
  /// The number that sizes of the results are made of for arguments `a` and
  /// `b`, by executing the ops in order.
  static int64_t execute(func::FuncOp function, int64_t a, int64_t b) {
    llvm::DenseMap<Value, Slot> slots;
    slots[function.getArgument(0)] = intSlot(a);
    slots[function.getArgument(1)] = intSlot(b);
    for (Operation &op : function.getBody().front()) {
      // Constants begin what takes the number apart: two of them, and its bits.
      if (op.getNumOperands() == 0)
        return slots[op.getNextNode()->getNextNode()->getOperand(0)].i;
      std::optional<Instruction> instruction =
          lookUpScalarOp(&op, Rounding::None);
      SmallVector<Slot> in;
      for (Value operand : op.getOperands())
        in.push_back(slots[operand]);
      SmallVector<const Slot *> pointers;
      for (const Slot &slot : in)
        pointers.push_back(&slot);
      mlir::smx::execute(*instruction, pointers.data(), &slots[op.getResult(0)],
                         /*lanes=*/1);
    }
    return 0;
  }

  /// `op` with operands %x and %y of `type`, or their sum %s, from and to
  /// index. (The sum, where upstream would fold a chain of casts to nothing.)
  void check(StringRef type, StringRef op, StringRef resultType,
             StringRef back = "index_cast") {
    std::string text = "func.func @f(%a: index, %b: index) -> "
                       "(tensor<?xf32>, tensor<?xf32>) {";
    auto cast = [&](StringRef name, StringRef op, StringRef value,
                    StringRef from, StringRef to) {
      text += llvm::formatv("{0} = arith.{1} {2} : {3} to {4}\n", name, op,
                            value, from, to);
    };
    bool isIndex = type == "index";
    if (!isIndex) {
      cast("%x", "index_cast", "%a", "index", type);
      cast("%y", "index_cast", "%b", "index", type);
      text += llvm::formatv("%s = arith.addi %x, %y : {0}\n", type);
    }
    std::string line = op.str();
    for (auto [name, value] : {std::pair("%x", "%a"), std::pair("%y", "%b")})
      for (size_t at; isIndex && (at = line.find(name)) != std::string::npos;)
        line.replace(at, 2, value);
    text += "%r = arith." + line + "\n";
    StringRef result = "%r";
    if (resultType != "index") {
      cast("%i", back, "%r", resultType, "index");
      result = "%i";
    }
    // A size is not negative: all bits but the sign, and the sign.
    text +=
        llvm::formatv("%most = arith.constant 9223372036854775807 : index\n"
                      "%zero = arith.constant 0 : index\n"
                      "%bits = arith.andi {0}, %most : index\n"
                      "%isNegative = arith.cmpi slt, {0}, %zero : index\n"
                      "%sign = arith.index_castui %isNegative : i1 to index\n"
                      "%t = tensor.empty(%bits) : tensor<?xf32>\n"
                      "%u = tensor.empty(%sign) : tensor<?xf32>\n"
                      "return %t, %u : tensor<?xf32>, tensor<?xf32> }",
                      result);
    func::FuncOp function = parse(text);
    ASSERT_TRUE(function) << text;
    ShapeProgram program = ShapeProgram::build(function);
    ASSERT_TRUE(program.getSizes()[0][0] && program.getSizes()[1][0]) << text;
    for (int64_t a : interestingNumbers)
      for (int64_t b : interestingNumbers) {
        auto sizes = llvm::cantFail(program.evaluate({{}, {}}, {a, b}));
        const int64_t sign =
            sizes[1][0] ? std::numeric_limits<int64_t>::min() : 0;
        ASSERT_EQ(sizes[0][0] | sign, execute(function, a, b))
            << text << " of " << a << " and " << b;
      }
  }
};
} // namespace

TEST_F(NumberReaderOf, ArithmeticOfEveryWidth) {
  for (StringRef type : {"index", "i64", "i32", "i8"}) {
    for (StringRef op : {"addi", "subi", "muli", "andi", "ori", "xori", "minsi",
                         "maxsi", "minui", "maxui"})
      check(type, llvm::formatv("{0} %x, %y : {1}", op, type).str(), type);
    for (StringRef back : {"index_cast", "index_castui"})
      check(type, llvm::formatv("addi %x, %y : {0}", type).str(), type, back);
  }
}

TEST_F(NumberReaderOf, Comparisons) {
  for (StringRef type : {"index", "i64", "i32", "i8", "i1"})
    for (StringRef predicate :
         {"eq", "ne", "slt", "sle", "sgt", "sge", "ult", "ule", "ugt", "uge"})
      check(type,
            llvm::formatv("cmpi {0}, %x, %y : {1}", predicate, type).str(),
            "i1", "index_castui");
}

TEST_F(NumberReaderOf, Conversions) {
  check("i32", "extsi %s : i32 to i64", "i64");
  check("i32", "extui %s : i32 to i64", "i64");
  check("i1", "extsi %s : i1 to i8", "i8");
  check("i1", "extui %s : i1 to i8", "i8");
  check("i32", "trunci %s : i32 to i8", "i8");
  check("i8", "trunci %s : i8 to i1", "i1");
}

TEST_F(NumberReaderOf, WhatIsNoIntegerArithmeticStaysOpen) {
  ShapeProgram program = ShapeProgram::build(parse(R"mlir(
    func.func @f(%a: f32) -> tensor<?xf32> {
      %i = arith.fptosi %a : f32 to i64
      %n = arith.index_cast %i : i64 to index
      %t = tensor.empty(%n) : tensor<?xf32>
      return %t : tensor<?xf32>
    })mlir"));
  EXPECT_FALSE(program.getSizes()[0][0]);
}
