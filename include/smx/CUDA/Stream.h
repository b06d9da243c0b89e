//===- Stream.h - order and time of work on a device ------------*- C++ -*-===//
#ifndef SMX_CUDA_STREAM_H
#define SMX_CUDA_STREAM_H

#include "smx/CUDA/Device.h"

namespace smx::cuda {

namespace detail {
struct StreamState;
struct EventState;
} // namespace detail

class Event;

/// A queue of work on one device. Copies share it.
class Stream {
public:
  /// A stream without order to the default stream.
  static llvm::Expected<Stream> create(const Device &device);
  /// A stream that somebody else owns (a CUstream or cudaStream_t of the
  /// device's primary context); null is the default stream.
  static Stream borrow(const Device &device, void *handle);

  const Device &device() const;
  /// The CUstream.
  void *handle() const;
  /// Waits until all work queued so far is done. Faults of kernels show here.
  llvm::Error synchronize() const;
  /// Work queued from now on starts after `event`, which may be of another
  /// device.
  llvm::Error wait(const Event &event) const;

private:
  explicit Stream(std::shared_ptr<detail::StreamState> state)
      : state(std::move(state)) {}
  std::shared_ptr<detail::StreamState> state;
};

/// A point in a stream, with a time stamp. Copies share it.
class Event {
public:
  static llvm::Expected<Event> create(const Device &device);

  const Device &device() const;
  /// Marks the work queued so far on a stream of the same device.
  llvm::Error record(const Stream &stream) const;
  /// Waits until the marked work is done.
  llvm::Error synchronize() const;
  /// Milliseconds from `start` to this event. Both must be recorded; waits for
  /// this one.
  llvm::Expected<float> millisecondsSince(const Event &start) const;

private:
  friend class Stream;
  explicit Event(std::shared_ptr<detail::EventState> state)
      : state(std::move(state)) {}
  std::shared_ptr<detail::EventState> state;
};

} // namespace smx::cuda

#endif // SMX_CUDA_STREAM_H
