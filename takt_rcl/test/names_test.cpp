// Ids, remapping, namespaces, parameters, and the messages about bad arguments.
#include <stdlib.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <std_msgs/msg/u_int64.hpp>

#include "ros_test.hpp"

namespace takt_rcl::test
{

using Number = std_msgs::msg::UInt64;

class Names : public RosTest
{
protected:
  std::shared_ptr<SubscriptionBase> subscribe(Node & n, const std::string & topic)
  {
    return n.create_subscription<Number>(topic, QoS(1), [](const Number &) {});
  }
  std::string fault_of(const std::function<void()> & action)
  {
    try {
      action();
    } catch (const std::exception & error) {
      return error.what();
    }
    return "nothing was thrown";
  }
};

TEST_F(Names, IdsAreBuiltFromQualifiedNames)
{
  auto n = node("lidar", "/front");
  auto nothing = [] {};
  EXPECT_EQ(n->get_fully_qualified_name(), "/front/lidar");
  EXPECT_EQ(n->create_wall_timer(100ms, nothing)->id(), "/front/lidar:timer(100ms)");
  EXPECT_EQ(n->create_wall_timer(2s, nothing)->id(), "/front/lidar:timer(2s)");
  EXPECT_EQ(n->create_wall_timer(1500ms, nothing)->id(), "/front/lidar:timer(1.5s)");
  EXPECT_EQ(n->create_wall_timer(2500us, nothing)->id(), "/front/lidar:timer(2.5ms)");
  EXPECT_EQ(n->create_wall_timer(125us, nothing)->id(), "/front/lidar:timer(125us)");
  EXPECT_EQ(n->create_wall_timer(33333333ns, nothing)->id(), "/front/lidar:timer(33.333333ms)");
  EXPECT_EQ(n->create_timer(1s, nothing)->id(), "/front/lidar:timer(1s)");
  EXPECT_EQ(subscribe(*n, "/points")->id(), "/front/lidar:sub(/points)");
  EXPECT_EQ(subscribe(*n, "points")->id(), "/front/lidar:sub(/front/points)");
  EXPECT_EQ(subscribe(*n, "~/points")->id(), "/front/lidar:sub(/front/lidar/points)");
  EXPECT_EQ(n->create_guard_condition(nothing)->id(), "/front/lidar:waitable(guard_condition)");
}

TEST_F(Names, UsersNamesReplaceTheBracketAndCollisionsAreNumbered)
{
  auto n = node("n");
  auto nothing = [] {};
  auto a = n->create_wall_timer(1s, nothing);
  auto b = n->create_wall_timer(1s, nothing);
  auto c = n->create_wall_timer(1s, nothing);
  EXPECT_EQ(a->id(), "/n:timer(1s)");
  EXPECT_EQ(b->id(), "/n:timer(1s)#2");
  EXPECT_EQ(c->id(), "/n:timer(1s)#3");
  b.reset();  // its name is then free, so that a new node gets the same name
  EXPECT_EQ(n->create_wall_timer(1s, nothing)->id(), "/n:timer(1s)#2");
  TimerOptions named;
  named.name = "tick";
  EXPECT_EQ(n->create_wall_timer(1s, nothing, named)->id(), "/n:timer(tick)");
  SubscriptionOptions options;
  options.name = "cloud";
  EXPECT_EQ(
    n->create_subscription<Number>(
       "x", QoS(1), [](const Number &) {}, options)
      ->id(),
    "/n:sub(cloud)");
}

TEST_F(Names, GroupsHaveIdsToo)
{
  auto n = node("n");
  EXPECT_EQ(n->get_default_callback_group()->id(), "/n:group(default)");
  EXPECT_EQ(n->create_callback_group(CallbackGroupType::Reentrant)->id(), "/n:group(1)");
  const auto hot = n->create_callback_group(CallbackGroupType::MutuallyExclusive, "hot");
  const auto second = n->create_callback_group(CallbackGroupType::MutuallyExclusive, "hot");
  EXPECT_EQ(hot->id(), "/n:group(hot)");
  EXPECT_EQ(second->id(), "/n:group(hot)#2");
  auto timer = n->create_wall_timer(1s, [] {});
  EXPECT_EQ(&timer->group(), n->get_default_callback_group().get());
}

// A callback keeps its group, and a group keeps its id, even after the node has ended.
TEST_F(Names, IdOfAGroupIsFreeOnceTheGroupIsGone)
{
  auto n = node("n");
  auto group = n->create_callback_group(CallbackGroupType::Reentrant, "hot");
  const auto again = [&] {
    return n->create_callback_group(CallbackGroupType::Reentrant, "hot")->id();
  };
  auto timer = n->create_wall_timer(
    1s, [] {}, group);
  group.reset();
  EXPECT_EQ(again(), "/n:group(hot)#2");
  EXPECT_EQ(again(), "/n:group(hot)#2");
  timer.reset();
  EXPECT_EQ(again(), "/n:group(hot)");
  group = n->create_callback_group(CallbackGroupType::Reentrant, "hot");
  n.reset();
  EXPECT_EQ(group->id(), "/n:group(hot)");
  n = node("n");
  EXPECT_THROW(executor().add_callback_group(group, n), Error);  // the group belongs to the other
                                                                 // node
}

TEST_F(Names, ArgumentsRemapNodesAndTopics)
{
  restart({"-r", "__ns:=/robot", "-r", "old:__node:=fresh", "-r", "points:=/cloud"});
  auto n = node("old", "/ignored");
  EXPECT_EQ(n->get_fully_qualified_name(), "/robot/fresh");
  EXPECT_STREQ(n->get_name(), "fresh");
  EXPECT_STREQ(n->get_namespace(), "/robot");
  EXPECT_EQ(subscribe(*n, "points")->id(), "/robot/fresh:sub(/cloud)");
  auto pub = n->create_publisher<Number>("points", QoS(1));
  EXPECT_EQ(pub->topic(), "/cloud");
  EXPECT_EQ(n->count_publishers("points"), 1u);
}

TEST_F(Names, NodesOwnArgumentsBeatGlobalOnes)
{
  restart({"-r", "points:=/global", "-p", "rate:=1", "-p", "name:=global"});
  NodeOptions own = options();
  own.arguments({"--ros-args", "-r", "points:=/own", "-p", "rate:=2"});
  own.parameter_overrides({{"name", "program"}});
  Node n("n", own);
  EXPECT_EQ(subscribe(n, "points")->topic(), "/own");
  EXPECT_EQ(n.declare_parameter("rate", 0), 2);
  EXPECT_EQ(n.declare_parameter("name", "default"), "program");
  own.use_global_arguments(false);
  own.arguments({});
  Node alone("alone", own);
  EXPECT_EQ(subscribe(alone, "points")->topic(), "/points");
  EXPECT_EQ(alone.declare_parameter("rate", 7), 7);
}

TEST_F(Names, ParameterFilesGiveTypedValues)
{
  std::string folder = ::testing::TempDir() + "takt_test.XXXXXX";
  ASSERT_NE(::mkdtemp(folder.data()), nullptr);
  const std::string path = folder + "/params.yaml";
  std::ofstream(path) << "/**:\n"
                         "  ros__parameters:\n"
                         "    rate: 10\n"
                         "    gain: 0.5\n"
                         "    use: true\n"
                         "    frame: map\n"
                         "    limits: [1.0, 2.0]\n"
                         "    names: [a, b]\n"
                         "    sub:\n"
                         "      deep: 3\n"
                         "/robot/n:\n"
                         "  ros__parameters:\n"
                         "    rate: 20\n"
                         "other:\n"
                         "  ros__parameters:\n"
                         "    rate: 30\n";
  restart({"--params-file", path});
  auto n = node("n", "/robot");
  EXPECT_EQ(n->declare_parameter("rate", 1), 20);
  EXPECT_EQ(n->declare_parameter("gain", 1.0), 0.5);
  EXPECT_EQ(n->declare_parameter("use", false), true);
  EXPECT_EQ(n->declare_parameter("frame", "odom"), "map");
  EXPECT_EQ(n->declare_parameter("sub.deep", 0), 3);
  EXPECT_EQ(n->declare_parameter("limits", std::vector<double>{}), (std::vector<double>{1.0, 2.0}));
  EXPECT_EQ(
    n->declare_parameter("names", std::vector<std::string>{}),
    (std::vector<std::string>{"a", "b"}));
  EXPECT_EQ(n->declare_parameter("missing", 5), 5);
  EXPECT_EQ(node("other")->declare_parameter("rate", 1.0), 30.0);  // an integer serves as a double
  int rate = 0;
  EXPECT_TRUE(n->get_parameter("rate", rate));
  EXPECT_EQ(rate, 20);
  EXPECT_FALSE(n->get_parameter("never", rate));
  EXPECT_EQ(n->get_parameter_overrides().count("sub.deep"), 1u);
  EXPECT_EQ(
    fault_of([&] { node("m")->declare_parameter("frame", 1); }),
    "/m: parameter 'frame' is of type string, but integer is needed");
  EXPECT_EQ(
    fault_of([&] { n->declare_parameter("rate", 1); }),
    "/robot/n: parameter 'rate' has been declared already");
  std::filesystem::remove_all(folder);
}

TEST_F(Names, LogFilesThatCannotBeWrittenAreOneWarning)
{
  context.reset();  // the next context configures logging again
  const char * const before = std::getenv("ROS_LOG_DIR");
  const std::string directory = before != nullptr ? before : "";
  ::setenv("ROS_LOG_DIR", "/dev/null/logs", 1);
  ::testing::internal::CaptureStderr();
  EXPECT_EQ(fault_of([&] { restart({"-r", "__node:=m"}); }), "nothing was thrown");
  auto n = node("n");
  TAKT_INFO(n->get_logger(), "to the console");
  const std::string output = ::testing::internal::GetCapturedStderr();
  EXPECT_EQ(n->get_fully_qualified_name(), "/m");
  const std::size_t warning = output.find("cannot write log files");
  ASSERT_NE(warning, std::string::npos) << output;
  EXPECT_EQ(output.find("cannot write log files", warning + 1), std::string::npos) << output;
  EXPECT_NE(output.find("/dev/null/logs"), std::string::npos) << output;
  EXPECT_NE(output.find("ROS_LOG_DIR"), std::string::npos) << output;
  EXPECT_NE(output.find("to the console"), std::string::npos) << output;
  n.reset();
  context.reset();
  if (before != nullptr) {
    ::setenv("ROS_LOG_DIR", directory.c_str(), 1);
  } else {
    ::unsetenv("ROS_LOG_DIR");
  }
}

TEST_F(Names, BadArgumentsGiveOneClearMessage)
{
  const auto one_line = [](const std::string & text) {
    return text.find('\n') == std::string::npos && text.find(".c:") == std::string::npos;
  };
  const std::string bad = fault_of([&] { restart({"-r", "no_rule"}); });
  EXPECT_EQ(bad.find("bad ROS arguments: "), 0u) << bad;
  EXPECT_NE(bad.find("no_rule"), std::string::npos) << bad;
  EXPECT_TRUE(one_line(bad)) << bad;
  const std::string unknown = fault_of([&] { restart({"--no-such-flag", "x"}); });
  EXPECT_EQ(unknown, "bad ROS arguments: unknown after --ros-args: '--no-such-flag' 'x'");
  const std::string file = fault_of([&] { restart({"--params-file", "/no/such.yaml"}); });
  EXPECT_NE(file.find("/no/such.yaml"), std::string::npos) << file;
  EXPECT_TRUE(one_line(file)) << file;
  const std::string level = fault_of([&] { restart({"--log-level", "loud"}); });
  EXPECT_NE(level.find("loud"), std::string::npos) << level;
  EXPECT_TRUE(one_line(level)) << level;
}

TEST_F(Names, BadNamesGiveOneClearMessage)
{
  EXPECT_NE(fault_of([&] { node("bad name"); }).find("bad name"), std::string::npos);
  auto n = node("n");
  const std::string topic = fault_of([&] { subscribe(*n, "bad topic"); });
  EXPECT_EQ(topic.find("/n: cannot subscribe to 'bad topic'"), 0u) << topic;
  EXPECT_EQ(topic.find('\n'), std::string::npos) << topic;
  EXPECT_NE(fault_of([&] { Node("n"); }).find("the context is not initialised"), std::string::npos);
  EXPECT_EQ(
    fault_of([&] { n->create_wall_timer(0ms, [] {}); }), "a timer's period must be positive");
}

TEST_F(Names, AGroupOfAnotherNodeIsRefused)
{
  auto mine = node("mine");
  auto group = node("other")->create_callback_group(CallbackGroupType::MutuallyExclusive, "g");
  const std::string refusal = "/other:group(g) is not a callback group of /mine";
  auto nothing = [] {};
  SubscriptionOptions options;
  options.callback_group = group;
  GuardConditionOptions guard;
  guard.callback_group = group;
  EXPECT_EQ(fault_of([&] { mine->create_wall_timer(1s, nothing, group); }), refusal);
  EXPECT_EQ(fault_of([&] { mine->create_guard_condition(nothing, guard); }), refusal);
  EXPECT_EQ(
    fault_of([&] {
      mine->create_subscription<Number>(
        "/points", QoS(1), [](const Number &) {}, options);
    }),
    refusal);
  // The ids of the ended callbacks are free.
  EXPECT_EQ(mine->create_wall_timer(1s, nothing)->id(), "/mine:timer(1s)");
  EXPECT_EQ(subscribe(*mine, "/points")->id(), "/mine:sub(/points)");
}

TEST_F(Names, LogLevelsComeFromArguments)
{
  restart({"--log-level", "warn", "--log-level", "n.child:=debug"});
  const Logger logger = node("n")->get_logger();
  EXPECT_STREQ(logger.get_name(), "n");
  EXPECT_EQ(logger.get_effective_level(), Logger::Level::Warn);
  EXPECT_EQ(logger.get_child("child").get_effective_level(), Logger::Level::Debug);
  TAKT_INFO(logger, "not shown %d", 1);
}

TEST_F(Names, RosArgumentsAreRemoved)
{
  const char * const argv[] = {"program", "a", "--ros-args", "-r", "x:=y", "--", "b"};
  EXPECT_EQ(remove_ros_arguments(7, argv), (std::vector<std::string>{"program", "a", "b"}));
}

TEST_F(Names, DomainIsFromOptionsElseFromTheEnvironment)
{
  EXPECT_EQ(std::to_string(context->domain_id()), std::getenv("ROS_DOMAIN_ID"));
  auto other = std::make_shared<Context>();
  InitOptions options;
  options.domain_id = context->domain_id() == 1 ? 2 : 1;
  options.shutdown_on_signal = false;
  other->init(0, nullptr, options);
  EXPECT_EQ(other->domain_id(), *options.domain_id);
}

}  // namespace takt_rcl::test
