//===- KernelFiles.cpp - what later processes need not compile ------------===//

#include "KernelFiles.h"

#include "smx/Bundle/WriteFile.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/CachePruning.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Process.h"
#include "llvm/Support/SHA256.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/Support/xxhash.h"

#include <chrono>
#include <cstring>
#include <link.h>

using namespace smx;
using llvm::createStringError;
using llvm::Error;
using llvm::StringRef;

/// What every file begins with; behind it the hash of all that follows the
/// line, and the size of the JSON text.
static constexpr StringRef magic = "smx kernel ";

//===----------------------------------------------------------------------===//
// The build
//===----------------------------------------------------------------------===//

/// The GNU build id among the notes of a segment; empty if it has none.
static StringRef findBuildId(StringRef notes) {
  auto padded = [](size_t size) { return llvm::alignTo(size, 4); };
  while (notes.size() >= sizeof(ElfW(Nhdr))) {
    ElfW(Nhdr) note;
    std::memcpy(&note, notes.data(), sizeof(note));
    notes = notes.drop_front(sizeof(note));
    const StringRef name = notes.take_front(note.n_namesz),
                    id = notes.drop_front(padded(note.n_namesz))
                             .take_front(note.n_descsz);
    if (note.n_type == NT_GNU_BUILD_ID && name == StringRef("GNU", 4))
      return id;
    notes = notes.drop_front(padded(note.n_namesz))
                .drop_front(padded(note.n_descsz));
  }
  return {};
}

/// The build id of what this code was linked into; empty if the linker was told
/// to make none.
static StringRef buildId() {
  static const std::string found = [] {
    std::string id;
    auto visit = [](dl_phdr_info *object, size_t, void *result) {
      const auto here = reinterpret_cast<uintptr_t>(&buildId);
      llvm::ArrayRef headers(object->dlpi_phdr, object->dlpi_phnum);
      auto start = [&](const ElfW(Phdr) & header) {
        return object->dlpi_addr + header.p_vaddr;
      };
      if (llvm::none_of(headers, [&](const ElfW(Phdr) & header) {
            return header.p_type == PT_LOAD && here >= start(header) &&
                   here - start(header) < header.p_memsz;
          }))
        return 0;
      for (const ElfW(Phdr) & header : headers)
        if (header.p_type == PT_NOTE)
          if (StringRef id = findBuildId(
                  StringRef(reinterpret_cast<const char *>(start(header)),
                            header.p_memsz));
              !id.empty())
            *static_cast<std::string *>(result) = llvm::toHex(id);
      return 1;
    };
    dl_iterate_phdr(visit, &id);
    return id;
  }();
  return found;
}

//===----------------------------------------------------------------------===//
// Files
//===----------------------------------------------------------------------===//

std::string KernelFiles::folderOf(const CompileOptions &options) {
  return options.cacheDir
             ? *options.cacheDir
             : llvm::sys::Process::GetEnv("SMX_CACHE_DIR").value_or("");
}

KernelFiles KernelFiles::open(const CompileOptions &options, StringRef key) {
  std::string folder = folderOf(options);
  KernelFiles files;
  if (folder.empty())
    return files;
  files.shared = std::make_shared<Shared>();
  if (buildId().empty())
    files.report(createStringError(
        "no kernel is kept: this program has no build id, which tells it from "
        "other versions of the compiler; linking it with --build-id would "
        "work"));
  else
    files.shared->folder = std::move(folder);
  files.shared->key = key.str();
  return files;
}

std::string KernelFiles::pathOf(StringRef part) const {
  llvm::SHA256 hash;
  for (StringRef text : {buildId(), part, StringRef(shared->key)}) {
    const uint64_t size = text.size();
    hash.update(
        llvm::ArrayRef(reinterpret_cast<const uint8_t *>(&size), sizeof(size)));
    hash.update(text);
  }
  llvm::SmallString<128> path(shared->folder);
  // llvm::pruneCache looks at no other names.
  llvm::sys::path::append(
      path, "llvmcache-" + llvm::toHex(hash.final(), /*LowerCase=*/true));
  return path.str().str();
}

llvm::Expected<KernelFiles::Entry>
KernelFiles::parse(std::unique_ptr<llvm::MemoryBuffer> file) {
  auto [line, rest] = file->getBuffer().split('\n');
  uint64_t hash = 0;
  size_t size = 0;
  llvm::SmallVector<StringRef, 2> numbers;
  if (line.consume_front(magic))
    line.split(numbers, ' ');
  if (numbers.size() != 2 || numbers[0].getAsInteger(16, hash) ||
      numbers[1].getAsInteger(10, size) || size > rest.size() ||
      hash != llvm::xxh3_64bits(rest))
    return createStringError("the file was cut or changed");
  auto head = llvm::json::parse(rest.take_front(size));
  if (!head)
    return head.takeError();
  return Entry{std::move(*head), {rest.drop_front(size), std::move(file)}};
}

/// True if something else than a file is at `path`. A pipe that was opened
/// would wait for who is at its other end.
static bool isTaken(StringRef path) {
  llvm::sys::fs::file_status status;
  return !llvm::sys::fs::status(path, status) &&
         !llvm::sys::fs::is_regular_file(status);
}

std::optional<KernelFiles::Entry> KernelFiles::read(StringRef part) const {
  if (!shared || shared->folder.empty())
    return std::nullopt;
  const std::string path = pathOf(part);
  // That is said when the kernel is to be kept there.
  if (isTaken(path))
    return std::nullopt;
  // The time of access says what may go.
  auto handle =
      llvm::sys::fs::openNativeFileForRead(path, llvm::sys::fs::OF_UpdateAtime);
  if (!handle) {
    const std::error_code code = llvm::errorToErrorCode(handle.takeError());
    // What is wrong with a folder is said when something is to be kept there.
    if (code != std::errc::no_such_file_or_directory &&
        code != std::errc::not_a_directory)
      report(llvm::createFileError(path, code));
    return std::nullopt;
  }
  auto file = llvm::MemoryBuffer::getOpenFile(*handle, path, /*FileSize=*/-1,
                                              /*RequiresNullTerminator=*/false);
  llvm::sys::fs::closeFile(*handle);
  if (!file) {
    report(llvm::createFileError(path, file.getError()));
    return std::nullopt;
  }
  auto entry = parse(std::move(*file));
  if (entry)
    return std::move(*entry);
  report(llvm::createFileError(path, entry.takeError()));
  llvm::sys::fs::remove(path);
  return std::nullopt;
}

void KernelFiles::keep(StringRef part, const llvm::json::Value &head,
                       StringRef bytes) const {
  if (!shared || shared->folder.empty())
    return;
  std::string content;
  llvm::raw_string_ostream(content) << head;
  const size_t size = content.size();
  content += bytes;
  const std::string line =
      (magic + llvm::utohexstr(llvm::xxh3_64bits(content)) + " " +
       llvm::Twine(size) + "\n")
          .str();
  const std::string &folder = shared->folder;
  const std::string path = pathOf(part);
  if (isTaken(path))
    return report(
        createStringError("a kernel is not kept: '" + path +
                          "' is no regular file; without it, one would be"));
  std::error_code made = llvm::sys::fs::create_directories(folder);
  if (Error error = made ? llvm::createFileError(folder, made)
                         : mlir::smx::writeFile(path, line + content))
    return report(createStringError("a kernel is not kept: " +
                                    llvm::toString(std::move(error))));
  llvm::CachePruningPolicy policy;
  policy.Expiration = std::chrono::hours(30 * 24);
  policy.MaxSizeBytes = uint64_t(1) << 30;
  llvm::pruneCache(folder, policy);
}

void KernelFiles::report(Error error) const {
  const std::string text = llvm::toString(std::move(error));
  std::lock_guard<std::mutex> lock(shared->mutex);
  shared->problems += (shared->problems.empty() ? "" : "\n") + text;
}

std::string KernelFiles::problems() const {
  if (!shared)
    return "";
  std::lock_guard<std::mutex> lock(shared->mutex);
  return shared->problems;
}
