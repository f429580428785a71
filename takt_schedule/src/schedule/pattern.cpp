#include "takt_schedule/pattern.hpp"

#include <algorithm>

#include "ids/callback_id.hpp"
#include "takt_schedule/reader/text.hpp"

namespace takt_schedule
{

using takt_rt::Faults;
using takt_rt::Result;

Result<Pattern> Pattern::compile(std::string_view text)
{
  return compile(text, false);
}
Result<Pattern> Pattern::compile_name(std::string_view text)
{
  return compile(text, true);
}

Result<Pattern> Pattern::compile(std::string_view text, bool name)
{
  if (text.empty()) {
    return Faults{"an empty pattern matches nothing"};
  }
  if (std::any_of(text.begin(), text.end(), is_control)) {
    return Faults{"pattern " + quoted(text) + " contains a control character"};
  }
  Pattern pattern;
  pattern.text_ = text;
  Star star = Star::none;
  for (std::size_t i = 0; i < text.size();) {
    if (text[i] != '*') {
      pattern.pieces_.push_back({star, text[i]});
      star = Star::none;
      ++i;
      continue;
    }
    const std::size_t end = std::min(text.find_first_not_of('*', i), text.size());
    if (end - i > (name ? 1U : 2U)) {
      return Faults{
        "pattern " + quoted(text) + " has " + std::to_string(end - i) + " stars in a row; " +
        (name ? "names have no segments, '*' stands for any characters"
              : "'*' stays within one segment, '**' crosses")};
    }
    star = name || end - i == 2 ? Star::all : Star::segment;
    i = end;
  }
  pattern.last_ = star;
  pattern.specificity_ = {pattern.pieces_.size() == text.size(), pattern.pieces_.size()};
  return pattern;
}

bool Pattern::match(std::string_view id) const
{
  // Most ids already differ in the part before the first star.
  std::size_t prefix = 0;
  while (prefix < pieces_.size() && pieces_[prefix].star == Star::none) {
    if (prefix >= id.size() || id[prefix] != pieces_[prefix].character) {
      return false;
    }
    ++prefix;
  }
  if (exact()) {
    return prefix == id.size();
  }
  // Most of the others differ in the part after the last star.
  std::size_t end = pieces_.size();
  Star last = last_;
  while (last == Star::none) {
    --end;
    const std::size_t after = pieces_.size() - end;
    if (prefix + after > id.size() || id[id.size() - after] != pieces_[end].character) {
      return false;
    }
    last = pieces_[end].star;
  }
  return match_between(id.substr(prefix, id.size() - prefix - (pieces_.size() - end)), prefix, end);
}

bool Pattern::match_between(std::string_view id, std::size_t begin, std::size_t end) const
{
  const Star last = end == pieces_.size() ? last_ : pieces_[end].star;
  if (begin == end) {
    return last == Star::all || std::none_of(id.begin(), id.end(), is_separator);
  }
  if (end - begin > id.size()) {
    return false;
  }
  // reached[i]: the pieces so far can match the first i characters.
  std::vector<char> reached(id.size() + 1, 0);
  reached[0] = 1;
  const auto spread = [&](Star star) {
    if (star == Star::none) {
      return;
    }
    for (std::size_t i = 0; i < id.size(); ++i) {
      if (reached[i] != 0 && (star == Star::all || !is_separator(id[i]))) {
        reached[i + 1] = 1;
      }
    }
  };
  for (std::size_t p = begin; p < end; ++p) {
    const Piece & piece = pieces_[p];
    spread(piece.star);
    for (std::size_t i = id.size(); i > 0; --i) {
      reached[i] = static_cast<char>(reached[i - 1] != 0 && id[i - 1] == piece.character);
    }
    reached[0] = 0;
  }
  spread(last);
  return reached[id.size()] != 0;
}

bool Pattern::covers(const Pattern & other) const
{
  // With equally many literals the shortest id of `other` must be the shortest of this one too, so
  // the literals are the same and only the stars between them can differ.
  return specificity_ == other.specificity_ && last_ >= other.last_ &&
         std::equal(
           pieces_.begin(), pieces_.end(), other.pieces_.begin(), other.pieces_.end(),
           [](const Piece & mine, const Piece & theirs) {
             return mine.character == theirs.character && mine.star >= theirs.star;
           });
}

bool may_match_callback_of(std::string_view text, std::string_view node)
{
  const std::string_view own = detail::node_of(text);
  // Without a colon "**" stands for the end of the node's name and for what follows it.
  const auto pattern = Pattern::compile(
    own.empty() ? std::string(text.substr(0, text.find("**"))) + "**" : std::string(own));
  return pattern && pattern->match(node);
}

}  // namespace takt_schedule
