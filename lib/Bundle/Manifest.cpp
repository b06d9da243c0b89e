//===- Manifest.cpp - a bundle as JSON ------------------------------------===//

#include "smx/Bundle/Bundle.h"
#include "smx/Evaluator/Records.h"

using namespace mlir;
using namespace mlir::smx;
namespace json = llvm::json;
using Number = NumberProgram::Number;

/// What the reader of a manifest must know; a change of meaning counts it up.
static constexpr int manifestVersion = 2;

/// On one line, however long the file's indentation is.
static void printCompact(json::OStream &out, const json::Value &value) {
  out.rawValue([&](llvm::raw_ostream &os) { os << value; });
}

static json::Value makeArgument(const BundleArgument &argument) {
  static constexpr StringLiteral roles[] = {"in", "out", "inout"};
  json::Object object{
      {"name", argument.name},
      {"role", roles[argument.role]},
      {"kind", argument.isTensor    ? "tensor"
               : argument.isFloat() ? "float"
                                    : "integer"},
      {"dtype", StringRef(::smx::reference::nameOf(argument.dtype))},
      {"bytes", ::smx::reference::byteWidth(argument.dtype)},
      {"sizes", json::Array(argument.sizes)}};
  if (argument.role == BundleArgument::Out) {
    json::Array extents;
    for (std::optional<Number> extent : argument.extents)
      extents.push_back(extent ? int64_t(*extent) : -1);
    object["extents"] = std::move(extents);
  }
  if (!argument.isAligned)
    object["aligned"] = false;
  return object;
}

static StringRef nameOf(BundleParameter::Kind kind) {
  static constexpr StringLiteral names[] = {"argument", "scratch", "number",
                                            "tensor_map"};
  return names[kind];
}

static json::Value makeTensorMap(const BundleTensorMap &map, int64_t bytes) {
  auto listOf = [](ArrayRef<Number> numbers) {
    return json::Array(
        llvm::map_range(numbers, [](Number n) { return int64_t(n); }));
  };
  return json::Object{{"kind", "tensor_map"},
                      {"bytes", bytes},
                      {"memory", nameOf(map.memory)},
                      {"index", int64_t(map.index)},
                      {"dtype", StringRef(::smx::reference::nameOf(map.dtype))},
                      {"elements", int64_t(map.elements)},
                      {"offset", int64_t(map.offset)},
                      {"sizes", listOf(map.sizes)},
                      {"strides", listOf(map.strides)},
                      {"box", json::Array(map.box)},
                      {"swizzle", map.swizzle}};
}

static json::Value makeParameter(const BundleLaunch &launch,
                                 const BundleParameter &parameter) {
  if (parameter.kind == BundleParameter::TensorMap)
    return makeTensorMap(launch.tensorMaps[parameter.index], parameter.bytes);
  return json::Object{{"kind", nameOf(parameter.kind)},
                      {"index", int64_t(parameter.index)},
                      {"bytes", parameter.bytes}};
}

/// An array with one element a line.
template <typename Range, typename Make>
static void printList(json::OStream &out, StringRef name, Range &&elements,
                      Make make) {
  out.attributeArray(name, [&] {
    for (const auto &element : elements)
      printCompact(out, make(element));
  });
}

static void printLaunch(json::OStream &out, const BundleLaunch &launch) {
  out.object([&] {
    out.attribute("kernel", launch.kernel);
    out.attributeBegin("grid");
    printCompact(out,
                 json::Array{int64_t(launch.grid[0]), int64_t(launch.grid[1]),
                             int64_t(launch.grid[2])});
    out.attributeEnd();
    out.attribute("threads", launch.threads);
    out.attribute("cluster", launch.cluster);
    out.attribute("shared_bytes", launch.sharedBytes);
    if (launch.overlapsPrevious)
      out.attribute("overlaps_previous", true);
    printList(out, "parameters", launch.parameters,
              [&](const BundleParameter &parameter) {
                return makeParameter(launch, parameter);
              });
  });
}

static void printFunction(json::OStream &out, const Bundle &bundle,
                          const BundleFunction &function) {
  out.object([&] {
    out.attribute("name", function.name);
    out.attribute("alignment", bundle.alignment);
    printList(out, "arguments", function.arguments, makeArgument);
    printList(
        out, "numbers", function.numbers.getInstructions(),
        [](const NumberProgram::Instruction &step) { return toJSON(step); });
    printList(out, "assertions", function.assertions,
              [](const LaunchPlan::Assertion &assertion) -> json::Value {
                return json::Object{{"holds", int64_t(assertion.holds)},
                                    {"message", assertion.message}};
              });
    printList(out, "scratch", function.scratch,
              [](Number bytes) -> json::Value {
                return json::Object{{"bytes", int64_t(bytes)}};
              });
    out.attributeArray("launches", [&] {
      for (const BundleLaunch &launch : function.launches)
        printLaunch(out, launch);
    });
  });
}

void mlir::smx::printManifest(const Bundle &bundle, ImageKind kind,
                              llvm::raw_ostream &os) {
  json::OStream out(os, /*IndentSize=*/1);
  out.object([&] {
    out.attribute("version", manifestVersion);
    out.attribute("chip", bundle.chip);
    out.attribute("image", kind == ImageKind::PTX ? "ptx" : "cubin");
    out.attributeArray("functions", [&] {
      for (const BundleFunction &function : bundle.functions)
        printFunction(out, bundle, function);
    });
  });
  os << "\n";
}
