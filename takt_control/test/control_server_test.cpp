// The control socket as clients meet it: on a real socket, with real executors that spin.
#include "takt_control/control_server.hpp"

#include <gtest/gtest.h>

#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "connected.hpp"
#include "takt_control/frame.hpp"
#include "takt_control/unix_address.hpp"
#include "takt_schedule/make_executor.hpp"
#include "takt_schedule/parse.hpp"
#include "takt_schedule/resolver.hpp"

namespace takt_control
{
namespace
{

using nlohmann::json;
using takt_core::Kind;

constexpr const char * kText =
  "version: 1\nexecutors:\n  main:\n    threads: {hot: {nice: 1}, rest: {stack: 256KiB}}\n    "
  "default: rest\n"
  "    middleware_ceiling: off\n    epoch: host\n    on_exception: report\n"
  "    callbacks:\n"
  "      - {match: \"/a:sub(/x)\", threads: hot, priority: 5, publishes_last: true}\n"
  "chains: {path: {path: [\"/a:sub(/x)\"], period: 20ms}}\n";

class ControlServer : public testing::Test
{
protected:
  ControlServer()
  {
    std::string pattern = testing::TempDir() + "takt_control.XXXXXX";
    folder_ = ::mkdtemp(pattern.data());
    ::setenv("TAKT_RUNTIME_DIR", folder_.c_str(), 1);
    const auto schedule = takt_schedule::parse_schedule(kText, "s.yaml");
    executor_ = std::move(takt_schedule::make_executor(*schedule, "main").value());
    auto resolver = takt_schedule::Resolver::create(*schedule, "main");
    for (const char * const id : {"/a:sub(/x)", "/b:sub(/y)"}) {
      takt_core::CallbackOptions options;
      options.id = id;
      options.kind = Kind::subscription;
      EXPECT_TRUE(
        executor_
          ->add(
            std::make_shared<Nothing>(options), resolver->resolve(id, Kind::subscription)->binding)
          .ok());
    }
    EXPECT_TRUE(executor_->start().ok());
    auto exposed = expose({executor_.get(), "main", "/somewhere/s.yaml", {"rest"}, {}, {}});
    EXPECT_TRUE(exposed.ok()) << exposed.faults().front();
    exposure_ = std::move(exposed.value());
  }
  ~ControlServer() override
  {
    exposure_.reset();
    executor_->cancel();
    executor_->wait();
    std::filesystem::remove_all(folder_);
    ::unsetenv("TAKT_RUNTIME_DIR");
  }

  std::string path() const { return folder_ + "/" + std::to_string(::getpid()) + ".sock"; }
  takt_core::Binding binding(const std::string & id)
  {
    return *executor_->scheduler().binding(*executor_->find(id));
  }
  json apply(const std::string & text, bool check_only = false)
  {
    return Connected(path()).ask(
      MessageType::apply_schedule,
      {{"file", "new.yaml"}, {"text", text}, {"check_only", check_only}});
  }

  std::string folder_;
  std::unique_ptr<takt_core::Executor> executor_;
  std::unique_ptr<Exposure> exposure_;
};

TEST_F(ControlServer, tells_of_threads_and_callbacks)
{
  takt_core::CallbackOptions follower;
  follower.id = "/c:sub(/z)";
  follower.kind = Kind::subscription;
  takt_core::Binding place;
  place.sequence = takt_core::SequencePlace{2, 1};
  ASSERT_TRUE(executor_->add(std::make_shared<Nothing>(follower), place).ok());
  const json status = Connected(path()).ask(MessageType::status);
  EXPECT_EQ(status["pid"], ::getpid());
  ASSERT_EQ(status["executors"].size(), 1U);
  const json & main = status["executors"][0];
  EXPECT_EQ(main["name"], "main");
  EXPECT_EQ(main["schedule"], "/somewhere/s.yaml");
  ASSERT_EQ(main["threads"].size(), 2U);
  EXPECT_EQ(main["threads"][0]["name"], "hot");
  EXPECT_EQ(main["threads"][0]["asked"]["nice"], 1);
  EXPECT_EQ(main["threads"][0]["now"]["nice"], 1);
  EXPECT_EQ(main["threads"][0]["tid"], executor_->thread_ids()[0]);
  EXPECT_EQ(main["callbacks"][0]["threads"], json::array({"hot"}));
  EXPECT_EQ(main["callbacks"][0]["rule_priority"], 5);
  EXPECT_EQ(main["callbacks"][1]["rule_priority"], nullptr);
  EXPECT_EQ(main["callbacks"][0]["publishes_last"], true);
  EXPECT_EQ(main["callbacks"][1]["publishes_last"], false);
  EXPECT_EQ(main["callbacks"][1]["sequence"], nullptr);
  EXPECT_EQ(
    main["callbacks"][2]["sequence"], (json{{"number", 2}, {"position", 1}, {"graph", false}}));
  EXPECT_EQ(main["chains"][0]["period_ns"], 20'000'000);
  EXPECT_EQ(main["threads"][1]["stack"], 256 << 10);
  EXPECT_EQ(main["middleware_ceiling"], "off");
  EXPECT_EQ(main["on_exception"], "report");
  EXPECT_EQ(main["epoch"], "host");
  EXPECT_EQ(main["lock_memory"], false);
  for (const json & thread : status["process_threads"]) {
    EXPECT_NE(thread["tid"], executor_->thread_ids()[0]);
  }
}

TEST_F(ControlServer, tells_what_waits_for_a_condition)
{
  const auto group = std::make_shared<takt_core::Group>(
    takt_core::GroupKind::mutually_exclusive, "/fuse:group(default)");
  takt_core::Condition all;
  all.count = 0;
  ASSERT_TRUE(group->set_condition(all));
  for (const char * const id : {"/fuse:sub(/left)", "/fuse:sub(/right)"}) {
    takt_core::CallbackOptions options;
    options.id = id;
    options.kind = Kind::subscription;
    options.group = group;
    options.depth = 4;
    ASSERT_TRUE(executor_->add(std::make_shared<Nothing>(options), {}).ok());
  }
  const auto waits = [&] {
    const json status = Connected(path()).ask(MessageType::status);
    const json & callbacks = status["executors"][0]["callbacks"];
    EXPECT_EQ(callbacks[0]["when"], nullptr);
    return std::pair{callbacks[2]["when"], callbacks[3]["when"]};
  };
  executor_->ready(*executor_->find("/fuse:sub(/left)"), 2);
  const auto [left, right] = waits();
  EXPECT_EQ(left["waiting"], 2);
  EXPECT_GE(left["oldest_ns"], 0);
  EXPECT_EQ(right["waiting"], 0);
  EXPECT_EQ(right["oldest_ns"], nullptr);
  executor_->ready(*executor_->find("/fuse:sub(/right)"), 1);
  json last;
  do {
    last = waits().first;
  } while (last["waiting"] != 0);  // the test's time limit guards against hanging
  EXPECT_EQ(last["oldest_ns"], nullptr);
}

TEST_F(ControlServer, thread_is_not_at_a_real_time_priority)
{
  const json status = Connected(path()).ask(MessageType::status);
  bool found = false;
  for (const json & thread : status["process_threads"]) {
    if (thread["name"] == "takt.control") {
      found = true;
      EXPECT_EQ(thread["now"]["policy"], "other");
    }
  }
  EXPECT_TRUE(found);
}

TEST_F(ControlServer, sees_what_somebody_else_changed)
{
  takt_rt::ThreadAttributes other;
  other.policy = takt_rt::Policy::batch;
  ASSERT_TRUE(takt_rt::apply(other, executor_->thread_ids()[1]).granted_all());
  const json status = Connected(path()).ask(MessageType::status);
  EXPECT_EQ(status["executors"][0]["threads"][1]["granted"]["policy"], "other");
  EXPECT_EQ(status["executors"][0]["threads"][1]["now"]["policy"], "batch");
}

TEST_F(ControlServer, applies_and_resets)
{
  const std::string next =
    "version: 1\nexecutors:\n  main:\n    threads: {hot: {nice: 3}, rest: {}}\n    default: rest\n"
    "    callbacks:\n      - {match: \"/b:sub(/y)\", threads: hot}\n";
  json answer = apply(next, true);
  EXPECT_EQ(answer["executors"][0]["name"], "main") << answer;
  EXPECT_EQ(binding("/b:sub(/y)").threads, 2U) << "only checked";
  answer = apply(next);
  EXPECT_EQ(binding("/a:sub(/x)").threads, 2U);
  EXPECT_EQ(binding("/b:sub(/y)").threads, 1U);
  EXPECT_EQ(takt_rt::read_attributes(executor_->thread_ids()[0]).nice, 3);
  answer = Connected(path()).ask(MessageType::reset);
  std::vector<std::string> restored;
  for (const json & part : answer["executors"][0]["parts"]) {
    EXPECT_EQ(part["outcome"], "applied") << answer;
    restored.push_back(part["what"].get<std::string>() + ": " + part["why"].get<std::string>());
  }
  EXPECT_EQ(
    restored,
    (std::vector<std::string>{
      "chain path: as before", "callback /a:sub(/x): priority none -> 5, threads rest -> hot",
      "callback /b:sub(/y): threads hot -> rest", "thread hot: nice 3 -> nice 1"}));
  EXPECT_EQ(binding("/a:sub(/x)").threads, 1U);
  EXPECT_EQ(binding("/a:sub(/x)").priority, 5);
  EXPECT_EQ(binding("/b:sub(/y)").threads, 2U);
}

// The answer lists the executors that were restored although another one refused.
TEST_F(ControlServer, a_reset_that_one_executor_refuses_tells_what_the_others_did)
{
  takt_core::ExecutorOptions options;
  options.name = "second";
  options.threads.resize(2);
  options.threads[0].attributes.name = "one";
  options.threads[1].attributes.name = "two";
  options.threads[1].attributes.policy = takt_rt::Policy::other;
  options.threads[1].attributes.nice = 5;
  const auto second = std::move(takt_core::Executor::create(options).value());
  const auto group = std::make_shared<takt_core::Group>(takt_core::GroupKind::mutually_exclusive);
  const auto add = [&](const char * id, takt_core::ThreadMask threads) {
    takt_core::CallbackOptions callback;
    callback.id = id;
    callback.kind = Kind::subscription;
    callback.group = group;
    takt_core::Binding binding;
    binding.threads = threads;
    return second->add(std::make_shared<Nothing>(callback), binding).ok();
  };
  ASSERT_TRUE(add("/w:sub(/y)", 0b10));
  auto exposed = expose({second.get(), "second", "", {"one", "two"}, {}, {}});
  ASSERT_TRUE(exposed.ok());
  const json applied = apply(
    "version: 1\nexecutors:\n"
    "  main:\n    threads: {hot: {nice: 3}, rest: {}}\n    default: rest\n"
    "  second:\n    threads: {one: {}, two: {nice: 5}}\n    default: one\n");
  // The executor's group cannot go back to the other thread: it now has a callback that is not in
  // the schedule.
  ASSERT_TRUE(add("/w:sub(/late)", 0b01)) << applied;
  const json answer = Connected(path()).ask(MessageType::reset);
  ASSERT_TRUE(answer.contains("executors")) << answer;
  ASSERT_EQ(answer["executors"].size(), 2U) << answer;
  EXPECT_EQ(answer["executors"][0]["name"], "main");
  EXPECT_EQ(takt_rt::read_attributes(executor_->thread_ids()[0]).nice, 1) << answer;
  const json & refused = answer["executors"][1]["parts"];
  ASSERT_EQ(refused.size(), 1U) << answer;
  EXPECT_EQ(refused[0]["what"], "executor");
  EXPECT_EQ(refused[0]["outcome"], "failed");
  EXPECT_NE(refused[0]["why"].get<std::string>().find("OS priority"), std::string::npos) << answer;
  EXPECT_EQ(second->scheduler().threads(*second->find("/w:sub(/y)")), 0b01U) << "as it was";
  EXPECT_TRUE(Connected(path()).ask(MessageType::reset).contains("faults"))
    << "it is left, and refuses";
}

// A command sends this when it could not change all processes. The effects of earlier schedules and
// of `set` stay.
TEST_F(ControlServer, takes_back_one_schedule)
{
  const auto with_nice = [](int nice) {
    return "version: 1\nexecutors:\n  main:\n    threads: {hot: {nice: " + std::to_string(nice) +
           "}, rest: {}}\n    default: rest\n    callbacks:\n      - {match: \"/b:sub(/y)\", "
           "threads: hot}\n";
  };
  const auto ask = [&](MessageType type, const json & request) {
    return Connected(path()).ask(type, request);
  };
  const auto apply_as = [&](const char * id, const char * file, int nice) {
    ask(
      MessageType::apply_schedule,
      {{"file", file}, {"text", with_nice(nice)}, {"check_only", false}, {"id", id}});
  };
  const auto nice = [&] { return takt_rt::read_attributes(executor_->thread_ids()[0]).nice; };
  apply_as("first", "first.yaml", 3);
  ask(MessageType::set, {{"callback", "/b:sub(/y)"}, {"priority", 7}});
  const json before = ask(MessageType::status, json::object());
  apply_as("second", "second.yaml", 4);
  apply(with_nice(5), true);
  EXPECT_EQ(nice(), 4);

  json answer = ask(MessageType::reset, {{"apply", "first"}});
  EXPECT_TRUE(answer["executors"].empty()) << "not the latest one: " << answer;
  EXPECT_EQ(nice(), 4);
  answer = ask(MessageType::reset, {{"apply", "second"}});
  EXPECT_EQ(answer["executors"][0]["name"], "main") << answer;
  EXPECT_EQ(nice(), 3);
  EXPECT_EQ(binding("/b:sub(/y)").priority, 7);
  const json after = ask(MessageType::status, json::object());
  for (const char * key : {"callbacks", "chains", "schedule", "set_values"}) {
    EXPECT_EQ(after["executors"][0][key], before["executors"][0][key]) << key;
  }
  EXPECT_EQ(after["executors"][0]["set_values"].size(), 1U);
  EXPECT_TRUE(ask(MessageType::reset, {{"apply", "second"}})["executors"].empty());
  EXPECT_TRUE(ask(MessageType::reset, {{"apply", 3}}).contains("faults"));
  EXPECT_TRUE(ask(MessageType::reset, json::array()).contains("faults"));
  EXPECT_EQ(nice(), 3) << "a request that is not one restores nothing";

  Connected(path()).ask(MessageType::reset);
  EXPECT_EQ(nice(), 1);
  EXPECT_EQ(binding("/b:sub(/y)").threads, 2U);
}

TEST_F(ControlServer, a_callback_that_may_run_on_all_threads_keeps_them)
{
  const auto callback = executor_->find("/b:sub(/y)");
  takt_core::Reconfiguration change;
  change.callbacks.push_back({callback, {}});
  ASSERT_TRUE(executor_->reconfigure(change).ok());
  const auto outcome = [&](const std::string & threads) {
    const json answer = apply(
      "version: 1\nexecutors:\n  main:\n    threads: {hot: {nice: 1}, rest: {}}\n    default: " +
      threads + "\n");
    for (const json & part : answer["executors"][0]["parts"]) {
      if (part["what"] == "callback /b:sub(/y)") {
        return part["outcome"].get<std::string>();
      }
    }
    return answer.dump();
  };
  EXPECT_EQ(outcome("[hot, rest]"), "unchanged");
  EXPECT_EQ(outcome("rest"), "applied");
  std::string why;
  const json reset = Connected(path()).ask(MessageType::reset);
  for (const json & part : reset["executors"][0]["parts"]) {
    why = part["what"] == "callback /b:sub(/y)" ? part["why"].get<std::string>() : why;
  }
  EXPECT_EQ(why, "threads rest -> all");
}

TEST_F(ControlServer, takes_back_how_one_schedule_watches)
{
  const std::string plain =
    "version: 1\nexecutors:\n  main:\n    threads: {main: {}}\n    default: main\n";
  const std::string says = plain + "watch: {period: 200ms}\n";
  auto second = std::move(
    takt_schedule::make_executor(*takt_schedule::parse_schedule(plain, "s.yaml"), "main").value());
  std::vector<std::string> told;
  ExposedExecutor watched{second.get(), "main", "", {}, {}, {}, {}};
  watched.watch = [&](const takt_schedule::Schedule & schedule, bool check_only) {
    if (!check_only) {
      told.push_back(schedule.file);
    }
    return std::vector<takt_schedule::AppliedPart>();
  };
  watched.watch_as_before = [&] {
    told.emplace_back("back");
    return true;
  };
  exposure_.reset();
  auto exposed = expose(watched);
  ASSERT_TRUE(exposed.ok());
  const auto apply_as = [&](const char * file, const std::string & text) {
    const json answer = Connected(path()).ask(
      MessageType::apply_schedule, {{"file", file}, {"text", text}, {"id", file}});
    EXPECT_TRUE(answer.contains("executors")) << answer;
  };
  const auto undo = [&](const char * file) {
    told.clear();
    Connected(path()).ask(MessageType::reset, {{"apply", file}});
  };
  apply_as("1", says);
  undo("1");
  EXPECT_EQ(told, std::vector<std::string>{"back"});
  apply_as("2", says);
  apply_as("3", plain);  // has no watch rules, so they stay
  undo("3");
  EXPECT_TRUE(told.empty()) << told.front();
  apply_as("4", says);
  undo("4");
  EXPECT_EQ(told, std::vector<std::string>{"2"});
}

TEST_F(ControlServer, tells_those_who_watch_after_nothing_refuses_any_more)
{
  const std::string text =
    "version: 1\nexecutors:\n  main:\n    threads: {main: {}}\n    default: main\n";
  const auto schedule = takt_schedule::parse_schedule(text, "s.yaml");
  auto second = std::move(takt_schedule::make_executor(*schedule, "main").value());
  std::vector<std::string> told;
  ExposedExecutor watched{second.get(), "main", "", {}, {}, {}, {}};
  watched.watch = [&](const takt_schedule::Schedule & schedule, bool check_only) {
    told.push_back((check_only ? "check " : "apply ") + schedule.file);
    return std::vector{takt_schedule::AppliedPart{"watching of /a:sub(/x)"}};
  };
  watched.watch_as_before = [&] {
    told.emplace_back("back");
    return true;
  };
  exposure_.reset();
  auto exposed = expose(watched);
  ASSERT_TRUE(exposed.ok());
  const auto last_part = [](const json & answer) {
    const json & parts = answer["executors"][0]["parts"];
    return parts[parts.size() - 1]["what"].get<std::string>();
  };
  EXPECT_EQ(last_part(apply(text, true)), "watching of /a:sub(/x)");
  EXPECT_EQ(told, std::vector<std::string>{"check new.yaml"});
  EXPECT_EQ(last_part(apply(text)), "watching of /a:sub(/x)");
  EXPECT_EQ(told.back(), "apply new.yaml");
  EXPECT_EQ(last_part(Connected(path()).ask(MessageType::reset)), "watch");
  EXPECT_EQ(told.back(), "back");

  told.clear();
  EXPECT_TRUE(
    apply("version: 1\nexecutors:\n  main:\n    threads: {other: {}}\n    default: other\n")
      .contains("faults"));
  EXPECT_TRUE(told.empty()) << told.front();
  EXPECT_TRUE(
    apply("version: 1\nexecutors:\n  else: {threads: {a: {}}, default: a}\n")["executors"].empty());
  EXPECT_TRUE(told.empty());
}

TEST_F(ControlServer, refuses_a_file_with_faults_as_a_whole)
{
  const json answer = apply(
    "version: 1\nexecutors:\n  main:\n    threads: {hot: {nice: 30}, rest: {}}\n    default: "
    "rest\n");
  ASSERT_TRUE(answer.contains("faults")) << answer;
  EXPECT_NE(answer["faults"][0].get<std::string>().find("new.yaml:4:"), std::string::npos);
  EXPECT_EQ(binding("/a:sub(/x)").threads, 1U);
  EXPECT_TRUE(apply("").contains("faults"));
}

TEST_F(ControlServer, tells_which_executors_a_file_lacks)
{
  const json answer = apply("version: 1\nexecutors:\n  other: {threads: {a: {}}, default: a}\n");
  EXPECT_EQ(answer["not_in_file"], json::array({"main"})) << answer;
  EXPECT_TRUE(answer["executors"].empty());
}

TEST_F(ControlServer, tells_of_each_executor_where_several_have_one_name)
{
  auto second = std::move(*takt_core::Executor::create({}));
  auto exposed = expose({second.get(), "main", "", {}, {}, {}, {}});
  ASSERT_TRUE(exposed.ok());
  const json once = Connected(path()).ask(MessageType::reset);
  ASSERT_EQ(once["executors"].size(), 1U) << once;
  EXPECT_EQ(once["executors"][0]["parts"].size(), 2U) << once;
  exposed->reset();
}

// Two executors of a program share one name of the schedule.
TEST_F(ControlServer, a_rule_for_one_of_several_executors_with_one_name_matches)
{
  const char * const text =
    "version: 1\nexecutors:\n  main:\n    threads: {hot: {nice: 1}, rest: {}}\n    default: rest\n"
    "    callbacks:\n      - {match: \"/a:sub(/x)\", threads: hot}\n"
    "      - {match: \"/c:sub(/z)\", threads: hot}\n      - {match: \"/d:sub(/q)\"}\n";
  auto second = std::move(
    takt_schedule::make_executor(*takt_schedule::parse_schedule(text, "s.yaml"), "main").value());
  takt_core::CallbackOptions options;
  options.id = "/c:sub(/z)";
  options.kind = Kind::subscription;
  ASSERT_TRUE(second->add(std::make_shared<Nothing>(options), {}).ok());
  auto exposed = expose({second.get(), "main", "", {}, {}, {}, {}});
  ASSERT_TRUE(exposed.ok());
  for (const bool check_only : {true, false}) {
    std::vector<std::string> unmatched;
    const json answer = apply(text, check_only);
    for (const json & part : answer["executors"][0]["parts"]) {
      if (part["what"] == "rule") {
        unmatched.push_back(part["why"]);
      }
    }
    ASSERT_EQ(unmatched.size(), 1U) << answer;
    EXPECT_NE(unmatched.front().find("/d:sub(/q)"), std::string::npos) << unmatched.front();
  }
}

TEST_F(ControlServer, passes_requests_of_other_libraries_on)
{
  handle_requests(
    MessageType::trace_start, [](const std::string & payload) -> takt_rt::Result<std::string> {
      if (payload.find("wrong") != std::string::npos) {
        return takt_rt::Faults{"that is wrong"};
      }
      return std::string(R"({"threads": 3})");
    });
  EXPECT_EQ(Connected(path()).ask(MessageType::trace_start), (json{{"threads", 3}}));
  EXPECT_EQ(
    Connected(path()).ask(MessageType::trace_start, {{"wrong", 1}}),
    (json{{"faults", {"that is wrong"}}}));
}

// A program of takt_rcl without a schedule has no watch.
TEST_F(ControlServer, says_why_it_has_no_figures)
{
  const json answer = Connected(path()).ask(MessageType::statistics);
  ASSERT_EQ(answer["faults"].size(), 1U);
  EXPECT_NE(
    answer["faults"][0].get<std::string>().find("under a schedule only"), std::string::npos);
}

TEST_F(ControlServer, answers_what_it_does_not_know_and_survives_what_is_no_message)
{
  Connected asks(path());
  asks.send(encode(static_cast<MessageType>(77), "{}"));
  auto answer = asks.receive();
  ASSERT_TRUE(answer);
  EXPECT_EQ(answer->first, MessageType::error);
  asks.send(encode(MessageType::apply_schedule, "[1"));
  answer = asks.receive();
  ASSERT_TRUE(answer);
  EXPECT_EQ(answer->first, MessageType::error);
  std::string other_version = encode(MessageType::status, "{}");
  other_version[4] = 9;
  asks.send(other_version);
  answer = asks.receive();
  ASSERT_TRUE(answer);
  EXPECT_EQ(answer->first, MessageType::error);

  std::mt19937 random(1);
  for (int round = 0; round < 200; ++round) {
    Connected garbage(path());
    std::string bytes(random() % 400, '\0');
    for (char & byte : bytes) {
      byte = static_cast<char>(random());
    }
    if (round % 2 == 0) {  // a real header in front
      bytes = encode(static_cast<MessageType>(random() % 120), bytes);
    }
    garbage.send(bytes);
  }
  EXPECT_EQ(Connected(path()).ask(MessageType::status)["pid"], ::getpid());
}

TEST_F(ControlServer, bounds_its_clients)
{
  std::vector<std::unique_ptr<Connected>> all;
  for (int i = 0; i < 40; ++i) {
    all.push_back(std::make_unique<Connected>(path()));
  }
  EXPECT_EQ(all.front()->ask(MessageType::status)["pid"], ::getpid());
  const auto refused = all.back()->receive();
  ASSERT_TRUE(refused);
  EXPECT_EQ(refused->first, MessageType::error);
  all.clear();
  EXPECT_EQ(Connected(path()).ask(MessageType::status)["pid"], ::getpid());
}

TEST_F(ControlServer, serves_its_own_user_and_root_only)
{
  if (::geteuid() != 0) {
    GTEST_SKIP() << "needs root to become another user";
  }
  ::chmod(folder_.c_str(), 0711);
  ::chmod(path().c_str(), 0666);
  const std::string at = path();
  const pid_t child = ::fork();
  if (child == 0) {
    if (::setgid(65534) != 0 || ::setuid(65534) != 0) {
      ::_exit(3);
    }
    const int socket = ::socket(AF_UNIX, SOCK_STREAM, 0);
    const auto address = unix_address(at);
    if (::connect(socket, reinterpret_cast<const sockaddr *>(&*address), sizeof *address) != 0) {
      ::_exit(4);
    }
    std::array<char, 400> buffer{};
    const auto count = ::recv(socket, buffer.data(), buffer.size(), 0);
    const std::string said(buffer.data(), count > 0 ? static_cast<std::size_t>(count) : 0);
    ::_exit(said.find("only the user of this process") == std::string::npos ? 1 : 0);
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  EXPECT_EQ(WEXITSTATUS(status), 0);
}

TEST_F(ControlServer, ends_with_the_last_executor)
{
  EXPECT_TRUE(std::filesystem::exists(path()));
  exposure_.reset();
  EXPECT_FALSE(std::filesystem::exists(path()));
  auto again = expose({executor_.get(), "main", "", {}, {}, {}});
  ASSERT_TRUE(again.ok());
  EXPECT_EQ(Connected(path()).ask(MessageType::status)["pid"], ::getpid());
}

// A client that cannot be accepted stays in the queue, and poll reports it again and again.
TEST_F(ControlServer, turns_clients_away_when_no_descriptor_is_left)
{
  Connected early(path());
  EXPECT_EQ(early.ask(MessageType::status)["pid"], ::getpid());  // now it has its descriptors
  rlimit before{};
  ASSERT_EQ(::getrlimit(RLIMIT_NOFILE, &before), 0);
  std::vector<std::unique_ptr<Connected>> waiting;
  const int next = ::dup(0);
  ::close(next);
  // The clients take the descriptor numbers below the limit.
  const rlimit few{static_cast<rlim_t>(next) + 3, before.rlim_max};
  for (int i = 0; i < 3; ++i) {
    waiting.push_back(std::make_unique<Connected>());
  }
  ASSERT_EQ(::setrlimit(RLIMIT_NOFILE, &few), 0);
  std::vector<std::string> told;
  for (const auto & client : waiting) {
    client->connect(path());
    const auto answer = client->receive();
    told.push_back(answer ? answer->second.dump() : "nothing");
  }
  EXPECT_EQ(early.ask(MessageType::status)["pid"], ::getpid());
  ::setrlimit(RLIMIT_NOFILE, &before);
  for (const std::string & one : told) {
    EXPECT_NE(one.find("no file descriptor left"), std::string::npos) << one;
  }
  EXPECT_EQ(Connected(path()).ask(MessageType::status)["pid"], ::getpid());
}

// The control thread holds its lock while it answers; the child does not have this thread.
TEST_F(ControlServer, a_child_that_is_forked_during_a_request_exposes_executors)
{
#ifdef __SANITIZE_THREAD__
  GTEST_SKIP() << "ThreadSanitizer ends a child of fork that starts a thread";
#endif
  std::atomic<bool> asked{false};
  std::atomic<bool> go_on{false};
  handle_requests(MessageType::trace_start, [&](const std::string &) {
    asked = true;
    asked.notify_all();
    go_on.wait(false);
    return takt_rt::Result<std::string>("{}");
  });
  Connected client(path());
  client.send(encode(MessageType::trace_start, "{}"));
  asked.wait(false);
  const pid_t child = ::fork();
  if (child == 0) {
    ::alarm(60);  // instead of waiting for ever
    auto own = std::move(*takt_core::Executor::create());
    const auto exposed = expose({own.get(), "own", "", {}, {}, {}, {}});
    const bool good =
      exposed.ok() && Connected(path()).ask(MessageType::status)["pid"] == ::getpid();
    ::_exit(good ? 0 : 1);
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  EXPECT_EQ(status, 0);
  go_on = true;
  go_on.notify_all();
  EXPECT_TRUE(client.receive());
  EXPECT_EQ(client.ask(MessageType::status)["pid"], ::getpid());
  handle_requests(MessageType::trace_start, {});
}

TEST_F(ControlServer, says_why_there_is_no_socket)
{
  exposure_.reset();
  ::chmod(folder_.c_str(), 0777);
  const auto refused = expose({executor_.get(), "main", "", {}, {}, {}});
  ASSERT_FALSE(refused.ok());
  EXPECT_NE(
    to_string(refused.faults().front()).find("only this user can change"), std::string::npos);
}

}  // namespace
}  // namespace takt_control
