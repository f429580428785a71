// Subscribers of alarms on real sockets, with clients that read slowly, do not read, or end.
#include <gtest/gtest.h>

#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <mutex>
#include <nlohmann/json.hpp>
#include <string>
#include <thread>
#include <vector>

#include "connected.hpp"
#include "takt_control/control_server.hpp"
#include "takt_core/executor.hpp"

namespace takt_control
{
namespace
{

using nlohmann::json;

// The thread sanitizer ends a child of fork that starts a thread.
#ifdef __SANITIZE_THREAD__
constexpr bool kUnderThreadSanitizer = true;
#else
constexpr bool kUnderThreadSanitizer = false;
#endif

/// Numbers alarms, and gives their count in the answer to a subscription.
class Watch
{
public:
  explicit Watch(bool tells_with_lock = true) : tells_with_lock_(tells_with_lock)
  {
    set_subscription_answer([this] {
      const std::lock_guard lock(mutex_);
      return SubscriptionAnswer{json{{"alarms", next_}, {"active", json::array()}}.dump(), next_};
    });
  }
  ~Watch() { set_subscription_answer({}); }
  Watch(const Watch &) = delete;
  Watch & operator=(const Watch &) = delete;

  std::uint64_t raise(std::size_t size = 0)
  {
    std::unique_lock lock(mutex_);
    const std::uint64_t sequence = next_++;
    std::string alarm = json{{"sequence", sequence}, {"text", std::string(size, 'x')}}.dump();
    if (!tells_with_lock_) {
      lock.unlock();
    }
    tell_subscribers(std::move(alarm), sequence);
    return sequence;
  }

private:
  const bool tells_with_lock_;
  std::mutex mutex_;
  std::uint64_t next_ = 0;
};

/// Reads alarms, and checks that each one came once or was counted as dropped.
class Subscriber : public Connected
{
public:
  explicit Subscriber(const std::string & path) : Connected(path)
  {
    send(encode(MessageType::subscribe, "{}"));
    const auto answer = receive();
    EXPECT_TRUE(answer && answer->first == MessageType::result);
    next_ = answer ? answer->second.value("alarms", std::uint64_t{0}) : 0;
  }

  /// Returns the sequence of the next alarm.
  std::uint64_t alarm()
  {
    const auto message = receive();
    EXPECT_TRUE(message && message->first == MessageType::alarm);
    return message ? check(message->second) : UINT64_MAX;
  }

  std::uint64_t check(const json & alarm)
  {
    const auto dropped = alarm.value("dropped_before", std::uint64_t{0});
    dropped_ += dropped;
    const auto sequence = alarm["sequence"].get<std::uint64_t>();
    EXPECT_EQ(sequence, next_ + dropped);
    next_ = sequence + 1;
    return sequence;
  }

  std::uint64_t dropped() const noexcept { return dropped_; }

private:
  std::uint64_t next_ = 0;
  std::uint64_t dropped_ = 0;
};

class Subscribers : public testing::Test
{
protected:
  Subscribers()
  {
    std::string pattern = testing::TempDir() + "takt_alarms.XXXXXX";
    folder_ = ::mkdtemp(pattern.data());
    ::setenv("TAKT_RUNTIME_DIR", folder_.c_str(), 1);
    executor_ = std::move(*takt_core::Executor::create());
    show();
  }
  ~Subscribers() override
  {
    exposure_.reset();
    std::filesystem::remove_all(folder_);
    ::unsetenv("TAKT_RUNTIME_DIR");
  }

  void show()
  {
    auto exposed = expose({executor_.get(), "main", "", {}, {}, {}, {}});
    ASSERT_TRUE(exposed.ok());
    exposure_ = std::move(*exposed);
  }
  std::string path() const { return folder_ + "/" + std::to_string(::getpid()) + ".sock"; }

  std::string folder_;
  std::unique_ptr<takt_core::Executor> executor_;
  std::unique_ptr<Exposure> exposure_;
};

TEST_F(Subscribers, begin_without_alarms_where_no_library_watches)
{
  Connected client(path());
  const json none{{"alarms", 0}, {"active", json::array()}};
  EXPECT_EQ(client.ask(MessageType::subscribe), none);
  tell_subscribers(R"({"kind": "stall"})");
  auto alarm = client.receive();
  ASSERT_TRUE(alarm);
  EXPECT_EQ(alarm->first, MessageType::alarm);
  EXPECT_EQ(alarm->second, (json{{"kind", "stall"}}));
  // A second subscription duplicates nothing.
  EXPECT_EQ(client.ask(MessageType::subscribe), none);
  tell_subscribers(R"({"kind": "age"})");
  tell_subscribers(R"({"kind": "rate"})");
  EXPECT_EQ(client.receive()->second["kind"], "age");
  EXPECT_EQ(client.receive()->second["kind"], "rate");
}

TEST_F(Subscribers, get_what_is_told_after_they_asked)
{
  Watch watch;
  watch.raise();
  watch.raise();
  Subscriber client(path());
  EXPECT_EQ(watch.raise(), 2U);
  EXPECT_EQ(client.alarm(), 2U);
  EXPECT_EQ(client.dropped(), 0U);
  EXPECT_EQ(Connected(path()).ask(MessageType::status)["pid"], ::getpid());
}

TEST_F(Subscribers, account_for_ten_thousand_alarms)
{
  Watch watch;
  Subscriber client(path());
  std::atomic<bool> done{false};
  std::thread raises([&] {
    while (watch.raise(100) < 10'000 || !done.load()) {
    }
  });
  while (client.alarm() < 10'000) {
  }
  done.store(true);
  raises.join();
}

TEST_F(Subscribers, do_not_wait_for_one_that_does_not_read)
{
  Watch watch;
  Subscriber slow(path());
  Subscriber quick(path());
  std::uint64_t last = 0;
  for (int round = 0; round < 100; ++round) {
    for (int i = 0; i < 100; ++i) {
      last = watch.raise(200);
    }
    while (quick.alarm() != last) {
    }
  }
  EXPECT_EQ(quick.dropped(), 0U);
  EXPECT_EQ(Connected(path()).ask(MessageType::status)["pid"], ::getpid());
  // Now the slow subscriber reads: it gets the oldest alarms and the number of dropped ones.
  std::size_t count = 0;
  for (std::uint64_t got = 0; got != last; ++count) {
    last = watch.raise(200);
    got = slow.alarm();
    got = got == last ? got : slow.alarm();
    ASSERT_EQ(quick.alarm(), last);
  }
  EXPECT_GT(slow.dropped(), 1'000U);
  EXPECT_LT(count, 5'000U) << "what waits for a client is bounded";
  EXPECT_EQ(quick.dropped(), 0U);
}

TEST_F(Subscribers, get_answers_among_alarms_that_wait)
{
  Watch watch;
  Subscriber client(path());
  Subscriber quick(path());
  for (int i = 0; i < 10'000; ++i) {
    const std::uint64_t last = watch.raise(200);
    while (i % 100 == 0 && quick.alarm() != last) {
    }
  }
  client.send(encode(MessageType::status, "{}"));
  auto message = client.receive();
  while (message && message->first == MessageType::alarm) {
    client.check(message->second);
    message = client.receive();
  }
  ASSERT_TRUE(message);
  EXPECT_EQ(message->second["pid"], ::getpid());
}

TEST_F(Subscribers, may_end_at_any_time)
{
  Watch watch;
  Subscriber stays(path());
  for (int i = 0; i < 50; ++i) {
    Subscriber ends(path());
    std::uint64_t last = 0;
    for (int j = 0; j < 20; ++j) {
      last = watch.raise(1'000);
    }
    if (i % 2 == 0) {
      ends.alarm();
    }
    while (stays.alarm() != last) {
    }
  }
  EXPECT_EQ(stays.dropped(), 0U);
}

TEST_F(Subscribers, lose_and_double_nothing_when_they_subscribe_among_alarms)
{
  for (const bool with_lock : {true, false}) {
    Watch watch(with_lock);
    std::atomic<bool> done{false};
    std::thread raises([&] {
      while (!done.load()) {
        watch.raise();
      }
    });
    for (int i = 0; i < 100; ++i) {
      Subscriber client(path());
      for (int j = 0; j < 5; ++j) {
        client.alarm();
      }
    }
    done.store(true);
    raises.join();
  }
}

TEST_F(Subscribers, are_told_of_alarms_of_a_request)
{
  Watch watch;
  handle_requests(
    MessageType::trace_snapshot, [&](const std::string &) -> takt_rt::Result<std::string> {
      watch.raise();
      return std::string("{}");
    });
  Subscriber client(path());
  EXPECT_EQ(Connected(path()).ask(MessageType::trace_snapshot), json::object());
  EXPECT_EQ(client.alarm(), 0U);
  EXPECT_EQ(client.ask(MessageType::trace_snapshot), json::object());
  EXPECT_EQ(client.alarm(), 1U);
  handle_requests(MessageType::trace_snapshot, [](const std::string &) {
    return takt_rt::Result<std::string>(takt_rt::Faults{"over"});
  });
}

TEST_F(Subscribers, are_refused_where_the_answer_fails)
{
  set_subscription_answer([]() -> SubscriptionAnswer { throw std::runtime_error("no memory"); });
  Connected client(path());
  EXPECT_EQ(
    client.ask(MessageType::subscribe), (json{{"faults", {"the subscription failed: no memory"}}}));
  set_subscription_answer({});
  tell_subscribers(R"({"kind": "early"})");
  EXPECT_EQ(client.ask(MessageType::subscribe)["alarms"], 0);
  tell_subscribers(R"({"kind": "late"})");
  EXPECT_EQ(client.receive()->second["kind"], "late");
}

TEST_F(Subscribers, learn_how_many_alarms_could_not_be_told)
{
  Watch watch;
  Subscriber client(path());
  watch.raise();
  EXPECT_EQ(client.alarm(), 0U);
  tell_subscribers("no object");
  watch.raise(100'000);  // in several frames
  const auto alarm = client.receive();
  ASSERT_TRUE(alarm);
  EXPECT_EQ(alarm->second["dropped_before"], 1);
  EXPECT_EQ(alarm->second["text"].get<std::string>().size(), 100'000U);
  watch.raise(300'000);  // more than one client's queue holds
  watch.raise();
  EXPECT_EQ(client.receive()->second["dropped_before"], 1);
}

TEST_F(Subscribers, get_the_last_alarm_of_a_process_that_ends)
{
  Watch watch;
  Subscriber client(path());
  watch.raise();
  watch.raise();
  exposure_.reset();
  EXPECT_EQ(client.alarm(), 0U);
  EXPECT_EQ(client.alarm(), 1U);
  EXPECT_FALSE(client.receive());
  watch.raise();  // without a subscriber
}

TEST_F(Subscribers, are_those_of_one_process)
{
  Watch watch;
  Subscriber client(path());
  const pid_t child = ::fork();
  if (child == 0) {
    tell_subscribers(R"({"kind": "of the child"})");
    // The child's executor has its own socket and its own subscribers.
    bool good = kUnderThreadSanitizer;
    if (!kUnderThreadSanitizer) {
      auto own = std::move(*takt_core::Executor::create());
      const auto exposed = expose({own.get(), "own", "", {}, {}, {}, {}});
      if (exposed.ok()) {
        Connected inside(path());
        good = inside.ask(MessageType::subscribe).contains("active");
        tell_subscribers(R"({"kind": "of the child"})");
        const auto alarm = inside.receive();
        good = good && alarm && alarm->second["kind"] == "of the child";
      }
    }
    ::_exit(good ? 0 : 1);
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  EXPECT_EQ(status, 0);
  watch.raise();
  EXPECT_EQ(client.alarm(), 0U) << "an alarm of the child";
}

TEST_F(Subscribers, come_and_go_while_threads_tell_and_the_socket_ends)
{
  Watch watch(false);
  std::atomic<bool> done{false};
  std::vector<std::thread> raise;
  for (int i = 0; i < 3; ++i) {
    raise.emplace_back([&] {
      while (!done.load()) {
        watch.raise(50);
        std::this_thread::yield();
      }
    });
  }
  for (int i = 0; i < 30; ++i) {
    Connected one(path());
    Connected other(path());
    EXPECT_TRUE(one.ask(MessageType::subscribe).contains("alarms"));
    EXPECT_TRUE(other.ask(MessageType::subscribe).contains("alarms"));
    for (int j = 0; j < 20; ++j) {
      EXPECT_TRUE(one.receive());
    }
    exposure_.reset();
    show();
  }
  done.store(true);
  for (std::thread & thread : raise) {
    thread.join();
  }
}

}  // namespace
}  // namespace takt_control
