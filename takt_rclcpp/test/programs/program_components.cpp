// Actions and lifecycle nodes.
#include "program.hpp"

#ifdef TAKT_WITH_COMPONENTS
#include <pthread.h>

#include <array>
#include <atomic>
#include <functional>
#include <lifecycle_msgs/msg/transition.hpp>
#include <lifecycle_msgs/srv/change_state.hpp>
#include <memory>
#include <mutex>
#include <rclcpp/experimental/executors/events_executor/events_executor.hpp>
#include <rclcpp_action/rclcpp_action.hpp>
#include <rclcpp_lifecycle/lifecycle_node.hpp>
#include <takt_rclcpp/action/count.hpp>
#include <thread>
#include <utility>
#include <vector>

namespace
{

using namespace std::chrono_literals;
using rclcpp::executors::MultiThreadedExecutor;
using rclcpp::executors::SingleThreadedExecutor;
using Count = takt_rclcpp::action::Count;
using Goal = rclcpp_action::ServerGoalHandle<Count>;

/// Serves goals one after the other, on a timer of its own.
class Server : public rclcpp::Node
{
public:
  Server() : Node("server")
  {
    server_ = rclcpp_action::create_server<Count>(
      this, "count",
      [](const rclcpp_action::GoalUUID &, const std::shared_ptr<const Count::Goal> & goal) {
        return goal->last > 0 ? rclcpp_action::GoalResponse::ACCEPT_AND_EXECUTE
                              : rclcpp_action::GoalResponse::REJECT;
      },
      [](const std::shared_ptr<Goal> &) { return rclcpp_action::CancelResponse::ACCEPT; },
      [this](const std::shared_ptr<Goal> & goal) {
        goal_ = goal;
        at_ = 0;
      });
    timer_ = create_wall_timer(2ms, [this] { work(); });
  }

private:
  void work()
  {
    if (goal_ == nullptr) {
      return;
    }
    auto result = std::make_shared<Count::Result>();
    result->sum = at_ * (at_ + 1) / 2;
    if (goal_->is_canceling()) {
      goal_->canceled(result);
      goal_ = nullptr;
    } else if (at_ == goal_->get_goal()->last) {
      goal_->succeed(result);
      goal_ = nullptr;
    } else {
      auto feedback = std::make_shared<Count::Feedback>();
      feedback->at = ++at_;
      goal_->publish_feedback(feedback);
    }
  }

  rclcpp_action::Server<Count>::SharedPtr server_;
  rclcpp::TimerBase::SharedPtr timer_;
  std::shared_ptr<Goal> goal_;
  int at_ = 0;
};

/// Asks for a goal that is reached, a goal that is refused and a goal that it cancels. Asks from a
/// timer only, because rclcpp_action's client is locked while it calls back.
class Client : public rclcpp::Node
{
public:
  Client() : Node("client")
  {
    client_ = rclcpp_action::create_client<Count>(this, "count");
    timer_ = create_wall_timer(2ms, [this] {
      if (to_ask_ >= 0 && client_->action_server_is_ready()) {
        ask(std::exchange(to_ask_, -1));
      } else if (to_cancel_ != nullptr) {
        client_->async_cancel_goal(std::exchange(to_cancel_, nullptr));
      } else if (done_ && ++waited_ == 50) {
        rclcpp::shutdown();  // not while the server still reports the goal's end
      }
    });
  }

private:
  static constexpr int kEndless = 1'000'000;

  void ask(int last)
  {
    Count::Goal goal;
    goal.last = last;
    rclcpp_action::Client<Count>::SendGoalOptions options;
    options.goal_response_callback = [this](const auto & handle) {
      if (handle == nullptr) {
        say("refused");
        to_ask_ = kEndless;
      }
    };
    options.feedback_callback =
      [this, last](const auto & handle, const std::shared_ptr<const Count::Feedback> feedback) {
        if (last == kEndless && feedback->at >= 5 && !cancelled_) {
          cancelled_ = true;
          to_cancel_ = handle;
        }
      };
    options.result_callback = [this](const auto & result) {
      if (result.code == rclcpp_action::ResultCode::SUCCEEDED) {
        say("sum " + std::to_string(result.result->sum));
        to_ask_ = 0;
      } else {
        say(result.code == rclcpp_action::ResultCode::CANCELED ? "canceled" : "aborted");
        done_ = true;
      }
    };
    client_->async_send_goal(goal, options);
  }

  rclcpp_action::Client<Count>::SharedPtr client_;
  rclcpp::TimerBase::SharedPtr timer_;
  rclcpp_action::ClientGoalHandle<Count>::SharedPtr to_cancel_;
  int to_ask_ = 10;
  bool cancelled_ = false;
  bool done_ = false;
  int waited_ = 0;
};

template <typename Executor>
void act()
{
  Executor executor;
  auto server = std::make_shared<Server>();
  auto client = std::make_shared<Client>();
  executor.add_node(server);
  executor.add_node(client);
  executor.spin();
}

void actions()
{
  act<SingleThreadedExecutor>();
}

void actions_in_a_pool()
{
  act<MultiThreadedExecutor>();
}

// A goal's result follows its last feedback at once. rclcpp's wait set takes the feedback first;
// its queue of events takes the part that came first.
void feedback_before_result(rclcpp::Executor & executor, const char * kind)
{
  constexpr int kGoals = 40;
  auto worker = std::make_shared<rclcpp::Node>("worker");
  auto asker = std::make_shared<rclcpp::Node>("asker");
  std::vector<std::thread> work;
  auto server = rclcpp_action::create_server<Count>(
    worker, "count",
    [](const rclcpp_action::GoalUUID &, const std::shared_ptr<const Count::Goal> &) {
      return rclcpp_action::GoalResponse::ACCEPT_AND_EXECUTE;
    },
    [](const std::shared_ptr<Goal> &) { return rclcpp_action::CancelResponse::ACCEPT; },
    [&](const std::shared_ptr<Goal> & goal) {
      work.emplace_back([goal] {
        std::this_thread::sleep_for(20ms);
        auto feedback = std::make_shared<Count::Feedback>();
        for (feedback->at = 1; feedback->at <= 3; ++feedback->at) {
          goal->publish_feedback(feedback);
        }
        goal->succeed(std::make_shared<Count::Result>());
      });
    });
  auto client = rclcpp_action::create_client<Count>(asker, "count");
  std::array<int, 4> heard{};
  int results = 0;
  bool may_ask = true;
  auto timer = asker->create_wall_timer(2ms, [&] {
    if (!client->action_server_is_ready() || !std::exchange(may_ask, false)) {
      return;
    }
    if (results == kGoals) {
      executor.cancel();
      return;
    }
    rclcpp_action::Client<Count>::SendGoalOptions options;
    options.feedback_callback = [&](const auto &, const auto & feedback) {
      ++heard[static_cast<std::size_t>(feedback->at)];
    };
    options.result_callback = [&](const auto &) {
      ++results;
      may_ask = true;
    };
    client->async_send_goal(Count::Goal(), options);
  });
  executor.add_node(worker);
  executor.add_node(asker);
  executor.spin();
  for (auto & one : work) {
    one.join();
  }
  say(
    std::string(kind) + ": results " + std::to_string(results) + ", feedback " +
    std::to_string(heard[1]) + " " + std::to_string(heard[2]) + " " + std::to_string(heard[3]));
}

void feedbacks()
{
  SingleThreadedExecutor single;
  feedback_before_result(single, "single");
  rclcpp::experimental::executors::EventsExecutor events;
  feedback_before_result(events, "events");
}

// Goals in bursts, in a pool whose callbacks may all run side by side. The client asks for a result
// as soon as it knows that the goal is accepted.
void results_asked_for_at_once()
{
  constexpr int kGoals = 300;
  constexpr int kAtOnce = 6;
  MultiThreadedExecutor executor(rclcpp::ExecutorOptions(), 4);
  auto worker = std::make_shared<rclcpp::Node>("worker");
  auto asker = std::make_shared<rclcpp::Node>("asker");
  const auto reentrant = [](rclcpp::Node & node) {
    return node.create_callback_group(rclcpp::CallbackGroupType::Reentrant);
  };
  const auto of_worker = reentrant(*worker);
  const auto of_asker = reentrant(*asker);
  std::mutex mutex;
  std::vector<std::thread> work;
  auto server = rclcpp_action::create_server<Count>(
    worker, "count",
    [](const rclcpp_action::GoalUUID &, const std::shared_ptr<const Count::Goal> &) {
      return rclcpp_action::GoalResponse::ACCEPT_AND_EXECUTE;
    },
    [](const std::shared_ptr<Goal> &) { return rclcpp_action::CancelResponse::ACCEPT; },
    [&](const std::shared_ptr<Goal> & goal) {
      const std::lock_guard<std::mutex> lock(mutex);
      work.emplace_back([goal] {
        std::this_thread::sleep_for(2ms);
        goal->succeed(std::make_shared<Count::Result>());
      });
    },
    rcl_action_server_get_default_options(), of_worker);
  auto client = rclcpp_action::create_client<Count>(asker, "count", of_asker);
  std::atomic<int> results{0};
  std::atomic<int> unknown{0};
  rclcpp_action::Client<Count>::SendGoalOptions options;
  options.result_callback = [&](const auto & result) {
    unknown += result.code == rclcpp_action::ResultCode::UNKNOWN ? 1 : 0;
    ++results;
  };
  int sent = 0;
  auto timer = asker->create_wall_timer(2ms, [&] {
    if (results == kGoals) {
      executor.cancel();
    } else if (sent < kGoals && results == sent && client->action_server_is_ready()) {
      for (int i = 0; i < kAtOnce; ++i, ++sent) {
        client->async_send_goal(Count::Goal(), options);
      }
    }
  });
  executor.add_node(worker);
  executor.add_node(asker);
  executor.spin();
  for (auto & one : work) {
    one.join();
  }
  say("unknown " + std::to_string(unknown));
}

/// How often the program's functions were called, by the parts of an action.
class Told
{
public:
  std::function<void(std::size_t, int)> listener()
  {
    return [this](std::size_t count, int part) {
      parts_.at(static_cast<std::size_t>(part)) += static_cast<int>(count);
    };
  }
  int of(std::size_t part) const { return parts_.at(part); }

private:
  std::array<std::atomic<int>, 5> parts_{};
};

// The program sets functions of its own on an action's server and client during a spin, and clears
// them half way.
template <typename Executor>
void listen_to_goals()
{
  constexpr int kGoals = 10;
  Executor executor;
  auto worker = std::make_shared<rclcpp::Node>("worker");
  auto asker = std::make_shared<rclcpp::Node>("asker");
  auto server = rclcpp_action::create_server<Count>(
    worker, "count",
    [](const rclcpp_action::GoalUUID &, const std::shared_ptr<const Count::Goal> &) {
      return rclcpp_action::GoalResponse::ACCEPT_AND_EXECUTE;
    },
    [](const std::shared_ptr<Goal> &) { return rclcpp_action::CancelResponse::ACCEPT; },
    [&](const std::shared_ptr<Goal> & goal) {
      auto feedback = std::make_shared<Count::Feedback>();
      goal->publish_feedback(feedback);
      goal->succeed(std::make_shared<Count::Result>());
    });
  auto client = rclcpp_action::create_client<Count>(asker, "count");
  executor.add_node(worker);
  executor.add_node(asker);
  std::thread spins([&] { executor.spin(); });
  const auto wait_until = [](const auto & done) {
    for (int i = 0; i < 10'000 && !done(); ++i) {
      std::this_thread::sleep_for(1ms);
    }
  };
  std::atomic<int> results{0};
  rclcpp_action::Client<Count>::SendGoalOptions options;
  options.result_callback = [&](const auto &) { ++results; };
  const auto reach = [&](int goals) {
    for (int i = 0; i < goals; ++i) {
      const int before = results;
      client->async_send_goal(Count::Goal(), options);
      wait_until([&] { return results > before; });
    }
  };
  wait_until([&] { return client->action_server_is_ready(); });
  reach(1);
  Told by_server;
  Told by_client;
  server->set_on_ready_callback(by_server.listener());
  client->set_on_ready_callback(by_client.listener());
  reach(kGoals);
  wait_until([&] { return by_client.of(1) >= kGoals && by_client.of(3) >= kGoals; });
  server->clear_on_ready_callback();
  client->clear_on_ready_callback();
  reach(kGoals);
  executor.cancel();
  spins.join();
  const auto text = [](int number) { return std::to_string(number); };
  say(
    "results " + text(results) + ", the server was told of goals " + text(by_server.of(0)) +
    " and results " + text(by_server.of(1)) + ", the client of goals " + text(by_client.of(0)) +
    ", results " + text(by_client.of(1)) + " and feedback " + text(by_client.of(3)));
}

void own_listeners_of_actions()
{
  listen_to_goals<SingleThreadedExecutor>();
  listen_to_goals<MultiThreadedExecutor>();
}

class Managed : public rclcpp_lifecycle::LifecycleNode
{
public:
  Managed() : LifecycleNode("managed") {}

  CallbackReturn on_configure(const rclcpp_lifecycle::State &) override
  {
    publisher_ = create_publisher<std_msgs::msg::Int32>("managed", 10);
    timer_ = create_wall_timer(2ms, [this] {
      if (publisher_->is_activated()) {
        publisher_->publish(std_msgs::msg::Int32());
      }
    });
    say("configured");
    return CallbackReturn::SUCCESS;
  }
  CallbackReturn on_activate(const rclcpp_lifecycle::State & state) override
  {
    say("activated");
    return LifecycleNode::on_activate(state);
  }
  CallbackReturn on_deactivate(const rclcpp_lifecycle::State & state) override
  {
    say("deactivated");
    return LifecycleNode::on_deactivate(state);
  }

private:
  rclcpp_lifecycle::LifecyclePublisher<std_msgs::msg::Int32>::SharedPtr publisher_;
  rclcpp::TimerBase::SharedPtr timer_;
};

void lifecycle()
{
  using Change = lifecycle_msgs::srv::ChangeState;
  using Transition = lifecycle_msgs::msg::Transition;
  SingleThreadedExecutor executor;
  auto managed = std::make_shared<Managed>();
  auto manager = std::make_shared<rclcpp::Node>("manager");
  auto client = manager->create_client<Change>("managed/change_state");
  const auto change = [&](std::uint8_t transition) {
    auto request = std::make_shared<Change::Request>();
    request->transition.id = transition;
    client->async_send_request(request);
  };
  int heard = 0;
  auto subscription = manager->create_subscription<std_msgs::msg::Int32>(
    "managed", 10, [&](const std_msgs::msg::Int32 &) {
      if (++heard == 20) {
        say("heard");
        change(Transition::TRANSITION_DEACTIVATE);
      }
    });
  auto begin = manager->create_wall_timer(2ms, [&] {
    if (client->service_is_ready()) {
      change(Transition::TRANSITION_CONFIGURE);
    }
  });
  int step = 0;
  auto steps = manager->create_wall_timer(20ms, [&] {
    const auto state = managed->get_current_state().label();
    if (step == 0 && state == "inactive") {
      begin->cancel();
      step = 1;
      change(Transition::TRANSITION_ACTIVATE);
    } else if (step == 1 && heard >= 20 && state == "inactive") {
      rclcpp::shutdown();
    }
  });
  executor.add_node(managed->get_node_base_interface());
  executor.add_node(manager);
  executor.spin();
}

// Makes its timer when it becomes active, and drops the timer when it becomes inactive. Writes the
// thread of each run of the timer to standard error.
class MakesWhenActive : public rclcpp_lifecycle::LifecycleNode
{
public:
  MakesWhenActive() : LifecycleNode("managed") {}
  std::atomic<int> ran{0};

  CallbackReturn on_activate(const rclcpp_lifecycle::State & state) override
  {
    timer_ = create_wall_timer(20ms, [this] {
      char name[16] = {};
      ::pthread_getname_np(::pthread_self(), name, sizeof(name));
      std::fprintf(stderr, "ran on %s\n", name);
      ++ran;
    });
    return LifecycleNode::on_activate(state);
  }
  CallbackReturn on_deactivate(const rclcpp_lifecycle::State & state) override
  {
    timer_.reset();
    return LifecycleNode::on_deactivate(state);
  }

private:
  rclcpp::TimerBase::SharedPtr timer_;
};

void makes_when_active()
{
  MultiThreadedExecutor executor(rclcpp::ExecutorOptions(), 3);
  auto managed = std::make_shared<MakesWhenActive>();
  executor.add_node(managed->get_node_base_interface());
  std::thread spins([&] { executor.spin(); });
  managed->configure();
  for (int cycle = 1; cycle <= 3; ++cycle) {
    managed->activate();
    while (managed->ran < 5 * cycle && rclcpp::ok()) {
      std::this_thread::sleep_for(1ms);
    }
    managed->deactivate();
  }
  executor.cancel();
  spins.join();
  say(managed->ran >= 15 ? "15 and more" : "less");
}

}  // namespace

Ways ways_of_components()
{
  return {
    {"actions", actions},
    {"actions_in_a_pool", actions_in_a_pool},
    {"feedbacks", feedbacks},
    {"lifecycle", lifecycle},
    {"makes_when_active", makes_when_active},
    {"own_listeners_of_actions", own_listeners_of_actions},
    {"results_asked_for_at_once", results_asked_for_at_once}};
}

#else

Ways ways_of_components()
{
  return {};
}

#endif
