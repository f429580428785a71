// Exercises 2-1 to 2-3: a real-time controller shares data with a thread that is not real-time.
#ifndef TAKT_BENCH__SRC__WORKSHOP__SHARING_HPP_
#define TAKT_BENCH__SRC__WORKSHOP__SHARING_HPP_

#include <cstdint>
#include <memory>
#include <optional>

#include "takt_rt/result.hpp"
#include "workshop/burn.hpp"
#include "workshop/found.hpp"
#include "workshop/pendulum.hpp"
#include "workshop/setting.hpp"

namespace takt_bench::workshop
{

/// The data that the controller and the other thread exchange.
struct Controlled
{
  double desired = 0.0;
  Gains gains{};
  double angle = 0.0;
};

/// A way of sharing between a real-time controller and an ordinary thread.
struct Way
{
  explicit Way(Slice measured) : slice(measured) {}
  virtual ~Way() = default;

  /// The measured call, on the real-time thread.
  virtual void control(Controlled & controlled) = 0;
  /// A turn of the ordinary thread.
  virtual void beside() = 0;
  /// Values that a queue refused; nothing without a queue.
  virtual std::optional<std::uint64_t> dropped() const { return {}; }

  const Slice slice;
};

/// Runs `way` for the time of the setting, both threads on the first core. There a thread of
/// priority 99 decides which slices the host made long. The measured thread's own account does not:
/// a thread that waits for a lock looks there as one that the host stopped. `stalls`: of the way's
/// own work. Beside each slice of the way the log has an empty one. Blocks for the duration.
takt_rt::Result<std::unique_ptr<Found>> share(
  const Setting & setting, StallNotes & stalls, Way & way);

/// The controller of an inverted pendulum at 1 kHz under SCHED_FIFO 80, and a SCHED_OTHER thread
/// that uses the same data, both on the first core. The variants differ in how they share it.
/// Blocks for the duration.
takt_rt::Result<std::unique_ptr<Found>> run_sharing(const Setting & setting);

}  // namespace takt_bench::workshop

#endif  // TAKT_BENCH__SRC__WORKSHOP__SHARING_HPP_
