// Words for faults besides `quoted`: lists, and "did you mean".
#ifndef TAKT_SCHEDULE__READER__TEXT_HPP_
#define TAKT_SCHEDULE__READER__TEXT_HPP_

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "takt_schedule/quoted.hpp"

namespace takt_schedule
{

/// "a, b and c".
std::string listed(std::span<const std::string> words, std::string_view last = "and");

/// "; did you mean 'x'?" for the known word closest to `word` if one is close, otherwise "; `kind`
/// are a, b and c". Empty without known words.
std::string suggestion(
  std::string_view word, std::span<const std::string> known, std::string_view kind);

/// The known word closest to `word`, or an empty string if none is close.
std::string closest(std::string_view word, std::span<const std::string> known);

/// `suggestion` for the first of many mistakes: comparing words costs more than reading them, and
/// people do not read a thousand suggestions. Later mistakes get none.
class Guesses
{
public:
  /// Whether a suggestion is left; uses it.
  bool take() { return left_ > 0 && left_-- > 0; }
  /// As takt_schedule::closest while suggestions are left; then empty.
  std::string closest(std::string_view word, std::span<const std::string> known)
  {
    return take() ? takt_schedule::closest(word, known) : std::string();
  }
  /// As takt_schedule::suggestion while suggestions are left; then empty.
  std::string suggestion(
    std::string_view word, std::span<const std::string> known, std::string_view kind)
  {
    return take() ? takt_schedule::suggestion(word, known, kind) : std::string();
  }

private:
  int left_ = 100;
};

}  // namespace takt_schedule

#endif  // TAKT_SCHEDULE__READER__TEXT_HPP_
