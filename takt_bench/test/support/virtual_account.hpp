// An account of waiting whose values a test sets.
#ifndef SUPPORT__VIRTUAL_ACCOUNT_HPP_
#define SUPPORT__VIRTUAL_ACCOUNT_HPP_

#include <cstddef>

#include "takt_rt/time.hpp"

namespace takt_bench::latency::test
{

/// As takt_rt::ReadyTime: a test adds to `waited`.
struct VirtualAccount
{
  takt_rt::Duration waited{};
  bool kept = true;
  std::size_t readings = 0;

  takt_rt::Duration read() noexcept
  {
    ++readings;
    return kept ? waited : takt_rt::Duration{};
  }
  bool counted() const noexcept { return kept; }
};

}  // namespace takt_bench::latency::test

#endif  // SUPPORT__VIRTUAL_ACCOUNT_HPP_
