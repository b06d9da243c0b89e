//===- ScheduleTable.h - schedules that were measured -----------*- C++ -*-===//
//
// A table of what was fastest on one chip, by class of shapes. Where it has a
// line for an op, it decides what a caller leaves to the model.
//
//===----------------------------------------------------------------------===//
#ifndef SMX_PIPELINE_SCHEDULETABLE_H
#define SMX_PIPELINE_SCHEDULETABLE_H

#include "smx/Pipeline/Pipelines.h"

#include "mlir/IR/BuiltinOps.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/raw_ostream.h"

#include <limits>
#include <optional>
#include <string>
#include <vector>

namespace mlir::smx {

/// What schedules are chosen by: an op, as far as its types say it.
struct ShapeClass {
  /// "attention", "softmax", ...
  std::string op;
  /// Type of the first operand's elements, as MLIR spells it.
  std::string type;
  /// The mask, "band"; "none" where there is none.
  std::string mask = "none";
  /// Elements of a query; none where there is no query, or its extent is open.
  std::optional<int64_t> headDim;
  /// Queries, or rows of all batches together; none if open.
  std::optional<int64_t> rows;
  /// Keys, or elements of a row; none if open.
  std::optional<int64_t> stream;
  /// Heads of attention's queries, of all batches together; none if open.
  std::optional<int64_t> heads = std::nullopt;

  friend bool operator==(const ShapeClass &, const ShapeClass &) = default;
};

/// What masks are called: "none", "band", ...
llvm::ArrayRef<llvm::StringRef> getMaskNames();
/// The class of an op of the dialect at stage `naive`.
ShapeClass classOf(Operation *op);
/// Calls `visit` for every op of the dialect that is no part of another one.
void walkOps(ModuleOp module, llvm::function_ref<void(Operation *)> visit);
/// The classes of all ops of the dialect in a module, each once.
std::vector<ShapeClass> classesOf(ModuleOp module);

/// What a table may choose; 0: the model chooses. As in RoadOptions.
struct ScheduleChoice {
  int64_t tileRows = 0, tileStream = 0, splits = 0, warps = 0, depth = 0;

  friend bool operator==(const ScheduleChoice &,
                         const ScheduleChoice &) = default;
};

/// A number of a choice: its key in a table, and the option that it decides.
struct ChoiceKey {
  const char *key;
  int64_t ScheduleChoice::*choice;
  int64_t RoadOptions::*option;
};
/// All of them.
llvm::ArrayRef<ChoiceKey> getChoiceKeys();

/// "tile_rows 64, warps 4"; "the model's" if it chooses nothing.
std::string describe(const ScheduleChoice &choice);
/// Fills in what `options` leaves to the model.
void fillIn(RoadOptions &options, const ScheduleChoice &choice);

/// A range of extents, both ends included.
struct ExtentRange {
  int64_t least = 0, most = std::numeric_limits<int64_t>::max();
};

/// One line of a table.
struct ScheduleEntry {
  std::string op, type, mask;
  /// None: any extent, an open one too.
  std::optional<ExtentRange> headDim, rows, stream, heads;
  ScheduleChoice choice;
  /// Microseconds of this and of the model's choice when it was measured.
  std::optional<double> microseconds, modelMicroseconds;

  bool matches(const ShapeClass &shape) const;
  /// True if this matches whatever `other` matches.
  bool covers(const ScheduleEntry &other) const;
};

class ScheduleTable {
public:
  /// `chip` is that of `chipOf`, `name` what errors call the table.
  ScheduleTable(std::string chip, std::string name)
      : chip(std::move(chip)), name(std::move(name)) {}

  /// Reads a table, JSON as `print` writes it. Errors say which value is wrong:
  /// "expected .. at NAME.entries[2].tile_rows".
  static llvm::Expected<ScheduleTable> parse(llvm::StringRef text,
                                             llvm::StringRef name);
  /// Reads the table in a file.
  static llvm::Expected<ScheduleTable> load(llvm::StringRef path);
  /// Reads what a user of the tools calls a table: a file, or the name of one
  /// that is installed with them, "nvidia-h200".
  static llvm::Expected<ScheduleTable> open(llvm::StringRef pathOrName);
  /// An object with a line for each entry.
  void print(llvm::raw_ostream &os) const;

  /// The first entry for such an op, or null.
  const ScheduleEntry *find(const ShapeClass &shape) const;
  /// Puts an entry in front of the others; those that it leaves nothing to find
  /// for go.
  void add(ScheduleEntry entry);
  /// Takes out the entries that match, for others of their shapes too, so that
  /// the model chooses; says how many there were.
  size_t drop(const ShapeClass &shape);
  /// Fails if the table is of another chip than code for `options` runs on. The
  /// emulator takes that of the chip that it stands for.
  llvm::Error checkChip(const RoadOptions &options) const;

  const std::string &getChip() const { return chip; }
  const std::string &getName() const { return name; }
  /// When, on what and of which commit it was measured, for a reader.
  const std::string &getMeasured() const { return measured; }
  llvm::ArrayRef<ScheduleEntry> getEntries() const { return entries; }

private:
  std::string chip, name, measured;
  std::vector<ScheduleEntry> entries;
};

/// Where installed tables are: in ../share/smx/schedules of the folder of the
/// program that runs.
std::string getInstalledTables();

/// What a table calls the place that code for `options` is measured on: "cpu",
/// a GPU architecture, or "emulator-sm_80", whose times say nothing of a GPU.
std::string chipOf(const RoadOptions &options);

/// The attribute of a module that keeps what a table chose between stages.
inline constexpr llvm::StringLiteral scheduleAttrName = "smx.schedule";

/// Fails if `options.schedules` can decide nothing for a module at stage
/// `from`: a table of another chip, or a module in which the schedule is
/// chosen.
llvm::Error checkSchedules(Stage from, const RoadOptions &options);
/// Looks the ops of `module`, at stage `naive`, up in `options.schedules` and
/// notes on the module what all of them want: `smx.schedule = {tile_rows =
/// 64}`. Where they want different things the model chooses for all; a remark
/// says so.
llvm::Error applyScheduleTable(ModuleOp module, const RoadOptions &options);
/// `options` with what was noted on `module`.
RoadOptions withScheduleOf(ModuleOp module, const RoadOptions &options);

} // namespace mlir::smx

#endif // SMX_PIPELINE_SCHEDULETABLE_H
