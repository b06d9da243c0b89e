//===- RoadFlags.h - command-line flags of the road -------------*- C++ -*-===//
//
// The flags that softmax-compile and softmax-run share, and their one spelling.
//
//===----------------------------------------------------------------------===//
#ifndef SMX_TOOLS_ROADFLAGS_H
#define SMX_TOOLS_ROADFLAGS_H

#include "smx/NVVM/Pipeline.h"
#include "smx/Pipeline/ScheduleTable.h"
#include "smx/Pipeline/WideProductsFlag.h"

#include "llvm/Support/CommandLine.h"
#include "llvm/Support/raw_ostream.h"

namespace mlir::smx {

/// Exit codes of the tools.
enum ExitCode { exitSuccess = 0, exitFailure = 1, exitBadUse = 2 };

/// `name`, after taking it from an option of the same name that a library
/// registered.
inline llvm::StringRef claimFlag(llvm::StringRef name) {
  auto &options = llvm::cl::getRegisteredOptions();
  if (auto found = options.find(name); found != options.end())
    found->second->removeArgument();
  return name;
}

/// False after a message, for a flag that counts something and is negative.
template <typename T>
bool isCount(llvm::StringRef tool, const llvm::cl::opt<T> &flag) {
  if (flag.getValue() >= 0)
    return true;
  llvm::errs() << tool << ": --" << flag.ArgStr << "=" << flag.getValue()
               << ": must not be negative\n";
  return false;
}

class RoadFlags {
public:
  explicit RoadFlags(llvm::cl::OptionCategory &category)
      : cat(category), from("from", cat, llvm::cl::value_desc("stage"),
                            llvm::cl::desc("stage that the input is at"),
                            llvm::cl::init("input")),
        tileRows("tile-rows", cat, llvm::cl::value_desc("rows"),
                 llvm::cl::desc("rows (queries) of a tile; 0 = choose"),
                 llvm::cl::init(0)),
        tileStream("tile-stream", cat, llvm::cl::value_desc("elements"),
                   llvm::cl::desc("extent of a tile along the reduced axis "
                                  "(keys); 0 = choose"),
                   llvm::cl::init(0)),
        splits("splits", cat, llvm::cl::value_desc("count"),
               llvm::cl::desc("partial states of a row; 1 = unsplit, 0 = "
                              "choose"),
               llvm::cl::init(0)),
        vectorBits("vector-bits", cat, llvm::cl::value_desc("bits"),
                   llvm::cl::desc("width of a vector register: 128, 256 or "
                                  "512; 0 = ask the host"),
                   llvm::cl::init(0)),
        target("target", cat, llvm::cl::desc("what the code is for:"),
               llvm::cl::values(
                   clEnumValN(Target::Cpu, "cpu", "this machine (default)"),
                   clEnumValN(Target::Cuda, "cuda", "a GPU of NVIDIA's"),
                   clEnumValN(Target::Emulator, "emulator",
                              "kernels for a GPU, run on this machine; slow, "
                              "but watched for races and reads out of "
                              "bounds")),
               llvm::cl::init(Target::Cpu)),
        chip("chip", cat, llvm::cl::value_desc("sm_NN"),
             llvm::cl::desc(
                 "GPU architecture (default: the device's, with its own "
                 "instructions: sm_90a on a Hopper; sm_80 where "
                 "nothing is run)"),
             llvm::cl::init("")),
        warps("warps", cat, llvm::cl::value_desc("count"),
              llvm::cl::desc("warps of a block of threads; 0 = choose"),
              llvm::cl::init(0)),
        depth("depth", cat, llvm::cl::value_desc("stages"),
              llvm::cl::desc("stages of a channel between global and shared "
                             "memory; 0 = choose"),
              llvm::cl::init(0)),
        blocks("blocks", cat, llvm::cl::value_desc("count"),
               llvm::cl::desc("most blocks of a kernel that walk over tiles, "
                              "one on a multiprocessor; 0 = 132, as of an "
                              "H100 or H200"),
               llvm::cl::init(0)),
        alignment("alignment", cat, llvm::cl::value_desc("bytes"),
                  llvm::cl::desc("what pointers and row strides are multiples "
                                 "of; 0 = nothing is known; where something is "
                                 "run, the most that is looked for (0 = 16)"),
                  llvm::cl::init(0)),
        wideProducts("wide-products", cat, llvm::cl::desc(wideProductsText),
                     wideProductsValues(), llvm::cl::init(WideProducts::Fma)),
        scheduleTable(
            "schedule-table", cat, llvm::cl::value_desc("file or name"),
            llvm::cl::desc("schedules that were measured (softmax-run --tune "
                           "writes them), or those that are installed for a "
                           "device, such as nvidia-h200; they decide what is "
                           "left to the model")),
        verifyStages("verify-stages", cat,
                     llvm::cl::desc("check the contract of every stage"),
                     llvm::cl::init(true)) {}

  /// False after a message about a number that its flag can not have.
  bool areNumbersValid(llvm::StringRef tool) const {
    std::optional<RoadOptionFault> fault = findFault(get(/*threads=*/false));
    if (!fault)
      return true;
    llvm::errs() << tool << ": --" << fault->option << "=" << fault->value
                 << ": " << fault->wanted << "\n";
    return false;
  }

  /// False after a message about a chip that nothing can be compiled for,
  /// whatever the target.
  bool isChipValid(llvm::StringRef tool) const {
    if (chip.empty())
      return true;
    llvm::Error error = checkChip(chip);
    if (!error)
      return true;
    llvm::errs() << tool << ": --chip: " << llvm::toString(std::move(error))
                 << "\n";
    return false;
  }

  /// The flags as options; `threads` says whether code for several threads is
  /// wanted.
  RoadOptions get(bool threads) const {
    RoadOptions options = readScheduleFlags(*this);
    options.vectorBits = vectorBits;
    options.threads = threads;
    options.target = target;
    if (!chip.empty())
      options.chip = chip;
    options.schedules = schedules;
    options.verifyStages = verifyStages;
    return options;
  }

  /// Loads the table of schedules, if one is named; false after a message.
  bool loadSchedules(llvm::StringRef tool) {
    if (scheduleTable.empty())
      return true;
    auto table = ScheduleTable::open(scheduleTable);
    if (!table) {
      llvm::errs() << tool << ": --schedule-table: "
                   << llvm::toString(table.takeError()) << "\n";
      return false;
    }
    schedules = std::make_shared<const ScheduleTable>(std::move(*table));
    return true;
  }

  Target getTarget() const { return target; }
  bool namesTarget() const { return target.getNumOccurrences() != 0; }
  bool namesChip() const { return !chip.empty(); }

  /// The stage that the input is at, or none after a message.
  std::optional<Stage> getFrom(llvm::StringRef tool) const {
    return parse(tool, "from", from);
  }

  /// The stage called `name`, or none after a message that lists the names.
  static std::optional<Stage> parse(llvm::StringRef tool, llvm::StringRef flag,
                                    llvm::StringRef name,
                                    llvm::StringRef more = "") {
    std::optional<Stage> stage = parseStage(name);
    if (!stage)
      llvm::errs() << tool << ": --" << flag << "=" << name
                   << ": no such stage; choose one of " << getStageNames()
                   << more << "\n";
    return stage;
  }

private:
  friend RoadOptions smx::readScheduleFlags<RoadFlags>(const RoadFlags &);

  llvm::cl::cat cat;
  llvm::cl::opt<std::string> from;
  llvm::cl::opt<int64_t> tileRows, tileStream, splits, vectorBits;
  llvm::cl::opt<Target> target;
  llvm::cl::opt<std::string> chip;
  llvm::cl::opt<int64_t> warps, depth, blocks, alignment;
  llvm::cl::opt<WideProducts> wideProducts;
  llvm::cl::opt<std::string> scheduleTable;
  llvm::cl::opt<bool> verifyStages;
  std::shared_ptr<const ScheduleTable> schedules;
};

} // namespace mlir::smx

#endif // SMX_TOOLS_ROADFLAGS_H
