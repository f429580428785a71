// A ROS domain that no other process of this machine uses.
#ifndef TAKT_HOST__PRIVATE_DOMAIN_HPP_
#define TAKT_HOST__PRIVATE_DOMAIN_HPP_

#include <cstddef>

namespace takt_host
{

/// Holds a domain id for this process. Other holders get other ids. Skips ids whose discovery port
/// is in use. If the process dies, the kernel frees the id.
class PrivateDomain
{
public:
  /// Set-up only. Throws std::runtime_error if no id is free.
  PrivateDomain();
  ~PrivateDomain();
  PrivateDomain(const PrivateDomain &) = delete;
  PrivateDomain & operator=(const PrivateDomain &) = delete;

  std::size_t id() const noexcept { return id_; }

private:
  std::size_t id_ = 0;
  int lease_ = -1;
};

}  // namespace takt_host

#endif  // TAKT_HOST__PRIVATE_DOMAIN_HPP_
