#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/file.h>
#include <sys/socket.h>
#include <sys/stat.h>
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

// Leases a domain as takt_workload's PrivateDomain does: its programs may run at the same time as these tests, and do
// not check the lock files. The socket stays open until the process ends.
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

// One lock file for each domain. The kernel releases the lock at any end of the process. Children
// inherit the domain through the environment, but not the lock.
void own_domain()
{
  const char * const base = std::getenv("TMPDIR");
  const std::string directory = std::string(base != nullptr ? base : "/tmp") +
                                "/takt-test-domains-" + std::to_string(::geteuid());
  ::mkdir(directory.c_str(), 0700);
  constexpr int kDomains = 101;  // above, ports overlap with the kernel's ephemeral ports
  for (int i = 0; i < kDomains; ++i) {
    const int domain = 1 + (static_cast<int>(::getpid()) + i) % kDomains;
    const std::string path = directory + "/" + std::to_string(domain);
    const int file = ::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    if (file >= 0 && ::flock(file, LOCK_EX | LOCK_NB) == 0 && lease(domain)) {
      ::setenv("ROS_DOMAIN_ID", std::to_string(domain).c_str(), 1);
      return;
    }
    if (file >= 0) {
      ::close(file);
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
