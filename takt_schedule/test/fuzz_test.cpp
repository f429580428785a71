// Thousands of damaged schedules, the same ones each time.
#include <gtest/gtest.h>

#include <cstdint>
#include <cstdlib>
#include <random>
#include <string>
#include <vector>

#include "docs_example.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t * data, std::size_t size);

namespace takt_schedule
{
namespace
{

void feed(const std::string & text)
{
  LLVMFuzzerTestOneInput(reinterpret_cast<const std::uint8_t *>(text.data()), text.size());
}

/// Makes one to four changes as people and disks do.
std::string damaged(std::string text, std::mt19937 & random)
{
  static const std::vector<std::string> kTokens{
    "*",
    "**",
    "&a ",
    "*a",
    "<<: *a",
    "[",
    "]",
    "{",
    "}",
    ":",
    ": ",
    "- ",
    "\n",
    "  ",
    "\t",
    "~",
    "null",
    "\"",
    "'",
    "#",
    "|",
    ">",
    "%",
    "@",
    "!",
    "!!s ",
    "---\n",
    "...\n",
    "-1",
    "999999",
    "100",
    "ms",
    "all",
    "\\x",
    "?",
    "? ",
    "\r\n",
    "\xff",
    "\xef\xbb\xbf",
    std::string(1, '\0'),
    "99999999999999999999",
    "threads: ",
    "match: ",
    "hot.0",
    "follow: true",
    "policy: deadline",
    "backlog: {depth: 0.5, rate: 1e-3}\n",
    "boost: {per: 50ms}\n",
    "misses: {most: 1, of: 3}\n",
    "on_alarm: [log, {run: [x, '#']}]\n",
    "fail_safe: {set_parameter: {node: /n, name: p, value: [1, \"a\"]}}\n",
    "{thread: {name: hot, priority: 5}}",
    "watch: {period: 1ms}\n",
    "0.5",
    "nan"};
  const auto at = [&] { return text.empty() ? 0 : random() % text.size(); };
  for (std::size_t changes = 1 + random() % 4; changes > 0; --changes) {
    switch (random() % 6) {
      case 0:
        text.insert(at(), kTokens[random() % kTokens.size()]);
        break;
      case 1:
        text.erase(at(), 1 + random() % 8);
        break;
      case 2:
        if (!text.empty()) {
          text[at()] = static_cast<char>(random() % 256);
        }
        break;
      case 3: {  // a line twice
        const std::size_t begin = text.rfind('\n', at());
        const std::size_t end = text.find('\n', begin == std::string::npos ? 0 : begin + 1);
        if (begin != std::string::npos && end != std::string::npos) {
          text.insert(end, text.substr(begin, end - begin));
        }
        break;
      }
      case 4: {  // a line less
        const std::size_t begin = text.rfind('\n', at());
        const std::size_t end = text.find('\n', begin == std::string::npos ? 0 : begin + 1);
        if (begin != std::string::npos && end != std::string::npos) {
          text.erase(begin, end - begin);
        }
        break;
      }
      default:  // a piece somewhere else
        text.insert(at(), text.substr(at(), random() % 30));
        break;
    }
  }
  return text;
}

/// `make soak` asks for more, with other seeds.
int from_environment(const char * name, int otherwise)
{
  const char * const value = std::getenv(name);
  return value == nullptr ? otherwise : std::atoi(value);
}

void feed_damaged(const std::string & page)
{
  const std::string valid = test::docs_example("valid", page);
  const std::string faulty = test::docs_example("faulty", page);
  std::mt19937 random(static_cast<std::mt19937::result_type>(from_environment("TAKT_SEED", 5)));
  for (int i = from_environment("TAKT_ROUNDS", 4000); i > 0; --i) {
    feed(damaged(i % 4 == 0 ? faulty : valid, random));
  }
}

TEST(Fuzz, DamagedSchedulesNeverCrashAndFaultsAlwaysHaveALine)
{
  feed_damaged("schedule.md");
}

TEST(Fuzz, DamagedSystemModelsNeverCrashAndFaultsAlwaysHaveALine)
{
  feed_damaged("system.md");
}

TEST(Fuzz, ArbitraryBytesNeverCrash)
{
  std::mt19937 random(6);
  for (int i = 0; i < 2000; ++i) {
    std::string text(random() % 200, '\0');
    for (char & c : text) {
      c = static_cast<char>(random() % (i % 2 == 0 ? 256 : 128));
    }
    feed(text);
  }
}

TEST(Fuzz, EveryPrefixOfAFileIsRefusedOrAccepted)
{
  for (const char * page : {"schedule.md", "system.md"}) {
    const std::string valid = test::docs_example("valid", page);
    for (std::size_t n = 0; n < valid.size(); n += 3) {
      feed(valid.substr(0, n));
    }
  }
}

}  // namespace
}  // namespace takt_schedule
