// The threads for which the kernel did not give all places of page faults, in the guard's report.
#ifndef EXEC__GUARD__FAULT_PLACES_HPP_
#define EXEC__GUARD__FAULT_PLACES_HPP_

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>

#include "takt_rt/guard/account.hpp"

namespace takt_exec
{

/// A list of the account's threads: number and name, what their page faults have, and the limit.
nlohmann::ordered_json limited_faults(const takt_rt::GuardAccount & account);

/// The number of such threads for which the account has no room.
std::uint32_t limited_faults_more(const takt_rt::GuardAccount & account);

/// A line for each limit: the threads, what their page faults lack, and the setting to change.
/// `more`: threads that the list lacks. Empty for an empty list.
std::string limited_faults_text(const nlohmann::ordered_json & list, std::uint64_t more);

}  // namespace takt_exec

#endif  // EXEC__GUARD__FAULT_PLACES_HPP_
