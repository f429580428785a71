// A middleware and a source of its messages, as the suite drives them. Each test has a new one, with one reader.
#ifndef SOURCE__BACK_END_HPP_
#define SOURCE__BACK_END_HPP_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <vector>

#include "takt_core/executor.hpp"

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

  /// Makes the reader, which keeps the last `depth` messages. It is in no executor yet.
  virtual void subscribe(std::uint32_t depth, bool reliable) = 0;
  /// Makes a publisher. This and `subscribe` return when each publisher and the reader know each other.
  virtual std::size_t add_publisher() = 0;
  /// Publishes `value`, and notes in `names` how the process names the message.
  virtual void publish(std::size_t publisher, std::uint64_t value) = 0;
  /// The way to the reader loses `count` messages of the publisher, after those that it published.
  virtual void lose(std::size_t publisher, std::uint64_t count) = 0;
  /// The reader's callback joins the executor, which runs on the test's thread only.
  virtual void join() = 0;
  /// `function` is called once, after the scheduler started the next run and before the middleware is asked.
  virtual void before_next_take(std::function<void()> function) = 0;
  virtual takt_core::Executor & executor() = 0;
  /// The reader's, after `join`.
  virtual const takt_core::Callback & callback() = 0;

  /// Looks of the suite, 1 ms each, at what does not come: far more than anything takes.
  int patience = 30'000;
  std::vector<Got> got;                          ///< by the reader's callback
  std::map<std::uint64_t, std::uint64_t> names;  ///< by value; the publishers' side
};

}  // namespace takt_host::test

#endif  // SOURCE__BACK_END_HPP_
