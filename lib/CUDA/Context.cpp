//===- Context.cpp - calls, and what is known after they fail -------------===//

#include "Context.h"

#include "smx/CUDA/CudaError.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/raw_ostream.h"

#include <algorithm>

using namespace smx::cuda;
using namespace smx::cuda::detail;
using llvm::Error;
using llvm::StringRef;
using llvm::Twine;
using smx::cuda::api::Status;

/// Launches remembered at most; a program that never waits must not grow.
static constexpr size_t maxPending = 64;
/// Kernels named at most in one message.
static constexpr size_t maxNamed = 4;

/// Errors after which the driver refuses everything in this process.
static bool isSticky(Status status) {
  switch (status) {
  case Status::EccUncorrectable:
  case Status::NvlinkUncorrectable:
  case Status::Contained:
  case Status::IllegalAddress:
  case Status::LaunchTimeout:
  case Status::ContextIsDestroyed:
  case Status::Assert:
  case Status::HardwareStackError:
  case Status::IllegalInstruction:
  case Status::MisalignedAddress:
  case Status::InvalidAddressSpace:
  case Status::InvalidPc:
  case Status::LaunchFailed:
  case Status::TensorMemoryLeak:
    return true;
  default:
    return false;
  }
}

Context::~Context() {
  if (pool)
    release([&] { return api().memPoolDestroy(pool); });
  if (handle)
    driver->api.devicePrimaryCtxRelease(driverDevice);
}

Status Context::runCurrent(Body body) {
  Status status = driver->api.ctxPushCurrent(handle);
  if (status != Status::Success)
    return status;
  status = body();
  api::Context popped = nullptr;
  Status popStatus = driver->api.ctxPopCurrent(&popped);
  return status == Status::Success ? popStatus : status;
}

/// "an earlier launch of kernel 'x'", or of one of several.
static std::string describeSuspects(llvm::ArrayRef<StringRef> kernels) {
  if (kernels.empty())
    return "earlier work";
  if (kernels.size() == 1)
    return ("an earlier launch of kernel '" + kernels[0] + "'").str();
  std::string text = "an earlier launch of one of the kernels ";
  size_t named = std::min(kernels.size(), maxNamed);
  llvm::raw_string_ostream os(text);
  llvm::interleaveComma(kernels.take_front(named), os,
                        [&](StringRef kernel) { os << "'" << kernel << "'"; });
  if (kernels.size() > named)
    os << " and " << kernels.size() - named << " more";
  return text;
}

std::string Context::suspects() {
  std::lock_guard<std::mutex> lock(pendingMutex);
  std::vector<StringRef> kernels;
  for (const PendingLaunch &launch : pending)
    if (!llvm::is_contained(kernels, launch.kernel))
      kernels.push_back(launch.kernel);
  return describeSuspects(kernels);
}

std::string Context::noteLoss(Status status) {
  std::string culprit = suspects();
  // Whoever was first knows best.
  driver->noteFailure(device.ordinal,
                      culprit + " failed with " + driver->describe(status));
  isLost = true;
  return culprit;
}

Error Context::call(const Twine &doing, const char *function, Body body,
                    llvm::function_ref<std::string(Status)> hint) {
  // Text is made on the way of failure only.
  auto start = [&] {
    return (doing + " on device " + Twine(device.ordinal) + ": ").str();
  };
  if (isLost)
    return driver->lostError(device.ordinal, start());

  std::string advice;
  // A hint may ask the driver, so it needs the context too.
  Status status = runCurrent([&] {
    Status status = body();
    if (status != Status::Success && hint && !isSticky(status))
      advice = hint(status);
    return status;
  });
  if (status == Status::Success)
    return Error::success();

  std::string text =
      start() + function + " returned " + driver->describe(status) + advice;
  bool sticky = isSticky(status);
  if (sticky)
    text += ", which comes from " + noteLoss(status) +
            lostContextText(device.ordinal);
  return llvm::make_error<CudaError>(static_cast<int>(status), sticky,
                                     std::move(text));
}

void Context::release(Body body) {
  if (isLost)
    return;
  Status status = runCurrent(body);
  if (isSticky(status))
    noteLoss(status);
}

void Context::noteLaunch(api::Stream stream, StringRef kernel) {
  std::lock_guard<std::mutex> lock(pendingMutex);
  for (const PendingLaunch &launch : pending)
    if (launch.stream == stream && launch.kernel == kernel)
      return;
  if (pending.size() == maxPending)
    pending.erase(pending.begin());
  pending.push_back({stream, kernel.str()});
}

void Context::noteSynchronized(api::Stream stream) {
  std::lock_guard<std::mutex> lock(pendingMutex);
  llvm::erase_if(pending, [&](const PendingLaunch &launch) {
    return launch.stream == stream;
  });
}

void Context::noteAllSynchronized() {
  std::lock_guard<std::mutex> lock(pendingMutex);
  pending.clear();
}

Error Context::requireSame(const Context &other, const char *what,
                           const char *otherWhat) const {
  if (this == &other)
    return Error::success();
  return llvm::createStringError(
      Twine("the ") + what + " is on device " + Twine(device.ordinal) +
      " but the " + otherWhat + " is on device " + Twine(other.device.ordinal) +
      "; both must be of one device");
}
