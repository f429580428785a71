// Which way the messages of each topic travel in one context: the schedules' `topics:`, else the
// program's options.
//
// A publisher and a subscription get their way when they are made. So a schedule that comes later
// is refused where a present one would have to change.
#ifndef TOPIC_TRANSPORTS_HPP_
#define TOPIC_TRANSPORTS_HPP_

#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "takt_rcl/transport.hpp"
#include "takt_rt/result.hpp"
#include "takt_rt/time.hpp"
#include "takt_schedule/topic_rules.hpp"

namespace takt_rcl
{

/// Set-up only; any thread.
class TopicTransports
{
public:
  /// The rules hold for publishers and subscriptions that are made from now on. Faults, which add
  /// nothing: the middleware has messages of one that is there, and its rule says shared memory;
  /// two rules of the schedule tie for it.
  takt_rt::Faults add(const takt_schedule::Schedule & schedule);
  /// As above for the file that TAKT_SCHEDULE names, if there is one. Does nothing for a faulty
  /// file: the process's executor tells its faults.
  takt_rt::Faults add_of_process();

  bool empty() const;

  struct Choice
  {
    Transport transport = Transport::middleware;
    takt_rt::Duration copy_period{};
  };
  /// The way of a topic, fully qualified and remapped: as the rule that was added last says, else
  /// as the options say. Throws `Error` if two rules of one schedule tie.
  Choice choose(const std::string & topic, const Choice & options) const;

  /// Notes a topic of which the middleware has the messages, as long as the result lives.
  std::shared_ptr<const std::string> note(const std::string & topic);

private:
  struct Added
  {
    std::string file;
    takt_schedule::TopicRules rules;
  };

  mutable std::mutex mutex_;
  std::vector<Added> added_;  // one for each file, the last one first
  std::vector<std::weak_ptr<const std::string>> by_middleware_;
};

}  // namespace takt_rcl

#endif  // TOPIC_TRANSPORTS_HPP_
