#include "takt_trace/recording.hpp"

#include "recording/recorder.hpp"
#include "takt_rt/time.hpp"
#include "takt_trace/tracer.hpp"

namespace takt_trace
{
namespace
{

std::int64_t now_ns() noexcept
{
  return takt_rt::to_ns(takt_rt::now());
}

void record_named(RecordKind kind, const char * name, std::int64_t a, std::int64_t b) noexcept
{
  if (recording()) {
    detail::record({now_ns(), kind, 0, a, b, reinterpret_cast<std::intptr_t>(name)});
  }
}

}  // namespace

bool recording() noexcept
{
  return detail::Recorder::instance().on();
}

std::uint32_t topic_id(std::string_view topic)
{
  return detail::Recorder::instance().topics().id(topic);
}

void record_publish(std::uint32_t topic, const takt_core::MessageKey & message) noexcept
{
  if (recording()) {
    detail::record(
      {now_ns(), RecordKind::publish, topic,
       fold(message.publisher.data(), message.publisher.size()),
       static_cast<std::int64_t>(message.sequence), message.source_time});
  }
}

void record_take(const takt_core::MessageKey & message) noexcept
{
  if (recording()) {
    detail::record(
      {now_ns(), RecordKind::take, UINT32_MAX,
       fold(message.publisher.data(), message.publisher.size()),
       static_cast<std::int64_t>(message.sequence), message.source_time});
  }
}

takt_rt::Result<RecordingStart> start_recording(const RecordingOptions & options)
{
  return detail::Recorder::instance().start(options);
}

takt_rt::Result<RecordingFile> stop_recording()
{
  return detail::Recorder::instance().stop();
}

takt_rt::Result<RecordingFile> snapshot_recording()
{
  return detail::Recorder::instance().snapshot();
}

namespace detail
{

void begin_span(const char * name) noexcept
{
  record_named(RecordKind::span_begin, name, 0, 0);
}

void end_span() noexcept
{
  if (recording()) {
    record({now_ns(), RecordKind::span_end, 0, 0, 0, 0});
  }
}

void instant(const char * name) noexcept
{
  record_named(RecordKind::instant, name, 0, 0);
}

void counter(const char * name, double value) noexcept
{
  record_named(RecordKind::counter, name, std::bit_cast<std::int64_t>(value), 0);
}

void slice(const char * name, takt_rt::Time begin, takt_rt::Time end) noexcept
{
  record_named(RecordKind::slice, name, takt_rt::to_ns(begin), takt_rt::to_ns(end));
}

}  // namespace detail

}  // namespace takt_trace
