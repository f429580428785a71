#include "takt_host/private_domain.hpp"

#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <random>
#include <stdexcept>
#include <vector>

namespace takt_host
{

namespace
{

// Below 102 all ports are outside of Linux's ephemeral range. Users choose ids below 20 by hand.
constexpr std::size_t kFirst = 20;
constexpr std::size_t kLast = 101;

// The lease is the name of an abstract socket: it has one holder, and ends with the process.
int lease_of(std::size_t id)
{
  const int handle = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  const int length =
    std::snprintf(address.sun_path + 1, sizeof address.sun_path - 1, "takt_domain_%zu", id);
  const auto size = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + 1 + length);
  if (handle >= 0 && bind(handle, reinterpret_cast<sockaddr *>(&address), size) != 0) {
    close(handle);
    return -1;
  }
  return handle;
}

// For domain d, DDS listens for discovery on UDP port 7400 + 250 d.
bool port_free(std::size_t id)
{
  const int handle = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_ANY);
  address.sin_port = htons(static_cast<std::uint16_t>(7400 + 250 * id));
  const bool free =
    handle >= 0 && bind(handle, reinterpret_cast<sockaddr *>(&address), sizeof address) == 0;
  close(handle);
  return free;
}

}  // namespace

PrivateDomain::PrivateDomain()
{
  std::vector<std::size_t> ids;
  for (std::size_t id = kFirst; id <= kLast; ++id) {
    ids.push_back(id);
  }
  std::shuffle(ids.begin(), ids.end(), std::mt19937(std::random_device{}()));
  for (const std::size_t id : ids) {
    lease_ = lease_of(id);
    if (lease_ >= 0 && port_free(id)) {
      id_ = id;
      return;
    }
    if (lease_ >= 0) {
      close(lease_);
      lease_ = -1;
    }
  }
  throw std::runtime_error(
    "no ROS domain is free on this machine: end a program that uses one of 20 to 101, or choose "
    "one, as `takt run --domain` does");
}

PrivateDomain::~PrivateDomain()
{
  close(lease_);
}

}  // namespace takt_host
