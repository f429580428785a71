// Results replace what was there as a whole, and nothing else.
#include "output_file.hpp"
#include "program.hpp"

namespace takt_workload
{

// In a container the same program has the same number every time.
TEST_F(Programs, WhatAKilledRunOfTheSameNumberLeftIsInNobodysWay)
{
  const std::string left = file("r.json." + std::to_string(getpid()) + ".part");
  std::ofstream(left) << "left";
  for (const std::string text : {"first", "second"}) {
    EXPECT_TRUE(check_output(file("r.json")).ok());
    EXPECT_TRUE(write_output(file("r.json"), text).ok());
    std::string found;
    std::ifstream(file("r.json")) >> found;
    EXPECT_EQ(found, text);
  }
  std::string kept;
  std::ifstream(left) >> kept;
  EXPECT_EQ(kept, "left");
  const std::filesystem::directory_iterator all(directory);
  EXPECT_EQ(std::distance(begin(all), end(all)), 2);
}

}  // namespace takt_workload
