// Every order × every shape of thread set, under a virtual clock and on an executor's own threads,
// keeps every promise of the suite (support/suite.hpp).
#include <gtest/gtest.h>

#include "support/suite.hpp"

namespace takt_core::test
{
namespace
{

std::vector<Setting> settings()
{
  std::vector<Setting> all;
  for (const bool real : {false, true}) {
    for (const Order order :
         {Order::priority, Order::fifo, Order::edf, Order::window, Order::stock}) {
      for (const Shape shape :
           {Shape::single, Shape::pool, Shape::partitioned, Shape::following, Shape::isolated}) {
        // A virtual thread has no priority to change, and the virtual world creates no threads.
        if (real || (shape != Shape::following && shape != Shape::isolated)) {
          all.push_back({order, shape, real});
        }
      }
    }
  }
  return all;
}

class Conformance : public testing::TestWithParam<Setting>
{
protected:
  void expect_kept(Check check)
  {
    const auto engine = make_engine(GetParam());
    if (engine == nullptr) {
      GTEST_SKIP() << "following threads need SCHED_FIFO, which this process may not use";
    }
    const Verdict verdict = check(*engine, GetParam());
    EXPECT_TRUE(verdict.good()) << verdict;
  }
};

TEST_P(Conformance, consumes_everything_once_in_exclusive_groups)
{
  expect_kept(consumes_everything_once_in_exclusive_groups);
}

TEST_P(Conformance, keeps_the_order_of_releases)
{
  const Setting & setting = GetParam();
  if (setting.order != Order::fifo && setting.order != Order::priority) {
    return;  // windows order by registration, edf by deadlines
  }
  if (setting.shape == Shape::partitioned || (setting.real && setting.shape != Shape::single)) {
    return;  // several queues have several orders; real starts in a pool have no observable order
  }
  expect_kept(keeps_the_order_of_releases);
}

TEST_P(Conformance, runs_nothing_before_the_gate)
{
  expect_kept(runs_nothing_before_the_gate);
}

TEST_P(Conformance, survives_rebinding)
{
  const Setting & setting = GetParam();
  if (setting.shape == Shape::single || setting.shape == Shape::isolated) {
    return;  // there is no other thread to bind to
  }
  if (has_windows(setting.order) && setting.shape != Shape::partitioned) {
    return;  // sets that share a thread cannot have windows
  }
  expect_kept(survives_rebinding);
}

TEST_P(Conformance, survives_cancel_storms)
{
  if (GetParam().real) {
    expect_kept(survives_cancel_storms);
  }
}

TEST_P(Conformance, survives_exceptions)
{
  if (!GetParam().real) {
    return;
  }
  const auto engine = make_real_engine(
    GetParam(), [](ExecutorOptions & o) { o.on_exception = ExceptionPolicy::report; });
  if (engine == nullptr) {
    GTEST_SKIP() << "following threads need SCHED_FIFO, which this process may not use";
  }
  const Verdict verdict = survives_exceptions(*engine, GetParam());
  EXPECT_TRUE(verdict.good()) << verdict;
}

TEST_P(Conformance, survives_priority_changes)
{
  expect_kept(survives_priority_changes);
}
TEST_P(Conformance, removes_for_good)
{
  expect_kept(removes_for_good);
}
TEST_P(Conformance, survives_adding_and_removing)
{
  expect_kept(survives_adding_and_removing);
}
TEST_P(Conformance, wakes_for_every_message)
{
  expect_kept(wakes_for_every_message);
}

INSTANTIATE_TEST_SUITE_P(all, Conformance, testing::ValuesIn(settings()), [](const auto & test) {
  return to_string(test.param);
});

}  // namespace
}  // namespace takt_core::test
