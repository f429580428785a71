#include "takt_schedule/reader/text.hpp"

#include <algorithm>
#include <cctype>

#include "reader/other_words.hpp"

namespace takt_schedule
{
namespace
{

constexpr std::size_t kLongestCompared = 120;
constexpr std::size_t kLongestList = 20;
// Comparing with more would cost more than a suggestion is worth.
constexpr std::size_t kMostCandidates = 1000;

std::string lower(std::string_view text)
{
  std::string result{text.substr(0, kLongestCompared)};
  std::transform(result.begin(), result.end(), result.begin(), [](unsigned char c) {
    return static_cast<char>(std::tolower(c));
  });
  return result;
}

/// Levenshtein's distance; a swap of two neighbours counts once.
std::size_t edit_distance(std::string_view a, std::string_view b)
{
  std::vector<std::size_t> before(b.size() + 1);
  std::vector<std::size_t> above(b.size() + 1);
  std::vector<std::size_t> row(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) {
    row[j] = j;
  }
  for (std::size_t i = 1; i <= a.size(); ++i) {
    before.swap(above);
    above.swap(row);
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      row[j] =
        std::min({above[j] + 1, row[j - 1] + 1, above[j - 1] + (a[i - 1] == b[j - 1] ? 0U : 1U)});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) {
        row[j] = std::min(row[j], before[j - 2] + 1);
      }
    }
  }
  return row[b.size()];
}

}  // namespace

std::string listed(std::span<const std::string> words, std::string_view last)
{
  std::string result;
  const std::size_t shown = std::min(words.size(), kLongestList);
  for (std::size_t i = 0; i < shown; ++i) {
    if (i > 0) {
      result += i + 1 == words.size() ? " " + std::string(last) + " " : std::string(", ");
    }
    result += words[i];
  }
  return shown < words.size() ? result + ", ..." : result;
}

std::string closest(std::string_view word, std::span<const std::string> known)
{
  const std::string wanted = lower(word);
  std::string best;
  std::size_t best_distance = SIZE_MAX;
  for (const std::string & candidate : known.first(std::min(known.size(), kMostCandidates))) {
    const std::string lowered = lower(candidate);
    std::size_t distance = edit_distance(wanted, lowered);
    // SCHED_FIFO for fifo: the known word behind a prefix.
    if (lowered.size() > 2 && wanted.ends_with("_" + lowered)) {
      distance = 1;
    }
    if (distance < best_distance) {
      best_distance = distance;
      best = candidate;
    }
  }
  // A third of the letters may be wrong; in words of three letters, one.
  const std::size_t allowed = std::max<std::size_t>(1, std::max(wanted.size(), best.size()) / 3);
  return best_distance <= allowed && best_distance < wanted.size() ? best : std::string{};
}

std::string suggestion(
  std::string_view word, std::span<const std::string> known, std::string_view kind)
{
  if (known.empty()) {
    return {};
  }
  std::string best = detail::word_for_other(word, known);
  if (best.empty()) {
    best = closest(word, known);
  }
  if (!best.empty()) {
    return "; did you mean " + quoted(best) + "?";
  }
  return known.size() == 1 ? "; there is only " + quoted(known.front())
                           : "; " + std::string(kind) + " are " + listed(known);
}

}  // namespace takt_schedule
