// Parameters of a node: descriptors, changes, the callbacks that judge them, services and events.
#include <atomic>
#include <limits>
#include <rcl_interfaces/msg/parameter_event.hpp>
#include <rcl_interfaces/msg/parameter_type.hpp>
#include <rcl_interfaces/srv/set_parameters.hpp>

#include "ros_test.hpp"
#include "takt_rcl/error.hpp"
#include "takt_schedule/parse.hpp"

namespace takt_rcl::test
{
namespace
{

using rcl_interfaces::msg::ParameterEvent;
using rcl_interfaces::msg::ParameterType;

template <typename Function>
std::string fault_of(Function function)
{
  try {
    function();
  } catch (const Error & error) {
    return error.what();
  }
  return "";
}

SetParametersResult accept()
{
  SetParametersResult result;
  result.successful = true;
  return result;
}

class Parameters : public RosTest
{
protected:
  static ParameterDescriptor in_range(std::int64_t from, std::int64_t to, std::uint64_t step)
  {
    ParameterDescriptor descriptor;
    descriptor.integer_range.resize(1);
    descriptor.integer_range[0].from_value = from;
    descriptor.integer_range[0].to_value = to;
    descriptor.integer_range[0].step = step;
    return descriptor;
  }
  static ParameterDescriptor in_range(double from, double to, double step)
  {
    ParameterDescriptor descriptor;
    descriptor.floating_point_range.resize(1);
    descriptor.floating_point_range[0].from_value = from;
    descriptor.floating_point_range[0].to_value = to;
    descriptor.floating_point_range[0].step = step;
    return descriptor;
  }
  /// The reason of the refusal; empty: accepted.
  static std::string set(Node & n, const Parameter & parameter)
  {
    const SetParametersResult result = n.set_parameter(parameter);
    EXPECT_EQ(result.successful, result.reason.empty());
    return result.reason;
  }
};

TEST_F(Parameters, ChangesAreJudgedByTypeAndAccess)
{
  auto n = node("n");
  n->declare_parameter("count", 1);
  n->declare_parameter("rate", 1.5);
  ParameterDescriptor fixed;
  fixed.read_only = true;
  n->declare_parameter("fixed", "a", fixed);
  ParameterDescriptor any;
  any.dynamic_typing = true;
  any.description = "anything";
  n->declare_parameter("any", 1, any);

  EXPECT_EQ(set(*n, {"count", 7}), "");
  EXPECT_EQ(n->get_parameter("count").as_int(), 7);
  EXPECT_EQ(set(*n, {"rate", 2}), "");  // an integer serves as a double
  EXPECT_EQ(n->get_parameter("rate").as_double(), 2.0);
  EXPECT_EQ(n->get_parameter("rate").get_type_name(), "double");
  EXPECT_EQ(
    set(*n, {"count", 2.5}),
    "/n: parameter 'count' is of type integer, and cannot become a double");
  EXPECT_EQ(set(*n, {"fixed", "b"}), "/n: parameter 'fixed' is read-only");
  EXPECT_EQ(set(*n, {"use_sim_time", true}), "/n: parameter 'use_sim_time' is read-only");
  EXPECT_EQ(set(*n, {"never", 1}), "/n: parameter 'never' has not been declared");
  EXPECT_EQ(set(*n, {"any", "text"}), "");
  EXPECT_EQ(n->describe_parameter("any").type, ParameterType::PARAMETER_STRING);
  EXPECT_EQ(n->describe_parameter("any").description, "anything");
  EXPECT_EQ(n->describe_parameter("any").name, "any");
  EXPECT_EQ(
    n->get_parameter_types({"count", "never"}),
    (std::vector<std::uint8_t>{
      ParameterType::PARAMETER_INTEGER, ParameterType::PARAMETER_NOT_SET}));
  EXPECT_EQ(
    fault_of([&] { n->describe_parameter("never"); }),
    "/n: parameter 'never' has not been declared");

  EXPECT_EQ(
    fault_of([&] { n->undeclare_parameter("count"); }),
    "/n: parameter 'count' has a static type, and cannot be deleted");
  n->undeclare_parameter("any");
  EXPECT_FALSE(n->has_parameter("any"));
}

TEST_F(Parameters, ValuesStayInTheirRange)
{
  auto n = node("n");
  n->declare_parameter("even", 4, in_range(std::int64_t{-10}, std::int64_t{10}, 2));
  n->declare_parameter("gain", 0.5, in_range(0.0, 1.05, 0.1));
  EXPECT_EQ(set(*n, {"even", -10}), "");
  EXPECT_EQ(set(*n, {"even", 10}), "");
  EXPECT_EQ(set(*n, {"even", 12}), "/n: parameter 'even': 12 is not in -10 to 10 in steps of 2");
  EXPECT_EQ(set(*n, {"even", 5}), "/n: parameter 'even': 5 is not in -10 to 10 in steps of 2");
  EXPECT_EQ(set(*n, {"gain", 0.3}), "");  // 0.3 is not three times 0.1 in binary
  EXPECT_EQ(set(*n, {"gain", 1.05}), "");
  EXPECT_EQ(set(*n, {"gain", 1}), "");
  for (const double beyond :
       {std::numeric_limits<double>::infinity(), -std::numeric_limits<double>::infinity(),
        std::numeric_limits<double>::quiet_NaN()}) {
    EXPECT_NE(set(*n, {"gain", beyond}).find("is not in 0 to 1.05"), std::string::npos) << beyond;
  }
  EXPECT_EQ(
    set(*n, {"gain", 0.25}), "/n: parameter 'gain': 0.25 is not in 0 to 1.05 in steps of 0.1");
  EXPECT_EQ(
    set(*n, {"gain", -0.1}), "/n: parameter 'gain': -0.1 is not in 0 to 1.05 in steps of 0.1");
  EXPECT_EQ(
    fault_of(
      [&] { n->declare_parameter("odd", 4, in_range(std::int64_t{1}, std::int64_t{3}, 0)); }),
    "/n: parameter 'odd': 4 is not in 1 to 3");
}

TEST_F(Parameters, OverridesAreIgnoredOnRequest)
{
  auto own = options();
  own.append_parameter_override("rate", 5);
  Node n("n", own);
  EXPECT_EQ(n.declare_parameter("rate", 1, ParameterDescriptor(), true), 1);
}

TEST_F(Parameters, AutomaticallyDeclaredParametersTakeEveryType)
{
  auto own = options();
  own.automatically_declare_parameters_from_overrides(true);
  own.append_parameter_override("rate", 5);
  Node n("n", own);
  EXPECT_TRUE(n.describe_parameter("rate").dynamic_typing);
  EXPECT_EQ(set(n, {"rate", "fast"}), "");
  EXPECT_EQ(n.get_parameter("rate").as_string(), "fast");
  n.undeclare_parameter("rate");
  EXPECT_FALSE(n.has_parameter("rate"));
}

TEST_F(Parameters, CallbacksJudgeAndFollowChanges)
{
  auto n = node("n");
  n->declare_parameter("a", 1);
  n->declare_parameter("b", 1);
  std::vector<std::string> heard;
  std::vector<std::int64_t> before;
  auto pre = n->add_pre_set_parameters_callback([&](std::vector<Parameter> & values) {
    for (auto & one : std::vector<Parameter>(values)) {
      if (one.get_name() == "a") {
        values.emplace_back("b", one.as_int() * 10);
      }
    }
  });
  auto on = n->add_on_set_parameters_callback([&](const std::vector<Parameter> & values) {
    auto result = accept();
    for (const auto & one : values) {
      heard.push_back("judged " + one.get_name());
      if (one.as_int() < 0) {
        result.successful = false;
        result.reason = "below zero";
      }
    }
    before.push_back(n->get_parameter("a").as_int());
    return result;
  });
  auto post = n->add_post_set_parameters_callback([&](const std::vector<Parameter> & values) {
    for (const auto & one : values) {
      heard.push_back("set " + one.get_name());
    }
  });
  EXPECT_EQ(set(*n, {"a", 3}), "");
  EXPECT_EQ(n->get_parameter("b").as_int(), 30);
  EXPECT_EQ(before, (std::vector<std::int64_t>{1}));
  EXPECT_EQ(heard, (std::vector<std::string>{"judged a", "judged b", "set a", "set b"}));
  EXPECT_EQ(set(*n, {"b", -1}), "below zero");
  EXPECT_EQ(n->get_parameter("b").as_int(), 30);
  EXPECT_EQ(
    fault_of([&] { n->declare_parameter("c", -1); }), "/n: parameter 'c' is refused: below zero");
  EXPECT_FALSE(n->has_parameter("c"));

  heard.clear();
  n->remove_pre_set_parameters_callback(pre.get());
  on.reset();
  EXPECT_EQ(set(*n, {"a", -4}), "");
  EXPECT_EQ(heard, (std::vector<std::string>{"set a"}));
}

TEST_F(Parameters, CallbacksSeeADeletionAsAParameterWithoutAValue)
{
  auto n = node("n");
  ParameterDescriptor any;
  any.dynamic_typing = true;
  n->declare_parameter("a", 1, any);
  n->declare_parameter("b", 1, any);
  std::vector<std::string> heard;
  const auto hear = [&](const std::string & who, const std::vector<Parameter> & values) {
    std::string words = who;
    for (const auto & one : values) {
      words += " " + one.get_name() + (one.is_set() ? " set" : " not set");
    }
    heard.push_back(words);
  };
  std::string reason = "keep it";
  auto pre = n->add_pre_set_parameters_callback(
    [&](const std::vector<Parameter> & values) { hear("pre", values); });
  auto on = n->add_on_set_parameters_callback([&](const std::vector<Parameter> & values) {
    hear("on", values);
    auto result = accept();
    result.successful = reason.empty();
    result.reason = reason;
    return result;
  });
  auto post = n->add_post_set_parameters_callback(
    [&](const std::vector<Parameter> & values) { hear("post", values); });
  using Heard = std::vector<std::string>;
  EXPECT_EQ(set(*n, Parameter("a")), "keep it");
  EXPECT_TRUE(n->has_parameter("a"));
  EXPECT_EQ(heard, (Heard{"pre a not set", "on a not set"}));
  heard.clear();
  reason.clear();
  EXPECT_TRUE(n->set_parameters_atomically({Parameter("a"), {"b", 2}}).successful);
  EXPECT_FALSE(n->has_parameter("a"));
  EXPECT_EQ(n->get_parameter("b").as_int(), 2);
  EXPECT_EQ(heard, (Heard{"pre a not set b set", "on a not set b set", "post a not set b set"}));
  heard.clear();
  n->undeclare_parameter("b");
  EXPECT_TRUE(n->set_parameters_atomically({}).successful);
  EXPECT_EQ(heard, Heard());
  EXPECT_FALSE(n->has_parameter("b"));

  const Parameter none("c");
  EXPECT_EQ(none.get_type_name(), "not set");
  EXPECT_EQ(fault_of([&] { none.as_bool(); }), "parameter 'c' is not set");
}

TEST_F(Parameters, APreSetCallbackThatEmptiesTheListRefusesTheChange)
{
  auto n = node("n");
  n->declare_parameter("a", 1);
  int judged = 0;
  auto on = n->add_on_set_parameters_callback([&](const std::vector<Parameter> &) {
    ++judged;
    return accept();
  });
  auto pre =
    n->add_pre_set_parameters_callback([](std::vector<Parameter> & values) { values.clear(); });
  EXPECT_EQ(set(*n, {"a", 2}), "/n: a pre-set callback left no parameter in the list to set");
  EXPECT_EQ(n->get_parameter("a").as_int(), 1);
  EXPECT_EQ(judged, 0);
}

TEST_F(Parameters, AnAtomicChangeSetsAllOrNone)
{
  auto n = node("n");
  n->declare_parameter("a", 1);
  n->declare_parameter("b", 1);
  EXPECT_FALSE(n->set_parameters_atomically({{"a", 2}, {"b", "two"}}).successful);
  EXPECT_EQ(n->get_parameter("a").as_int(), 1);
  EXPECT_TRUE(n->set_parameters_atomically({{"a", 2}, {"b", 2}}).successful);
  EXPECT_EQ(n->get_parameters({"a", "b"}).back().as_int(), 2);
  const auto results = n->set_parameters({{"a", 3}, {"b", "three"}});
  ASSERT_EQ(results.size(), 2u);
  EXPECT_TRUE(results[0].successful);
  EXPECT_FALSE(results[1].successful);
  EXPECT_EQ(n->get_parameter("a").as_int(), 3);
}

TEST_F(Parameters, ACallbackThatJudgesMustNotChange)
{
  auto n = node("n");
  n->declare_parameter("a", 1);
  std::string fault;
  auto on = n->add_on_set_parameters_callback([&](const std::vector<Parameter> &) {
    fault = fault_of([&] { n->set_parameter({"a", 3}); });
    return accept();
  });
  EXPECT_EQ(set(*n, {"a", 2}), "");
  EXPECT_EQ(fault, "/n: a callback that judges a change of parameters must not change one");
  EXPECT_EQ(n->get_parameter("a").as_int(), 2);
  on.reset();
  auto post = n->add_post_set_parameters_callback([&](const std::vector<Parameter> & values) {
    if (values.front().as_int() < 10) {
      n->set_parameter({"a", values.front().as_int() + 1});
    }
  });
  EXPECT_EQ(set(*n, {"a", 5}), "");
  EXPECT_EQ(n->get_parameter("a").as_int(), 10);
}

TEST_F(Parameters, TheEndOfAHandleWaitsForAChangeOnAnotherThread)
{
  auto n = node("n");
  n->declare_parameter("a", 1);
  std::atomic<bool> inside{false};
  std::atomic<bool> let_go{false};
  std::atomic<bool> left{false};
  auto on = n->add_on_set_parameters_callback([&](const std::vector<Parameter> &) {
    inside = true;
    wait_until([&] { return let_go.load(); });
    left = true;
    return accept();
  });
  std::thread changing([&] { n->set_parameter({"a", 2}); });
  ASSERT_TRUE(wait_until([&] { return inside.load(); }));
  std::thread letting([&] { let_go = true; });
  on.reset();
  EXPECT_TRUE(left);
  changing.join();
  letting.join();
}

TEST_F(Parameters, ListsNamesByPrefixAndDepth)
{
  auto n = node("n");
  for (const char * name : {"a", "b.c", "b.d.e", "bc.f"}) {
    n->declare_parameter(name, 1);
  }
  using Names = std::vector<std::string>;
  EXPECT_EQ(
    n->list_parameters({}, 0).names,
    (Names{"a", "b.c", "b.d.e", "bc.f", "start_type_description_service", "use_sim_time"}));
  EXPECT_EQ(n->list_parameters({}, 0).prefixes, (Names{"b", "b.d", "bc"}));
  EXPECT_EQ(
    n->list_parameters({}, 1).names,
    (Names{"a", "start_type_description_service", "use_sim_time"}));
  EXPECT_EQ(n->list_parameters({"b"}, 0).names, (Names{"b.c", "b.d.e"}));
  EXPECT_EQ(n->list_parameters({"b"}, 1).names, (Names{"b.c"}));
  EXPECT_EQ(n->list_parameters({"b.c", "a"}, 1).names, (Names{"a", "b.c"}));
}

TEST_F(Parameters, ServicesStartWithTheFirstParameterOrAsTheOptionsSay)
{
  const auto services = [&](const std::shared_ptr<Node> & n) {
    auto e = executor();
    e.add_node(n);
    return e.core().callbacks().size();
  };
  auto plain = node("plain");
  EXPECT_EQ(services(plain), 0u);
  plain->declare_parameter("a", 1);
  EXPECT_EQ(services(plain), 6u);
  plain->declare_parameter("b", 1);
  EXPECT_EQ(services(plain), 6u);
  auto never = options();
  never.start_parameter_services(false);
  auto quiet = std::make_shared<Node>("quiet", never);
  quiet->declare_parameter("a", 1);
  EXPECT_EQ(services(quiet), 0u);
  auto always = options();
  always.start_parameter_services(true);
  auto open = std::make_shared<Node>("open", "/ns", always);
  auto e = executor();
  e.add_node(open);
  ASSERT_EQ(e.core().callbacks().size(), 6u);
  const auto set = e.core().find("/ns/open:service(/ns/open/set_parameters)");
  ASSERT_NE(set, nullptr);
  EXPECT_EQ(set->group().id(), "/ns/open:group(parameters)");
}

TEST_F(Parameters, OneRuleOfAScheduleBindsAllServices)
{
  const auto schedule = takt_schedule::parse_schedule(
    "version: 1\n"
    "executors:\n"
    "  main:\n"
    "    threads: {a: {}, b: {}}\n"
    "    default: b\n"
    "    callbacks:\n"
    "      - {match: \"/ns/n:service(/ns/n/*_parameter*)\", threads: a}\n",
    "test.yaml");
  ASSERT_TRUE(schedule) << takt_rt::sentences(schedule.faults()).front();
  auto n = node("n", "/ns");
  n->declare_parameter("a", 1);
  auto e = Executor::from_schedule(context, *schedule, "main");
  e.add_node(n);
  EXPECT_EQ(e.core().callbacks().size(), 6u);
  EXPECT_EQ(e.defaulted_callbacks(), std::vector<std::string>());
}

TEST_F(Parameters, AClientChangesThemAndEventsTell)
{
  using Srv = rcl_interfaces::srv::SetParameters;
  auto n = node("n");
  auto m = node("m");
  n->declare_parameter("a", 1);
  std::vector<ParameterEvent> events;
  auto listening = m->create_subscription<ParameterEvent>(
    "/parameter_events", QoS(100), [&](const ParameterEvent & event) { events.push_back(event); });
  auto client = m->create_client<Srv>("/n/set_parameters");
  auto e = executor();
  e.add_node(n);
  e.add_node(m);
  ASSERT_TRUE(client->wait_for_service(kPatience));
  ASSERT_TRUE(listening->wait_for_matched(1, kPatience));
  ParameterDescriptor any;
  any.dynamic_typing = true;
  n->declare_parameter("any", "x", any);
  Srv::Request request;
  request.parameters.resize(3);
  request.parameters[0].name = "a";
  request.parameters[0].value.type = ParameterType::PARAMETER_INTEGER;
  request.parameters[0].value.integer_value = 5;
  request.parameters[1].name = "a";
  request.parameters[1].value.type = ParameterType::PARAMETER_STRING;
  request.parameters[2].name = "any";  // without a value
  const auto future = client->async_send_request(request);
  ASSERT_EQ(e.spin_until_future_complete(future, kPatience), FutureReturnCode::SUCCESS);
  const auto & results = future.get()->results;
  ASSERT_EQ(results.size(), 3u);
  EXPECT_TRUE(results[0].successful);
  EXPECT_FALSE(results[1].successful);
  EXPECT_TRUE(results[2].successful);
  EXPECT_EQ(n->get_parameter("a").as_int(), 5);
  EXPECT_FALSE(n->has_parameter("any"));
  ASSERT_TRUE(spin_until(e, [&] { return events.size() == 3; }));
  EXPECT_EQ(events[0].node, "/n");
  ASSERT_EQ(events[0].new_parameters.size(), 1u);
  EXPECT_EQ(events[0].new_parameters[0].name, "any");
  EXPECT_EQ(events[0].new_parameters[0].value.string_value, "x");
  ASSERT_EQ(events[1].changed_parameters.size(), 1u);
  EXPECT_EQ(events[1].changed_parameters[0].value.integer_value, 5);
  ASSERT_EQ(events[2].deleted_parameters.size(), 1u);
  EXPECT_EQ(events[2].deleted_parameters[0].name, "any");
}

}  // namespace
}  // namespace takt_rcl::test
