// A ROS domain that nobody else on this machine uses.
#ifndef TAKT_WORKLOAD__SRC__RUN__DOMAIN_HPP_
#define TAKT_WORKLOAD__SRC__RUN__DOMAIN_HPP_

#include <cstddef>

namespace takt_workload
{

/// Holds a domain id for this process: other holders get other ids, and ids on whose discovery port
/// somebody listens are passed over. Released by the kernel if the process dies.
class PrivateDomain
{
public:
  /// Set-up only. Throws std::runtime_error if all are taken.
  PrivateDomain();
  ~PrivateDomain();
  PrivateDomain(const PrivateDomain &) = delete;
  PrivateDomain & operator=(const PrivateDomain &) = delete;

  std::size_t id() const noexcept { return id_; }

private:
  std::size_t id_ = 0;
  int lease_ = -1;
};

}  // namespace takt_workload

#endif  // TAKT_WORKLOAD__SRC__RUN__DOMAIN_HPP_
