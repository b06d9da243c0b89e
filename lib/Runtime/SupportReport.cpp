//===- SupportReport.cpp - an answer to read ------------------------------===//

#include "smx/Runtime/Support.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/raw_ostream.h"

using namespace smx;
namespace json = llvm::json;

static std::string counted(int64_t count, llvm::StringRef noun) {
  return llvm::formatv("{0} {1}{2}", count, noun, count == 1 ? "" : "s");
}

std::string OpSupport::schedule() const {
  for (const Decision &decision : decisions)
    if (decision.name == "SharedState")
      return "with " + decision.values.front().second;
  if (kernels.empty())
    return decisions.empty() ? "" : "loops";
  // The one that does most: by roles, or with the products, or the first.
  const KernelFacts *main = &kernels.front();
  for (const KernelFacts &kernel : kernels)
    if (std::pair(!kernel.roles.empty(), !kernel.products.empty()) >
        std::pair(!main->roles.empty(), !main->products.empty()))
      main = &kernel;
  std::string text = counted(main->warps, "warp");
  if (!main->roles.empty()) {
    text = "roles ";
    llvm::ListSeparator and_(" and ");
    for (const RoleFacts &role : main->roles)
      text += std::string(llvm::StringRef(and_)) + role.name;
  }
  if (main->cluster > 1)
    text += llvm::formatv(", clusters of {0} blocks", main->cluster);
  if (!main->products.empty())
    text += ", " + main->products;
  if (kernels.size() > 1)
    text += ", " + counted(kernels.size(), "kernel");
  return text;
}

/// "TileSizes" as "tile sizes".
static std::string wordsOf(llvm::StringRef name) {
  std::string words;
  for (char letter : name) {
    if (llvm::isUpper(letter) && !words.empty())
      words += ' ';
    words += llvm::toLower(letter);
  }
  return words;
}

static std::string describe(const Decision &decision) {
  std::string text = decision.text;
  llvm::ListSeparator comma(", ");
  std::string values;
  for (const auto &[key, value] : decision.values)
    values += std::string(llvm::StringRef(comma)) + key + " " + value;
  if (!text.empty() && !values.empty())
    text += ": ";
  return text + values;
}

static std::string describe(const KernelFacts &kernel) {
  std::string text = counted(kernel.warps, "warp");
  if (!kernel.roles.empty()) {
    llvm::ListSeparator comma(", ");
    text += " (";
    for (const RoleFacts &role : kernel.roles) {
      text += llvm::StringRef(comma);
      text += llvm::formatv("{0} {1}", role.name, role.warps);
      if (role.group && role.group != role.warps)
        text += " in groups of " + std::to_string(role.group);
      if (role.registers)
        text += llvm::formatv(" with {0} registers", role.registers);
    }
    text += ")";
  }
  if (kernel.cluster > 1)
    text += llvm::formatv(", clusters of {0} blocks", kernel.cluster);
  if (kernel.sharedBytes)
    text += llvm::formatv(", {0:N0} of {1:N0} bytes of shared memory",
                          kernel.sharedBytes, kernel.sharedLimit);
  if (kernel.channels)
    text += ", " + counted(kernel.channels, "channel") + " of up to " +
            counted(kernel.depth, "stage");
  if (!kernel.products.empty())
    text += ", products by " + kernel.products;
  return text;
}

static void printLine(llvm::raw_ostream &os, const llvm::Twine &label,
                      llvm::StringRef text) {
  os << llvm::formatv("  {0,-18} {1}\n", label.str(), text);
}

static void printOp(const OpSupport &op, bool runs, llvm::raw_ostream &os) {
  os << "\n";
  if (!op.place.empty())
    os << op.place << ": ";
  os << (op.op.empty() ? "other code" : op.op) << "\n";
  if (!op.type.empty())
    printLine(os, "type", op.type);
  if (std::string schedule = op.schedule(); runs && !schedule.empty())
    printLine(os, "schedule", schedule);
  for (const Decision &decision : op.decisions)
    printLine(os, (decision.isMissed ? "not: " : "") + wordsOf(decision.name),
              describe(decision) + " (" + decision.pass + ")");
  for (const KernelFacts &kernel : op.kernels)
    printLine(os, "kernel", "@" + kernel.name + ": " + describe(kernel));
}

static void printAssumptions(const Support &support, llvm::raw_ostream &os) {
  if (support.target == "cpu") {
    if (support.vectorBits)
      os << "vectors of up to " << support.vectorBits << " bits\n";
    return;
  }
  if (support.alignment < 4)
    os << "nothing is known of the alignment of rows\n";
  else
    os << "rows at multiples of " << support.alignment << " bytes\n";
  for (const std::string &extent : support.openExtents)
    os << extent << " is open: a kernel is made for what a call has; here for "
       << support.assumedExtent << "\n";
  for (const std::string &extent : support.openLengths)
    os << extent << " is open: a kernel is made for each of the first sizes "
       << "that calls have, and one for all others; here for "
       << support.assumedExtent << "\n";
}

void smx::print(const Support &support, llvm::raw_ostream &os) {
  os << support.target << ": "
     << (support.compiles ? "compiles" : "does not compile") << "\n";
  printAssumptions(support, os);
  if (support.compiles && support.ops.empty())
    os << "\nthere is no op of smx: the code is compiled as it is\n";
  for (const OpSupport &op : support.ops)
    printOp(op, support.compiles, os);
  auto printList = [&](llvm::StringRef title, const auto &lines) {
    if (!lines.empty())
      os << "\n" << title << "\n";
    for (const std::string &line : lines)
      os << "  " << line << "\n";
  };
  printList("not recognised:", support.notRecognised);
  printList("missing:", support.errors);
  std::vector<std::string> alternatives;
  for (const Alternative &alternative : support.alternatives)
    alternatives.push_back(alternative.change + ": " + alternative.effect);
  printList(support.compiles ? "faster:" : "what works:", alternatives);
}

//===----------------------------------------------------------------------===//
// JSON
//===----------------------------------------------------------------------===//

static json::Value toJSON(const Decision &);
static json::Value toJSON(const RoleFacts &);
static json::Value toJSON(const KernelFacts &);
static json::Value toJSON(const OpSupport &);
static json::Value toJSON(const Alternative &);

template <typename T>
static json::Value toArray(const std::vector<T> &elements) {
  json::Array array;
  for (const T &element : elements)
    array.push_back(toJSON(element));
  return array;
}

static json::Value toJSON(const Decision &decision) {
  json::Object values;
  // Numbers and truth values as such, all else as text.
  for (const auto &[key, value] : decision.values) {
    llvm::Expected<json::Value> parsed = json::parse(value);
    if (parsed) {
      values[key] = std::move(*parsed);
    } else {
      llvm::consumeError(parsed.takeError());
      values[key] = value;
    }
  }
  return json::Object{{"pass", decision.pass},
                      {"name", decision.name},
                      {"missed", decision.isMissed},
                      {"text", decision.text},
                      {"values", std::move(values)}};
}

static json::Value toJSON(const RoleFacts &role) {
  return json::Object{{"name", role.name},
                      {"warps", role.warps},
                      {"group", role.group},
                      {"registers", role.registers}};
}

static json::Value toJSON(const KernelFacts &kernel) {
  return json::Object{{"name", kernel.name},
                      {"warps", kernel.warps},
                      {"cluster", kernel.cluster},
                      {"shared_bytes", kernel.sharedBytes},
                      {"shared_limit", kernel.sharedLimit},
                      {"channels", kernel.channels},
                      {"depth", kernel.depth},
                      {"roles", toArray(kernel.roles)},
                      {"products", kernel.products}};
}

static json::Value toJSON(const OpSupport &op) {
  return json::Object{{"op", op.op},
                      {"place", op.place},
                      {"type", op.type},
                      {"schedule", op.schedule()},
                      {"decisions", toArray(op.decisions)},
                      {"kernels", toArray(op.kernels)}};
}

static json::Value toJSON(const Alternative &alternative) {
  return json::Object{{"change", alternative.change},
                      {"effect", alternative.effect}};
}

json::Value smx::toJSON(const Support &support) {
  return json::Object{{"compiles", support.compiles},
                      {"target", support.target},
                      {"alignment", support.alignment},
                      {"vector_bits", support.vectorBits},
                      {"open_extents", json::Array(support.openExtents)},
                      {"open_lengths", json::Array(support.openLengths)},
                      {"assumed_extent", support.assumedExtent},
                      {"ops", toArray(support.ops)},
                      {"errors", json::Array(support.errors)},
                      {"not_recognised", json::Array(support.notRecognised)},
                      {"alternatives", toArray(support.alternatives)}};
}
