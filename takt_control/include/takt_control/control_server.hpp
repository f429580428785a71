// The control socket of this process. `takt status`, `takt apply`, `takt set` and `takt reset`
// reach the executors of the process through it, and subscribers receive alarms from it.
//
// One Unix socket, `<pid>.sock` in the folder that `runtime_folder` names. It serves only the user
// of this process and root, by the credentials that the kernel has of a client. One thread of
// SCHED_OTHER serves all clients. Clients, messages and answers are bounded. A client that sends
// half a message or reads no answer is dropped after some seconds.
#ifndef TAKT_CONTROL__CONTROL_SERVER_HPP_
#define TAKT_CONTROL__CONTROL_SERVER_HPP_

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "takt_control/frame.hpp"
#include "takt_core/executor.hpp"
#include "takt_rt/result.hpp"
#include "takt_schedule/applied_part.hpp"
#include "takt_schedule/apply_schedule.hpp"
#include "takt_schedule/schedule.hpp"

namespace takt_control
{

/// The folder of the control sockets: TAKT_RUNTIME_DIR, else `takt` in XDG_RUNTIME_DIR, else
/// /tmp/takt-<uid>.
std::string runtime_folder();

/// Facts about an executor that the socket cannot read from the executor.
struct ExposedExecutor
{
  takt_core::Executor * executor = nullptr;  ///< must live longer than the exposure
  std::string name;           ///< the name in schedules; without a schedule the executor's own
  std::string schedule_file;  ///< empty: no schedule
  std::vector<std::string> default_threads;
  std::string applied_file{};  ///< the schedule that was applied last; empty: none
  /// Changes a schedule as this program needs it before the executor follows it; empty: no change.
  std::function<void(takt_schedule::ExecutorSchedule &)> adapt{};
  takt_schedule::PlaceUnruled place{};  ///< where the adapter puts callbacks without a rule
  /// Returns true for a callback that the front end itself made. Such a callback has the threads of
  /// its group's callbacks. Empty: the front end makes no callbacks.
  std::function<bool(const takt_core::Callback &)> goes_with_group{};
  /// How the messages of a subscription come: middleware, pointer or shared_memory. Empty for other
  /// callbacks. Without the function takt does not know it.
  std::function<std::string_view(const takt_core::Callback &)> transport{};
  /// Applies the watch rules of a schedule. The socket's thread calls it after the executors and
  /// threads of the process have the schedule. It cannot fail. With `check_only` it changes nothing
  /// and returns the parts that it would change. Empty: no watch.
  std::function<std::vector<takt_schedule::AppliedPart>(
    const takt_schedule::Schedule &, bool check_only)>
    watch{};
  /// Takes back all that `watch` did; returns false if nothing changed. Empty: no watch.
  std::function<bool()> watch_as_before{};
};

/// While this lives, the socket shows the executor and changes it. The destructor waits for a
/// request in progress.
class Exposure
{
public:
  virtual ~Exposure() = default;
};

/// Exposes the executor. The first exposure in a process makes the socket and its thread. The
/// socket and the thread end with the last exposure. With TAKT_CONTROL=none there is no socket.
/// Faults: the reason why there is no socket; the executor works without it. Set-up only; any
/// thread.
takt_rt::Result<std::unique_ptr<Exposure>> expose(ExposedExecutor executor);

/// Shows a thread of this process that no executor owns, as long as the thread lives. `had`: its
/// attributes before it asked; `report`: the attributes that it asked for and got. `takt status`
/// shows the thread, and `takt apply` changes it. Unlike `expose`, it keeps the socket until the
/// process ends. Set-up only; any thread.
takt_rt::Status expose_thread(
  pid_t tid, const takt_rt::ThreadAttributes & had, const takt_rt::AttributeReport & report);

/// Answers one type of request for another library of the process: JSON in, JSON out, or faults.
/// The socket's thread calls it, one request at a time. `payload` may hold any bytes.
using RequestHandler = std::function<takt_rt::Result<std::string>(const std::string & payload)>;

/// Passes requests of this type to `handler` until the process ends. Set-up only; any thread.
void handle_requests(MessageType type, RequestHandler handler);

/// Pushes an alarm to each client that has subscribed. `payload`: the text of a JSON object of at
/// most 256 KiB. `sequence`: the alarm's number, which the text has, too; alarms without a number
/// are always pushed. If a client has no room for an alarm, the alarm is dropped for this client,
/// and `dropped_before` of the client's next alarm counts the dropped ones.
///
/// Any thread but real-time ones. Request handlers may call it, also with locks held that the
/// subscription answer takes. Allocates; does not wait for clients. Does nothing without a
/// subscriber, in a child of fork and before the first exposure.
void tell_subscribers(std::string payload, std::optional<std::uint64_t> sequence = {});

/// The document with which a subscription begins: `alarms`, the sequence of the next alarm, and
/// `active`, the alarms that are raised now.
struct SubscriptionAnswer
{
  std::string document;
  std::uint64_t alarms = 0;  ///< the value of `alarms` in the document
};

/// `answer` returns the document. The socket's thread calls it after the client has become a
/// subscriber. So a client misses no alarm if the alarm gets its `sequence` before
/// `tell_subscribers` is called. Alarms whose `sequence` is below `alarms` are in the answer, and
/// are not pushed. Without this call the answer says that no alarms are active. `answer` stays
/// until the process ends. Set-up only; any thread.
void set_subscription_answer(std::function<SubscriptionAnswer()> answer);

}  // namespace takt_control

#endif  // TAKT_CONTROL__CONTROL_SERVER_HPP_
