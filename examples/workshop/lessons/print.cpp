// What is wrong with this code? It reports an error only if there is one.
#include <chrono>
#include <cmath>
#include <cstdio>
#include <thread>

#include "takt_rt/application/application.hpp"

using namespace std::chrono_literals;

static double g_angle = 0.0;

static void control(const takt_rt::Cycle &)
{
  g_angle += 0.01;
  const double error = std::sin(g_angle);
  if (error > 0.999) {
    std::printf("the error is %.4f\n", error);
  }
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
  std::this_thread::sleep_for(400ms);
  application.stop();
  application.wait();
}
