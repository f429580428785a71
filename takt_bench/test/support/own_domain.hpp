// Include it in a test that makes nodes: they do not meet nodes of other programs on this machine.
#ifndef TAKT_BENCH__TEST__SUPPORT__OWN_DOMAIN_HPP_
#define TAKT_BENCH__TEST__SUPPORT__OWN_DOMAIN_HPP_

#include <cstdlib>
#include <string>

#include "takt_host/private_domain.hpp"

namespace takt_bench
{

inline const takt_host::PrivateDomain g_own_domain;
inline const int g_domain_is_set =
  ::setenv("ROS_DOMAIN_ID", std::to_string(g_own_domain.id()).c_str(), 1);

}  // namespace takt_bench

#endif  // TAKT_BENCH__TEST__SUPPORT__OWN_DOMAIN_HPP_
