#include "takt_control/takt_thread.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <thread>

#include "takt_control/control_server.hpp"
#include "takt_rt/thread_attributes.hpp"

namespace
{

// One process reads one schedule, once.
class Registration : public testing::Test
{
protected:
  static void SetUpTestSuite()
  {
    ::setenv("TAKT_CONFIGURATOR", "none", 1);
    std::string folder = testing::TempDir() + "takt_thread.XXXXXX";
    ::setenv("TAKT_RUNTIME_DIR", ::mkdtemp(folder.data()), 1);
    const std::string file = testing::TempDir() + "takt_thread_test.yaml";
    std::ofstream(file) << "version: 1\nexecutors:\n"
                           "  main:\n    threads: {t: {}}\n    default: t\n"
                           "    process_threads:\n      - {match: \"lidar*\", nice: 7}\n"
                           "  other:\n    threads: {t: {}}\n    default: t\n"
                           "    process_threads:\n"
                           "      - {match: camera, policy: batch}\n"
                           "      - {match: \"x*\", nice: 1}\n      - {match: \"*y\", nice: 2}\n";
    ::setenv("TAKT_SCHEDULE", file.c_str(), 1);
  }
};

TEST_F(Registration, gives_the_calling_thread_what_its_rule_says)
{
  std::thread([] {
    EXPECT_EQ(takt_thread_register("lidar_front"), TAKT_THREAD_OK) << takt_thread_error();
    EXPECT_STREQ(takt_thread_error(), "");
    EXPECT_EQ(takt_rt::read_attributes().nice, 7);
    EXPECT_EQ(takt_rt::read_attributes().name, "lidar_front");
  }).join();
  std::thread([] {
    EXPECT_EQ(takt_thread_register("camera"), TAKT_THREAD_OK) << takt_thread_error();
    EXPECT_EQ(takt_rt::read_attributes().policy, takt_rt::Policy::batch);
  }).join();
  EXPECT_NE(takt_rt::read_attributes().nice, 7);
}

// Its rule matches the whole name, of which the kernel keeps 15 bytes.
TEST_F(Registration, keeps_the_beginning_of_a_long_name)
{
  std::thread([] {
    EXPECT_EQ(takt_thread_register("lidar_of_the_front"), TAKT_THREAD_OK) << takt_thread_error();
    EXPECT_EQ(takt_rt::read_attributes().nice, 7);
    EXPECT_EQ(takt_rt::read_attributes().name, "lidar_of_the_fr");
  }).join();
}

TEST_F(Registration, shows_the_thread_to_takt_status)
{
  std::thread([] {
    EXPECT_EQ(takt_thread_register("lidar_rear"), TAKT_THREAD_OK) << takt_thread_error();
    EXPECT_TRUE(std::filesystem::is_socket(
      takt_control::runtime_folder() + "/" + std::to_string(::getpid()) + ".sock"));
  }).join();
}

TEST_F(Registration, says_what_keeps_it_from_that)
{
  std::thread([] {
    EXPECT_EQ(takt_thread_register("radar"), TAKT_THREAD_NO_RULE);
    EXPECT_STREQ(takt_thread_error(), "no rule of process_threads matches radar");
    EXPECT_EQ(takt_thread_register("xy"), TAKT_THREAD_BAD_FILE) << "two rules fit equally";
    EXPECT_EQ(takt_thread_register(""), TAKT_THREAD_BAD_FILE);
    EXPECT_EQ(takt_thread_register(nullptr), TAKT_THREAD_BAD_FILE);
  }).join();
}

}  // namespace
