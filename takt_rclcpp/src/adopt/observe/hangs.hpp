// Finds callbacks that sleep for the answer to a request while the answer waits for the same
// thread, and reports them during the wait.
//
// Each run that sent a request is recorded here until it ends. While there are such runs, a
// separate thread checks them four times a second. It reports a hang once, with both callbacks and
// the remedy, if all of these hold:
//
// - The run slept for half a second or more: it had a core for at most a twentieth of this time,
//   and waited for a core for at most half of it.
// - Messages wait for the callback of the service, or for the client's callback.
// - No thread can run this callback: all its threads sleep in this way, or the run keeps its group
//   busy.
#ifndef ADOPT__OBSERVE__HANGS_HPP_
#define ADOPT__OBSERVE__HANGS_HPP_

#include <sys/types.h>

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "takt_core/executor.hpp"
#include "takt_rt/pi_mutex.hpp"
#include "takt_rt/time.hpp"

namespace takt_rclcpp
{

class Hangs
{
public:
  /// The executor of an engine.
  struct Watched
  {
    std::shared_ptr<takt_core::Executor> core;
    std::string name;            ///< for messages
    bool scheduled = false;      ///< a schedule chose the executor's threads
    bool one_at_a_time = false;  ///< the program's executor runs one callback at a time
  };
  /// While it lives, the checking thread checks the executor's callbacks.
  class Watching
  {
  public:
    explicit Watching(Watched watched);
    ~Watching();
    Watching(const Watching &) = delete;
    Watching & operator=(const Watching &) = delete;

  private:
    friend class Hangs;
    const Watched watched_;
    Hangs * const hangs_;
  };

  /// Begins to record requests. A process calls it for each client of its hosts. Set-up only.
  static void begin();

  // ---- real-time safe but for a wake-up; any thread of an executor ----

  /// Records that `run`, a run of `callback` on thread number `thread` of the executor, sent a
  /// request.
  static void asked(
    const void * run, const takt_core::Callback * callback, std::uint32_t thread,
    const void * client, const char * service, std::int64_t number) noexcept;
  /// Records that the callback for the answer begins.
  static void answered(const void * client, std::int64_t number) noexcept;
  /// Forgets the run's requests. Call it on the thread of the run.
  static void ended(const void * run) noexcept;

private:
  struct Request
  {
    const void * run = nullptr;  // null: the place is free
    const takt_core::Callback * callback = nullptr;
    std::uint32_t thread = 0;
    pid_t tid = 0;
    const void * client = nullptr;  // an rcl_client_t
    std::int64_t number = 0;
    std::uint64_t sequence = 0;  // over all requests
    std::array<char, 256> service{};
  };
  struct Sleeper
  {
    takt_rt::Time since{};
    takt_rt::Duration on_cpu{};
    takt_rt::Duration delay{};
    bool sleeps = false;
  };
  /// A callback and its executor.
  struct Found
  {
    const Watched * of = nullptr;
    std::shared_ptr<takt_core::Callback> callback{};
  };

  Hangs() = default;
  static Hangs & of_process();
  static Hangs * known() noexcept;

  void note(const Request & request) noexcept;
  template <typename Is>
  void forget(const Is & is) noexcept;
  std::vector<Request> requests() const;

  // Only the checking thread calls these.
  void look_for_ever();
  void look(const std::vector<Request> & requests);
  void follow(const std::vector<Request> & requests, takt_rt::Time now);
  // Call these with `watched_mutex_` held.
  std::vector<Found> callbacks() const;
  template <typename Is>
  static Found find(const std::vector<Found> & all, const Is & is);
  static bool runs_nowhere(
    const std::vector<Found> & all, const Found & waits, const Found & awaited,
    const std::vector<Request> & sleeping);
  void tell(
    const Found & waits, const Request & request, const Found & awaited, takt_rt::Duration time);

  std::atomic<bool> begun_{false};
  // The number of recorded requests; a futex; written with `mutex_` held.
  std::atomic<std::uint32_t> count_{0};
  mutable takt_rt::PiMutex mutex_;  // guards the next two
  std::array<Request, 64> requests_{};
  std::uint64_t last_ = 0;
  std::mutex watched_mutex_;  // guards the next one
  std::vector<const Watching *> watched_;
  // Used only by the checking thread.
  std::map<std::uint64_t, Sleeper> sleepers_;           // by the request's sequence
  std::set<std::pair<std::string, std::string>> told_;  // the ids of reported pairs
};

}  // namespace takt_rclcpp

#endif  // ADOPT__OBSERVE__HANGS_HPP_
