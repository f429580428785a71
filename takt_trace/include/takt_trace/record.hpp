// One thing that happened on one thread: what rings hold and trace files carry.
//
// Five words, so that a ring of 16,384 takes 640 KiB. What `id`, `a`, `b` and `c` are depends on the kind. Times are
// CLOCK_MONOTONIC in nanoseconds.
#ifndef TAKT_TRACE__RECORD_HPP_
#define TAKT_TRACE__RECORD_HPP_

#include <cstdint>

namespace takt_trace
{

enum class RecordKind : std::uint8_t
{
  run_start =
    1,  ///< of the user's function. id: callback; a: release, 0: none; b: deadline, 0: none; c: periods skipped
  run_end =
    2,  ///< id: callback; a: when it was picked; b: CPU time from there, with the take, 0: not measured
  empty_take = 3,  ///< id: callback
  exception = 4,   ///< of the user's function, before its run_end. id: callback
  take =
    5,  ///< for the run that starts next on the thread. id: callback; a: publisher (fold), 0: not known;
  ///< b: publication sequence number, 0: not known; c: source time of the middleware, 0: not known
  publish =
    6,  ///< id: topic; a, b, c: as of take; the record's time is before the message went to the middleware
  chain_end =
    7,  ///< an activation ended with the run that ends next on the thread. id: chain; a: release of its root
  span_begin = 8,  ///< id: name
  span_end = 9,    ///< of the innermost span of the thread
  instant = 10,    ///< id: name
  counter = 11,    ///< id: name; a: the bits of a double
  slice = 12       ///< told when it was over. id: name; a: begin; b: end
};

inline constexpr std::uint8_t kMostRecordKind = 12;

struct Record
{
  std::int64_t time = 0;
  RecordKind kind = RecordKind::instant;
  std::uint32_t id = 0;
  std::int64_t a = 0;
  std::int64_t b = 0;
  std::int64_t c = 0;

  friend bool operator==(const Record &, const Record &) = default;
};

}  // namespace takt_trace

#endif  // TAKT_TRACE__RECORD_HPP_
