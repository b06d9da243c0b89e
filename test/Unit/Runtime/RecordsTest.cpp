//===- RecordsTest.cpp - programs and plans as JSON -----------------------===//

#include "EvaluatorFixture.h"

#include "smx/Evaluator/Records.h"

using namespace mlir::smx;
namespace json = llvm::json;
using Opcode = NumberProgram::Opcode;

/// The text of a value that was written, read and written again.
template <typename Record>
static std::string again(const Record &record) {
  std::string text;
  llvm::raw_string_ostream(text) << toJSON(record);
  json::Value value = llvm::cantFail(json::parse(text));
  Record copy;
  json::Path::Root root;
  EXPECT_TRUE(fromJSON(value, copy, root)) << text;
  EXPECT_EQ(toJSON(copy), value);
  return text;
}

/// Why a text is no program.
static std::string whyNoProgram(llvm::StringRef text) {
  json::Value value = llvm::cantFail(json::parse(text));
  NumberProgram program;
  json::Path::Root root("program");
  if (fromJSON(value, program, root))
    return "";
  return llvm::toString(root.getError());
}

TEST(Records, ProgramsKeepTheirNumbers) {
  NumberProgram program;
  NumberProgram::Number rows = program.add(Opcode::Size, 1, 0);
  NumberProgram::Number tile = program.addConstant(INT64_MIN);
  NumberProgram::Number least = program.add(Opcode::Min, rows, tile);
  program.add(Opcode::ZExt, least, 32);
  EXPECT_EQ(again(program),
            R"([["size",1,0],["constant",-9223372036854775808],)"
            R"(["min",0,1],["zext",2,32]])");
  NumberProgram copy;
  json::Path::Root root;
  ASSERT_TRUE(fromJSON(toJSON(program), copy, root));
  const int64_t sizes[] = {70, 8};
  const NumberProgram::Argument arguments[] = {{}, {sizes, sizes, 0}};
  EXPECT_EQ(copy.evaluate(arguments), program.evaluate(arguments));
}

TEST(Records, ProgramsThatDoNotHoldTogetherAreRefused) {
  EXPECT_EQ(whyNoProgram(R"([["size",0,0],["constant",3]])"), "");
  EXPECT_EQ(whyNoProgram(R"({})"),
            "expected an array of instructions when parsing program");
  for (llvm::StringRef text :
       {R"(["size"])", R"([[]])", R"([[3]])", R"([["halve",0]])"})
    EXPECT_EQ(whyNoProgram(text),
              "expected an opcode and its operands at program[0]");
  EXPECT_EQ(whyNoProgram(R"([["size",0]])"),
            "wrong number of operands at program[0]");
  EXPECT_EQ(whyNoProgram(R"([["size",0,"x"]])"),
            "expected integer at program[0][2]");
  for (llvm::StringRef place : {"0", "1", "-1"})
    EXPECT_EQ(whyNoProgram(("[[\"sext\"," + place + ",8]]").str()),
              "expected the place of an earlier instruction at program[0][1]");
  for (llvm::StringRef width : {"0", "-1", "65"})
    for (llvm::StringRef opcode : {"sext", "zext"})
      EXPECT_EQ(whyNoProgram(
                    ("[[\"constant\",3],[\"" + opcode + "\",0," + width + "]]")
                        .str()),
                "expected a width of 1 to 64 bits at program[1]");
  for (llvm::StringRef text :
       {R"([["size",-1,0]])", R"([["stride",0,-1]])", R"([["integer",-1]])"})
    EXPECT_EQ(whyNoProgram(text), "expected an argument and a dimension, "
                                  "counted from 0 at program[0]");
  EXPECT_EQ(whyNoProgram(R"([["size",0,0],["size",0,0]])"),
            "expected an instruction that no earlier one stands for at "
            "program[1]");
}

TEST(Records, ProgramsFitTheArgumentsThatTheyAskFor) {
  NumberProgram program;
  program.add(Opcode::Size, 1, 2);
  program.add(Opcode::Integer, 2);
  EXPECT_TRUE(program.fits({0, 3, 0}));
  EXPECT_FALSE(program.fits({0, 2, 0}));
  EXPECT_FALSE(program.fits({0, 3}));
}

TEST(Records, ShapesOfAbsentNumbersAreRefused) {
  auto whyNot = [](llvm::StringRef text) {
    json::Value value = llvm::cantFail(json::parse(text));
    ShapeProgram program;
    json::Path::Root root("shapes");
    return fromJSON(value, program, root) ? ""
                                          : llvm::toString(root.getError());
  };
  EXPECT_EQ(whyNot(R"({"numbers":[["size",0,0]],"sizes":[[0]],)"
                   R"("conditions":[{"holds":0,"message":"some"}]})"),
            "");
  EXPECT_EQ(whyNot(R"({"numbers":[["size",0,0]],"sizes":[[0],[1]],)"
                   R"("conditions":[]})"),
            "expected the places of instructions at shapes.sizes");
  EXPECT_EQ(whyNot(R"({"numbers":[["size",0,0]],"sizes":[[0]],)"
                   R"("conditions":[{"holds":1,"message":"some"}]})"),
            "expected the places of instructions at shapes.conditions");
}

namespace {
struct PlanRecords : EvaluatorFixture {
  LaunchPlan build() {
    auto plan = LaunchPlan::build(parse(R"mlir(
      memref.global "private" constant @table : memref<3xi8> = dense<[-1, 0, 77]>
      smx_gpu.kernel @k(%x: memref<?xf32>, %t: memref<3xi8>, %n: index, %s: f32) warps(1) {
        smx_gpu.return
      }
      func.func @f(%x: memref<?xf32>, %s: f32) {
        %c0 = arith.constant 0 : index
        %c1 = arith.constant 1 : index
        %rows = memref.dim %x, %c0 : memref<?xf32>
        %is = arith.cmpi ne, %rows, %c0 : index
        cf.assert %is, "some \"rows\""
        %table = memref.get_global @table : memref<3xi8>
        %between = memref.alloc(%rows) : memref<?xf32>
        memref.copy %x, %between : memref<?xf32> to memref<?xf32>
        smx_gpu.launch @k grid(%rows, %c1, %c1) (%between, %table, %rows, %s : memref<?xf32>, memref<3xi8>, index, f32)
        memref.dealloc %between : memref<?xf32>
        return
      })mlir"));
    EXPECT_TRUE(mlir::succeeded(plan));
    return mlir::succeeded(plan) ? *plan : LaunchPlan();
  }
  static std::string whyNoPlan(json::Value value) {
    LaunchPlan plan;
    json::Path::Root root("plan");
    return fromJSON(value, plan, root) ? "" : llvm::toString(root.getError());
  }
};
} // namespace

TEST_F(PlanRecords, HaveEveryKindOfStepAndOperand) {
  LaunchPlan plan = build();
  ASSERT_EQ(plan.getSteps().size(), 2u);
  const std::string text = again(plan);
  for (llvm::StringRef part :
       {R"("constants":["/wBN"])", R"("message":"some \"rows\"")",
        R"("kind":"argument")", R"("kind":"scratch")", R"("kind":"constant")",
        R"("kind":"number")", R"("from":)", R"("kernel":"k")",
        R"("scalars":[1])", R"("aligned":[0])"})
    EXPECT_NE(text.find(part), std::string::npos) << part.str() << "\n" << text;
}

TEST_F(PlanRecords, FitTheArgumentsThatTheyAreAbout) {
  json::Value value = toJSON(build());
  auto fits = [&] {
    LaunchPlan plan;
    json::Path::Root root("plan");
    return fromJSON(value, plan, root) && plan.fits({1, 0});
  };
  EXPECT_TRUE(fits());
  for (llvm::StringRef key : {"aligned", "scalars"}) {
    json::Value right = value;
    (*value.getAsObject())[key] = json::Array{0, 2};
    EXPECT_FALSE(fits()) << key.str();
    value = std::move(right);
  }
}

TEST_F(PlanRecords, OfOtherThingsAreRefused) {
  json::Value right = toJSON(build());
  EXPECT_EQ(whyNoPlan(right), "");
  auto with = [&](llvm::StringRef key, json::Value value) {
    json::Value wrong = right;
    (*wrong.getAsObject())[key] = std::move(value);
    return whyNoPlan(std::move(wrong));
  };
  EXPECT_EQ(with("constants", json::Array{"/wB"}),
            "expected base64 at plan.constants[0]");
  EXPECT_EQ(with("steps", json::Array{json::Object{{"kernel", "k"}}}),
            "missing value at plan.steps[0].grid");
  EXPECT_EQ(
      with("steps", json::Array{json::Object{{"kernel", "k"},
                                             {"grid", json::Array{0, 0}},
                                             {"operands", json::Array{}}}}),
      "expected three numbers at plan.steps[0].grid");
  EXPECT_EQ(
      with("steps",
           json::Array{json::Object{
               {"kernel", "k"},
               {"grid", json::Array{0, 0, 0}},
               {"operands", json::Array{json::Object{{"kind", "texture"},
                                                     {"memory", 0},
                                                     {"numbers", json::Array{}},
                                                     {"bytes", 4}}}}}}),
      "unknown kind of operand at plan.steps[0].operands[0].kind");
}

TEST_F(EvaluatorFixture, ShapesAreTheSameAgain) {
  mlir::func::FuncOp function = parse(R"mlir(
    func.func @f(%x: tensor<?x8xf32>, %n: tensor<4xi64>) -> (tensor<?x16xf32>, tensor<?xf32>) {
      %c0 = arith.constant 0 : index
      %c2 = arith.constant 2 : index
      %rows = tensor.dim %x, %c0 : tensor<?x8xf32>
      %twice = arith.muli %rows, %c2 : index
      %a = tensor.empty(%twice) : tensor<?x16xf32>
      %many = tensor.extract %n[%c0] : tensor<4xi64>
      %count = arith.index_cast %many : i64 to index
      %b = tensor.empty(%count) : tensor<?xf32>
      return %a, %b : tensor<?x16xf32>, tensor<?xf32>
    })mlir");
  const std::string text = again(ShapeProgram::build(function));
  EXPECT_NE(text.find("[null]"), std::string::npos) << text;
}
