// Executors that spin, are watched, and are served by this process's control socket.
#ifndef SUPPORT__SERVED_HPP_
#define SUPPORT__SERVED_HPP_

#include <gtest/gtest.h>

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <memory>
#include <nlohmann/json.hpp>
#include <source_location>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>

#include "support/made.hpp"
#include "takt_control/control_server.hpp"
#include "takt_watch/watch.hpp"

namespace takt_watch::test
{

/// An executor that is watched and served.
class Served
{
public:
  explicit Served(const std::string & name, std::size_t threads = 1)
  : executor(test::executor(name, threads))
  {
    facts.name = name;
    facts.executor = executor.get();
    facts.settings.period = std::chrono::seconds(10);
  }
  ~Served() { end(); }
  Served(const Served &) = delete;
  Served & operator=(const Served &) = delete;

  void watch()
  {
    auto begun = takt_watch::watch(facts);
    ASSERT_TRUE(begun.ok());
    watching = std::move(*begun);
    auto exposed = takt_control::expose({executor.get(), facts.name, "", {}, {}, {}});
    ASSERT_TRUE(exposed.ok());
    exposure = std::move(*exposed);
  }
  void start() const { ASSERT_TRUE(executor->start().ok()); }
  void end()
  {
    watching.reset();
    exposure.reset();
    if (executor != nullptr) {
      executor->cancel();
      static_cast<void>(executor->wait());
    }
  }

  std::unique_ptr<takt_core::Executor> executor;
  WatchedExecutor facts;
  std::unique_ptr<Watching> watching;
  std::unique_ptr<takt_control::Exposure> exposure;
};

class ServedTest : public testing::Test
{
protected:
  ServedTest()
  {
    std::string pattern = testing::TempDir() + "takt_watch.XXXXXX";
    folder_ = ::mkdtemp(pattern.data());
    ::setenv("TAKT_RUNTIME_DIR", folder_.c_str(), 1);
  }
  ~ServedTest() override
  {
    std::filesystem::remove_all(folder_);
    ::unsetenv("TAKT_RUNTIME_DIR");
  }

  std::string folder_;
};

inline nlohmann::json callback_in(const nlohmann::json & document, const std::string & id)
{
  for (const nlohmann::json & executor : document["executors"]) {
    for (const nlohmann::json & callback : executor["callbacks"]) {
      if (callback["id"] == id) {
        return callback;
      }
    }
  }
  ADD_FAILURE() << id << " is not in " << document.dump();
  return {};
}

/// Fails after two minutes, which only a failing test takes, and says which call waited. Then
/// throws. The sentence is printed first, because a callback that waits for the test may keep the
/// unwinding from its end.
inline void wait_for(
  const std::function<bool()> & condition,
  const std::source_location & caller = std::source_location::current())
{
  const auto until = std::chrono::steady_clock::now() + std::chrono::minutes(2);
  while (!condition()) {
    if (std::chrono::steady_clock::now() > until) {
      ADD_FAILURE_AT(caller.file_name(), static_cast<int>(caller.line()))
        << "the condition does not hold after two minutes";
      throw std::runtime_error("a condition does not hold");
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
}

}  // namespace takt_watch::test

#endif  // SUPPORT__SERVED_HPP_
