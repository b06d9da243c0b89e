//===- Progress.h - a sign of life for long work ----------------*- C++ -*-===//
#ifndef SMX_TOOLS_SOFTMAXRUN_PROGRESS_H
#define SMX_TOOLS_SOFTMAXRUN_PROGRESS_H

#include "llvm/Support/raw_ostream.h"

#include <condition_variable>
#include <mutex>
#include <string>
#include <thread>

namespace smx::run {

/// While it lives, says once a second on stderr what is being done and for how
/// long; nothing if it is over within a second.
class Progress {
public:
  explicit Progress(std::string what)
      : what(std::move(what)), thread([this] { report(); }) {}
  ~Progress() {
    {
      std::lock_guard<std::mutex> lock(mutex);
      isOver = true;
    }
    changed.notify_one();
    thread.join();
  }

private:
  void report() {
    std::unique_lock<std::mutex> lock(mutex);
    int seconds = 0;
    while (!changed.wait_for(lock, std::chrono::seconds(1),
                             [this] { return isOver; }))
      llvm::errs() << "\rsoftmax-run: " << what << ", " << ++seconds << " s";
    if (seconds > 0)
      llvm::errs() << "\n";
  }

  std::string what;
  std::mutex mutex;
  std::condition_variable changed;
  bool isOver = false;
  std::thread thread;
};

} // namespace smx::run

#endif // SMX_TOOLS_SOFTMAXRUN_PROGRESS_H
