// The words by which messages name what was refused, and why. Neither blocks nor throws.
#ifndef TAKT_CONTROL__SRC__MESSAGE_WORDS_HPP_
#define TAKT_CONTROL__SRC__MESSAGE_WORDS_HPP_

#include <array>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "takt_core/refusal.hpp"

namespace takt_control
{

template <typename Enum>
using Word = std::pair<Enum, std::string_view>;

inline constexpr std::array<Word<takt_core::MissingRight>, 14> kRights{{
  {takt_core::MissingRight::unknown, "unknown"},
  {takt_core::MissingRight::cap_sys_nice, "cap_sys_nice"},
  {takt_core::MissingRight::rlimit_rtprio, "rlimit_rtprio"},
  {takt_core::MissingRight::rlimit_nice, "rlimit_nice"},
  {takt_core::MissingRight::realtime_runtime, "realtime_runtime"},
  {takt_core::MissingRight::deadline_admission, "deadline_admission"},
  {takt_core::MissingRight::root_domain, "root_domain"},
  {takt_core::MissingRight::other_users_thread, "other_users_thread"},
  {takt_core::MissingRight::no_such_thread, "no_such_thread"},
  {takt_core::MissingRight::invalid, "invalid"},
  {takt_core::MissingRight::not_in_force, "not_in_force"},
  {takt_core::MissingRight::configurator_policy, "configurator_policy"},
  {takt_core::MissingRight::configurator, "configurator"},
  {takt_core::MissingRight::no_configurator, "no_configurator"},
}};

inline constexpr std::array<Word<takt_core::RefusedAttribute>, 4> kAttributes{{
  {takt_core::RefusedAttribute::name, "name"},
  {takt_core::RefusedAttribute::cores, "cores"},
  {takt_core::RefusedAttribute::policy, "policy"},
  {takt_core::RefusedAttribute::nice, "nice"},
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

/// `other` for a word that this version does not know.
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
