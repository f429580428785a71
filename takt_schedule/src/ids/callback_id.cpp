#include "ids/callback_id.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdint>
#include <string>
#include <utility>

#include "takt_schedule/duration.hpp"
#include "takt_schedule/pattern.hpp"
#include "takt_schedule/quoted.hpp"

namespace takt_schedule::detail
{
namespace
{

// Possible next parts of an id; a set of them, since brackets may hold brackets.
enum Place : unsigned
{
  start = 1U << 0U,
  segment_begin = 1U << 1U,
  segment = 1U << 2U,
  kind_begin = 1U << 3U,
  kind = 1U << 4U,
  brackets = 1U << 5U,
  closed = 1U << 6U,
  number_begin = 1U << 7U,
  number = 1U << 8U,
};

unsigned step(unsigned places, char c)
{
  const bool separator = is_separator(c) || c == ' ';
  unsigned next = 0;
  const auto go = [&](unsigned from, bool fits, unsigned to) {
    next |= (places & from) != 0 && fits ? to : 0U;
  };
  go(start, c == '/', segment_begin);
  go(segment_begin | segment, !separator, segment);
  go(segment, c == '/', segment_begin);
  go(segment, c == ':', kind_begin);
  go(kind_begin | kind, !separator, kind);
  go(kind, c == '(', brackets);
  go(brackets, true, brackets);
  go(brackets, c == ')', closed);
  go(closed, c == '#', number_begin);
  go(number_begin | number, c >= '0' && c <= '9', number);
  return next;
}

/// The possible places after a star: any characters, or any except separators.
unsigned after_star(unsigned places, bool all)
{
  // One character of each sort that `step` distinguishes.
  constexpr std::array<char, 7> kSorts{'a', '0', '#', '/', ':', '(', ')'};
  for (unsigned before = 0; before != places;) {
    before = places;
    for (const char c : kSorts) {
      places |= all || !is_separator(c) ? step(places, c) : 0U;
    }
  }
  return places;
}

/// "/ns/node:timer(33ms)" for "/ns/node@Timer(33000000)", as thread configurators write it; else
/// empty.
std::string without_at(std::string_view pattern)
{
  const std::size_t at = pattern.find('@');
  const std::size_t open = pattern.find('(', at);
  const std::size_t close = pattern.find(')', open);
  if (close == std::string_view::npos) {
    return {};
  }
  constexpr std::array<std::pair<std::string_view, std::string_view>, 4> kKinds{
    {{"Timer", "timer"}, {"Subscription", "sub"}, {"Service", "service"}, {"Client", "client"}}};
  const std::string_view kind = pattern.substr(at + 1, open - at - 1);
  std::string what{pattern.substr(open + 1, close - open - 1)};
  for (const auto & [theirs, ours] : kKinds) {
    if (kind != theirs) {
      continue;
    }
    if (ours == "timer") {
      std::int64_t ns = 0;
      const auto [end, error] = std::from_chars(what.data(), what.data() + what.size(), ns);
      if (error != std::errc() || end != what.data() + what.size()) {
        return {};
      }
      what = print_duration(takt_rt::Duration(ns));
    }
    return takt_core::adapter::callback_id(pattern.substr(0, at), ours, what);
  }
  return {};
}

bool fits(std::string_view pattern)
{
  unsigned places = start;
  for (std::size_t i = 0; i < pattern.size(); ++i) {
    if (pattern[i] != '*') {
      places = step(places, pattern[i]);
      continue;
    }
    const bool all = i + 1 < pattern.size() && pattern[i + 1] == '*';
    places = after_star(places, all);
    i += all ? 1 : 0;
  }
  return (places & (closed | number)) != 0;
}

/// "**:sub(/images)" for "sub(images)", the callback without its node; else empty.
std::string of_any_node(std::string_view pattern)
{
  constexpr std::array<std::string_view, 3> kOfNames{"sub", "service", "client"};
  const std::size_t open = pattern.find('(');
  if (open == 0 || open == std::string_view::npos || pattern.find_first_of("/:*") < open) {
    return {};
  }
  const std::string_view kind = pattern.substr(0, open);
  const std::string_view what = pattern.substr(open + 1);
  const bool needs_slash = std::find(kOfNames.begin(), kOfNames.end(), kind) != kOfNames.end() &&
                           !what.empty() && what.front() != '/' && what.front() != '*';
  std::string any = "**:" + std::string(kind) + (needs_slash ? "(/" : "(") + std::string(what);
  return fits(any) ? any : std::string();
}

}  // namespace

std::optional<std::string> bad_characters(std::string_view pattern)
{
  if (pattern.size() > kLongestId) {
    return quoted(pattern) + " has " + std::to_string(pattern.size()) +
           " characters, and ids and patterns have at most " + std::to_string(kLongestId);
  }
  if (std::any_of(pattern.begin(), pattern.end(), is_control)) {
    return quoted(pattern) + " contains a control character; remove it";
  }
  std::string tight{pattern};
  if (std::erase(tight, ' ') > 0 && !fits(pattern) && fits(tight)) {
    return quoted(pattern) + " has a space in it; did you mean " + quoted(tight) + "?";
  }
  return std::nullopt;
}

bool may_be_id(std::string_view pattern)
{
  return fits(pattern);
}

takt_rt::Result<std::string> exact_id(const std::string & text, std::string_view owners)
{
  if (auto why = bad_characters(text)) {
    return takt_rt::Faults{std::move(*why)};
  }
  if (text.find('*') != std::string::npos) {
    return takt_rt::Faults{
      std::string(owners) + " name exact ids, and " + quoted(text) + " is a pattern"};
  }
  if (!may_be_id(text)) {
    return takt_rt::Faults{
      quoted(text) + " is not a callback id; ids look like '/node:timer(100ms)'"};
  }
  return normal_id(text);
}

std::string meant_id(std::string_view pattern)
{
  if (std::string ours = without_at(pattern); !ours.empty()) {
    return ours;
  }
  if (std::string any = of_any_node(pattern); !any.empty()) {
    return any;
  }
  for (const char * rest : {")", "(**)", ":**"}) {
    if (std::string longer = std::string(pattern) + rest; fits(longer)) {
      return longer;
    }
  }
  return {};
}

}  // namespace takt_schedule::detail
