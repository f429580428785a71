#include "system/publishing_warnings.hpp"

#include <algorithm>
#include <bit>
#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "takt_core/scheduler.hpp"
#include "takt_schedule/core_options.hpp"
#include "takt_schedule/quoted.hpp"
#include "takt_schedule/resolver.hpp"
#include "threads/thread_names.hpp"

namespace takt_schedule
{
namespace
{

using takt_rt::Faults;

class PublishingCheck
{
public:
  PublishingCheck(const System & system, const Schedule & schedule)
  : system_(system),
    schedule_(schedule)
  {
    for (const CallbackModel & callback : system.callbacks) {
      for (const std::string & topic : callback.triggers) {
        heard_[topic].push_back(&callback);
      }
    }
  }

  Faults run()
  {
    for (const CallbackModel & callback : system_.callbacks) {
      if (callback.publishes_last) {
        judge(callback);
      }
    }
    return std::move(warnings_);
  }

private:
  struct Executor
  {
    std::optional<Resolver> resolver;
    takt_core::ThreadMask following = 0;
  };

  Executor & executor_of(const std::string & name)
  {
    const auto [found, fresh] = executors_.try_emplace(name);
    if (fresh) {
      if (auto created = Resolver::create(schedule_, name); created) {
        const auto options = core_options(created->executor());
        for (std::size_t i = 0; i < options.threads.size(); ++i) {
          found->second.following |= options.threads[i].follow ? takt_core::ThreadMask{1} << i : 0;
        }
        found->second.resolver.emplace(std::move(created.value()));
      }
    }
    return found->second;
  }

  /// Absent: it has threads of its own, or its binding is unknown.
  std::optional<takt_core::Binding> binding_of(const CallbackModel & callback)
  {
    std::optional<Resolver> & resolver = executor_of(callback.executor).resolver;
    if (!resolver) {
      return std::nullopt;
    }
    if (!callback.group.empty()) {
      const auto group = resolver->resolve_group(callback.group);
      if (!group || group->isolation) {
        return std::nullopt;
      }
    }
    const auto resolved = resolver->resolve(callback.all_ids().front(), callback.kind());
    return resolved ? std::optional(resolved->binding) : std::nullopt;
  }

  void judge(const CallbackModel & callback)
  {
    const auto binding = binding_of(callback);
    if (
      !binding || binding->publishes_last || binding->sequence || binding->non_triggering ||
      std::popcount(binding->threads) < 2 ||
      (binding->threads & executor_of(callback.executor).following) != 0) {
      return;
    }
    for (const std::string & topic : callback.publishes) {
      for (const CallbackModel * const other : heard_[topic]) {
        const auto heard = other != &callback && other->executor == callback.executor
                             ? binding_of(*other)
                             : std::nullopt;
        if (heard && !heard->non_triggering && heard->threads == binding->threads) {
          warn(callback, *other, binding->threads);
          return;
        }
      }
    }
  }

  void warn(
    const CallbackModel & callback, const CallbackModel & other, takt_core::ThreadMask threads)
  {
    std::string words;
    for (const std::string & word :
         ThreadNames(*schedule_.find(callback.executor)).words(threads)) {
      words += (words.empty() ? "" : ", ") + word;
    }
    warnings_.push_back(located(
      system_.file, callback.source,
      quoted(callback.id) + " publishes last, and shares the threads " + quoted(words) + " with " +
        quoted(other.id) +
        ": with publishes_last: true in a rule for it, its thread runs that callback and wakes no "
        "other thread for it"));
  }

  const System & system_;
  const Schedule & schedule_;
  std::unordered_map<std::string, std::vector<const CallbackModel *>> heard_;  ///< by topic
  std::map<std::string, Executor> executors_;
  Faults warnings_;
};

}  // namespace

Faults publishing_warnings(const System & system, const Schedule & schedule)
{
  return PublishingCheck(system, schedule).run();
}

}  // namespace takt_schedule
