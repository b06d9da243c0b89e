//===- Alternatives.cpp - the nearest thing that works --------------------===//
//
// Every change is tried: the passes say whether it helps.
//
//===----------------------------------------------------------------------===//

#include "SupportQuestion.h"

#include "smx/Pipeline/ScheduleTable.h"

#include "llvm/ADT/StringSwitch.h"

#include <algorithm>
#include <map>

using namespace smx;
using mlir::smx::RoadOptions;
using mlir::smx::Target;
using mlir::smx::WideProducts;

namespace {
/// Another question, near the one that was asked.
struct Change {
  std::string text;
  SupportQuestion question;
};
} // namespace

/// What the caller chose goes back to the model.
static void addWithoutChoices(const SupportQuestion &asked,
                              std::vector<Change> &changes) {
  auto addWithout = [&](std::string flag, int64_t RoadOptions::*option) {
    int64_t value = asked.options.road.*option;
    if (value == 0)
      return;
    Change change{"without --" + flag + "=" + std::to_string(value), asked};
    change.question.options.road.*option = 0;
    changes.push_back(std::move(change));
  };
  for (const mlir::smx::ChoiceKey &choice : mlir::smx::getChoiceKeys()) {
    std::string flag = choice.key;
    std::replace(flag.begin(), flag.end(), '_', '-');
    addWithout(flag, choice.option);
  }
  addWithout("vector-bits", &RoadOptions::vectorBits);
  if (asked.options.road.schedules) {
    Change change{"without --schedule-table", asked};
    change.question.options.road.schedules = nullptr;
    changes.push_back(std::move(change));
  }
}

static void addTarget(const SupportQuestion &asked, Target target,
                      const std::string &chip, const std::string &text,
                      std::vector<Change> &changes) {
  Change change{text, asked};
  change.question.options.road.target = target;
  change.question.options.road.chip = chip;
  changes.push_back(std::move(change));
}

/// Each type that is an argument's becomes one of nearly as many bits. Of one
/// that helps, others of that type's place need not be tried.
static std::vector<std::vector<Change>>
typeChanges(const SupportQuestion &asked,
            llvm::ArrayRef<ElementTypeName> types) {
  constexpr std::pair<const char *, unsigned> common[] = {
      {"f16", 16}, {"bf16", 16}, {"f32", 32}, {"f64", 64}};
  std::vector<std::vector<Change>> all;
  for (const ElementTypeName &from : types) {
    std::multimap<unsigned, const char *> near;
    for (auto [to, bits] : common)
      near.emplace(std::max(bits, from.bits) - std::min(bits, from.bits), to);
    std::vector<Change> changes;
    for (auto [distance, to] : near) {
      if (from.name == to)
        continue;
      Change change{std::string(to) + " instead of " + from.name, asked};
      change.question.types.emplace_back(from.name, to);
      changes.push_back(std::move(change));
    }
    all.push_back(std::move(changes));
  }
  return all;
}

/// Units that multiply matrices, the slow ones first.
static int rankOf(llvm::StringRef products) {
  return llvm::StringSwitch<int>(products)
      .Case("fma", 1)
      .Cases({"mma.sync", "mma"}, 2)
      .Cases({"wgmma", "mma_async"}, 3)
      .Default(0);
}

namespace {
/// The op whose products are the slowest.
struct SlowestOp {
  /// The rank of its unit, and whether somebody else fetches what it
  /// multiplies.
  std::pair<int, bool> rank;
  std::string schedule;
};
} // namespace

static std::optional<SlowestOp> findSlowest(const Support &support) {
  std::optional<SlowestOp> slowest;
  for (const OpSupport &op : support.ops)
    for (const KernelFacts &kernel : op.kernels) {
      std::pair rank(rankOf(kernel.products), !kernel.roles.empty());
      if (!kernel.products.empty() && (!slowest || rank < slowest->rank))
        slowest = SlowestOp{rank, op.schedule()};
    }
  return slowest;
}

static std::optional<Alternative> tryToCompile(const Change &change) {
  auto found = answer(change.question);
  if (!found) {
    // The changed question may be none; that is no fault of the caller's.
    llvm::consumeError(found.takeError());
    return std::nullopt;
  }
  if (!found->support.compiles)
    return std::nullopt;
  return Alternative{change.text, "compiles"};
}

static std::optional<Alternative> tryToBeFaster(const Change &change,
                                                const SlowestOp &slowest) {
  auto found = answer(change.question);
  if (!found) {
    llvm::consumeError(found.takeError());
    return std::nullopt;
  }
  std::optional<SlowestOp> other = findSlowest(found->support);
  if (!found->support.compiles || !other || other->rank <= slowest.rank)
    return std::nullopt;
  return Alternative{change.text,
                     other->schedule + " instead of " + slowest.schedule};
}

static std::vector<Alternative> whatCompiles(const SupportQuestion &asked,
                                             const Answer &given) {
  std::vector<Change> changes;
  addWithoutChoices(asked, changes);
  const RoadOptions &road = asked.options.road;
  const char *portable = "sm_80";
  if (road.target == Target::Cpu) {
    addTarget(asked, Target::Cuda, portable, "--target=cuda --chip=sm_80",
              changes);
  } else {
    if (road.chip != portable)
      addTarget(asked, road.target, portable, "--chip=sm_80", changes);
    addTarget(asked, Target::Cpu, road.chip, "--target=cpu", changes);
  }
  std::vector<Alternative> found;
  for (const Change &change : changes)
    if (auto alternative = tryToCompile(change))
      found.push_back(std::move(*alternative));
  for (const auto &group : typeChanges(asked, given.types))
    for (const Change &change : group)
      if (auto alternative = tryToCompile(change)) {
        found.push_back(std::move(*alternative));
        break;
      }
  return found;
}

static std::vector<Alternative> whatIsFaster(const SupportQuestion &asked,
                                             const Answer &given) {
  std::optional<SlowestOp> slowest = findSlowest(given.support);
  const RoadOptions &road = asked.options.road;
  if (!slowest)
    return {};
  std::vector<Change> changes;
  addWithoutChoices(asked, changes);
  constexpr int64_t widestAlignment = 16;
  if (given.support.alignment < widestAlignment) {
    Change change{"rows at multiples of 16 bytes (--alignment=16)", asked};
    change.question.alignment = AlignmentIs::Known;
    change.question.options.road.alignment = widestAlignment;
    changes.push_back(std::move(change));
  }
  if (road.wideProducts != WideProducts::MatrixUnit) {
    Change change{"--wide-products=matrix-unit", asked};
    change.question.options.road.wideProducts = WideProducts::MatrixUnit;
    changes.push_back(std::move(change));
  }
  if (road.chip == "sm_90")
    addTarget(asked, road.target, "sm_90a", "--chip=sm_90a", changes);
  std::vector<Alternative> found;
  for (const Change &change : changes)
    if (auto alternative = tryToBeFaster(change, *slowest))
      found.push_back(std::move(*alternative));
  return found;
}

std::vector<Alternative> smx::findAlternatives(const SupportQuestion &question,
                                               const Answer &given) {
  return given.support.compiles ? whatIsFaster(question, given)
                                : whatCompiles(question, given);
}
