// Durations for people have one spelling in C++ and in Python: the table durations.txt, which a
// test of takt_cli checks too.
#include "takt_rt/readable.hpp"

#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <map>
#include <sstream>
#include <string>

namespace takt_rt::test
{
namespace
{

TEST(Readable, FollowsTheTableOfAllPrograms)
{
  std::ifstream file(TAKT_DURATIONS);
  std::map<std::string, int> lines;
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with('#')) {
      continue;
    }
    std::istringstream row(line);
    std::string name, number, text;
    std::getline(row, name, '\t');
    std::getline(row, number, '\t');
    std::getline(row, text);
    ++lines[name];
    if (name == "human") {
      EXPECT_EQ(human(std::strtod(number.c_str(), nullptr)), text) << line;
    } else if (name == "exactly") {
      EXPECT_EQ(exactly(Duration{std::stoll(number)}), text) << line;
    } else if (name == "significant") {
      EXPECT_EQ(significant(std::strtod(number.c_str(), nullptr)), text) << line;
    } else {
      ADD_FAILURE() << line;
    }
  }
  EXPECT_GT(lines["human"], 10);
  EXPECT_GT(lines["exactly"], 5);
  EXPECT_GT(lines["significant"], 5);
}

TEST(Readable, HasTheSameTextOfADurationAsOfItsNumber)
{
  EXPECT_EQ(human(std::chrono::microseconds(515)), "515 µs");
  EXPECT_EQ(human(std::chrono::milliseconds(20)), human(20e6));
}

}  // namespace
}  // namespace takt_rt::test
