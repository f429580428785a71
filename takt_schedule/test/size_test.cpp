#include "takt_schedule/size.hpp"

#include <gtest/gtest.h>

#include <random>

namespace takt_schedule
{
namespace
{

std::string fault(std::string_view text)
{
  const auto faults = parse_size(text).faults();
  EXPECT_EQ(faults.size(), 1U) << text;
  return faults.empty() ? "" : to_string(faults.front());
}

TEST(Size, IsReadInEveryUnit)
{
  EXPECT_EQ(parse_size("7B").value(), 7U);
  EXPECT_EQ(parse_size("256KiB").value(), 262144U);
  EXPECT_EQ(parse_size("1.5MiB").value(), 1572864U);
  EXPECT_EQ(parse_size("2GiB").value(), 2147483648U);
}

TEST(Size, RefusesWhatIsAmbiguousOrMissing)
{
  EXPECT_EQ(fault("64"), "'64' has no unit; write 64KiB (units are B, KiB, MiB and GiB)");
  EXPECT_EQ(fault("64KB"), "'64KB' has the unknown unit 'KB'; did you mean 'KiB'?");
  EXPECT_EQ(fault("64K"), "'64K' has the unknown unit 'K'; units are B, KiB, MiB and GiB");
  EXPECT_EQ(fault("0.3B"), "'0.3B' is finer than 1B");
  EXPECT_EQ(fault("99999999999GiB"), "'99999999999GiB' is too large");
}

TEST(Size, PrintedIsReadBackToTheSameValue)
{
  EXPECT_EQ(print_size(0), "0B");
  EXPECT_EQ(print_size(262144), "256KiB");
  EXPECT_EQ(print_size(1000), "1000B");
  std::mt19937_64 random(2);
  for (int i = 0; i < 5000; ++i) {
    const std::size_t bytes = random() >> (1 + random() % 63);
    ASSERT_EQ(parse_size(print_size(bytes)).value(), bytes);
  }
}

}  // namespace
}  // namespace takt_schedule
