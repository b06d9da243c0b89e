//===- Machine.cpp - groups that wait for each other ----------------------===//

#include "Machine.h"

#include "smx/IR/SourcePlace.h"

#include "llvm/ADT/StringExtras.h"

#include <thread>

using namespace mlir;
using namespace mlir::smx;
using namespace mlir::smx::gpuhost;

std::string mlir::smx::gpuhost::placeOf(Operation *op) {
  std::string place = smx::placeOf(op->getLoc());
  return place.empty() ? ("'" + op->getName().getStringRef() + "'").str()
                       : place;
}

std::string mlir::smx::gpuhost::nameWithState(const Group &group) {
  return group.name + (group.hasEnded ? " (has ended)" : "");
}

static int64_t milliseconds() {
  return std::chrono::duration_cast<std::chrono::milliseconds>(
             std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

Machine::Machine(const Options &options)
    : options(options), lastProgress(milliseconds()) {}

void Machine::start(Group &group) {
  group.id = groups.size();
  group.clock.set({group.id, 1});
  group.random.seed(options.jitterSeed * 7919 + group.id + 1);
  groups.push_back(&group);
  ++running;
}

void Machine::standAside(Group &group, unsigned roleGroups) {
  group.runningRoles = roleGroups;
  if (roleGroups != 0)
    --running;
}

void Machine::end(Group &group) {
  group.hasEnded = true;
  // Its place goes to the group that waits for its roles, if this was the last.
  if (!group.parent || --group.parent->runningRoles != 0)
    --running;
  checkDeadlock();
  notify();
}

void Machine::noteProgress() {
  lastProgress.store(milliseconds(), std::memory_order_relaxed);
}

void Machine::jitter(Group &group) {
  if (options.jitterSeed == 0)
    return;
  const unsigned moment = group.random() % 64;
  if (moment < 32)
    std::this_thread::sleep_for(std::chrono::microseconds(4 * moment));
}

llvm::Error Machine::checkProgress(Operation *op) {
  if (isStopped())
    return llvm::createStringError("stopped");
  const int64_t idle =
      milliseconds() - lastProgress.load(std::memory_order_relaxed);
  if (idle <= options.stallLimit.count())
    return llvm::Error::success();
  Lock held = lock();
  return errorAt(op, "goes on, but no tile was touched for " + Twine(idle) +
                         " ms (the limit is " +
                         Twine(options.stallLimit.count()) + " ms)\n" +
                         describeAll());
}

void Machine::failLocked(std::string text) {
  if (!isStopped())
    failure = std::move(text);
  stopped.store(true, std::memory_order_relaxed);
  notify();
}

void Machine::fail(llvm::Error error) {
  Lock held = lock();
  failLocked(llvm::toString(std::move(error)));
}

llvm::Error Machine::takeFailure() {
  if (!isStopped())
    return llvm::Error::success();
  return llvm::createStringError(failure);
}

//===----------------------------------------------------------------------===//
// Waiting
//===----------------------------------------------------------------------===//

llvm::Error Machine::wait(Lock &lock, Group &group, const Waiting &waiting) {
  if (!isStopped() && waiting.isOver())
    return llvm::Error::success();
  group.waiting = &waiting;
  ++blocked;
  checkDeadlock();
  while (!isStopped() && !waiting.isOver()) {
    changed.wait_for(lock, options.stallLimit);
    const int64_t idle =
        milliseconds() - lastProgress.load(std::memory_order_relaxed);
    if (!isStopped() && !waiting.isOver() && idle > options.stallLimit.count())
      failLocked("nothing has happened for " + std::to_string(idle) +
                 " ms (the limit is " +
                 std::to_string(options.stallLimit.count()) + " ms)\n" +
                 describeAll());
  }
  --blocked;
  group.waiting = nullptr;
  if (isStopped())
    return llvm::createStringError("stopped");
  return llvm::Error::success();
}

void Machine::checkDeadlock() {
  if (isStopped() || blocked == 0 || blocked < running)
    return;
  // Some may only not have noticed yet that they can go on.
  for (const Group *group : groups)
    if (group->waiting && group->waiting->isOver())
      return;
  failLocked("deadlock: no group can go on\n" + describeAll());
}

std::string Machine::describeAll() const {
  std::string text;
  llvm::raw_string_ostream os(text);
  for (const Group *group : groups) {
    if (group->waiting)
      os << "  " << group->name << " waits at " << placeOf(group->waiting->op)
         << " ('" << group->waiting->op->getName() << "') for "
         << group->waiting->describe() << "\n";
    else if (group->hasEnded)
      os << "  " << group->name << " has ended\n";
    else
      os << "  " << group->name
         << (group->runningRoles != 0 ? " waits for its roles\n"
                                      : " goes on\n");
  }
  if (describeChannels)
    os << describeChannels();
  // Whoever prints an error ends its line.
  text.pop_back();
  return text;
}

llvm::Error Machine::meet(Group &group, Operation *op, Rendezvous &rendezvous,
                          llvm::function_ref<llvm::Error()> arrive,
                          llvm::function_ref<llvm::Error()> combine) {
  jitter(group);
  Lock held = lock();
  const uint64_t round = rendezvous.round;
  if (arrive)
    if (llvm::Error error = arrive())
      return error;
  const bool isLast =
      rendezvous.arrived.size() + 1 == rendezvous.expected.size();
  if (isLast && combine)
    if (llvm::Error error = combine())
      return error;
  rendezvous.arrived.push_back(&group);
  group.publish(rendezvous.gathering);
  if (isLast) {
    rendezvous.arrived.clear();
    rendezvous.released = rendezvous.gathering;
    ++rendezvous.round;
    noteProgress();
    notify();
  }
  auto describe = [&] {
    SmallVector<std::string> missing;
    for (const Group *other : rendezvous.expected)
      if (!llvm::is_contained(rendezvous.arrived, other))
        missing.push_back(nameWithState(*other));
    return "the others to arrive: " + llvm::join(missing, ", ");
  };
  Waiting waiting{op, [&] { return rendezvous.round != round; }, describe};
  if (llvm::Error error = wait(held, group, waiting))
    return error;
  group.clock.join(rendezvous.released);
  ++group.meetings;
  return llvm::Error::success();
}
