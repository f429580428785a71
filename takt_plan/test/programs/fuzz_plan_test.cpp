// Thousands of damaged systems and schedules for the planners and the analyses. Each run uses the
// same ones.
#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "support/campaign.hpp"
#include "takt_schedule/test/docs_example.hpp"

extern std::size_t takt_fuzz_explained;
extern std::size_t takt_fuzz_simulated;
extern std::size_t takt_fuzz_planned;
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t * data, std::size_t size);

namespace takt_plan
{
namespace
{

using takt_schedule::test::docs_block;

void feed(const std::string & text)
{
  LLVMFuzzerTestOneInput(reinterpret_cast<const std::uint8_t *>(text.data()), text.size());
}

class Damage
{
public:
  explicit Damage(std::uint64_t seed) : random_(seed) {}

  /// One or two changes that leave most texts readable.
  std::string of(std::string text)
  {
    for (std::size_t changes = 1 + below(2); changes > 0; --changes) {
      switch (below(6)) {
        case 0:
        case 1:
        case 2:
          replace_number(text);
          break;
        case 3:
          replace_word(text);
          break;
        case 4:
          move_line(text, below(2) == 0);
          break;
        default:
          text.erase(below(text.size()), 1 + below(4));
          break;
      }
    }
    return text;
  }

private:
  std::size_t below(std::size_t n) { return n == 0 ? 0 : random_() % n; }

  /// The position of a word of such characters that begins at or after a random place.
  template <typename Is>
  std::pair<std::size_t, std::size_t> some(const std::string & text, const Is & is)
  {
    std::size_t begin = below(text.size());
    while (begin < text.size() && !is(text[begin])) {
      ++begin;
    }
    std::size_t end = begin;
    while (end < text.size() && is(text[end])) {
      ++end;
    }
    return {begin, end - begin};
  }

  void replace_number(std::string & text)
  {
    static const std::vector<std::string> kNumbers{
      "0",   "1",     "-1",     "2",          "7",           "99",
      "100", "65535", "999999", "2147483648", "99999999999", "9223372036854775807"};
    const auto [at, count] =
      some(text, [](char c) { return std::isdigit(static_cast<unsigned char>(c)) != 0; });
    text.replace(at, count, kNumbers[below(kNumbers.size())]);
  }

  /// Replaces a word by another one of the text, so that a reference names another object.
  void replace_word(std::string & text)
  {
    const auto is = [](char c) { return c != ' ' && c != '\n' && c != ',' && c != ']'; };
    const auto [from, length] = some(text, is);
    const std::string word = text.substr(from, length);
    const auto [at, count] = some(text, is);
    text.replace(at, count, word);
  }

  /// Moves a line to another place. `repeat`: copies it.
  void move_line(std::string & text, bool repeat)
  {
    const auto line_at = [&](std::size_t place) {
      const std::size_t before = text.rfind('\n', place);
      return before == std::string::npos ? 0 : before + 1;
    };
    const std::size_t begin = line_at(below(text.size()));
    const std::size_t end = std::min(text.find('\n', begin), text.size() - 1) + 1;
    const std::string line = text.substr(begin, end - begin);
    if (!repeat) {
      text.erase(begin, end - begin);
    }
    if (!text.empty()) {
      text.insert(line_at(below(text.size())), line);
    }
  }

  std::mt19937_64 random_;
};

/// A schedule for the documented set.
constexpr const char * kTwoThreads = R"yaml(
===
version: 1
executors:
  main:
    threads:
      first: {policy: fifo, priority: 60, cores: [0]}
      second: {policy: fifo, priority: 50, cores: [1]}
    order: priority
    default: first
    callbacks:
      - {match: "/detect:sub(*)", threads: second}
)yaml";

/// The documented systems with their schedules: threads of all kinds, chains that read, sets.
std::vector<std::string> documented()
{
  const std::string system = docs_block("file: system.yaml", "explain.md") + "\n===\n";
  std::string three_cores = system;
  three_cores.replace(three_cores.find("cores: 2"), 8, "cores: 3");
  return {
    system + docs_block("file: one.yaml", "explain.md"),
    system + docs_block("file: two.yaml", "explain.md"),
    system + docs_block("file: three.yaml", "explain.md"),
    system + docs_block("file: four.yaml", "explain.md"),
    three_cores + docs_block("file: five.yaml", "explain.md"),
    docs_block("file: loop.yaml", "explain.md") + "\n===\n" +
      docs_block("file: control.yaml", "explain.md"),
    docs_block("test: set", "system.md") + kTwoThreads,
    docs_block("file: car.yaml", "plan.md")};
}

bool under_a_sanitizer()
{
  const char * const variant = std::getenv("TAKT_VARIANT");
  return variant != nullptr && *variant != '\0';
}

TEST(FuzzPlan, WhatIsDamagedIsRightBefore)
{
  for (const std::string & text : documented()) {
    const bool schedule = text.find("===") != std::string::npos;
    const std::size_t explained = takt_fuzz_explained;
    const std::size_t simulated = takt_fuzz_simulated;
    feed(text);
    EXPECT_EQ(takt_fuzz_explained - explained, schedule ? 1U : 0U) << text;
    EXPECT_EQ(takt_fuzz_simulated - simulated, schedule ? 2U : 0U) << text;
  }
}

TEST(FuzzPlan, DamagedFilesHaveAnAnswerOrFaults)
{
  const std::vector<std::string> texts = documented();
  const std::size_t explained = takt_fuzz_explained;
  const std::size_t simulated = takt_fuzz_simulated;
  const std::size_t planned = takt_fuzz_planned;
  // each round takes longer under a sanitizer
  const std::uint64_t rounds = test::rounds(under_a_sanitizer() ? 750 : 3000);
  for (std::uint64_t i = 0; i < rounds; ++i) {
    feed(Damage(test::seed() + i).of(texts[i % texts.size()]));
  }
  EXPECT_GT(takt_fuzz_explained - explained, rounds / 15);
  EXPECT_GT(takt_fuzz_simulated - simulated, rounds / 10);
  EXPECT_GT(takt_fuzz_planned - planned, rounds / 5);
}

TEST(FuzzPlan, EveryPrefixOfAFileHasAnAnswerOrFaults)
{
  for (const std::string & text : documented()) {
    for (std::size_t n = 0; n < text.size(); n += 17) {
      feed(text.substr(0, n));
    }
  }
}

TEST(FuzzPlan, DeepNestingIsRefused)
{
  for (const char * open : {"[", "{a: ", "- "}) {
    std::string text;
    for (int i = 0; i < 20'000; ++i) {
      text += open;
    }
    feed(text);
    feed(documented().front() + text);
  }
}

}  // namespace
}  // namespace takt_plan
