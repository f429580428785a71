// Which rule of `topics:` decides how the messages of a topic travel.
//
// Set-up only. Immutable after `create`; any thread.
#ifndef TAKT_SCHEDULE__TOPIC_RULES_HPP_
#define TAKT_SCHEDULE__TOPIC_RULES_HPP_

#include <memory>
#include <string_view>

#include "takt_rt/result.hpp"
#include "takt_schedule/schedule.hpp"

namespace takt_schedule
{

class TopicRules
{
public:
  explicit TopicRules(const Schedule & schedule);
  TopicRules(TopicRules &&) noexcept;
  TopicRules & operator=(TopicRules &&) noexcept;
  ~TopicRules();

  bool empty() const noexcept;
  /// The deciding rule for a topic, fully qualified and remapped; null if none matches. Fault: two
  /// rules tie.
  takt_rt::Result<const TopicRule *> find(std::string_view topic) const;

private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

/// As in files.
std::string_view to_string(TopicTransport transport) noexcept;

/// The fault of a schedule that sends topics by shared memory, for programs whose publishers are
/// not takt_rcl's; none otherwise.
takt_rt::Faults refuse_shared_memory(const Schedule & schedule);

}  // namespace takt_schedule

#endif  // TAKT_SCHEDULE__TOPIC_RULES_HPP_
