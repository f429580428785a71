// Refusals of the daemon itself, and requests in words. Allocates, does not block.
#ifndef TAKT_CONFIGURATOR__SRC__REFUSE_HPP_
#define TAKT_CONFIGURATOR__SRC__REFUSE_HPP_

#include <string>
#include <vector>

#include "takt_control/configurator_messages.hpp"
#include "takt_rt/refusal.hpp"
#include "takt_rt/result.hpp"

namespace takt_configurator
{

using Refusals = std::vector<takt_rt::Refusal>;

using takt_control::refuse;

/// Joins the sentences of the first faults.
std::string joined(const takt_rt::Faults & faults);

/// "SCHED_FIFO priority 60, cores 0-1".
std::string shown(const takt_rt::ThreadAttributes & asked);

}  // namespace takt_configurator

#endif  // TAKT_CONFIGURATOR__SRC__REFUSE_HPP_
