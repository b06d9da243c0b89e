//===- Records.h - programs and plans as JSON -------------------*- C++ -*-===//
//
// What a program needs to call a compiled function can be written to a file and
// read by a later process, which then needs neither the module nor a context.
// As everywhere with LLVM's JSON, `toJSON` writes a value and `fromJSON` reads
// one: false, with the place in `path`, where the text says something else than
// `toJSON` of the same version would.
//
//===----------------------------------------------------------------------===//
#ifndef SMX_EVALUATOR_RECORDS_H
#define SMX_EVALUATOR_RECORDS_H

#include "smx/Evaluator/LaunchPlan.h"
#include "smx/Evaluator/ShapeProgram.h"

#include "llvm/Support/JSON.h"

namespace mlir::smx {

/// `["mul", 3, 4]`: the name of the opcode, numbers, literals.
llvm::json::Value toJSON(const NumberProgram::Instruction &instruction);
/// The instructions, in their order.
llvm::json::Value toJSON(const NumberProgram &program);
bool fromJSON(const llvm::json::Value &value, NumberProgram &program,
              llvm::json::Path path);

llvm::json::Value toJSON(const ShapeProgram &program);
bool fromJSON(const llvm::json::Value &value, ShapeProgram &program,
              llvm::json::Path path);

/// The bytes of constants are written as base64.
llvm::json::Value toJSON(const LaunchPlan &plan);
bool fromJSON(const llvm::json::Value &value, LaunchPlan &plan,
              llvm::json::Path path);

} // namespace mlir::smx

#endif // SMX_EVALUATOR_RECORDS_H
