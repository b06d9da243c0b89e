//===- CHeader.cpp - a bundle as a C99 header -----------------------------===//

#include "smx/Bundle/Bundle.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
using namespace mlir::smx;
using llvm::createStringError;
using llvm::formatv;
using ::smx::reference::DType;
using ::smx::reference::nameOf;

/// As SMX_MAX_RANK in integration/c/smx_loader.h.
static constexpr size_t maxRank = 8;

/// "in0: bf16 [?, 64]", for whoever calls the function.
static std::string describe(const BundleArgument &argument) {
  std::vector<std::string> sizes;
  for (int64_t size : argument.sizes)
    sizes.push_back(size < 0 ? "?" : std::to_string(size));
  std::string text = argument.name + ": " + std::string(nameOf(argument.dtype));
  return argument.isTensor ? text + " [" + llvm::join(sizes, ", ") + "]" : text;
}

/// As smx_dtype has it.
static std::string enumeratorOf(DType dtype) {
  return "SMX_" + StringRef(nameOf(dtype)).upper();
}

namespace {
/// How an argument is declared in C, and how its smx_value is set.
struct CArgument {
  const char *type, *assignment;
};
} // namespace

/// Nothing for a float that C has no type of.
static std::optional<CArgument> inC(const BundleArgument &argument) {
  if (argument.isTensor)
    return CArgument{"const smx_tensor *", "tensor = {0}"};
  if (!argument.isFloat())
    return CArgument{"int64_t ", "integer = {0}"};
  if (argument.dtype == DType::F32)
    return CArgument{"float ", "integer = smx_float_bits({0})"};
  if (argument.dtype == DType::F64)
    return CArgument{"double ", "integer = smx_double_bits({0})"};
  return std::nullopt;
}

namespace {
class HeaderPrinter {
public:
  HeaderPrinter(const Bundle &bundle, StringRef name, StringRef prefix,
                llvm::raw_ostream &os)
      : bundle(bundle), name((prefix + name).str()), prefix(prefix), os(os) {}

  llvm::Error checkNames() const;
  void print(ImageKind kind, StringRef image);

private:
  /// Defines `static const <type> <name>_<table>[]` and returns its name, or
  /// NULL where it would be empty, which C does not have.
  template <typename Range, typename Print>
  std::string printTable(StringRef type, const Twine &table, Range &&range,
                         Print print);
  std::string printArguments(const BundleFunction &function,
                             const Twine &table);
  std::string printNumbers(const BundleFunction &function, const Twine &table);
  std::string printLaunches(const BundleFunction &function, const Twine &table);
  void printCall(const BundleFunction &function, size_t index);

  const Bundle &bundle;
  /// Of the tables: headers of one file name and other prefixes go together.
  std::string name;
  StringRef prefix;
  llvm::raw_ostream &os;
};
} // namespace

/// A name that C, the headers which the loader includes, or the loader itself
/// may have: of functions, C keeps those that start with _.
static bool isTaken(StringRef text) {
  if (text.starts_with("smx_") || text.starts_with("_"))
    return true;

  static const llvm::StringSet<> reserved = {
      "auto",         "break",     "case",         "char",     "const",
      "continue",     "default",   "do",           "double",   "else",
      "enum",         "extern",    "float",        "for",      "goto",
      "if",           "inline",    "int",          "long",     "main",
      "register",     "restrict",  "return",       "short",    "signed",
      "sizeof",       "static",    "struct",       "switch",   "typedef",
      "union",        "unsigned",  "void",         "volatile", "while",
      "NULL",         "offsetof",  "bool",         "true",     "false",
      "nullptr",      "constexpr", "alignas",      "alignof",  "static_assert",
      "thread_local", "typeof",    "typeof_unqual"};
  // size_t, int64_t, uintptr_t, ...
  StringRef ofHeaders = text;
  if (ofHeaders.consume_back("_t")) {
    ofHeaders.consume_front("u");
    return llvm::is_contained({"size", "ptrdiff", "wchar", "max_align"},
                              ofHeaders) ||
           (ofHeaders.consume_front("int") &&
            (ofHeaders == "ptr" || ofHeaders == "max" ||
             ofHeaders.starts_with("_") ||
             llvm::all_of(ofHeaders, llvm::isDigit)));
  }
  return reserved.contains(text);
}

static llvm::Error checkIdentifier(const std::string &text, StringRef hint) {
  bool isName =
      !text.empty() && !llvm::isDigit(text[0]) &&
      llvm::all_of(text, [](char c) { return llvm::isAlnum(c) || c == '_'; });
  if (isName && !isTaken(text))
    return llvm::Error::success();
  return createStringError("'" + text +
                           "' can not be the name of a function "
                           "in C; " +
                           hint);
}

llvm::Error HeaderPrinter::checkNames() const {
  for (const BundleFunction &function : bundle.functions) {
    if (llvm::Error error =
            checkIdentifier((prefix + function.name).str(),
                            "--c-prefix=<text> puts something before the "
                            "names of all functions"))
      return error;
    for (const BundleArgument &argument : function.arguments) {
      if (!inC(argument))
        return createStringError("'" + function.name + "': " + argument.name +
                                 " is a number of type " +
                                 nameOf(argument.dtype).data() +
                                 ", which C does not have; take f32 or f64 and "
                                 "convert it in the function");
      if (argument.sizes.size() > maxRank)
        return createStringError("'" + function.name + "': " + argument.name +
                                 " has " + Twine(argument.sizes.size()) +
                                 " dimensions; the C loader takes at most " +
                                 Twine(maxRank));
    }
  }
  return llvm::Error::success();
}

template <typename Range, typename Print>
std::string HeaderPrinter::printTable(StringRef type, const Twine &table,
                                      Range &&range, Print print) {
  if (range.empty())
    return "NULL";
  std::string full = (name + "_" + table).str();
  os << "static const " << type << " " << full << "[] = {\n";
  for (const auto &[i, element] : llvm::enumerate(range)) {
    os << "  ";
    print(element, i);
    os << ",\n";
  }
  os << "};\n";
  return full;
}

std::string HeaderPrinter::printArguments(const BundleFunction &function,
                                          const Twine &table) {
  std::vector<std::string> sizes, extents;
  for (auto [i, argument] : llvm::enumerate(function.arguments)) {
    sizes.push_back(printTable("int64_t", table + "_sizes" + Twine(i),
                               argument.sizes,
                               [&](int64_t size, size_t) { os << size; }));
    extents.push_back(
        printTable("int32_t", table + "_extents" + Twine(i), argument.extents,
                   [&](std::optional<NumberProgram::Number> extent, size_t) {
                     os << (extent ? int64_t(*extent) : -1);
                   }));
  }
  return printTable(
      "smx_argument", table + "_arguments", function.arguments,
      [&](const BundleArgument &argument, size_t i) {
        os << formatv("{\"{0}\", {1}, {2}, {3}, {4}, {5}, {6}}", argument.name,
                      argument.isTensor    ? "SMX_TENSOR"
                      : argument.isFloat() ? "SMX_FLOAT"
                                           : "SMX_INTEGER",
                      enumeratorOf(argument.dtype), argument.sizes.size(),
                      sizes[i], extents[i], argument.isAligned ? 0 : 1);
      });
}

std::string HeaderPrinter::printNumbers(const BundleFunction &function,
                                        const Twine &table) {
  return printTable(
      "smx_number", table + "_numbers", function.numbers.getInstructions(),
      [&](const NumberProgram::Instruction &step, size_t) {
        os << "{SMX_OP_" << NumberProgram::getInfo(step.opcode).name.upper()
           << ", {";
        llvm::interleaveComma(step.operands, os, [&](int64_t operand) {
          // The smallest number has no literal in C.
          if (operand == INT64_MIN)
            os << "INT64_MIN";
          else
            os << operand;
        });
        os << "}}";
      });
}

std::string HeaderPrinter::printLaunches(const BundleFunction &function,
                                         const Twine &table) {
  static constexpr StringLiteral kinds[] = {"SMX_ARGUMENT", "SMX_SCRATCH",
                                            "SMX_NUMBER", "SMX_TENSOR_MAP"};
  std::vector<std::string> parameters, maps;
  for (auto [i, launch] : llvm::enumerate(function.launches)) {
    maps.push_back(
        printTable("smx_tensor_map", table + "_maps" + Twine(i),
                   launch.tensorMaps, [&](const BundleTensorMap &map, size_t) {
                     auto printNumbers = [&](auto &&list) {
                       os << ", {";
                       llvm::interleaveComma(list, os);
                       os << (list.empty() ? "0}" : "}");
                     };
                     os << "{" << kinds[map.memory] << ", " << map.index << ", "
                        << enumeratorOf(map.dtype) << ", " << map.sizes.size()
                        << ", " << map.elements << ", " << map.offset;
                     printNumbers(map.sizes);
                     printNumbers(map.strides);
                     printNumbers(map.box);
                     os << ", " << map.swizzle << "}";
                   }));
    parameters.push_back(printTable(
        "smx_parameter", table + "_parameters" + Twine(i), launch.parameters,
        [&](const BundleParameter &parameter, size_t) {
          os << "{" << kinds[parameter.kind] << ", " << parameter.index << "}";
        }));
  }
  return printTable("smx_kernel", table + "_kernels", function.launches,
                    [&](const BundleLaunch &launch, size_t i) {
                      os << "{\"" << launch.kernel << "\", {";
                      llvm::interleaveComma(launch.grid, os);
                      os << "}, " << launch.threads << ", " << launch.cluster
                         << ", " << launch.sharedBytes << ", "
                         << launch.parameters.size() << ", " << parameters[i]
                         << ", " << launch.tensorMaps.size() << ", " << maps[i]
                         << "}";
                    });
}

void HeaderPrinter::printCall(const BundleFunction &function, size_t index) {
  os << "\n/* "
     << llvm::join(llvm::map_range(function.arguments, describe), "; ")
     << ". Returns 0, or another number after a failure, whose\n"
     << "   text is smx_error(runtime). */\n"
     << "SMX_ENTRY int " << prefix << function.name << "(smx_runtime *runtime";
  for (const BundleArgument &argument : function.arguments)
    os << ", " << inC(argument)->type << argument.name;
  os << ", smx_stream stream) {\n  smx_value values["
     << std::max<size_t>(function.arguments.size(), 1) << "];\n";
  for (auto [i, argument] : llvm::enumerate(function.arguments))
    os << "  values[" << i << "]."
       << formatv(inC(argument)->assignment, argument.name) << ";\n";
  os << "  return smx_call(runtime, &" << name << "_bundle, " << index
     << ", values, stream);\n}\n";
}

void HeaderPrinter::print(ImageKind kind, StringRef image) {
  std::string guard = "SMX_BUNDLE_" + StringRef(name).upper() + "_H";
  os << "/* Kernels for " << bundle.chip
     << " and how to launch them, written by "
     << "softmax-compile: to be compiled with smx_loader.h and\n"
     << "   linked with smx_driver.c, smx_loader.c and smx_numbers.c. */\n"
     << "#ifndef " << guard << "\n#define " << guard
     << "\n\n#include \"smx_loader.h\"\n\n"
     << "#if SMX_BUNDLE_VERSION != 2\n"
     << "#error \"this header is for version 2 of smx_loader.h\"\n#endif\n\n"
     << "static const unsigned char " << name << "_image[] = {";
  for (auto [i, byte] : llvm::enumerate(image))
    os << (i % 24 ? "," : i ? ",\n" : "\n") << unsigned(uint8_t(byte));
  os << "};\n\n";
  std::vector<std::string> rows;
  for (auto [i, function] : llvm::enumerate(bundle.functions)) {
    std::string table = "f" + std::to_string(i);
    std::string arguments = printArguments(function, table);
    std::string numbers = printNumbers(function, table);
    std::string assertions =
        printTable("smx_assertion", table + "_assertions", function.assertions,
                   [&](const LaunchPlan::Assertion &assertion, size_t) {
                     os << "{" << assertion.holds << ", \"";
                     os.write_escaped(assertion.message);
                     os << "\"}";
                   });
    std::string scratch =
        printTable("uint32_t", table + "_scratch", function.scratch,
                   [&](NumberProgram::Number bytes, size_t) { os << bytes; });
    std::string launches = printLaunches(function, table);
    rows.push_back(
        formatv("{\"{0}\", {1}, {2}, {3}, {4}, {5}, {6}, {7}, {8}, {9}, {10}}",
                function.name, function.arguments.size(), arguments,
                function.numbers.getInstructions().size(), numbers,
                function.assertions.size(), assertions, function.scratch.size(),
                scratch, function.launches.size(), launches)
            .str());
  }
  std::string table = printTable("smx_function", "functions", rows,
                                 [&](StringRef row, size_t) { os << row; });
  os << "static const smx_bundle " << name << "_bundle = {\"" << bundle.chip
     << "\", " << (kind == ImageKind::PTX ? "SMX_PTX" : "SMX_CUBIN") << ", "
     << bundle.alignment << ", " << name << "_image, sizeof(" << name
     << "_image), " << rows.size() << ", " << table << "};\n";
  for (auto [i, function] : llvm::enumerate(bundle.functions))
    printCall(function, i);
  os << "\n#endif /* " << guard << " */\n";
}

llvm::Error mlir::smx::printCHeader(const Bundle &bundle, ImageKind kind,
                                    StringRef image, StringRef name,
                                    StringRef prefix, llvm::raw_ostream &os) {
  HeaderPrinter printer(bundle, name, prefix, os);
  if (llvm::Error error = printer.checkNames())
    return error;
  printer.print(kind, image);
  return llvm::Error::success();
}
