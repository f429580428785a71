// The policy file of the configurator daemon: the thread attributes that each user's clients may
// get.
//
// Set-up only: allocates and may block (reads files, also the system's lists of users and groups).
// Never throws, for any bytes.
#ifndef TAKT_SCHEDULE__CONFIGURATOR_POLICY_HPP_
#define TAKT_SCHEDULE__CONFIGURATOR_POLICY_HPP_

#include <sys/types.h>

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "takt_rt/attributes.hpp"
#include "takt_rt/result.hpp"
#include "takt_schedule/source.hpp"

namespace takt_schedule
{

/// The attributes that clients of some users may get. The rule applies to a client whose user is
/// among `users`, or one of whose groups is among `groups`.
struct ConfiguratorRule
{
  Source source{};
  std::string who{};  ///< users and groups as the file names them
  bool anybody = false;
  std::vector<uid_t> users{};
  std::vector<gid_t> groups{};
  std::vector<takt_rt::Policy> policies{};  ///< empty: only nice values, cores and the limit
  int max_priority = 0;                     ///< of fifo and rr
  int min_nice = 0;
  std::optional<std::vector<int>> cores{};  ///< ascending; absent: all cores
  double deadline_bandwidth =
    0.0;                 ///< sum of runtime/period of a user's deadline threads, in cores
  int max_threads = 64;  ///< of a user, with fifo, rr, deadline or a negative nice value
  int rtprio_limit = 0;  ///< RLIMIT_RTPRIO may be raised up to this; 0: may not be raised
};

/// The content of a policy file.
struct ConfiguratorPolicy
{
  std::string file{};
  std::vector<ConfiguratorRule> rules{};       ///< the first rule for a client applies
  std::optional<double> deadline_bandwidth{};  ///< of all users together, in cores
  takt_rt::Faults warnings{};
};

/// Users and groups by name.
struct NameLookup
{
  std::function<std::optional<uid_t>(const std::string & name)> user;
  std::function<std::optional<gid_t>(const std::string & name)> group;
};

/// The names of this system: getpwnam(3), getgrnam(3).
NameLookup system_names();

/// All faults at once, "FILE:LINE:COL: what; suggestion", sorted by line.
takt_rt::Result<ConfiguratorPolicy> parse_configurator_policy(
  std::string_view text, std::string file_name, const NameLookup & names = system_names());

/// Reads the file first. A file that cannot be read is one fault, "PATH: reason".
takt_rt::Result<ConfiguratorPolicy> load_configurator_policy(const std::string & path);

}  // namespace takt_schedule

#endif  // TAKT_SCHEDULE__CONFIGURATOR_POLICY_HPP_
