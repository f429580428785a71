// The words by which messages name a refused attribute and the reason. Neither blocks nor throws.
#ifndef TAKT_CONTROL__SRC__MESSAGE_WORDS_HPP_
#define TAKT_CONTROL__SRC__MESSAGE_WORDS_HPP_

#include <array>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "takt_rt/refusal.hpp"

namespace takt_control
{

template <typename Enum>
using Word = std::pair<Enum, std::string_view>;

inline constexpr std::array<Word<takt_rt::MissingRight>, 14> kRights{{
  {takt_rt::MissingRight::unknown, "unknown"},
  {takt_rt::MissingRight::cap_sys_nice, "cap_sys_nice"},
  {takt_rt::MissingRight::rlimit_rtprio, "rlimit_rtprio"},
  {takt_rt::MissingRight::rlimit_nice, "rlimit_nice"},
  {takt_rt::MissingRight::realtime_runtime, "realtime_runtime"},
  {takt_rt::MissingRight::deadline_admission, "deadline_admission"},
  {takt_rt::MissingRight::root_domain, "root_domain"},
  {takt_rt::MissingRight::other_users_thread, "other_users_thread"},
  {takt_rt::MissingRight::no_such_thread, "no_such_thread"},
  {takt_rt::MissingRight::invalid, "invalid"},
  {takt_rt::MissingRight::not_in_force, "not_in_force"},
  {takt_rt::MissingRight::configurator_policy, "configurator_policy"},
  {takt_rt::MissingRight::configurator, "configurator"},
  {takt_rt::MissingRight::no_configurator, "no_configurator"},
}};

inline constexpr std::array<Word<takt_rt::RefusedAttribute>, 4> kAttributes{{
  {takt_rt::RefusedAttribute::name, "name"},
  {takt_rt::RefusedAttribute::cores, "cores"},
  {takt_rt::RefusedAttribute::policy, "policy"},
  {takt_rt::RefusedAttribute::nice, "nice"},
}};

template <typename Enum>
std::string word_of(Enum value, std::span<const Word<Enum>> words)
{
  for (const auto & [one, word] : words) {
    if (one == value) {
      return std::string(word);
    }
  }
  return {};
}

/// Returns `other` for an unknown word.
template <typename Enum>
Enum value_of(const std::string & word, std::span<const Word<Enum>> words, Enum other)
{
  for (const auto & [one, known] : words) {
    if (known == word) {
      return one;
    }
  }
  return other;
}

}  // namespace takt_control

#endif  // TAKT_CONTROL__SRC__MESSAGE_WORDS_HPP_
