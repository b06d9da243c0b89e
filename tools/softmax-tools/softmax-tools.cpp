//===- softmax-tools.cpp - several tools in one program -------------------===//
//
// For machines without LLVM. Runs the tool whose name it was started by, or the
// one that its first argument names. See cmake/SmxStaticTools.cmake for how
// the tools' mains and static initialisers come to have these names.
//
//===----------------------------------------------------------------------===//

#include <cstdio>
#include <string_view>

using Initializer = void (*)();

// The linker defines the ends of a section by these names.
#define SMX_TOOL(id, name)                                                     \
  extern "C" int id##_main(int argc, char **argv);                             \
  extern "C" const Initializer __start_##id##_init[], __stop_##id##_init[];
#include "Tools.inc"
#undef SMX_TOOL

namespace {
struct Tool {
  std::string_view name;
  int (*main)(int argc, char **argv);
  const Initializer *initBegin, *initEnd;
};
} // namespace

static constexpr Tool tools[] = {
#define SMX_TOOL(id, name)                                                     \
  {name, id##_main, __start_##id##_init, __stop_##id##_init},
#include "Tools.inc"
#undef SMX_TOOL
};

static const Tool *findTool(std::string_view path) {
  std::string_view name = path.substr(path.rfind('/') + 1);
  for (const Tool &tool : tools)
    if (tool.name == name)
      return &tool;
  return nullptr;
}

int main(int argc, char **argv) {
  const Tool *tool = argc > 0 ? findTool(argv[0]) : nullptr;
  if (!tool && argc > 1 && (tool = findTool(argv[1]))) {
    --argc;
    ++argv;
  }
  if (!tool) {
    std::fprintf(stderr, "softmax-tools: name the tool to run:");
    for (const Tool &known : tools)
      std::fprintf(stderr, " %s", known.name.data());
    std::fprintf(stderr, "\n");
    return 2;
  }
  for (const Initializer *init = tool->initBegin; init != tool->initEnd; ++init)
    (*init)();
  return tool->main(argc, argv);
}
