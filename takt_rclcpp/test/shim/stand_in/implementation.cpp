// Takes the place of takt's implementation: prints the shim's calls. STAND_IN_ANSWER=stock declines
// every spin, =throw throws out of it; STAND_IN_VERSION gives another version.
#include <cstdio>
#include <cstdlib>
#include <stdexcept>
#include <string>

#include "shim/interface.h"

namespace
{

std::string variable(const char * name)
{
  const char * const value = std::getenv(name);
  return value == nullptr ? "" : value;
}

// The variables that the shim removed from the environment.
std::string g_begun;

void begin(const char * const * variables, const cpu_set_t * cores)
{
  for (; *variables != nullptr; ++variables) {
    g_begun += std::string(*variables) + "\n";
  }
  g_begun += CPU_COUNT(cores) > 0 ? "cores\n" : "no cores\n";
  if (variable("STAND_IN_ANSWER") == "begins") {
    std::printf("takt begins\n");
  }
}

int answer(const std::string & what)
{
  std::printf("takt %s\n", what.c_str());
  if (variable("STAND_IN_ANSWER") == "begun") {
    std::printf("%s", g_begun.c_str());
  }
  std::fflush(stdout);
  if (variable("STAND_IN_ANSWER") == "throw") {
    throw std::runtime_error("thrown by a callback");
  }
  return variable("STAND_IN_ANSWER") == "stock" ? 1 : 0;
}

int spin(void *, takt_host_kind kind)
{
  return answer("spin " + std::to_string(kind));
}
int changed(void *)
{
  std::printf("takt updated\n");
  return 1;
}
int collects(void *, takt_collects what, void *)
{
  std::printf("takt collects %d\n", static_cast<int>(what));
  return what == TAKT_REMOVES_GROUP ? 0 : 1;
}
int spin_node(void *)
{
  return answer("node");
}
int spin_whole_node(void *)
{
  return answer("whole node");
}
void group_added(void *, void *)
{
  std::printf("takt group\n");
}
void publish_begins(const void *)
{
  std::printf("takt publishes\n");
}
void publish_ended()
{
  std::printf("takt published\n");
}
int hold(const void *, const void *, takt_form form)
{
  const bool holds = variable("STAND_IN_ANSWER") == "holds";
  if (holds) {
    std::printf("takt holds %d\n", static_cast<int>(form));
  }
  return holds ? 1 : 0;
}
void publisher_ends(const void *)
{
  std::printf("takt hears of a publisher's end\n");
}
void message_named(long long source_time)
{
  std::printf("takt named %lld\n", source_time);
}
void request_sent(const void *, long long number)
{
  std::printf("takt sent %lld\n", number);
}

void goal_answer_begins()
{
}
void goal_known()
{
}

int listener_set(const void *, void (*)(const void *, unsigned long), const void *)
{
  return 0;
}

}  // namespace

extern "C" __attribute__((visibility("default"))) const takt_interface * takt_rclcpp_interface()
{
  static takt_interface interface = {
    TAKT_INTERFACE_VERSION,
    &begin,
    &spin,
    &changed,
    &collects,
    &spin_node,
    &spin_whole_node,
    &group_added,
    &publish_begins,
    &publish_ended,
    &hold,
    &publisher_ends,
    &message_named,
    &listener_set,
    &request_sent,
    &goal_answer_begins,
    &goal_known};
  if (!variable("STAND_IN_VERSION").empty()) {
    interface.version = std::stoi(variable("STAND_IN_VERSION"));
  }
  return &interface;
}
