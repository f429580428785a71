// Alarms of this process on their way to clients: numbered, counted, and kept while they are raised.
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

namespace takt_watch
{

/// Of this process, with the distance of the two clocks right now.
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

  /// Watching begins (again): so do the counts. Numbers go on.
  void begin();

  /// Numbers the alarms and hands the text of each to `send`, in their order.
  void tell(const std::vector<Alarm> & alarms, const std::function<void(std::string)> & send);

  /// With which a subscription begins: {"alarms": number of the next one, "active": [...]}.
  std::string subscription() const;
  Counts counts() const;
  /// Those that are raised, the oldest first, at most 16.
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
