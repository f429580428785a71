// Publishers whose readers are within, by pointer, and outside, by the middleware; those outside
// come and go. Random trees of topics agree with an oracle that knows histories alone, and the
// oracle that loses a message where a publisher begins or ends to use the middleware is refuted.
#include <deque>
#include <map>
#include <optional>
#include <random>
#include <std_msgs/msg/u_int64.hpp>

#include "ros_test.hpp"

namespace takt_rcl::test
{
namespace
{

using Number = std_msgs::msg::UInt64;
using Values = std::vector<std::uint64_t>;

struct Reader
{
  std::size_t topic = 0;
  std::size_t depth = 1;
  int kind = 0;                         ///< of the function's argument
  std::optional<std::size_t> relays{};  ///< publishes each value on this topic, too
};

/// Topic 0 is published by the test; each other one by the one reader that relays to it. So the
/// order of the messages of a topic does not depend on the order of callbacks. Only the readers of
/// topic 0 may lose messages, those that came before they run.
struct Step
{
  enum class What
  {
    publish,  ///< so many values on topic 0, then all callbacks run
    appear,   ///< a reader outside, of that topic
    leave     ///< the reader outside of that topic, if there is one
  };
  What what = What::publish;
  std::size_t number = 1;
};

struct Plan
{
  std::size_t topics = 1;
  std::vector<Reader> readers;
  std::vector<Step> steps;
};

/// What the readers got: those within in the order of the plan, then those outside in the order of
/// their coming.
using Got = std::vector<Values>;

constexpr std::size_t kDeep = 64;

Plan make_plan(std::uint64_t seed)
{
  std::mt19937_64 random(seed);
  const auto pick = [&](std::size_t below) { return static_cast<std::size_t>(random() % below); };
  Plan plan;
  plan.topics = 1 + pick(3);
  const auto add = [&](std::size_t topic) {
    const std::size_t depth = topic == 0 ? 1 + pick(5) : kDeep;
    plan.readers.push_back({topic, depth, static_cast<int>(pick(3)), std::nullopt});
  };
  for (std::size_t topic = 1; topic < plan.topics; ++topic) {
    add(pick(topic));
    plan.readers.back().relays = topic;
  }
  for (std::size_t i = 1 + pick(2); i > 0; --i) {
    add(pick(plan.topics));
  }
  std::vector<bool> outside(plan.topics, false);
  for (int i = 0; i < 10; ++i) {
    plan.steps.push_back({Step::What::publish, 1 + pick(6)});
    if (pick(2) == 0) {
      const std::size_t topic = pick(plan.topics);
      plan.steps.push_back({outside[topic] ? Step::What::leave : Step::What::appear, topic});
      outside[topic] = !outside[topic];
    }
  }
  plan.steps.push_back({Step::What::publish, 3});
  return plan;
}

enum class LeftOut
{
  nothing,
  message_at_switch,  ///< the first message after a reader outside came or left is lost
  one_way             ///< while a reader outside is there, readers within get messages twice
};

class Oracle
{
public:
  Oracle(const Plan & plan, LeftOut left_out)
  : plan_(plan),
    left_out_(left_out),
    waiting_(plan.readers.size()),
    got_(plan.readers.size()),
    outside_(plan.topics),
    switched_(plan.topics, false)
  {
  }

  Got run()
  {
    std::uint64_t value = 0;
    for (const Step & step : plan_.steps) {
      if (step.what == Step::What::publish) {
        for (std::size_t i = 0; i < step.number; ++i) {
          publish(0, ++value);
        }
        read_all();
        continue;
      }
      switched_[step.number] = true;
      if (step.what == Step::What::leave) {
        outside_[step.number].reset();
      } else {
        outside_[step.number] = got_.size();
        got_.emplace_back();
      }
    }
    return got_;
  }

private:
  void publish(std::size_t topic, std::uint64_t value)
  {
    const bool lost = switched_[topic] && left_out_ == LeftOut::message_at_switch;
    switched_[topic] = false;
    const bool twice = outside_[topic] && left_out_ == LeftOut::one_way;
    for (std::size_t i = 0; i < plan_.readers.size(); ++i) {
      if (plan_.readers[i].topic != topic || lost) {
        continue;
      }
      for (int copy = 0; copy < (twice ? 2 : 1); ++copy) {
        waiting_[i].push_back(value);
        if (waiting_[i].size() > plan_.readers[i].depth) {
          waiting_[i].pop_front();
        }
      }
    }
    if (outside_[topic]) {
      got_[*outside_[topic]].push_back(value);
    }
  }
  // Relays of a topic come before the topics that they publish.
  void read_all()
  {
    for (std::size_t topic = 0; topic < plan_.topics; ++topic) {
      for (std::size_t i = 0; i < plan_.readers.size(); ++i) {
        const Reader & reader = plan_.readers[i];
        for (; reader.topic == topic && !waiting_[i].empty(); waiting_[i].pop_front()) {
          got_[i].push_back(waiting_[i].front());
          if (reader.relays) {
            publish(*reader.relays, waiting_[i].front());
          }
        }
      }
    }
  }

  const Plan & plan_;
  const LeftOut left_out_;
  std::vector<std::deque<std::uint64_t>> waiting_;
  Got got_;
  std::vector<std::optional<std::size_t>> outside_;  // by topic: its place in `got_`
  std::vector<bool> switched_;
};

class SwitchOfWays : public RosTest
{
protected:
  Got run(const Plan & plan)
  {
    Got got(plan.readers.size());
    const auto within =
      std::make_shared<Node>("within", "", options().use_intra_process_comms(true));
    const auto outside = node("outside");
    Executor e = executor();
    e.add_node(within);
    e.add_node(outside);
    const auto name = [&](std::size_t topic) {
      return "t" + std::to_string(round_) + "_" + std::to_string(topic);
    };
    ++round_;
    std::vector<Publisher<Number>::SharedPtr> publishers;
    std::vector<std::size_t> published(plan.topics, 0);
    const auto publish = [&publishers, &published](std::size_t topic, const Number & message) {
      ++published[topic];
      publishers[topic]->publish(message);
    };
    std::vector<std::size_t> matched(plan.topics, 0);
    for (std::size_t topic = 0; topic < plan.topics; ++topic) {
      publishers.push_back(within->create_publisher<Number>(name(topic), kDeep));
    }
    std::vector<std::shared_ptr<SubscriptionBase>> readers;
    for (std::size_t i = 0; i < plan.readers.size(); ++i) {
      const Reader & reader = plan.readers[i];
      const auto read = [&got, publish, i, relays = reader.relays](const Number & message) {
        got[i].push_back(message.data);
        if (relays) {
          publish(*relays, message);
        }
      };
      const auto subscribe = [&](auto function) {
        readers.push_back(within->create_subscription<Number>(
          name(reader.topic), reader.depth, std::move(function)));
      };
      if (reader.kind == 0) {
        subscribe(read);
      } else if (reader.kind == 1) {
        subscribe([read](UniqueMessage<Number> message) { read(*message); });
      } else {
        subscribe([read](Number::ConstSharedPtr message) { read(*message); });
      }
      ++matched[reader.topic];
    }
    for (std::size_t topic = 0; topic < plan.topics; ++topic) {
      EXPECT_TRUE(publishers[topic]->wait_for_matched(matched[topic], kPatience));
    }
    struct Other
    {
      std::size_t place;   // in `got`
      std::size_t before;  // messages of the topic before it came
      Subscription<Number>::SharedPtr subscription;
    };
    std::map<std::size_t, Other> others;
    // Those within need no middleware: they have run when no callback is ready. Those outside wait
    // for it.
    const auto all_arrived = [&] {
      spin(e);
      return std::all_of(others.begin(), others.end(), [&](const auto & one) {
        const auto & [topic, other] = one;
        return got[other.place].size() >= published[topic] - other.before;
      });
    };
    std::uint64_t value = 0;
    for (const Step & step : plan.steps) {
      const std::size_t topic = step.number;
      if (step.what == Step::What::publish) {
        for (std::size_t i = 0; i < step.number; ++i) {
          Number message;
          message.data = ++value;
          publish(0, message);
        }
        EXPECT_TRUE(wait_until(all_arrived));
        spin(e);  // what comes twice
      } else if (step.what == Step::What::appear) {
        const std::size_t place = got.size();
        got.emplace_back();
        const auto other = outside->create_subscription<Number>(
          name(topic), kDeep,
          [&got, place](const Number & message) { got[place].push_back(message.data); });
        others[topic] = {place, published[topic], other};
        EXPECT_TRUE(publishers[topic]->wait_for_matched(matched[topic] + 1, kPatience));
        EXPECT_TRUE(other->wait_for_matched(1, kPatience));
      } else {
        others.erase(topic);
        EXPECT_TRUE(wait_until(
          [&] { return publishers[topic]->get_subscription_count() == matched[topic]; }));
      }
    }
    return got;
  }

private:
  // Until no callback is ready, several times: the middleware may deliver late.
  static void spin(Executor & e)
  {
    for (int idle = 0; idle < 4;) {
      bool ran = false;
      e.core().spin_once(takt_rt::Duration::zero(), &ran);
      idle = ran ? 0 : idle + 1;
    }
  }

  int round_ = 0;
};

TEST_F(SwitchOfWays, LosesNoMessageAndTheTwinsThatDoAreRefuted)
{
  if (!Context::publication_sequence_supported()) {
    GTEST_SKIP() << "this middleware has no publication sequence numbers";
  }
  constexpr std::uint64_t kRounds = 25;
  int lost = 0;
  int twice = 0;
  for (std::uint64_t round = 0; round < kRounds; ++round) {
    const Plan plan = make_plan(round + 1);
    const Got got = run(plan);
    ASSERT_EQ(got, Oracle(plan, LeftOut::nothing).run()) << "round " << round;
    lost += got != Oracle(plan, LeftOut::message_at_switch).run() ? 1 : 0;
    twice += got != Oracle(plan, LeftOut::one_way).run() ? 1 : 0;
  }
  EXPECT_GT(lost, 0);
  EXPECT_GT(twice, 0);
}

}  // namespace
}  // namespace takt_rcl::test
