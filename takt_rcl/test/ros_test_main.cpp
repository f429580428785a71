#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <string>

#include "ros_test.hpp"

namespace takt_rcl::test
{

namespace
{

// Leases a domain as takt_workload's PrivateDomain does: the name of an abstract socket has one
// holder, and the kernel frees it at any end of the process. Children inherit the domain through
// the environment, but not the lease.
bool lease(int domain)
{
  const int handle = ::socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  const int length =
    std::snprintf(address.sun_path + 1, sizeof address.sun_path - 1, "takt_domain_%d", domain);
  const auto size = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + 1 + length);
  if (handle >= 0 && ::bind(handle, reinterpret_cast<sockaddr *>(&address), size) == 0) {
    return true;
  }
  ::close(handle);
  return false;
}

}  // namespace

void own_domain()
{
  constexpr int kDomains = 101;  // above, ports overlap with the kernel's ephemeral ports
  for (int i = 0; i < kDomains; ++i) {
    const int domain = 1 + (static_cast<int>(::getpid()) + i) % kDomains;
    if (lease(domain)) {
      ::setenv("ROS_DOMAIN_ID", std::to_string(domain).c_str(), 1);
      return;
    }
  }
  std::fprintf(stderr, "no free ROS domain: 101 test processes are running\n");
  std::exit(2);
}

}  // namespace takt_rcl::test

int main(int argc, char ** argv)
{
  ::testing::InitGoogleTest(&argc, argv);
  takt_rcl::test::own_domain();
  ::setenv("ROS_AUTOMATIC_DISCOVERY_RANGE", "LOCALHOST", 0);
  ::unsetenv("ROS_STATIC_PEERS");
  return RUN_ALL_TESTS();
}
