//===- SupportQuestion.h - run the passes and look at them ------*- C++ -*-===//
#ifndef SMX_LIB_RUNTIME_SUPPORTQUESTION_H
#define SMX_LIB_RUNTIME_SUPPORTQUESTION_H

#include "ElementTypes.h"
#include "smx/Runtime/Support.h"

namespace smx {

/// A module and what is asked of it.
struct SupportQuestion {
  llvm::StringRef text;
  CompileOptions options;
  AlignmentIs alignment = AlignmentIs::LookedFor;
  /// Element types that take the place of others: names, as MLIR has them.
  std::vector<std::pair<std::string, std::string>> types;
};

struct Answer {
  /// Without alternatives.
  Support support;
  /// Those of the arguments.
  std::vector<ElementTypeName> types;
};

/// Runs the passes.
llvm::Expected<Answer> answer(const SupportQuestion &question);

/// The nearest questions with a better answer than `given`, that of `question`,
/// the nearest first.
std::vector<Alternative> findAlternatives(const SupportQuestion &question,
                                          const Answer &given);

} // namespace smx

#endif // SMX_LIB_RUNTIME_SUPPORTQUESTION_H
