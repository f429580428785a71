// One event on one thread, as rings store it and trace files hold it.
//
// Five words, so a ring of 16,384 records takes 640 KiB. The meaning of `id`, `a`, `b` and `c`
// depends on the kind. Times are CLOCK_MONOTONIC in nanoseconds.
#ifndef TAKT_TRACE__RECORD_HPP_
#define TAKT_TRACE__RECORD_HPP_

#include <cstdint>

namespace takt_trace
{

/// The kind of an event, and the meaning of the words of its record.
enum class RecordKind : std::uint8_t
{
  /// The user's function starts. id: callback; a: release, 0: none; b: deadline, 0: none; c:
  /// `start_facts`.
  run_start = 1,
  /// id: callback; a: time of the pick; b: CPU time since the pick, with the take, 0: not measured;
  /// c: CPU time of the take, 0: not measured.
  run_end = 2,
  empty_take = 3,  ///< id: callback
  exception = 4,   ///< the user's function threw; its run_end follows. id: callback
                  /// For the run that starts next on the thread. id: callback; a: publisher (fold),
                  /// 0: not known; b: publication sequence number, 0: not known; c: source time of
                  /// the middleware, 0: not known.
  take = 5,
  /// id: topic; a, b, c: as of take. The record's time is before the message went to the
  /// middleware.
  publish = 6,
  /// The run that ends next on the thread ends an activation. id: chain; a: release of its root.
  chain_end = 7,
  span_begin = 8,  ///< id: name
  span_end = 9,    ///< ends the innermost span of the thread
  instant = 10,    ///< id: name
  counter = 11,    ///< id: name; a: the bits of a double
  slice = 12,      ///< recorded after its end. id: name; a: begin; b: end
                   /// For the run that ends next on the thread. id: callback; a: time in which the
                   /// thread waited for a core, from the end of its previous run to the pick, -1:
               /// unknown; b: the same from the pick to the end; c: context switches from the pick
               /// to the end: voluntary ones << 32 | involuntary ones.
  kernel_wait = 13,
  /// For the run that starts next, if a value has changed since the callback's last start. id:
  /// callback; a: waiting messages; b: priority with boost; c: messages overwritten in the history
  /// so far.
  callback_state = 14,
  parked = 15,  ///< id: callback; it could run, but its exclusive group was busy
                /// Recorded after its end. id: core; a: latest possible begin; b: end; c: 0: the
                /// host had the core, 1: the kernel ran threads below the highest priority.
  host_stall = 16
};

inline constexpr std::uint8_t kMostRecordKind = 16;

/// One event. `RecordKind` tells what `id`, `a`, `b` and `c` mean.
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

/// The word `c` of a run_start: skipped periods of a timer, and the core on which the run starts;
/// below 0: unknown.
constexpr std::int64_t start_facts(std::uint32_t skipped, int core) noexcept
{
  return (core < 0 ? std::int64_t{0} : std::int64_t{core} + 1) << 32 | skipped;
}
/// The skipped periods of a run_start's timer.
constexpr std::int64_t skipped_periods(const Record & start) noexcept
{
  return start.c & 0xffffffff;
}
/// -1: unknown, as in files of TAKTTRC1.
constexpr int core_of(const Record & start) noexcept
{
  return static_cast<int>(start.c >> 32 & 0x7fffffff) - 1;
}

}  // namespace takt_trace

#endif  // TAKT_TRACE__RECORD_HPP_
