#include "takt_rt/exchange.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <thread>

#include "support/rounds.hpp"

namespace takt_rt
{
namespace
{

TEST(Exchange, ReturnsTheInitialValueBeforeTheFirstWrite)
{
  Exchange<int> exchange(7);
  EXPECT_EQ(exchange.read().value, 7);
  EXPECT_FALSE(exchange.read().is_new);
}

TEST(Exchange, ReturnsTheNewestAndSaysOnceThatItIsNew)
{
  Exchange<int> exchange;
  for (int round = 1; round < 10; ++round) {
    exchange.write(-round);
    exchange.write(round);
    const auto first = exchange.read();
    EXPECT_EQ(first.value, round);
    EXPECT_TRUE(first.is_new);
    const auto second = exchange.read();
    EXPECT_EQ(second.value, round);
    EXPECT_FALSE(second.is_new);
  }
}

TEST(Exchange, KeepsAReadValueUntilTheNextRead)
{
  Exchange<int> exchange;
  exchange.write(1);
  const auto reading = exchange.read();
  for (int i = 2; i < 10; ++i) {
    exchange.write(i);
  }
  EXPECT_EQ(reading.value, 1);
}

TEST(Exchange, NeverShowsATornOrAnOlderValue)
{
  const std::uint64_t writes = test::rounds(300000);
  struct Wide
  {
    std::array<std::uint64_t, 16> words;
  };
  Exchange<Wide> exchange(Wide{});
  std::uint64_t plain = 0;  // only the exchange orders it; ThreadSanitizer checks
  std::thread writer([&] {
    Wide wide{};
    for (std::uint64_t i = 1; i <= writes; ++i) {
      wide.words.fill(i);
      if (i == 1) {
        plain = 1;
      }
      exchange.write(wide);
    }
  });
  std::uint64_t last = 0;
  std::uint64_t torn = 0;
  std::uint64_t wrong_news = 0;
  while (last < writes) {
    const auto [wide, is_new] = exchange.read();
    const std::uint64_t first = wide.words[0];
    for (const std::uint64_t word : wide.words) {
      torn += word != first;
    }
    wrong_news += is_new ? first <= last : first != last;
    if (first > 0) {
      EXPECT_EQ(plain, 1U);
    }
    last = first;
  }
  writer.join();
  EXPECT_EQ(torn, 0U);
  EXPECT_EQ(wrong_news, 0U);
}

}  // namespace
}  // namespace takt_rt
