//===- KernelCache.h - what is built once and shared ------------*- C++ -*-===//
//
// Kernels of any target, keyed by a string of everything that they depend on.
//
//===----------------------------------------------------------------------===//
#ifndef SMX_RUNTIME_KERNELCACHE_H
#define SMX_RUNTIME_KERNELCACHE_H

#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Support/Error.h"

#include <future>
#include <memory>
#include <mutex>
#include <optional>
#include <string>

namespace smx {

/// Values of a copyable type, which should be cheap to copy. May be used from
/// any number of threads at once.
template <typename Value>
class KernelCache {
public:
  /// The value of `key`; built by `build` if there is none. If several threads
  /// ask for one key at once, one builds and the others wait for it. If the
  /// build fails all of them get its error, and whoever asks later tries again.
  /// `build` must not ask for its own key.
  llvm::Expected<Value> get(llvm::StringRef key,
                            llvm::function_ref<llvm::Expected<Value>()> build) {
    std::shared_ptr<Entry> entry;
    bool isMine = false;
    {
      std::lock_guard<std::mutex> lock(mutex);
      std::shared_ptr<Entry> &place = entries[key];
      isMine = !place;
      if (isMine)
        place = std::make_shared<Entry>();
      entry = place;
    }
    if (isMine)
      fill(key, entry, build);
    const Outcome &outcome = entry->outcome.get();
    if (!outcome.value)
      return llvm::createStringError(outcome.error);
    return *outcome.value;
  }

  /// Forgets everything; values in use stay alive.
  void clear() {
    std::lock_guard<std::mutex> lock(mutex);
    entries.clear();
  }

  /// Keys that are built or being built.
  size_t size() {
    std::lock_guard<std::mutex> lock(mutex);
    return entries.size();
  }

private:
  /// What a build ends with: a value, or why there is none.
  struct Outcome {
    std::optional<Value> value;
    std::string error;
  };
  struct Entry {
    std::promise<Outcome> promise;
    std::shared_future<Outcome> outcome = promise.get_future().share();
  };

  void fill(llvm::StringRef key, const std::shared_ptr<Entry> &entry,
            llvm::function_ref<llvm::Expected<Value>()> build) {
    Outcome outcome;
    llvm::Expected<Value> value = build();
    if (value) {
      outcome.value = std::move(*value);
    } else {
      outcome.error = llvm::toString(value.takeError());
      std::lock_guard<std::mutex> lock(mutex);
      // After clear() the key may be somebody else's already.
      auto place = entries.find(key);
      if (place != entries.end() && place->second == entry)
        entries.erase(place);
    }
    entry->promise.set_value(std::move(outcome));
  }

  std::mutex mutex;
  llvm::StringMap<std::shared_ptr<Entry>> entries;
};

} // namespace smx

#endif // SMX_RUNTIME_KERNELCACHE_H
