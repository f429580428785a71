// Patterns over callback ids, and the more specific of two patterns.
//
// The separators `/`, `:`, `(` and `)` cut an id into segments. `*` matches any characters (also
// none) except separators, `**` any characters; every other character matches itself. A pattern
// matches whole ids.
//
//     /lidar/*:timer(*)      /lidar/front:timer(100ms)     but not /lidar/a/b:timer(100ms)
//     /lidar/**:sub(/*)      /lidar/a/b:sub(/points)       but not /lidar/a:sub(/ns/points)
//     **:sub(**)             every subscription
//
// Set-up only: compiling and matching allocate and do not block.
#ifndef TAKT_SCHEDULE__PATTERN_HPP_
#define TAKT_SCHEDULE__PATTERN_HPP_

#include <compare>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "takt_rt/result.hpp"

namespace takt_schedule
{

/// Orders patterns: an exact id is more specific than a pattern, and a pattern with more characters
/// other than stars is more specific. Two equal patterns tie; a tie is an error if both match the
/// same id.
struct Specificity
{
  bool exact = false;
  std::size_t literals = 0;
  friend auto operator<=>(const Specificity &, const Specificity &) = default;
};

/// True for `/`, `:`, `(` and `)`.
constexpr bool is_separator(char c) noexcept
{
  return c == '/' || c == ':' || c == '(' || c == ')';
}

/// Whether the node part of the id or pattern `text` can match a callback of `node`.
bool may_match_callback_of(std::string_view text, std::string_view node);

/// A compiled pattern. Immutable; any thread.
class Pattern
{
public:
  /// Faults, without a position: empty, three stars in a row, control characters.
  static takt_rt::Result<Pattern> compile(std::string_view text);

  /// A pattern over plain names without segments, such as those of OS threads: `*` matches any
  /// characters, `**` is a fault.
  static takt_rt::Result<Pattern> compile_name(std::string_view text);

  /// True if the pattern matches the whole id.
  bool match(std::string_view id) const;
  /// The pattern as written.
  const std::string & text() const noexcept { return text_; }
  /// True without stars.
  bool exact() const noexcept { return specificity_.exact; }
  /// The rank of this pattern among several that match one id.
  Specificity specificity() const noexcept { return specificity_; }

  /// True if this pattern matches all that `other` matches, with the same specificity, so that
  /// `other` can never win. Equal patterns cover each other.
  bool covers(const Pattern & other) const;

private:
  enum class Star
  {
    none,
    segment,
    all
  };
  struct Piece
  {
    Star star = Star::none;  ///< star before the character
    char character = '\0';
  };

  Pattern() = default;
  static takt_rt::Result<Pattern> compile(std::string_view text, bool name);
  /// Whether pieces from `begin` to `end` and the star after them match all of `id`.
  bool match_between(std::string_view id, std::size_t begin, std::size_t end) const;

  std::string text_;
  std::vector<Piece> pieces_;
  Star last_ = Star::none;  ///< star after the last character
  Specificity specificity_;
};

}  // namespace takt_schedule

#endif  // TAKT_SCHEDULE__PATTERN_HPP_
