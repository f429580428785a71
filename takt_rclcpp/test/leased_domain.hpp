// ROS domains for the programs of a test, which no other test process of this machine uses.
#ifndef LEASED_DOMAIN_HPP_
#define LEASED_DOMAIN_HPP_

#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <cstddef>
#include <cstdio>
#include <stdexcept>

/// Leases a domain until this process ends, as ros_test_main.cpp of takt_rcl does. Each call gives
/// another one. Children do not inherit the lease.
inline int leased_domain()
{
  constexpr int kDomains = 101;  // above, ports overlap with the kernel's ephemeral ports
  for (int i = 0; i < kDomains; ++i) {
    const int domain = 1 + (static_cast<int>(::getpid()) + i) % kDomains;
    const int lease = ::socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    const int length =
      std::snprintf(address.sun_path + 1, sizeof address.sun_path - 1, "takt_domain_%d", domain);
    const auto size = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + 1 + length);
    if (lease >= 0 && ::bind(lease, reinterpret_cast<sockaddr *>(&address), size) == 0) {
      return domain;
    }
    ::close(lease);
  }
  throw std::runtime_error("no free ROS domain: other test processes have leased all 101");
}

#endif  // LEASED_DOMAIN_HPP_
