#include "takt_schedule/core_list.hpp"

#include <gtest/gtest.h>

namespace takt_schedule
{
namespace
{

using Cores = std::vector<int>;

Cores good(std::string_view text)
{
  const auto cores = parse_cores(text);
  EXPECT_TRUE(cores.ok()) << text;
  return cores ? *cores : Cores{};
}

TEST(CoreList, HoldsCoresAndRanges)
{
  EXPECT_EQ(good("0"), Cores{0});
  EXPECT_EQ(good("0,2-3"), (Cores{0, 2, 3}));
  EXPECT_EQ(good("3,1-1"), (Cores{3, 1}));
  EXPECT_EQ(good("4095"), Cores{4095});
}

TEST(CoreList, OfAnotherFormIsAFault)
{
  for (const char * text :
       {"", ",", "0,", ",0", "1-0", "-1", "0-", "0--1", "a", "0 ", " 0", "+1", "0x1", "4096",
        "99999999999999999999", "\u0661", "0,2;3"}) {
    const auto cores = parse_cores(text);
    ASSERT_FALSE(cores.ok()) << text;
    EXPECT_EQ(
      cores.faults(),
      takt_rt::Faults{
        "'" + std::string(text) + "' is not a list of cores like 0,2-3 (from 0 to 4095)"});
  }
}

TEST(CoreList, NamesNoCoreTwice)
{
  EXPECT_EQ(parse_cores("0,0").faults(), takt_rt::Faults{"'0,0' names core 0 twice"});
  EXPECT_EQ(parse_cores("0-3,2").faults(), takt_rt::Faults{"'0-3,2' names core 2 twice"});
}

TEST(CoreList, IsReadBackAsItWasPrinted)
{
  EXPECT_EQ(print_cores(Cores{}), "");
  for (const Cores & cores : {Cores{0}, {0, 1}, {0, 2, 3, 4, 9}, {1, 3, 5}}) {
    EXPECT_EQ(good(print_cores(cores)), cores);
  }
  EXPECT_EQ(print_cores(Cores{0, 1, 2, 6}), "0-2,6");
}

}  // namespace
}  // namespace takt_schedule
