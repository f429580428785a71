// Include it in a test that makes nodes: they do not meet nodes of other programs on this machine.
#ifndef TAKT_BENCH__TEST__SUPPORT__OWN_DOMAIN_HPP_
#define TAKT_BENCH__TEST__SUPPORT__OWN_DOMAIN_HPP_

#include <unistd.h>

#include <cstdlib>
#include <string>

namespace takt_bench
{

inline const int g_own_domain =
  ::setenv("ROS_DOMAIN_ID", std::to_string(10 + ::getpid() % 90).c_str(), 1);

}  // namespace takt_bench

#endif  // TAKT_BENCH__TEST__SUPPORT__OWN_DOMAIN_HPP_
