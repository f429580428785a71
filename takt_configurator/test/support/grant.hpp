// A process of the user `nobody` that asks a real daemon.
#ifndef SUPPORT__GRANT_HPP_
#define SUPPORT__GRANT_HPP_

#include <gtest/gtest.h>

#include <string>

#include "support/child.hpp"
#include "support/daemon.hpp"
#include "takt_control/configurator_client.hpp"

namespace takt_configurator::test
{

inline constexpr const char * kPolicy = R"(version: 1
rules:
  - users: 65534
    policies: [fifo, rr, deadline, other, batch]
    max_priority: 50
    min_nice: -5
    deadline_bandwidth: 0.2
    rtprio_limit: 40
  - users: 65533
    policies: other
)";

class Grant : public ::testing::Test
{
protected:
  void SetUp() override
  {
    if (!has_rights()) {
      GTEST_SKIP() << "needs root and CAP_SYS_NICE to start a daemon that grants something";
    }
  }

  static std::string told(const takt_rt::AttributeReport & report)
  {
    std::string text;
    for (const std::string & sentence : sentences(report.faults)) {
      text += sentence + "\n";
    }
    return text;
  }

  /// The daemon's answer to the user `nobody`, and the thread's attributes in the kernel
  /// afterwards.
  static std::string ask(
    const std::string & socket, const takt_rt::ThreadAttributes & asked, uid_t user)
  {
    return in_child_as(user, [&] {
      takt_control::ConfiguratorClient client(socket);
      const takt_rt::AttributeReport report = client.apply(asked);
      return told(report) + format_policy(takt_rt::read_attributes());
    });
  }
};

/// The policy of a thread without attributes from the daemon.
inline std::string untouched()
{
  return format_policy(takt_rt::read_attributes());
}

inline takt_rt::ThreadAttributes deadline(takt_rt::Duration runtime, takt_rt::Duration period)
{
  takt_rt::ThreadAttributes attributes;
  attributes.policy = takt_rt::Policy::deadline;
  attributes.runtime = runtime;
  attributes.deadline = attributes.period = period;
  return attributes;
}

}  // namespace takt_configurator::test

#endif  // SUPPORT__GRANT_HPP_
