// Many seeded runs of graphs over real middleware: a slice in `make test`, many more in `make soak`
// (TAKT_TEST_ROUNDS times as many; TAKT_TEST_SEED begins elsewhere).
#include <gtest/gtest.h>

#include <signal.h>
#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <random>
#include <thread>

#include "program.hpp"

namespace takt_workload
{

class Campaign : public Programs
{
protected:
  static unsigned number(const char * name, unsigned otherwise)
  {
    const char * const text = std::getenv(name);
    return text != nullptr ? static_cast<unsigned>(std::strtoul(text, nullptr, 10)) : otherwise;
  }

  // Calls `one` with a generator for each seed; the seed of the first failure is in the message.
  template <typename One>
  void each_seed(unsigned slice, One one)
  {
    const unsigned first = number("TAKT_TEST_SEED", 1);
    const unsigned count = slice * number("TAKT_TEST_ROUNDS", 1);
    for (unsigned seed = first; seed < first + count && !HasFailure(); ++seed) {
      SCOPED_TRACE("TAKT_TEST_SEED=" + std::to_string(seed));
      std::mt19937 random(seed);
      one(random, seed);
      std::filesystem::remove(output());
    }
  }

  std::string output() const { return file("results.json"); }
};

template <typename Value>
Value one_of(std::mt19937 & random, const std::vector<Value> & values)
{
  return values[random() % values.size()];
}

// Holds for each graph, order, phase, and number of threads and processes: each released activation
// has a fate. Each taken message was published.
TEST_F(Campaign, EveryActivationIsAccountedFor)
{
  each_seed(4, [&](std::mt19937 & random, unsigned seed) {
    const std::vector<std::string> graphs{"autoware_reference", "three_chains", "four_chains"};
    const auto graph = one_of(random, graphs);
    std::vector<std::string> words{TAKT_RUN,       graph,
                                   "--work-scale", "0.1",
                                   "--warmup",     "200ms",
                                   "--duration",   "1s",
                                   "--phases",     "random:" + std::to_string(seed),
                                   "--split",      std::to_string(1 + random() % 3),
                                   "--witness",    "off",
                                   "--quiet",      "--output",
                                   output()};
    if (graph == "autoware_reference" && random() % 2 == 0) {
      words.insert(words.end(), {"--schedule", "autoware_takt"});
    } else {
      const std::vector<std::string> orders{"priority", "fifo", "edf", "window", "stock"};
      words.insert(
        words.end(),
        {"--order", one_of(random, orders), "--threads", std::to_string(1 + random() % 4)});
    }
    Program program(words);
    ASSERT_EQ(program.finish(), 0) << program.errors;
    const json all = results();
    for (const char * count : {"unmatched", "foreign", "unrecorded_runs"}) {
      EXPECT_EQ(all.at("messages").at(count), 0) << count;
    }
    for (const json & chain : all.at("chains")) {
      const auto count = [&](const char * key) { return chain.at(key).get<std::uint64_t>(); };
      EXPECT_GT(count("released"), 0u) << chain.at("name");
      EXPECT_EQ(
        count("released"), count("completed") + count("superseded") + count("lost") +
                             count("unfinished") + count("skipped"))
        << chain.at("name");
    }
  });
}

// A signal or a crash may end a part, or the whole program, at any moment. Then the program ends
// all its parts and itself, and names the part that died. It leaves an old file unchanged, or
// replaces it by a readable file.
TEST_F(Campaign, SplitRunsEndWhateverDiesWhenever)
{
  each_seed(3, [&](std::mt19937 & random, unsigned) {
    std::ofstream(output()) << "\"old\"";
    Program program(
      {TAKT_RUN, "three_chains", "--work-scale", "0.1", "--warmup", "100ms", "--duration", "10min",
       "--split", "3", "--witness", "off", "--quiet", "--output", output()});
    const auto parts = program.wait_for_children(3);
    ASSERT_EQ(parts.size(), 3u);
    // The moment lies between the start of the middleware and the measured time. The test must pass
    // for each moment.
    std::this_thread::sleep_for(std::chrono::microseconds(random() % 2'000'000));
    const bool whole = random() % 3 == 0;
    const int signal = one_of<int>(random, {SIGINT, SIGTERM, SIGKILL, SIGABRT});
    if (whole) {
      program.signal(random() % 2 == 0 ? SIGINT : SIGTERM);
    } else {
      kill(parts[random() % parts.size()], signal);
    }
    const int code = program.finish();
    EXPECT_TRUE(code == 0 || code == 1) << code << ": " << program.errors;
    if (!whole && (signal == SIGKILL || signal == SIGABRT)) {
      EXPECT_EQ(code, 1);
      EXPECT_NE(program.errors.find("of 3 ("), std::string::npos) << program.errors;
    }
    for (const pid_t part : parts) {
      EXPECT_NE(kill(part, 0), 0) << "part " << part << " was left behind";
    }
    const json left = json::parse(std::ifstream(output()), nullptr, false);
    EXPECT_TRUE(left == "old" || left.is_object());
    for (const auto & entry : std::filesystem::directory_iterator(directory)) {
      EXPECT_EQ(entry.path().string(), output()) << "was left behind";
    }
  });
}

}  // namespace takt_workload
