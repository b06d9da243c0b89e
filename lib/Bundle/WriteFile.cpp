//===- WriteFile.cpp - a whole file or none -------------------------------===//

#include "smx/Bundle/WriteFile.h"

#include "llvm/ADT/SmallString.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FileUtilities.h"
#include "llvm/Support/raw_ostream.h"

using llvm::StringRef;

/// What went wrong so far. It does not stay in the stream: one that goes with
/// an error ends the process.
static std::error_code takeError(llvm::raw_fd_ostream &os) {
  const std::error_code code = os.error();
  os.clear_error();
  return code;
}

static std::error_code writeInPlace(StringRef path, StringRef text) {
  std::error_code code;
  llvm::raw_fd_ostream os(path, code);
  if (code)
    return code;
  os << text;
  os.close();
  return takeError(os);
}

/// Writes to a file beside `path`, which takes its place.
static std::error_code replaceFile(StringRef path, StringRef text,
                                   llvm::sys::fs::perms mode) {
  int descriptor = -1;
  llvm::SmallString<128> name;
  if (std::error_code code = llvm::sys::fs::createUniqueFile(
          path + ".tmp-%%%%%%", descriptor, name, llvm::sys::fs::OF_None, mode))
    return code;
  llvm::FileRemover remover(name);
  llvm::raw_fd_ostream os(descriptor, /*shouldClose=*/true);
  os << text;
  os.close();
  if (std::error_code code = takeError(os))
    return code;
  if (std::error_code code = llvm::sys::fs::rename(name, path))
    return code;
  remover.releaseFile();
  return std::error_code();
}

static std::error_code write(StringRef path, StringRef text) {
  namespace fs = llvm::sys::fs;
  if (path == "-") {
    llvm::outs() << text;
    llvm::outs().flush();
    return takeError(llvm::outs());
  }
  fs::file_status status;
  fs::perms mode = fs::all_read | fs::all_write;
  // An error is said by what writes; most often there is no such file yet.
  if (!fs::status(path, status, /*follow=*/false)) {
    // A file would take the place of a device, a pipe or a link.
    if (!fs::is_regular_file(status))
      return writeInPlace(path, text);
    // Renaming asks the folder, not the file.
    if (std::error_code code = fs::access(path, fs::AccessMode::Write))
      return code;
    mode = status.permissions();
  }
  // What createUniqueFile takes for a digit of its own.
  if (path.contains('%'))
    return writeInPlace(path, text);
  return replaceFile(path, text, mode);
}

llvm::Error mlir::smx::writeFile(StringRef path, StringRef text) {
  std::error_code code = write(path, text);
  if (!code)
    return llvm::Error::success();
  return llvm::createStringError(
      code, "can not write " +
                (path == "-" ? "the standard output" : "'" + path.str() + "'") +
                ": " + code.message());
}
