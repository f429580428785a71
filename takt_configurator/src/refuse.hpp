// Refusals of the daemon itself, and requests in words. Allocates, does not block.
#ifndef TAKT_CONFIGURATOR__SRC__REFUSE_HPP_
#define TAKT_CONFIGURATOR__SRC__REFUSE_HPP_

#include <cerrno>
#include <string>
#include <vector>

#include "takt_core/refusal.hpp"
#include "takt_core/result.hpp"

namespace takt_configurator
{

using Refusals = std::vector<takt_core::Refusal>;

/// Of the attribute that counts most of those asked for.
takt_core::Refusal refuse(
  const takt_core::ThreadAttributes & asked, takt_core::MissingRight right, std::string detail,
  int error = EPERM);

/// The sentences of all faults in one.
std::string joined(const takt_core::Faults & faults);

/// "SCHED_FIFO priority 60, cores 0-1".
std::string shown(const takt_core::ThreadAttributes & asked);

}  // namespace takt_configurator

#endif  // TAKT_CONFIGURATOR__SRC__REFUSE_HPP_
