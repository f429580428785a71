// The part of the corpus that is compiled with optimisation: the code of each callback is in the
// lambda, which the compiler puts into the client library's templates.
#ifndef INLINED_HPP_
#define INLINED_HPP_

#include "faults.hpp"

namespace guarded
{

inline constexpr std::array<Case, 9> kInlinedCases{{
  {"timer_allocates", Place::timer, nullptr, "allocation free"},
  {"timer_prints_last", Place::timer, nullptr, "output"},
  {"timer_with_arguments_prints_last", Place::timer, nullptr, "output"},
  {"timer_is_clean", Place::timer, nullptr, ""},
  {"subscription_allocates", Place::subscription, nullptr, "allocation free"},
  {"pointer_subscription_allocates", Place::subscription, nullptr, "allocation free"},
  {"subscription_is_clean", Place::subscription, nullptr, ""},
  {"service_allocates", Place::service, nullptr, "allocation free"},
  {"service_is_clean", Place::service, nullptr, ""},
}};

}  // namespace guarded

#endif  // INLINED_HPP_
