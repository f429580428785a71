// The conformance suite of sources: one function per promise of source_callback.hpp. Each uses a
// back end and returns the first fault; an empty text means that the promise was kept.
#ifndef SOURCE__SUITE_HPP_
#define SOURCE__SUITE_HPP_

#include <chrono>
#include <cstdint>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "source/back_end.hpp"
#include "takt_rt/time.hpp"

namespace takt_host::test
{

using Values = std::vector<std::uint64_t>;

/// Uses one back end, and keeps the first fault.
class Trial
{
public:
  explicit Trial(BackEnd & back_end) : back_end_(back_end) {}

  void publish(std::size_t publisher, const Values & values)
  {
    for (const std::uint64_t value : values) {
      back_end_.publish(publisher, value);
    }
  }
  bool run_one()
  {
    bool ran = false;
    back_end_.executor().spin_once(takt_rt::Duration::zero(), &ran);
    return ran;
  }
  /// Runs callbacks until `count` messages have been taken, and then until no callback is ready.
  void run_until_taken(std::size_t count)
  {
    wait([&] {
      run_one();
      return back_end_.got.size() >= count;
    });
    // A take that finds no message may lead to another take.
    for (int idle = 0; idle < 4; idle = run_one() ? 0 : idle + 1) {
    }
  }
  void await_arrivals(std::uint64_t count)
  {
    wait([&] {
      back_end_.look();
      return back_end_.callback().message_counts().arrivals >= count;
    });
  }

  void expect_taken(const Values & values)
  {
    Values got;
    for (const Got & one : back_end_.got) {
      got.push_back(one.value);
    }
    if (got != values) {
      fail("took " + text(got) + ", not " + text(values));
    }
  }
  /// Each message has the name that its publisher gave it, or 0 if messages have no keys.
  void expect_names()
  {
    for (const Got & one : back_end_.got) {
      if (!back_end_.keys) {
        expect("as a name", one.name, 0);
        continue;
      }
      const auto named = back_end_.names.find(one.value);
      if (named == back_end_.names.end() || one.name != named->second) {
        fail("message " + std::to_string(one.value) + " has another's name");
      }
    }
  }
  void expect_counts(
    std::uint64_t arrived, std::uint64_t waiting, std::uint64_t overwritten, std::uint64_t lost)
  {
    const takt_core::MessageCounts counts = back_end_.callback().message_counts();
    expect("arrived", counts.arrivals, arrived);
    expect("waiting", counts.waiting, waiting);
    expect("overwritten", counts.overwritten, overwritten);
    expect(
      "lost", back_end_.callback().lost().value_or(UINT64_MAX), back_end_.keys ? lost : UINT64_MAX);
  }
  void expect(const char * what, std::uint64_t is, std::uint64_t expected)
  {
    if (is != expected) {
      fail(std::to_string(is) + " " + what + ", not " + std::to_string(expected));
    }
  }

  const std::string & fault() const { return fault_; }

private:
  template <typename Condition>
  void wait(Condition condition)
  {
    for (int look = 0; !condition(); ++look) {
      if (look > back_end_.patience) {
        fail("waited in vain");
        return;
      }
      if (look > 1000) {
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
      }
    }
  }
  void fail(std::string fault)
  {
    if (fault_.empty()) {
      fault_ = std::move(fault);
    }
  }
  static std::string text(const Values & values)
  {
    std::string all;
    for (const std::uint64_t value : values) {
      all += (all.empty() ? "" : " ") + std::to_string(value);
    }
    return "[" + all + "]";
  }

  BackEnd & back_end_;
  std::string fault_;
};

using Check = std::string (*)(BackEnd &);

/// Messages are taken and counted one by one in the order of their publication.
inline std::string takes_in_order_and_counts(BackEnd & back_end)
{
  Trial trial(back_end);
  back_end.subscribe(10, true);
  const std::size_t publisher = back_end.add_publisher();
  back_end.join();
  trial.publish(publisher, {1, 2, 3, 4, 5});
  trial.await_arrivals(5);
  trial.expect_counts(5, 5, 0, 0);
  trial.run_until_taken(5);
  trial.expect_counts(5, 0, 0, 0);
  trial.publish(publisher, {6, 7});
  trial.await_arrivals(7);
  trial.expect_counts(7, 2, 0, 0);
  trial.run_until_taken(7);
  trial.expect_taken({1, 2, 3, 4, 5, 6, 7});
  trial.expect_counts(7, 0, 0, 0);
  return trial.fault();
}

/// A history keeps the last messages. The source counts the overwritten ones.
template <std::uint32_t depth>
std::string keeps_the_last(BackEnd & back_end)
{
  Trial trial(back_end);
  back_end.subscribe(depth, true);
  const std::size_t publisher = back_end.add_publisher();
  back_end.join();
  trial.publish(publisher, {1});
  trial.run_until_taken(1);
  Values expected{1};
  for (std::uint64_t value = 2; value < 2 + depth + 3; ++value) {
    trial.publish(publisher, {value});
    if (value >= 5) {
      expected.push_back(value);
    }
  }
  trial.await_arrivals(depth + 4);
  trial.expect("waiting", back_end.callback().message_counts().waiting, depth);
  trial.expect("as its history", back_end.callback().message_counts().history, depth);
  trial.run_until_taken(1 + depth);
  trial.expect_taken(expected);
  trial.expect_names();
  trial.expect_counts(depth + 4, 0, 3, 0);
  return trial.fault();
}

/// A run has the name of the message that its take found, even if that message replaced the
/// announced one.
inline std::string names_the_message_that_was_found(BackEnd & back_end)
{
  Trial trial(back_end);
  back_end.subscribe(1, true);
  const std::size_t publisher = back_end.add_publisher();
  back_end.join();
  trial.publish(publisher, {1});
  trial.run_until_taken(1);
  back_end.before_next_take([&] { trial.publish(publisher, {3}); });
  trial.publish(publisher, {2});
  trial.run_until_taken(2);
  trial.expect_taken({1, 3});
  trial.expect_names();
  trial.expect_counts(3, 0, 1, 0);
  return trial.fault();
}

/// Messages from before the reader joined an executor are taken there first.
inline std::string keeps_what_came_before(BackEnd & back_end)
{
  Trial trial(back_end);
  back_end.subscribe(5, true);
  const std::size_t publisher = back_end.add_publisher();
  trial.publish(publisher, {1, 2, 3});
  back_end.join();
  trial.run_until_taken(3);
  trial.publish(publisher, {4});
  trial.run_until_taken(4);
  trial.expect_taken({1, 2, 3, 4});
  trial.expect_names();
  trial.expect_counts(4, 0, 0, 0);
  return trial.fault();
}

/// A late reader counts no loss of earlier messages; nor does a reader of a late publisher.
inline std::string welcomes_who_comes_late(BackEnd & back_end)
{
  Trial trial(back_end);
  const std::size_t first = back_end.add_publisher();
  trial.publish(first, {1, 2});
  back_end.subscribe(5, true);
  back_end.join();
  trial.publish(first, {3});
  trial.run_until_taken(1);
  const std::size_t second = back_end.add_publisher();
  trial.publish(second, {4});
  trial.run_until_taken(2);
  trial.publish(first, {5});
  trial.run_until_taken(3);
  trial.publish(second, {6});
  trial.run_until_taken(4);
  trial.expect_taken({3, 4, 5, 6});
  trial.expect_names();
  trial.expect_counts(4, 0, 0, 0);
  return trial.fault();
}

/// Messages that never reach the history count as lost, not as overwritten.
inline std::string counts_what_was_lost(BackEnd & back_end)
{
  Trial trial(back_end);
  back_end.subscribe(10, false);
  const std::size_t one = back_end.add_publisher();
  const std::size_t other = back_end.add_publisher();
  back_end.join();
  trial.publish(one, {1});
  trial.run_until_taken(1);
  trial.publish(other, {2});
  trial.run_until_taken(2);
  back_end.lose(one, 2);
  trial.publish(other, {3});
  trial.run_until_taken(3);
  trial.expect_counts(3, 0, 0, 0);
  trial.publish(one, {4});
  trial.run_until_taken(4);
  trial.expect_counts(4, 0, 0, 2);
  back_end.lose(other, 1);
  trial.publish(other, {5});
  trial.run_until_taken(5);
  trial.expect_taken({1, 2, 3, 4, 5});
  trial.expect_counts(5, 0, 0, 3);
  return trial.fault();
}

struct Promise
{
  const char * name;
  Check check;
};

inline const std::vector<Promise> & promises()
{
  static const std::vector<Promise> all{
    {"takes_in_order_and_counts", takes_in_order_and_counts},
    {"keeps_the_last_one", keeps_the_last<1>},
    {"keeps_the_last_two", keeps_the_last<2>},
    {"keeps_the_last_five", keeps_the_last<5>},
    {"names_the_message_that_was_found", names_the_message_that_was_found},
    {"keeps_what_came_before", keeps_what_came_before},
    {"welcomes_who_comes_late", welcomes_who_comes_late},
    {"counts_what_was_lost", counts_what_was_lost}};
  return all;
}

}  // namespace takt_host::test

#endif  // SOURCE__SUITE_HPP_
