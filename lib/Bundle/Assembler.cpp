//===- Assembler.cpp - ptxas, found and run -------------------------------===//

#include "smx/Bundle/Assembler.h"
#include "smx/Bundle/WriteFile.h"

#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FileUtilities.h"
#include "llvm/Support/GlobPattern.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Program.h"
#include "llvm/Support/Regex.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir::smx;
using llvm::createStringError;
using llvm::Expected;
using llvm::StringRef;
using llvm::Twine;
namespace fs = llvm::sys::fs;
namespace path = llvm::sys::path;

//===----------------------------------------------------------------------===//
// Finding
//===----------------------------------------------------------------------===//

/// Where the CUDA toolkit and the packages of PyPI (CUDA 13, CUDA 12, Triton's
/// own) put it; the latter from the folder of the interpreter.
static constexpr llvm::StringLiteral toolkits[] = {
    "/usr/local/cuda/bin", "/usr/local/cuda-*/bin", "/opt/cuda/bin"};
static constexpr llvm::StringLiteral packages[] = {
    "../lib/python3.*/site-packages/nvidia/cu*/bin",
    "../lib/python3.*/site-packages/triton/backends/nvidia/bin"};

/// The folders that match `pattern`, whose components may have wildcards; the
/// highest name, which is the newest version, first.
static std::vector<std::string> matchFolders(StringRef pattern) {
  std::vector<std::string> found = {""};
  for (StringRef component :
       llvm::make_range(path::begin(pattern), path::end(pattern))) {
    std::vector<std::string> next;
    for (StringRef folder : found) {
      if (!component.contains('*')) {
        llvm::SmallString<128> child(folder);
        path::append(child, component);
        next.push_back(child.str().str());
        continue;
      }
      auto glob = llvm::cantFail(llvm::GlobPattern::create(component));
      std::error_code end;
      for (fs::directory_iterator it(folder, end), last; !end && it != last;
           it.increment(end))
        if (glob.match(path::filename(it->path())))
          next.push_back(it->path());
    }
    found = std::move(next);
  }
  llvm::sort(found, std::greater<>());
  return found;
}

Expected<Assembler> Assembler::find(StringRef wanted, StringRef argv0) {
  if (!wanted.empty()) {
    auto program = llvm::sys::findProgramByName(wanted);
    if (program && fs::can_execute(*program))
      return Assembler(*program);
    return createStringError("no assembler: '" + wanted + "' is not a program");
  }
  std::vector<std::string> places;
  std::string program =
      fs::getMainExecutable(argv0.str().c_str(), /*MainExecAddr=*/nullptr);
  places.push_back(path::parent_path(program).str());
  auto look = [](llvm::ArrayRef<std::string> patterns) -> std::string {
    for (const std::string &pattern : patterns)
      for (const std::string &folder : matchFolders(pattern))
        if (auto found = llvm::sys::findProgramByName("ptxas", {folder}))
          return *found;
    return "";
  };
  if (std::string found = look(places); !found.empty())
    return Assembler(found);
  if (auto found = llvm::sys::findProgramByName("ptxas"))
    return Assembler(*found);
  std::vector<std::string> others(std::begin(toolkits), std::end(toolkits));
  if (auto python = llvm::sys::findProgramByName("python3"))
    for (StringRef package : packages)
      others.push_back((path::parent_path(*python) + "/" + package).str());
  if (std::string found = look(others); !found.empty())
    return Assembler(found);
  places.push_back("the folders on PATH");
  places.insert(places.end(), others.begin(), others.end());
  return createStringError(
      "no ptxas found: looked in " + llvm::join(places, ", ") +
      "; install the CUDA toolkit or the Python package nvidia-cuda-nvcc, name "
      "the program by --ptxas, or use --emit=ptx, which the driver assembles "
      "itself");
}

//===----------------------------------------------------------------------===//
// Running
//===----------------------------------------------------------------------===//

Assembly mlir::smx::parseAssemblerLog(StringRef log) {
  static const llvm::Regex function("Compiling entry function '([^']+)'");
  static const llvm::Regex frame("([0-9]+) bytes stack frame, ([0-9]+) bytes "
                                 "spill stores, ([0-9]+) bytes spill loads");
  static const llvm::Regex used("Used ([0-9]+) registers");
  static const llvm::Regex notice("\\(C75[0-9][0-9]\\)");
  Assembly assembly;
  auto number = [](StringRef digits) {
    int64_t value = 0;
    digits.getAsInteger(10, value);
    return value;
  };
  llvm::SmallVector<StringRef> lines, match;
  log.split(lines, '\n', /*MaxSplit=*/-1, /*KeepEmpty=*/false);
  for (StringRef line : lines) {
    if (notice.match(line))
      assembly.notices.push_back(line.substr(line.find("(C75")).rtrim().str());
    if (function.match(line, &match))
      assembly.kernels.push_back({match[1].str()});
    if (assembly.kernels.empty())
      continue;
    KernelUsage &kernel = assembly.kernels.back();
    // A function that the kernel calls has a frame of its own.
    if (frame.match(line, &match)) {
      kernel.stackBytes += number(match[1]);
      kernel.spillStoreBytes += number(match[2]);
      kernel.spillLoadBytes += number(match[3]);
    }
    if (used.match(line, &match))
      kernel.registers = std::max(kernel.registers, number(match[1]));
  }
  return assembly;
}

/// A temporary file that goes away with its holder. (A copy of a holder takes
/// the file along.)
static llvm::Error makeTemporary(StringRef suffix, std::string &name,
                                 llvm::FileRemover &holder) {
  llvm::SmallString<128> model;
  if (std::error_code code = fs::createTemporaryFile("smx", suffix, model))
    return createStringError(code, "can not make a temporary file: " +
                                       code.message());
  name = model.str().str();
  holder.setFile(name);
  return llvm::Error::success();
}

static Expected<std::string> readFile(StringRef name) {
  auto buffer = llvm::MemoryBuffer::getFile(name);
  if (std::error_code code = buffer.getError())
    return createStringError(code,
                             "can not read '" + name + "': " + code.message());
  return (*buffer)->getBuffer().str();
}

Expected<Assembly> Assembler::assemble(StringRef ptx, StringRef chip) const {
  std::string input, output, logName;
  llvm::FileRemover holders[3];
  if (llvm::Error error = makeTemporary("ptx", input, holders[0]))
    return std::move(error);
  if (llvm::Error error = makeTemporary("cubin", output, holders[1]))
    return std::move(error);
  if (llvm::Error error = makeTemporary("log", logName, holders[2]))
    return std::move(error);
  if (llvm::Error error = writeFile(input, ptx))
    return std::move(error);
  std::string arch = ("-arch=" + chip).str(), message;
  StringRef logRef = logName;
  int status = llvm::sys::ExecuteAndWait(
      path, {path, "-v", arch, input, "-o", output}, /*Env=*/std::nullopt,
      {std::nullopt, logRef, logRef}, /*SecondsToWait=*/0, /*MemoryLimit=*/0,
      &message);
  Expected<std::string> log = readFile(logName);
  if (!log)
    return log.takeError();
  if (status != 0)
    return createStringError("'" + path + "' fails on the PTX for " + chip +
                             ": " +
                             (!message.empty() ? message
                              : !StringRef(*log).trim().empty()
                                  ? StringRef(*log).trim().str()
                                  : "it exits with " + std::to_string(status) +
                                        " and says nothing"));
  Expected<std::string> cubin = readFile(output);
  if (!cubin)
    return cubin.takeError();
  if (cubin->empty())
    return createStringError("'" + path + "' succeeds on the PTX for " + chip +
                             ", but writes nothing to the file that -o names; "
                             "ptxas of the CUDA toolkit would work");
  Assembly assembly = parseAssemblerLog(*log);
  assembly.cubin = std::move(*cubin);
  return assembly;
}
