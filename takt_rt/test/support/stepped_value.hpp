// A value of two words for rings that a test steps through: a reader that meets a writer sees two
// different words.
#ifndef SUPPORT__STEPPED_VALUE_HPP_
#define SUPPORT__STEPPED_VALUE_HPP_

#include <cstdint>

#include "support/stepper.hpp"

namespace takt_rt::test
{

struct SteppedValue
{
  SteppedValue() = default;
  explicit SteppedValue(std::uint64_t value) : first(value), second(value) {}
  SteppedValue & operator=(const SteppedValue & other) noexcept
  {
    first.store(other.first.load(kRelaxed), kRelaxed);
    second.store(other.second.load(kRelaxed), kRelaxed);
    return *this;
  }

  static constexpr auto kRelaxed = std::memory_order_relaxed;
  SteppedWord<std::uint64_t> first;
  SteppedWord<std::uint64_t> second;
};

}  // namespace takt_rt::test

#endif  // SUPPORT__STEPPED_VALUE_HPP_
