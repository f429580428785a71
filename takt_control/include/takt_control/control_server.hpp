// The control socket of this process: `takt status`, `takt apply`, `takt set` and `takt reset` reach its executors
// through it, and alarms reach those who watch.
//
// One Unix socket, `<pid>.sock` in the folder that `runtime_folder` names. The kernel's credentials of a client decide:
// only the user of this process and root are served. One thread of SCHED_OTHER serves all clients; clients, messages
// and answers are bounded, and a client that sends half a message or takes no answer is dropped.
#ifndef TAKT_CONTROL__CONTROL_SERVER_HPP_
#define TAKT_CONTROL__CONTROL_SERVER_HPP_

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "takt_control/frame.hpp"
#include "takt_core/executor.hpp"
#include "takt_rt/result.hpp"
#include "takt_schedule/applied_part.hpp"
#include "takt_schedule/apply_schedule.hpp"
#include "takt_schedule/schedule.hpp"

namespace takt_control
{

/// TAKT_RUNTIME_DIR, else `takt` in XDG_RUNTIME_DIR, else /tmp/takt-<uid>.
std::string runtime_folder();

/// What an executor is to others, besides what it tells itself.
struct ExposedExecutor
{
  takt_core::Executor * executor = nullptr;  ///< lives longer than the exposure
  std::string name;                          ///< in schedules; its own name where none rules
  std::string schedule_file;                 ///< empty: none rules
  std::vector<std::string> default_threads;
  std::string applied_file{};  ///< the latest one that was applied since; empty: none
  /// What the program makes of a schedule for this executor before it follows it; empty: nothing.
  std::function<void(takt_schedule::ExecutorSchedule &)> adapt{};
  takt_schedule::PlaceUnruled
    place{};  ///< where the program's adapter puts callbacks without a rule
  /// Whether the program did not write the callback for itself, so that it goes where those of its group go; empty:
  /// there are none.
  std::function<bool(const takt_core::Callback &)> goes_with_group{};
  /// What the executor itself does not know of a schedule: how it is watched. Called after the executors and threads of
  /// the process have the schedule; cannot fail. With `check_only` it only tells what would become of it. Empty: nothing.
  std::function<std::vector<takt_schedule::AppliedPart>(
    const takt_schedule::Schedule &, bool check_only)>
    watch{};
  /// Takes back all that `watch` did; false: nothing. Empty: nothing.
  std::function<bool()> watch_as_before{};
};

/// An executor is told of and can be changed as long as this lives; its destruction waits for a request in progress.
class Exposure
{
public:
  virtual ~Exposure() = default;
};

/// The first one of a process makes the socket and its thread; they end with the last one. TAKT_CONTROL=none: no
/// socket. Faults: why there is no socket; the executor is none the worse for it. Set-up only; any thread.
takt_rt::Result<std::unique_ptr<Exposure>> expose(ExposedExecutor executor);

/// Tells of a thread of this process that is no executor's, as long as it lives: what it had before it asked, what it
/// asked for, and what it got. `takt status` shows it, and `takt apply` changes it. As `expose`, but the socket stays
/// until the process ends.
takt_rt::Status expose_thread(
  pid_t tid, const takt_rt::ThreadAttributes & had, const takt_rt::AttributeReport & report);

/// Answers a request that other libraries of the process know: JSON in, JSON out, or faults. On the thread that serves
/// the socket, one at a time; any bytes may come in.
using RequestHandler = std::function<takt_rt::Result<std::string>(const std::string & payload)>;

/// From here on requests of that type go to `handler`, for as long as the process lives. Set-up only; any thread.
void handle_requests(MessageType type, RequestHandler handler);

/// Pushes an alarm, the text of a JSON object of at most 256 KiB, to each client that has subscribed. Any thread that
/// is no real-time one, also in a request handler and with locks held that the subscription answer takes; allocates,
/// and waits for no client. An alarm for which a client has no room is dropped, and the client's next alarm says by
/// `dropped_before` how many were. Without a subscriber, in a child of fork and before the first exposure it does
/// nothing.
void tell_subscribers(std::string payload);

/// `answer` gives the document with which a subscription begins: `alarms`, the sequence of the next alarm, and
/// `active`, the alarms that are raised now. It is called on the thread that serves the socket, after the client has
/// become a subscriber. So a client misses no alarm that gets its `sequence` before `tell_subscribers` has it; an alarm
/// whose `sequence` is below `alarms` is in the answer, and is not pushed. Without an answer of a library no alarms are
/// active. For as long as the process lives. Set-up only; any thread.
void set_subscription_answer(std::function<std::string()> answer);

}  // namespace takt_control

#endif  // TAKT_CONTROL__CONTROL_SERVER_HPP_
