// Exit codes and sentences for the ways in which a program ends.
#include "exec/ending.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <csignal>
#include <optional>
#include <string>

#include "exec/environment.hpp"
#include "exec/program_file.hpp"

namespace takt_exec::test
{
namespace
{

ProgramEnd ended(int status)
{
  ProgramEnd end;
  end.status = status;
  return end;
}

TEST(Ending, gives_the_programs_code_or_that_of_the_report)
{
  EXPECT_EQ(exit_code(ended(3 << 8), 0), 3);
  EXPECT_EQ(exit_code(ended(SIGSEGV), 0), 128 + SIGSEGV);
  EXPECT_EQ(exit_code(ended(0), 1), 1);
  EXPECT_EQ(slow_end("/talker", ended(3 << 8)), "");
}

TEST(Ending, at_the_end_of_its_time_is_no_failure_unless_takt_killed)
{
  ProgramEnd end = ended(SIGINT);
  end.by_duration = true;
  EXPECT_EQ(exit_code(end, 0), 0);
  EXPECT_EQ(slow_end("/talker", end), "");
  end.status = 3 << 8;  // as launchers and shells report a program that SIGINT ended
  EXPECT_EQ(exit_code(end, 0), 0);
  end.needed_sigterm = true;
  EXPECT_EQ(exit_code(end, 0), 0);
  EXPECT_NE(slow_end("/talker", end).find("takt sent SIGTERM"), std::string::npos);
  end.needed_sigkill = true;
  EXPECT_EQ(exit_code(end, 0), 128 + SIGKILL);
  EXPECT_EQ(
    slow_end("/talker", end),
    "/talker did not end within 15 s of SIGINT and SIGTERM, so takt killed it (SIGKILL)");
  ProgramEnd rest = ended(0);
  rest.rest_needed_sigkill = true;
  EXPECT_EQ(exit_code(rest, 0), 128 + SIGKILL);
  EXPECT_NE(slow_end("/talker", rest).find("takt killed it"), std::string::npos);
}

TEST(Ending, by_a_crash_when_its_time_is_up_is_a_failure)
{
  for (const int signal : {SIGSEGV, SIGABRT, SIGBUS}) {
    ProgramEnd end = ended(signal);
    end.by_duration = true;
    EXPECT_EQ(exit_code(end, 0), 128 + signal);
  }
}

TEST(Environment, is_read_from_base64)
{
  EXPECT_EQ(from_base64("QQ=="), "A");
  EXPECT_EQ(from_base64("QUI="), "AB");
  EXPECT_EQ(from_base64("QUJD"), "ABC");
  EXPECT_EQ(from_base64("AP+AQQ=="), std::string("\0\xff\x80\x41", 4));
  EXPECT_EQ(from_base64(""), "");
}

TEST(Environment, has_each_variable_once)
{
  Environment environment;
  environment.set("A", "1");
  environment.set("AB", "2");
  environment.set("A", "3");
  EXPECT_EQ(environment.get("A"), "3");
  EXPECT_EQ(environment.get("AB"), "2");
  EXPECT_EQ(environment.strings().size(), 3U);
  environment.set("A", "");
  EXPECT_EQ(environment.get("A"), std::nullopt);
}

TEST(ProgramFile, names_what_it_needs)
{
  const auto needed = needed_libraries("/proc/self/exe");
  const auto is_of_c = [](const std::string & name) { return name.starts_with("libc.so"); };
  EXPECT_EQ(std::count_if(needed.begin(), needed.end(), is_of_c), 1);
  EXPECT_TRUE(needed_libraries("/etc/passwd").empty());
  EXPECT_TRUE(needed_libraries("/nowhere").empty());
}

}  // namespace
}  // namespace takt_exec::test
