// The request `set`: with real executors that spin, over a real socket.
#include <gtest/gtest.h>

#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "connected.hpp"
#include "takt_control/control_server.hpp"
#include "takt_core/executor.hpp"
#include "takt_core/group.hpp"
#include "takt_rt/thread_attributes.hpp"
#include "takt_schedule/make_executor.hpp"
#include "takt_schedule/parse.hpp"

namespace takt_control
{
namespace
{

using nlohmann::json;
using takt_core::Executor;

constexpr const char * kText =
  "version: 1\nexecutors:\n"
  "  main:\n    threads: {hot: {count: 2, nice: 1}, rest: {}}\n    default: rest\n"
  "  other:\n    threads: {hot: {nice: 2}}\n    default: hot\n"
  "chains:\n  path: {path: [\"/a:sub(/x)\", \"/b:sub(/y)\"], priority: 10}\n";

class Set : public testing::Test
{
protected:
  Set()
  {
    std::string pattern = testing::TempDir() + "takt_set.XXXXXX";
    folder_ = ::mkdtemp(pattern.data());
    ::setenv("TAKT_RUNTIME_DIR", folder_.c_str(), 1);
    const auto schedule = takt_schedule::parse_schedule(kText, "s.yaml");
    for (const char * const name : {"main", "other"}) {
      add_executor(std::move(*takt_schedule::make_executor(*schedule, name)), name);
    }
    add(*executors_[0], "/a:sub(/x)");
    add(*executors_[1], "/b:sub(/y)");
    for (const auto & executor : executors_) {
      EXPECT_TRUE(executor->start().ok());
    }
  }
  ~Set() override
  {
    exposures_.clear();
    for (const auto & executor : executors_) {
      executor->cancel();
      executor->wait();
    }
    std::filesystem::remove_all(folder_);
    ::unsetenv("TAKT_RUNTIME_DIR");
  }

  Executor & add_executor(std::unique_ptr<Executor> executor, const std::string & name)
  {
    auto exposed = expose({executor.get(), name, "/s.yaml", {}, {}, {}, {}, [](const auto & one) {
                             return one.id().ends_with("(event)");
                           }});
    EXPECT_TRUE(exposed.ok());
    exposures_.push_back(std::move(*exposed));
    return *executors_.emplace_back(std::move(executor));
  }
  static void add(Executor & executor, const std::string & id, takt_core::Binding binding = {})
  {
    takt_core::CallbackOptions options;
    options.id = id;
    options.kind = takt_core::Kind::subscription;
    EXPECT_TRUE(executor.add(std::make_shared<Nothing>(options), binding).ok());
  }

  json ask(MessageType type, const json & request = json::object()) const
  {
    return Connected(folder_ + "/" + std::to_string(::getpid()) + ".sock").ask(type, request);
  }
  json set(const json & request) const { return ask(MessageType::set, request); }
  static int priority(Executor & executor, const std::string & id)
  {
    return executor.scheduler().priority(*executor.find(id));
  }
  static takt_core::ThreadMask threads(Executor & executor, const std::string & id)
  {
    return executor.scheduler().threads(*executor.find(id));
  }
  int nice_of(std::size_t executor, std::size_t thread) const
  {
    return *takt_rt::read_attributes(executors_[executor]->thread_ids()[thread]).nice;
  }

  std::string folder_;
  std::vector<std::unique_ptr<Executor>> executors_;
  std::vector<std::unique_ptr<Exposure>> exposures_;
};

TEST_F(Set, a_chain_changes_in_all_executors)
{
  const json answer = set({{"chain", "path"}, {"priority", 200}});
  const auto entry = [](const char * executor) {
    return json{
      {"executor", executor},
      {"what", "chain path"},
      {"before", {{"priority", 10}}},
      {"now", {{"priority", 200}}},
      {"faults", json::array()}};
  };
  EXPECT_EQ(answer, (json{{"changed", {entry("main"), entry("other")}}}));
  EXPECT_EQ(priority(*executors_[0], "/a:sub(/x)"), 200);
  EXPECT_EQ(priority(*executors_[1], "/b:sub(/y)"), 200);
  const json told = ask(MessageType::status);
  EXPECT_EQ(told["executors"][1]["chains"][0]["priority"], 200);

  ask(MessageType::reset);
  EXPECT_EQ(priority(*executors_[0], "/a:sub(/x)"), 10);
  EXPECT_EQ(priority(*executors_[1], "/b:sub(/y)"), 10);
}

TEST_F(Set, status_tells_what_was_set_since_the_schedule)
{
  const auto set_values = [&](std::size_t executor) {
    return ask(MessageType::status)["executors"][executor]["set_values"];
  };
  EXPECT_EQ(set_values(0), json::array());
  set({{"chain", "path"}, {"priority", 200}});
  set({{"chain", "path"}, {"priority", 201}});
  const json told{{{"what", "chain path"}, {"value", "priority"}, {"before", 10}, {"now", 201}}};
  EXPECT_EQ(set_values(0), json::array({told.front()}));
  EXPECT_EQ(set_values(1), json::array({told.front()}));
  set({{"chain", "path"}, {"priority", 10}});
  EXPECT_EQ(set_values(0), json::array()) << "it is as in the schedule again";
  set({{"chain", "path"}, {"priority", 7}});
  ask(MessageType::reset);
  EXPECT_EQ(set_values(0), json::array());
}

TEST_F(Set, what_is_nowhere_changes_nothing)
{
  const json none{{"changed", json::array()}};
  EXPECT_EQ(set({{"chain", "pat"}, {"priority", 1}}), none);
  EXPECT_EQ(set({{"callback", "/a:sub(/y)"}, {"priority", 1}}), none);
  EXPECT_EQ(set({{"callback", "/a:sub(/y)"}, {"threads", {"hot"}}}), none);
  EXPECT_EQ(set({{"executor", nullptr}, {"thread", "ho"}, {"nice", 3}}), none);
  EXPECT_EQ(set({{"executor", "mai"}, {"thread", "hot"}, {"nice", 3}}), none);
  EXPECT_EQ(set({{"thread", "rest."}, {"nice", 3}}), none);
}

TEST_F(Set, a_callback_gets_a_priority_and_gives_it_back_to_its_chains)
{
  json answer = set({{"callback", "/a:sub(/x)"}, {"priority", 77}});
  ASSERT_EQ(answer["changed"].size(), 1U) << answer;
  EXPECT_EQ(answer["changed"][0]["what"], "callback /a:sub(/x)");
  EXPECT_EQ(answer["changed"][0]["before"], (json{{"priority", nullptr}}));
  EXPECT_EQ(priority(*executors_[0], "/a:sub(/x)"), 77);
  answer = set({{"callback", "/a:sub(/x)"}, {"priority", nullptr}});
  EXPECT_EQ(answer["changed"][0]["before"], (json{{"priority", 77}}));
  EXPECT_EQ(answer["changed"][0]["now"], (json{{"priority", nullptr}}));
  EXPECT_EQ(priority(*executors_[0], "/a:sub(/x)"), 10);
}

TEST_F(Set, a_callback_moves_to_other_threads)
{
  EXPECT_EQ(threads(*executors_[0], "/a:sub(/x)"), 7U);
  json answer = set({{"callback", "/a:sub(/x)"}, {"threads", {"hot"}}});
  EXPECT_EQ(answer["changed"][0]["before"], (json{{"threads", {"hot.0", "hot.1", "rest"}}}));
  EXPECT_EQ(answer["changed"][0]["now"], (json{{"threads", {"hot.0", "hot.1"}}}));
  EXPECT_EQ(threads(*executors_[0], "/a:sub(/x)"), 3U);
  set({{"callback", "/a:sub(/x)"}, {"threads", {"hot.1", "rest"}}});
  EXPECT_EQ(threads(*executors_[0], "/a:sub(/x)"), 6U);
  set({{"callback", "/a:sub(/x)"}, {"threads", {"all"}}});
  EXPECT_EQ(threads(*executors_[0], "/a:sub(/x)"), 7U);
  answer = set({{"callback", "/a:sub(/x)"}, {"threads", {"hot.2"}}});
  EXPECT_EQ(
    answer, (json{
              {"faults",
               {"executor main: callback /a:sub(/x) cannot run on hot.2; its threads are hot.0, "
                "hot.1, rest"}}}));
}

TEST_F(Set, threads_are_named_as_in_the_schedule)
{
  json answer = set({{"executor", nullptr}, {"thread", "hot"}, {"nice", 5}});
  ASSERT_EQ(answer["changed"].size(), 3U) << answer;
  EXPECT_EQ(answer["changed"][1]["what"], "thread hot.1");
  EXPECT_EQ(answer["changed"][1]["before"], (json{{"nice", 1}}));
  EXPECT_EQ(answer["changed"][2]["executor"], "other");
  EXPECT_EQ(answer["changed"][2]["now"], (json{{"nice", 5}}));
  EXPECT_EQ(nice_of(0, 0), 5);
  EXPECT_EQ(nice_of(0, 1), 5);
  EXPECT_EQ(nice_of(1, 0), 5);
  answer = set({{"executor", "main"}, {"thread", "hot.0"}, {"nice", 7}});
  EXPECT_EQ(answer["changed"].size(), 1U);
  EXPECT_EQ(nice_of(0, 0), 7);
  EXPECT_EQ(nice_of(0, 1), 5);
  answer = set({{"thread", "rest"}, {"nice", 4}});
  EXPECT_EQ(answer["changed"][0]["before"]["nice"], takt_rt::read_attributes().nice.value_or(0));
  EXPECT_EQ(nice_of(0, 2), 4);
}

TEST_F(Set, a_thread_has_the_value_of_its_policy)
{
  json answer = set({{"thread", "hot.0"}, {"priority", 5}});
  EXPECT_EQ(
    answer["faults"],
    json::array({"executor main: thread hot.0 has policy other, which has no priority; set its "
                 "nice level, or give it another policy with `takt apply`"}));
  EXPECT_NE(
    set({{"thread", "hot.0"}, {"nice", 30}})["faults"].dump().find("30"), std::string::npos);
  EXPECT_EQ(nice_of(0, 0), 1);
}

TEST_F(Set, a_real_time_priority_is_granted_or_refused)
{
  takt_core::ExecutorOptions options;
  options.threads.emplace_back().attributes.policy = takt_rt::Policy::fifo;
  options.threads.front().attributes.priority = 1;
  options.threads.front().attributes.name = "rt";
  options.missing_rights = takt_core::MissingRights::report;
  Executor & executor = add_executor(std::move(*Executor::create(options)), "rt");
  ASSERT_TRUE(executor.start().ok());
  EXPECT_TRUE(set({{"thread", "rt"}, {"nice", 3}}).contains("faults"));
  EXPECT_TRUE(set({{"thread", "rt"}, {"priority", 100}}).contains("faults"));
  const json answer = set({{"thread", "rt"}, {"priority", 2}});
  ASSERT_EQ(answer["changed"].size(), 1U) << answer;
  const json & changed = answer["changed"][0];
  EXPECT_EQ(changed["before"], (json{{"priority", 1}}));
  const int has = takt_rt::read_attributes(executor.thread_ids()[0]).priority;
  EXPECT_EQ(changed["now"], (json{{"priority", has}}));
  EXPECT_EQ(changed["faults"].empty(), has == 2) << answer;
}

TEST_F(Set, one_refusal_keeps_all_executors_as_they_are)
{
  // A following thread takes no priority above its own.
  takt_core::ExecutorOptions options;
  options.threads.emplace_back().attributes.policy = takt_rt::Policy::fifo;
  options.threads.front().attributes.priority = 20;
  options.threads.front().follow = true;
  options.missing_rights = takt_core::MissingRights::report;
  Executor & follows = add_executor(std::move(*Executor::create(options)), "follows");
  const takt_core::ChainOptions chain = executors_[0]->scheduler().chains().front();
  ASSERT_TRUE(follows.reconfigure({.more_chains = {chain}}).ok());
  add(follows, "/a:sub(/x)");
  for (const bool check_only : {true, false}) {
    const json answer = set({{"chain", "path"}, {"priority", 21}, {"check_only", check_only}});
    ASSERT_TRUE(answer.contains("faults")) << answer;
    EXPECT_EQ(priority(*executors_[0], "/a:sub(/x)"), 10);
    EXPECT_EQ(priority(*executors_[1], "/b:sub(/y)"), 10);
  }
  EXPECT_EQ(set({{"chain", "path"}, {"priority", 19}})["changed"].size(), 3U);
}

TEST_F(Set, a_check_says_what_would_be_and_changes_nothing)
{
  json answer = set({{"chain", "path"}, {"priority", 200}, {"check_only", true}});
  EXPECT_EQ(answer["changed"].size(), 2U);
  EXPECT_EQ(priority(*executors_[0], "/a:sub(/x)"), 10);
  answer = set({{"thread", "hot"}, {"nice", 9}, {"check_only", true}});
  EXPECT_EQ(answer["changed"][0]["now"], (json{{"nice", 9}}));
  EXPECT_EQ(nice_of(0, 0), 1);
  const json back = ask(MessageType::reset);
  EXPECT_EQ(back["executors"][0]["parts"][0]["outcome"], "unchanged");
}

TEST_F(Set, an_isolated_callback_keeps_its_threads)
{
  const auto group =
    std::make_shared<takt_core::Group>(takt_core::GroupKind::mutually_exclusive, "/c:group(own)");
  ASSERT_TRUE(executors_[0]->isolate(*group, {}).ok());
  takt_core::CallbackOptions options;
  options.id = "/c:sub(/z)";
  options.kind = takt_core::Kind::subscription;
  options.group = group;
  const auto callback = std::make_shared<Nothing>(options);
  ASSERT_TRUE(executors_[0]->add(callback).ok());

  EXPECT_TRUE(set({{"callback", "/c:sub(/z)"}, {"threads", {"hot"}}}).contains("faults"));
  EXPECT_EQ(
    set({{"callback", "/c:sub(/z)"}, {"priority", 9}})["changed"][0]["now"],
    (json{{"priority", 9}}));
  EXPECT_EQ(executors_[0]->scheduler_of(*callback).priority(*callback), 9);
  const json answer = set({{"thread", "/c:group(own)"}, {"nice", 6}});
  ASSERT_EQ(answer["changed"].size(), 1U) << answer;
  EXPECT_EQ(answer["changed"][0]["what"], "thread /c:group(own)");
  EXPECT_EQ(nice_of(0, 3), 6);
  executors_[0]->remove(*callback);
}

TEST_F(Set, a_timer_is_found_whatever_the_spelling_of_its_period)
{
  add(*executors_[0], "/c:timer(2.5ms)");
  for (const char * id : {"/c:timer(2.5ms)", "/c:timer(2500us)", "/c:timer(0.0025s)"}) {
    const json answer = set({{"callback", id}, {"priority", 5}});
    ASSERT_EQ(answer["changed"].size(), 1U) << id << answer;
    EXPECT_EQ(answer["changed"][0]["what"], "callback /c:timer(2.5ms)");
  }
}

TEST_F(Set, a_callback_takes_along_what_belongs_to_it)
{
  const auto group = std::make_shared<takt_core::Group>(
    takt_core::GroupKind::mutually_exclusive, "/d:group(default)");
  const auto add_to_group = [&](const std::string & id, const std::string & chain_id = {}) {
    takt_core::CallbackOptions options;
    options.id = id;
    options.chain_id = chain_id;
    options.group = group;
    takt_core::Binding binding;
    binding.threads = 4;
    EXPECT_TRUE(executors_[0]->add(std::make_shared<Nothing>(options), binding).ok());
  };
  add_to_group("/d:sub(/z)");
  add_to_group("/d:waitable(/z)", "/d:sub(/z)");
  add_to_group("/d:waitable(event)");
  const json request{{"callback", "/d:sub(/z)"}, {"threads", {"hot"}}};
  const json answer = set(request);
  ASSERT_EQ(answer["changed"].size(), 1U) << answer;
  for (const char * const id : {"/d:sub(/z)", "/d:waitable(/z)", "/d:waitable(event)"}) {
    EXPECT_EQ(threads(*executors_[0], id), 3U) << id;
  }
  set({{"callback", "/d:sub(/z)"}, {"priority", 9}});
  EXPECT_EQ(priority(*executors_[0], "/d:sub(/z)"), 9);
  EXPECT_EQ(priority(*executors_[0], "/d:waitable(/z)"), 9);
  EXPECT_EQ(priority(*executors_[0], "/d:waitable(event)"), 0);

  // The callbacks that the program made for itself keep their threads, and their OS priority must
  // not differ.
  set({{"callback", "/d:sub(/z)"}, {"threads", {"rest"}}});
  add_to_group("/d:sub(/other)");
  EXPECT_TRUE(set(request).contains("faults"));
  EXPECT_EQ(threads(*executors_[0], "/d:waitable(event)"), 4U);
}

TEST_F(Set, requests_that_say_nothing_clear_are_refused)
{
  const std::vector<json> wrong{
    json::array(),
    json::object(),
    {{"chain", "path"}},
    {{"chain", "path"}, {"priority", 256}},
    {{"chain", "path"}, {"priority", -1}},
    {{"chain", "path"}, {"priority", 1.5}},
    {{"chain", "path"}, {"priority", nullptr}},
    {{"chain", "path"}, {"priority", "high"}},
    {{"chain", 5}, {"priority", 5}},
    {{"chain", "path"}, {"nice", 1}},
    {{"chain", "path"}, {"threads", {"hot"}}},
    {{"chain", "path"}, {"callback", "/a:sub(/x)"}, {"priority", 5}},
    {{"callback", "/a:sub(/x)"}, {"priority", 5}, {"threads", {"hot"}}},
    {{"callback", "/a:sub(/x)"}, {"threads", json::array()}},
    {{"callback", "/a:sub(/x)"}, {"threads", "hot"}},
    {{"callback", "/a:sub(/x)"}, {"threads", {1}}},
    {{"callback", "/a:sub(/x)"}, {"nice", 1}},
    {{"callback", "/a:sub(/x)"}, {"priority", 1'000'000'000'000}},
    {{"thread", "hot"}, {"threads", {"hot"}}},
    {{"thread", "hot"}, {"nice", nullptr}},
    {{"thread", "hot"}, {"executor", 3}, {"nice", 3}}};
  for (const json & request : wrong) {
    EXPECT_TRUE(set(request).contains("faults")) << request;
  }
  EXPECT_EQ(priority(*executors_[0], "/a:sub(/x)"), 10);
}

}  // namespace
}  // namespace takt_control
