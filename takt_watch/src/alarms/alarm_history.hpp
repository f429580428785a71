// Numbers and counts the alarms of this process, and keeps them while they are raised.
//
// Any thread; blocks for short; allocates.
#ifndef TAKT_WATCH__SRC__ALARM_HISTORY_HPP_
#define TAKT_WATCH__SRC__ALARM_HISTORY_HPP_

#include <cstdint>
#include <functional>
#include <map>
#include <mutex>
#include <string>
#include <tuple>
#include <vector>

#include "alarms/alarm.hpp"
#include "alarms/alarm_json.hpp"
#include "takt_control/control_server.hpp"

namespace takt_watch
{

/// The facts about this process, with the current distance between its two clocks.
ProcessFacts process_facts();

class AlarmHistory
{
public:
  struct Counts
  {
    std::uint64_t raised = 0;
    std::uint64_t cleared = 0;
    std::uint64_t active = 0;
  };

  struct Active
  {
    AlarmKind kind{};
    std::string executor{};
    std::string subject{};  ///< "chain hot", "callback /n:sub(/a)"
    takt_rt::Time since{};
    std::uint64_t sequence = 0;
  };

  /// Begins counting anew. Call it when watching begins. The numbers of alarms go on.
  void begin();

  /// Numbers the alarms, and passes the JSON text and the number of each alarm to `send`, in order.
  void tell(
    const std::vector<Alarm> & alarms,
    const std::function<void(std::string, std::uint64_t)> & send);

  /// The document with which a subscription begins: {"alarms": number of the next alarm, "active":
  /// [...]}.
  takt_control::SubscriptionAnswer subscription() const;
  Counts counts() const;
  /// The raised alarms, the oldest first, at most 16.
  std::vector<Active> active() const;

private:
  using Key = std::tuple<AlarmKind, std::string, std::string, std::string, std::string>;

  mutable std::mutex mutex_;
  std::uint64_t next_ = 0;
  Counts counts_;
  struct Raised
  {
    std::string text{};
    Active told{};
  };
  std::map<Key, Raised> active_;
};

}  // namespace takt_watch

#endif  // TAKT_WATCH__SRC__ALARM_HISTORY_HPP_
