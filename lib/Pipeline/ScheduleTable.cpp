//===- ScheduleTable.cpp - schedules that were measured -------------------===//

#include "smx/Pipeline/ScheduleTable.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"

using namespace mlir;
using namespace mlir::smx;
namespace json = llvm::json;

static constexpr int64_t version = 1;

namespace {
/// A range of extents, by its key.
struct RangeKey {
  const char *key;
  std::optional<ExtentRange> ScheduleEntry::*range;
  std::optional<int64_t> ShapeClass::*extent;
};
} // namespace

static constexpr RangeKey rangeKeys[] = {
    {"head_dim", &ScheduleEntry::headDim, &ShapeClass::headDim},
    {"rows", &ScheduleEntry::rows, &ShapeClass::rows},
    {"stream", &ScheduleEntry::stream, &ShapeClass::stream},
    {"heads", &ScheduleEntry::heads, &ShapeClass::heads}};

llvm::ArrayRef<ChoiceKey> mlir::smx::getChoiceKeys() {
  static constexpr ChoiceKey keys[] = {
      {"tile_rows", &ScheduleChoice::tileRows, &RoadOptions::tileRows},
      {"tile_stream", &ScheduleChoice::tileStream, &RoadOptions::tileStream},
      {"splits", &ScheduleChoice::splits, &RoadOptions::splits},
      {"warps", &ScheduleChoice::warps, &RoadOptions::warps},
      {"depth", &ScheduleChoice::depth, &RoadOptions::depth}};
  return keys;
}

std::string mlir::smx::describe(const ScheduleChoice &choice) {
  std::string text;
  for (const ChoiceKey &key : getChoiceKeys())
    if (int64_t value = choice.*key.choice)
      text += (text.empty() ? "" : ", ") + std::string(key.key) + " " +
              std::to_string(value);
  return text.empty() ? "the model's" : text;
}

void mlir::smx::fillIn(RoadOptions &options, const ScheduleChoice &choice) {
  for (const ChoiceKey &key : getChoiceKeys())
    if (options.*key.option == 0)
      options.*key.option = choice.*key.choice;
}

bool ScheduleEntry::matches(const ShapeClass &shape) const {
  return op == shape.op && type == shape.type && mask == shape.mask &&
         llvm::all_of(rangeKeys, [&](const RangeKey &key) {
           const auto &range = this->*key.range;
           const auto &extent = shape.*key.extent;
           return !range ||
                  (extent && *extent >= range->least && *extent <= range->most);
         });
}

bool ScheduleEntry::covers(const ScheduleEntry &other) const {
  return op == other.op && type == other.type && mask == other.mask &&
         llvm::all_of(rangeKeys, [&](const RangeKey &key) {
           const auto &range = this->*key.range;
           const auto &inner = other.*key.range;
           return !range || (inner && inner->least >= range->least &&
                             inner->most <= range->most);
         });
}

void ScheduleTable::add(ScheduleEntry entry) {
  llvm::erase_if(
      entries, [&](const ScheduleEntry &other) { return entry.covers(other); });
  entries.insert(entries.begin(), std::move(entry));
}

size_t ScheduleTable::drop(const ShapeClass &shape) {
  size_t before = entries.size();
  llvm::erase_if(entries, [&](const ScheduleEntry &entry) {
    return entry.matches(shape);
  });
  return before - entries.size();
}

const ScheduleEntry *ScheduleTable::find(const ShapeClass &shape) const {
  auto found = llvm::find_if(entries, [&](const ScheduleEntry &entry) {
    return entry.matches(shape);
  });
  return found == entries.end() ? nullptr : &*found;
}

std::string mlir::smx::chipOf(const RoadOptions &options) {
  switch (options.target) {
  case Target::Cpu:
    return "cpu";
  case Target::Cuda:
    return options.chip;
  case Target::Emulator:
    return "emulator-" + options.chip;
  }
  llvm_unreachable("every target has a name");
}

llvm::Error ScheduleTable::checkChip(const RoadOptions &options) const {
  std::string wanted = chipOf(options);
  StringRef known = chip;
  if (known == wanted ||
      (options.target == Target::Emulator && known == options.chip))
    return llvm::Error::success();
  return llvm::createStringError("the schedules in '" + name + "' are of '" +
                                 chip + "', and the code is for '" + wanted +
                                 "'; without a table the model chooses");
}

llvm::Error mlir::smx::checkSchedules(Stage from, const RoadOptions &options) {
  if (!options.schedules)
    return llvm::Error::success();
  if (from <= Stage::Naive)
    return options.schedules->checkChip(options);
  return llvm::createStringError(
      "the schedules in '" + options.schedules->getName() +
      "' are chosen at stage 'naive', and the module is at stage '" +
      getStageInfo(from).name +
      "'; hand over the module as it was before, or no table");
}

//===----------------------------------------------------------------------===//
// Reading
//===----------------------------------------------------------------------===//

/// Reports `message` where a path, which keeps nothing but literals, has this.
static constexpr llvm::StringLiteral placeOfMessage = "%";

static bool report(std::string message, std::string &fault, json::Path path) {
  fault = std::move(message);
  path.report(placeOfMessage);
  return false;
}

/// Calls `read` for every key of an object. It gives false for a wrong value,
/// which it has reported, and nothing for a key that it does not know: `keys`
/// is reported then.
static bool readObject(const json::Value &value, json::Path path,
                       llvm::StringLiteral keys,
                       llvm::function_ref<std::optional<bool>(
                           StringRef key, const json::Value &, json::Path)>
                           read) {
  const json::Object *object = value.getAsObject();
  if (!object) {
    path.report("expected object");
    return false;
  }
  for (const auto &[key, element] : *object) {
    std::optional<bool> isGood = read(key, element, path.field(key));
    if (!isGood)
      path.field(key).report(keys);
    if (!isGood.value_or(false))
      return false;
  }
  return true;
}

static bool readRange(const json::Value &value,
                      std::optional<ExtentRange> &range, json::Path path) {
  std::vector<int64_t> ends;
  if (!json::fromJSON(value, ends, path))
    return false;
  if (ends.size() == 1)
    ends.push_back(ExtentRange().most);
  if (ends.size() != 2 || ends[0] < 0 || ends[0] > ends[1]) {
    path.report("expected the least and the most extent, [0, 64], or the least "
                "alone, [65]");
    return false;
  }
  range = ExtentRange{ends[0], ends[1]};
  return true;
}

static bool readChoice(const json::Value &value, const ChoiceKey &key,
                       ScheduleChoice &choice, std::string &fault,
                       json::Path path) {
  int64_t number;
  if (!json::fromJSON(value, number, path))
    return false;
  choice.*key.choice = number;
  int64_t most = mostOf(key.option);
  if (number >= 1 && number <= most)
    return true;
  return report("expected from 1 to " + std::to_string(most) + ", got " +
                    std::to_string(number) +
                    " (without the key the model chooses)",
                fault, path);
}

static bool readMask(const json::Value &value, std::string &mask,
                     std::string &fault, json::Path path) {
  if (!json::fromJSON(value, mask, path))
    return false;
  llvm::ArrayRef<StringRef> known = getMaskNames();
  return mask.empty() || llvm::is_contained(known, mask) ||
         report("unknown mask '" + mask + "'; choose one of " +
                    llvm::join(known, ", "),
                fault, path);
}

static bool readEntry(const json::Value &value, ScheduleEntry &entry,
                      std::string &fault, json::Path path) {
  // By hand, as a path keeps nothing but literals.
  constexpr llvm::StringLiteral keys =
      "unknown key; choose one of op, type, mask, head_dim, rows, stream, "
      "heads, tile_rows, tile_stream, splits, warps, depth, microseconds, "
      "model_microseconds";
  auto read = [&](StringRef key, const json::Value &element,
                  json::Path place) -> std::optional<bool> {
    if (key == "op")
      return json::fromJSON(element, entry.op, place);
    if (key == "type")
      return json::fromJSON(element, entry.type, place);
    if (key == "mask")
      return readMask(element, entry.mask, fault, place);
    if (key == "microseconds")
      return json::fromJSON(element, entry.microseconds, place);
    if (key == "model_microseconds")
      return json::fromJSON(element, entry.modelMicroseconds, place);
    for (const RangeKey &range : rangeKeys)
      if (key == range.key)
        return readRange(element, entry.*range.range, place);
    for (const ChoiceKey &choice : getChoiceKeys())
      if (key == choice.key)
        return readChoice(element, choice, entry.choice, fault, place);
    return std::nullopt;
  };
  if (!readObject(value, path, keys, read))
    return false;
  for (const auto &[key, text] :
       {std::pair("op", &entry.op), std::pair("type", &entry.type),
        std::pair("mask", &entry.mask)})
    if (text->empty()) {
      path.field(key).report("missing value");
      return false;
    }
  if (entry.choice == ScheduleChoice()) {
    path.report("expected a choice: one of tile_rows, tile_stream, splits, "
                "warps, depth");
    return false;
  }
  return true;
}

llvm::Expected<ScheduleTable> ScheduleTable::parse(StringRef text,
                                                   StringRef name) {
  auto value = json::parse(text);
  if (!value)
    return llvm::createStringError("'" + name +
                                   "': " + llvm::toString(value.takeError()));
  ScheduleTable table("", name.str());
  int64_t found = 0;
  json::Path::Root root(name);
  std::string fault;
  auto readEntries = [&](const json::Value &element, json::Path place) {
    const json::Array *array = element.getAsArray();
    if (!array) {
      place.report("expected array");
      return false;
    }
    for (const auto &[number, one] : llvm::enumerate(*array))
      if (!readEntry(one, table.entries.emplace_back(), fault,
                     place.index(number)))
        return false;
    return true;
  };
  auto read = [&](StringRef key, const json::Value &element,
                  json::Path place) -> std::optional<bool> {
    if (key == "smx_schedules")
      return json::fromJSON(element, found, place);
    if (key == "chip")
      return json::fromJSON(element, table.chip, place);
    if (key == "measured")
      return json::fromJSON(element, table.measured, place);
    if (key == "entries")
      return readEntries(element, place);
    return std::nullopt;
  };
  if (!readObject(
          *value, root,
          "unknown key; choose one of smx_schedules, chip, measured, entries",
          read)) {
    std::string text = llvm::toString(root.getError());
    StringRef where = text;
    where.consume_front(placeOfMessage);
    return llvm::createStringError(fault + where);
  }
  if (found != version)
    return llvm::createStringError(
        "'" + name + "': expected \"smx_schedules\": " + Twine(version) +
        ", the version of the format, got " + Twine(found));
  if (table.chip.empty())
    return llvm::createStringError(
        "'" + name +
        "': expected \"chip\", what the schedules were measured "
        "on: cpu, or an architecture such as sm_90a");
  return table;
}

llvm::Expected<ScheduleTable> ScheduleTable::load(StringRef path) {
  auto text = llvm::MemoryBuffer::getFile(path);
  if (!text)
    return llvm::createStringError("can not read '" + path +
                                   "': " + text.getError().message());
  return parse((*text)->getBuffer(), path);
}

std::string mlir::smx::getInstalledTables() {
  SmallString<128> folder(llvm::sys::path::parent_path(
      llvm::sys::fs::getMainExecutable(/*argv0=*/nullptr,
                                       /*MainExecAddr=*/nullptr)));
  llvm::sys::path::append(folder, "..", "share", "smx", "schedules");
  llvm::sys::path::remove_dots(folder, /*remove_dot_dot=*/true);
  return folder.str().str();
}

llvm::Expected<ScheduleTable> ScheduleTable::open(StringRef pathOrName) {
  // A folder or an extension is part of a path.
  if (pathOrName.find_first_of("/.") != StringRef::npos ||
      llvm::sys::fs::exists(pathOrName))
    return load(pathOrName);
  std::string folder = getInstalledTables();
  SmallString<128> path(folder);
  llvm::sys::path::append(path, pathOrName + ".json");
  if (llvm::sys::fs::exists(path))
    return load(path);
  std::vector<std::string> names;
  std::error_code end;
  for (llvm::sys::fs::directory_iterator it(folder, end), last;
       !end && it != last; it.increment(end))
    if (llvm::sys::path::extension(it->path()) == ".json")
      names.push_back(llvm::sys::path::stem(it->path()).str());
  llvm::sort(names);
  return llvm::createStringError(
      "'" + pathOrName + "' is no file, and '" + folder + "' has " +
      (names.empty() ? "no tables" : llvm::join(names, ", ")));
}

//===----------------------------------------------------------------------===//
// Writing
//===----------------------------------------------------------------------===//

void ScheduleTable::print(raw_ostream &os) const {
  auto quoted = [](StringRef text) {
    return llvm::formatv("{0}", json::Value(text)).str();
  };
  os << "{\"smx_schedules\": " << version << ", \"chip\": " << quoted(chip);
  if (!measured.empty())
    os << ", \"measured\": " << quoted(measured);
  os << ", \"entries\": [";
  llvm::ListSeparator separator(",");
  for (const ScheduleEntry &entry : entries) {
    os << separator << "\n  {\"op\": " << quoted(entry.op)
       << ", \"type\": " << quoted(entry.type)
       << ", \"mask\": " << quoted(entry.mask);
    for (const RangeKey &key : rangeKeys)
      if (const auto &range = entry.*key.range) {
        os << ", \"" << key.key << "\": [" << range->least;
        if (range->most != ExtentRange().most)
          os << ", " << range->most;
        os << "]";
      }
    for (const ChoiceKey &key : getChoiceKeys())
      if (int64_t value = entry.choice.*key.choice)
        os << ", \"" << key.key << "\": " << value;
    if (entry.microseconds)
      os << llvm::formatv(", \"microseconds\": {0:f2}", *entry.microseconds);
    if (entry.modelMicroseconds)
      os << llvm::formatv(", \"model_microseconds\": {0:f2}",
                          *entry.modelMicroseconds);
    os << "}";
  }
  os << "\n]}\n";
}
