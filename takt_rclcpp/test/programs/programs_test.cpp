// A compiled program of rclcpp prints the same and ends alike by itself, watched by takt, and under a
// schedule.
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>

#include <array>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace
{

struct Outcome
{
  int code = -1;
  std::string out;
  std::string err;
};

// The programs' log files, and what else these tests write.
class Folder
{
public:
  Folder() : path_(testing::TempDir() + "/programs_test.XXXXXX")
  {
    if (::mkdtemp(path_.data()) == nullptr) {
      std::abort();
    }
  }
  ~Folder() { std::filesystem::remove_all(path_); }
  Folder(const Folder &) = delete;
  Folder & operator=(const Folder &) = delete;
  const std::string & path() const { return path_; }

private:
  std::string path_;
};
const Folder g_folder;

// A ROS domain of this test's own, so that it hears no other program.
const std::string kDomain = "export ROS_AUTOMATIC_DISCOVERY_RANGE=LOCALHOST ROS_DOMAIN_ID=" +
                            std::to_string(10 + ::getpid() % 90) + " ROS_LOG_DIR='" +
                            g_folder.path() + "'; ";

Outcome run(const std::string & command)
{
  const std::string errors = g_folder.path() + "/errors";
  FILE * const pipe = ::popen((kDomain + command + " 2>'" + errors + "'").c_str(), "r");
  Outcome outcome;
  std::array<char, 4096> some{};
  while (const std::size_t n = std::fread(some.data(), 1, some.size(), pipe)) {
    outcome.out.append(some.data(), n);
  }
  const int status = ::pclose(pipe);
  outcome.code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  std::ifstream file(errors);
  outcome.err.assign(std::istreambuf_iterator<char>(file), {});
  std::remove(errors.c_str());
  return outcome;
}

std::vector<std::string> ways()
{
  std::vector<std::string> all;
  std::string names = run("'" TAKT_PROGRAM "'").out;
  for (std::size_t end = names.find('\n'); end != std::string::npos; end = names.find('\n')) {
    all.push_back(names.substr(0, end));
    names.erase(0, end + 1);
  }
  return all;
}

class Program : public testing::TestWithParam<std::string>
{
protected:
  static std::string own() { return "timeout -k 5 60 "; }
  // rclcpp's own loop is at times torn down under a callback when the context ends, and aborts; takt's waits.
  static Outcome stock(const std::string & way)
  {
    Outcome outcome = run(own() + program(way));
    for (int again = 0; outcome.code == 128 + SIGABRT && again < 5; ++again) {
      outcome = run(own() + program(way));
    }
    return outcome;
  }
  static std::string takt(const std::string & options)
  {
    return own() + "'" TAKT_EXEC "' --strict " + options + " -- ";
  }
  static std::string program(const std::string & way) { return "'" TAKT_PROGRAM "' " + way; }
};

TEST_P(Program, does_the_same_by_itself_and_watched)
{
  const Outcome stock = Program::stock(GetParam());
  ASSERT_EQ(stock.code, 0) << stock.err;
  ASSERT_NE(stock.out, "");
  const Outcome watched = run(takt("") + program(GetParam()));
  EXPECT_EQ(watched.out, stock.out) << watched.err;
  EXPECT_EQ(watched.code, stock.code) << watched.err;
  EXPECT_NE(watched.err.find("without a schedule"), std::string::npos) << watched.err;
}

TEST_P(Program, does_the_same_under_a_schedule)
{
  const Outcome stock = Program::stock(GetParam());
  ASSERT_EQ(stock.code, 0) << stock.err;
  const Outcome planned = run(takt("--schedule '" TAKT_SCHEDULE "'") + program(GetParam()));
  EXPECT_EQ(planned.out, stock.out) << planned.err;
  EXPECT_EQ(planned.code, stock.code) << planned.err;
  EXPECT_NE(planned.err.find("as executor main of the schedule"), std::string::npos) << planned.err;
}

INSTANTIATE_TEST_SUITE_P(Ways, Program, testing::ValuesIn(ways()), [](const auto & info) {
  return info.param;
});

std::string temporary(const std::string & name)
{
  return g_folder.path() + "/" + name;
}

TEST(Report, names_each_callback_with_its_runs)
{
  const std::string file = temporary("report.json");
  const Outcome outcome =
    run("'" TAKT_EXEC "' --strict --report '" + file + "' -- '" TAKT_PROGRAM "' on_the_stack");
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  std::ifstream in(file);
  const auto report = nlohmann::json::parse(in);
  std::remove(file.c_str());
  ASSERT_EQ(report["executors"].size(), 1U);
  const auto & executor = report["executors"][0];
  EXPECT_EQ(executor["executor"], "/a");
  EXPECT_EQ(executor["kind"], "single_threaded");
  EXPECT_EQ(executor["threads"].size(), 1U);
  std::map<std::string, nlohmann::json> by_id;
  for (const auto & callback : executor["callbacks"]) {
    EXPECT_TRUE(by_id.emplace(callback["id"], callback).second) << callback["id"];
  }
  EXPECT_EQ(by_id.at("/a:sub(/a/count)")["runs"], 20);
  EXPECT_EQ(by_id.at("/b:sub(/b/count)")["runs"], 60);
  EXPECT_GE(by_id.at("/b:timer(2ms)")["runs"], 60);
  EXPECT_EQ(by_id.at("/b:timer(2ms)")["publishes"][0]["topic"], "/b/count");
  EXPECT_EQ(by_id.at("/b:timer(2ms)")["publishes"][0]["count"], 60);
  EXPECT_EQ(by_id.at("/b:sub(/b/count)")["overwritten"], 0);
}

TEST(Observe, writes_a_model_that_the_planner_can_read)
{
  const std::string file = temporary("system.yaml");
  const Outcome outcome =
    run("'" TAKT_EXEC "' --observing -o '" + file + "' -- '" TAKT_PROGRAM "' on_the_stack");
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  std::ifstream in(file);
  const std::string model(std::istreambuf_iterator<char>(in), {});
  std::remove(file.c_str());
  EXPECT_NE(outcome.err.find("4 callbacks and 2 chains"), std::string::npos) << outcome.err;
  EXPECT_NE(model.find("\"/a:timer(2ms)\",\n      \"/a:sub(/a/count)\"]"), std::string::npos)
    << model;
  EXPECT_NE(model.find("\"/a:group(default)\": mutually_exclusive"), std::string::npos) << model;
}

}  // namespace
