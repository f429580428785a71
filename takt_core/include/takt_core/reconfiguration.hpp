// Changes of an executor's bindings, chains and thread attributes; see Executor::reconfigure.
#ifndef TAKT_CORE__RECONFIGURATION_HPP_
#define TAKT_CORE__RECONFIGURATION_HPP_

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "takt_core/scheduler.hpp"
#include "takt_rt/thread_attributes.hpp"

namespace takt_core
{

using takt_rt::ThreadAttributes;

/// Changes of an executor: bindings of its callbacks, its chains, attributes of its threads. Absent
/// parts stay unchanged. Names each callback and each thread at most once.
struct Reconfiguration
{
  /// One callback's new binding.
  struct CallbackChange
  {
    std::shared_ptr<Callback> callback;  ///< of the executor
    /// The whole binding, as for `add`; publishes_last and phased are ignored. For an isolated
    /// group: without threads.
    Binding binding;
  };
  /// One thread's new attributes.
  struct ThreadChange
  {
    std::uint32_t number;         ///< ThreadState::number
    ThreadAttributes attributes;  ///< in full; absent ones: those of the starting thread
    std::string group{};          ///< ThreadState::group: another thread may have the number now
  };
  std::vector<CallbackChange> callbacks{};
  std::vector<ThreadChange> threads{};
  std::optional<std::vector<ChainOptions>> chains{};  ///< replaces all chains
  /// Adds each of these chains, or replaces the chain with the same name, after `chains` was
  /// applied. The root may be in any executor of this process.
  std::vector<ChainOptions> more_chains{};
  /// Groups whose members may differ in OS priority: the change calls
  /// `Group::allow_across_priorities` for each. A change that fails does not undo this.
  std::vector<Group *> across_priorities{};
};

}  // namespace takt_core

#endif  // TAKT_CORE__RECONFIGURATION_HPP_
