// What is wrong with this code? A loop looks up the limit of a joint a thousand times a second.
#include <chrono>
#include <map>
#include <string>
#include <thread>

#include "takt_rt/application/application.hpp"

using namespace std::chrono_literals;

static const std::map<std::string, double> g_limits{
  {"left_shoulder_pitch_joint", 1.2}, {"right_shoulder_pitch_joint", 1.2}};
static double g_command = 0.0;

static void control(const takt_rt::Cycle &)
{
  const double limit = g_limits.at("left_shoulder_pitch_joint");
  g_command = g_command < limit ? g_command + 0.001 : -limit;
}

int main()
{
  takt_rt::Application application;
  takt_rt::CyclicOptions options;
  options.period = 1ms;
  options.attributes.name = "control";
  application.add(options, control);
  if (!application.start().ok()) {
    return 1;
  }
  std::this_thread::sleep_for(200ms);
  application.stop();
  application.wait();
}
