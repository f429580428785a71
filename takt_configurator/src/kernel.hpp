// The calls that change other processes: of the kernel, or of a test.
//
// One thread at a time. Set-up only: allocates; does not block.
#ifndef TAKT_CONFIGURATOR__SRC__KERNEL_HPP_
#define TAKT_CONFIGURATOR__SRC__KERNEL_HPP_

#include <sys/resource.h>
#include <sys/types.h>

#include "takt_rt/thread_attributes.hpp"

namespace takt_configurator
{

class Kernel
{
public:
  virtual ~Kernel() = default;

  /// As takt_rt::apply: sets cores before policy, continues after a refusal, and reads all
  /// attributes back.
  virtual takt_rt::AttributeReport apply(
    const takt_rt::ThreadAttributes & attributes, pid_t tid) = 0;
  virtual takt_rt::ThreadAttributes read(pid_t tid) const = 0;
  /// The nice value of a thread. The kernel keeps it under all policies. 0 if the thread has ended.
  virtual int nice(pid_t tid) const = 0;

  /// Raises both limits RLIMIT_RTPRIO of a process to at least `priority`. `before`: the earlier
  /// limits of the same process. Returns 0 or an errno: EPERM without CAP_SYS_RESOURCE.
  virtual int raise_rtprio_limit(pid_t pid, int priority, rlimit & before) = 0;
  virtual void set_rtprio_limit(pid_t pid, const rlimit & limit) = 0;
};

class LinuxKernel : public Kernel
{
public:
  takt_rt::AttributeReport apply(const takt_rt::ThreadAttributes & attributes, pid_t tid) override;
  takt_rt::ThreadAttributes read(pid_t tid) const override;
  int nice(pid_t tid) const override;
  int raise_rtprio_limit(pid_t pid, int priority, rlimit & before) override;
  void set_rtprio_limit(pid_t pid, const rlimit & limit) override;
};

}  // namespace takt_configurator

#endif  // TAKT_CONFIGURATOR__SRC__KERNEL_HPP_
