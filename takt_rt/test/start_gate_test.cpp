// Threads begin together after all have arrived.
#include "takt_rt/start_gate.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <thread>
#include <vector>

namespace takt_rt
{
namespace
{

TEST(StartGate, LetsNoThreadThroughBeforeItOpens)
{
  for (int round = 0; round < 100; ++round) {
    StartGate gate;
    int written_by_starter = 0;
    std::atomic<int> through{0};
    std::vector<int> written(3, 0);
    std::vector<std::thread> threads;
    for (int & own : written) {
      threads.emplace_back([&] {
        own = 1;
        gate.pass();
        EXPECT_EQ(written_by_starter, 1);
        through.fetch_add(1);
      });
    }
    gate.wait_for(3);
    EXPECT_EQ(written, (std::vector<int>{1, 1, 1}));
    EXPECT_EQ(through.load(), 0);
    written_by_starter = 1;
    gate.open();
    for (std::thread & thread : threads) {
      thread.join();
    }
    EXPECT_EQ(through.load(), 3);
    gate.pass();  // it stays open
  }
}

}  // namespace
}  // namespace takt_rt
