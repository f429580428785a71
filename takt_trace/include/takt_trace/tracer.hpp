// Spans, instants, counters and slices of the program's own code, in the trace beside the
// callbacks.
//
//     takt_trace::Tracer tracer;
//     void on_points(const Points & points)
//     {
//       const auto span = tracer.span("segment");
//       ...
//       tracer.counter("clusters", clusters.size());
//     }
//
// Any thread. A record is five words in the thread's own ring; without a recording nothing is
// written. Real-time safe on threads of executors. On another thread the first record of a
// recording allocates the ring and locks a mutex that is not real-time safe.
#ifndef TAKT_TRACE__TRACER_HPP_
#define TAKT_TRACE__TRACER_HPP_

#include <utility>

#include "takt_rt/time.hpp"

namespace takt_trace
{

/// A text that lives as long as the process. Only literals convert to it, and libraries that link
/// this one must not be unloaded.
class Literal
{
public:
#ifdef __cpp_consteval
  consteval
#else
  constexpr
#endif
    Literal(const char * text)  // NOLINT: literals convert
  : text_(text)
  {
  }
  constexpr const char * text() const noexcept
  {
    return text_;
  }

private:
  const char * text_;
};

namespace detail
{
void begin_span(const char * name) noexcept;
void end_span() noexcept;
void instant(const char * name) noexcept;
void counter(const char * name, double value) noexcept;
void slice(const char * name, takt_rt::Time begin, takt_rt::Time end) noexcept;
}  // namespace detail

/// A span from its construction to its destruction, on one thread.
class Span
{
public:
  explicit Span(Literal name) noexcept { detail::begin_span(name.text()); }
  ~Span() { detail::end_span(); }
  Span(const Span &) = delete;
  Span & operator=(const Span &) = delete;
};

/// Records a program's own events with the thread's other records. Any thread.
class Tracer
{
public:
  /// Begins a span, which ends when the returned object is destroyed.
  [[nodiscard]] Span span(Literal name) const noexcept { return Span(name); }
  /// Records a moment.
  void instant(Literal name) const noexcept { detail::instant(name.text()); }
  /// Records the value of a counter.
  void counter(Literal name, double value) const noexcept { detail::counter(name.text(), value); }
  /// Records a slice that has ended.
  void slice(Literal name, takt_rt::Time begin, takt_rt::Time end) const noexcept
  {
    detail::slice(name.text(), begin, end);
  }
};

}  // namespace takt_trace

#endif  // TAKT_TRACE__TRACER_HPP_
