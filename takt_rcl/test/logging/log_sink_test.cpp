// Lines of a real-time safe logger on ROS 2's logging.
#include <rcutils/logging.h>

#include <chrono>
#include <cstdarg>
#include <cstdio>
#include <mutex>
#include <string>
#include <vector>

#include "ros_test.hpp"
#include "takt_rcl/logger.hpp"
#include "takt_rt/log/logger.hpp"

namespace takt_rcl::test
{
namespace
{

struct Written
{
  int severity;
  std::string name;
  std::string file;
  std::int64_t time;
  std::string text;
};

std::mutex g_mutex;
std::vector<Written> g_written;

void keep(
  const rcutils_log_location_t * location, int severity, const char * name,
  rcutils_time_point_value_t time, const char * format, va_list * arguments)
{
  char text[256];
  std::vsnprintf(text, sizeof text, format, *arguments);
  const std::lock_guard lock(g_mutex);
  g_written.push_back({severity, name, location->file_name, time, text});
}

/// Keeps what goes to ROS 2's logging, instead of the handler that takt_rcl set.
class LogSink : public RosTest
{
protected:
  void SetUp() override
  {
    RosTest::SetUp();
    before_ = rcutils_logging_get_output_handler();
    rcutils_logging_set_output_handler(keep);
    g_written.clear();
  }
  void TearDown() override { rcutils_logging_set_output_handler(before_); }

private:
  rcutils_logging_output_handler_t before_ = nullptr;
};

std::int64_t unix_now()
{
  return std::chrono::nanoseconds(std::chrono::system_clock::now().time_since_epoch()).count();
}

TEST_F(LogSink, WritesUnderTheNodesNameAtTheTimeOfTheCall)
{
  const auto n = node("pump", "/plant");
  takt_rt::LoggerOptions options;
  options.sink = log_sink(n->get_logger());
  takt_rt::Logger logger(options);
  const std::int64_t before = unix_now();
  TAKT_RT_LOG(logger, warn, "100%% of %d bar", 7);
  const std::int64_t after = unix_now();
  TAKT_RT_LOG(logger, error, "stops");
  logger.flush();
  const std::lock_guard lock(g_mutex);
  ASSERT_EQ(g_written.size(), 2U);
  EXPECT_EQ(g_written[0].severity, RCUTILS_LOG_SEVERITY_WARN);
  EXPECT_EQ(g_written[0].name, n->get_logger().get_name());
  EXPECT_EQ(g_written[0].text, "100% of 7 bar");
  EXPECT_NE(g_written[0].file.find("log_sink_test.cpp"), std::string::npos);
  // The monotonic clock's distance is read when the line is written; a time service may slew
  // meanwhile.
  constexpr std::int64_t kSlew = 1'000'000;
  EXPECT_GE(g_written[0].time, before - kSlew);
  EXPECT_LE(g_written[0].time, after + kSlew);
  EXPECT_EQ(g_written[1].severity, RCUTILS_LOG_SEVERITY_ERROR);
}

TEST_F(LogSink, OmitsLinesBelowTheLoggersLevel)
{
  const auto n = node("quiet");
  n->get_logger().set_level(Logger::Level::Error);
  takt_rt::LoggerOptions options;
  options.sink = log_sink(n->get_logger());
  takt_rt::Logger logger(options);
  TAKT_RT_LOG(logger, warn, "omitted");
  TAKT_RT_LOG(logger, error, "written");
  logger.flush();
  const std::lock_guard lock(g_mutex);
  ASSERT_EQ(g_written.size(), 1U);
  EXPECT_EQ(g_written[0].text, "written");
}

TEST_F(LogSink, SaysHowManyLinesWereLeftOut)
{
  const auto sink = log_sink(node("pump")->get_logger());
  sink({takt_rt::Time{}, 1, takt_rt::LogLevel::info, "control", "late", "f.cpp", 3, 4});
  const std::lock_guard lock(g_mutex);
  ASSERT_EQ(g_written.size(), 1U);
  EXPECT_EQ(g_written[0].text, "late (and 4 times before)");
}

}  // namespace
}  // namespace takt_rcl::test
