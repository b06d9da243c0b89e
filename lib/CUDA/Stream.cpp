//===- Stream.cpp - streams and events ------------------------------------===//

#include "smx/CUDA/Stream.h"

#include "StreamState.h"

using namespace smx::cuda;
using namespace smx::cuda::detail;
using llvm::Error;
using llvm::Expected;

StreamState::~StreamState() {
  Context &context = *device.context();
  if (isOwned)
    context.release([&] { return context.api().streamDestroy(handle); });
}

EventState::~EventState() {
  Context &context = *device.context();
  if (handle)
    context.release([&] { return context.api().eventDestroy(handle); });
}

Expected<Stream> Stream::create(const Device &device) {
  auto state = std::make_shared<StreamState>(device);
  Context &context = *device.context();
  if (Error error =
          context.call("can not make a stream", "cuStreamCreate", [&] {
            return context.api().streamCreate(&state->handle,
                                              api::streamNonBlocking);
          }))
    return error;
  state->isOwned = true;
  return Stream(std::move(state));
}

Stream Stream::borrow(const Device &device, void *handle) {
  auto state = std::make_shared<StreamState>(device);
  state->handle = static_cast<api::Stream>(handle);
  return Stream(std::move(state));
}

const Device &Stream::device() const { return state->device; }

void *Stream::handle() const { return state->handle; }

Error Stream::synchronize() const {
  Context &context = *state->device.context();
  if (Error error =
          context.call("can not wait for a stream", "cuStreamSynchronize", [&] {
            return context.api().streamSynchronize(state->handle);
          }))
    return error;
  context.noteSynchronized(state->handle);
  return Error::success();
}

Error Stream::wait(const Event &event) const {
  Context &context = *state->device.context();
  return context.call(
      "can not make a stream wait for an event", "cuStreamWaitEvent", [&] {
        return context.api().streamWaitEvent(state->handle, event.state->handle,
                                             /*flags=*/0);
      });
}

Expected<Event> Event::create(const Device &device) {
  auto state = std::make_shared<EventState>(device);
  Context &context = *device.context();
  if (Error error = context.call("can not make an event", "cuEventCreate", [&] {
        return context.api().eventCreate(&state->handle, /*flags=*/0);
      }))
    return error;
  return Event(std::move(state));
}

const Device &Event::device() const { return state->device; }

Error Event::record(const Stream &stream) const {
  Context &context = *state->device.context();
  if (Error error =
          stream.device().context()->requireSame(context, "stream", "event"))
    return error;
  return context.call("can not record an event", "cuEventRecord", [&] {
    return context.api().eventRecord(state->handle,
                                     static_cast<api::Stream>(stream.handle()));
  });
}

Error Event::synchronize() const {
  Context &context = *state->device.context();
  return context.call("can not wait for an event", "cuEventSynchronize", [&] {
    return context.api().eventSynchronize(state->handle);
  });
}

Expected<float> Event::millisecondsSince(const Event &start) const {
  Context &context = *state->device.context();
  if (Error error = start.device().context()->requireSame(
          context, "first event", "second event"))
    return error;
  if (Error error = synchronize())
    return error;
  float milliseconds = 0;
  if (Error error = context.call("can not take the time between two events",
                                 "cuEventElapsedTime", [&] {
                                   return context.api().eventElapsedTime(
                                       &milliseconds, start.state->handle,
                                       state->handle);
                                 }))
    return error;
  return milliseconds;
}
