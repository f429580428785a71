// Says where callbacks go when a schedule rules. Set-up only; any thread.
#ifndef PLACER_HPP_
#define PLACER_HPP_

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "takt_core/callback.hpp"
#include "takt_core/executor.hpp"
#include "takt_core/group.hpp"

namespace takt_rcl
{

class Placer
{
public:
  struct Place
  {
    takt_core::Binding binding;
    std::optional<takt_core::Duration> offset;
    std::optional<takt_core::MissedPeriods> missed_periods;
    bool across_priorities = false;  ///< the schedule allows it for this callback's group
  };

  virtual ~Placer() = default;
  /// Throws `Error`.
  virtual Place place(
    const std::string & id, takt_core::Kind kind, const std::string & group_id) = 0;
  /// A middleware entity or a node was made: new threads may be there.
  virtual void entity_made() = 0;
  /// What keeps a strict schedule from starting, as long as it has not started.
  virtual takt_core::Faults faults() = 0;
  virtual takt_core::Faults warnings() const = 0;
  /// Ids that got the default threads because no rule matches them.
  virtual std::vector<std::string> defaulted() const = 0;
  /// Start-up is complete, and the schedule fits: faults are none from now on. Real-time safe.
  virtual void started() noexcept = 0;
};

}  // namespace takt_rcl

#endif  // PLACER_HPP_
