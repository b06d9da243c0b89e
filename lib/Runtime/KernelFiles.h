//===- KernelFiles.h - what later processes need not compile ----*- C++ -*-===//
#ifndef SMX_LIB_RUNTIME_KERNELFILES_H
#define SMX_LIB_RUNTIME_KERNELFILES_H

#include "smx/Runtime/Kernel.h"

#include "llvm/Support/JSON.h"
#include "llvm/Support/MemoryBuffer.h"

#include <mutex>

namespace smx {

/// The files of one kernel in a folder that processes share, possibly none at
/// all. A part of a kernel is a file, named by the hash of what it depends on
/// and of the build id of this library (or of the program that it is linked
/// into), so that another compiler finds nothing. A file holds a JSON value and
/// bytes; it appears under its name when it is complete, and one that is not as
/// it was written is made anew. Files that nobody read for a month go, and the
/// oldest ones beyond a GiB (llvm::pruneCache).
///
/// A compilation never fails because of its files: what went wrong is kept for
/// whoever asks. Copies are the same files; any number of threads may use them.
class KernelFiles {
public:
  /// Bytes of a file, as long as this lives.
  struct Content {
    llvm::StringRef bytes;
    std::unique_ptr<llvm::MemoryBuffer> file;
  };

  /// No files.
  KernelFiles() = default;
  /// The folder that is meant; empty for none.
  static std::string folderOf(const CompileOptions &options);
  /// The files of a kernel that depends on `key`, in the folder that `options`
  /// name; no files if they name none.
  static KernelFiles open(const CompileOptions &options, llvm::StringRef key);

  /// Reads a part: its value into `record`, by `fromJSON`. None if there is no
  /// such file, or no longer.
  template <typename Record>
  std::optional<Content> find(llvm::StringRef part, Record &record) const {
    std::optional<Entry> entry = read(part);
    if (!entry)
      return std::nullopt;
    llvm::json::Path::Root root(part);
    if (fromJSON(entry->head, record, root))
      return std::move(entry->content);
    report(root.getError());
    return std::nullopt;
  }
  /// Writes a part.
  void keep(llvm::StringRef part, const llvm::json::Value &head,
            llvm::StringRef bytes) const;

  /// What went wrong so far, one a line.
  std::string problems() const;

private:
  struct Entry {
    llvm::json::Value head = nullptr;
    Content content;
  };
  struct Shared {
    std::string folder, key;
    std::mutex mutex;
    std::string problems;
  };

  static llvm::Expected<Entry> parse(std::unique_ptr<llvm::MemoryBuffer> file);
  std::optional<Entry> read(llvm::StringRef part) const;
  std::string pathOf(llvm::StringRef part) const;
  void report(llvm::Error error) const;

  /// Null if there are no files.
  std::shared_ptr<Shared> shared;
};

} // namespace smx

#endif // SMX_LIB_RUNTIME_KERNELFILES_H
