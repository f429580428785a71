// A middleware and a source of its messages, as the suite uses them. Each test has a new one, with
// one reader.
#ifndef SOURCE__BACK_END_HPP_
#define SOURCE__BACK_END_HPP_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "takt_core/executor.hpp"
#include "takt_core/observer.hpp"

namespace takt_host::test
{

struct Got
{
  std::uint64_t value;
  std::uint64_t name;  ///< Run::found
};

class BackEnd
{
public:
  virtual ~BackEnd() = default;

  /// Makes the reader, which keeps the last `depth` messages. It is not in an executor yet.
  virtual void subscribe(std::uint32_t depth, bool reliable) = 0;
  /// Makes a publisher. This and `subscribe` return after every publisher and the reader have
  /// discovered each other.
  virtual std::size_t add_publisher() = 0;
  /// Publishes `value`, and notes the process's name of the message in `names`.
  virtual void publish(std::size_t publisher, std::uint64_t value) = 0;
  /// The way to the reader loses the publisher's next `count` messages.
  virtual void lose(std::size_t publisher, std::uint64_t count) = 0;
  /// The reader's callback joins the executor, which runs on the test's thread only.
  virtual void join() = 0;
  /// Calls `function` once, between the scheduler's start of the next run and the take from the
  /// middleware.
  virtual void before_next_take(std::function<void()> function) = 0;
  /// Makes the executor look at sources whose messages no thread announces. Runs none of their
  /// callbacks.
  virtual void look() {}
  virtual takt_core::Executor & executor() = 0;
  /// The reader's callback, after `join`.
  virtual const takt_core::Callback & callback() = 0;

  /// How often the suite checks, each 1 ms, for a message that does not come: far longer than any
  /// message takes.
  int patience = 30'000;
  /// False: messages have no keys. Then runs have the name 0, and the number of lost messages is
  /// unknown.
  bool keys = true;
  std::vector<Got> got;                          ///< messages that the reader's callback got
  std::map<std::uint64_t, std::uint64_t> names;  ///< names from the publishers, by value
};

/// For `before_next_take` of back ends whose takes cannot be intercepted.
class BeforeTake final : public takt_core::Observer
{
public:
  std::function<void()> function;

  void on_picked(const takt_core::Run & /*run*/) noexcept override
  {
    if (function) {
      std::exchange(function, nullptr)();
    }
  }
};

}  // namespace takt_host::test

#endif  // SOURCE__BACK_END_HPP_
