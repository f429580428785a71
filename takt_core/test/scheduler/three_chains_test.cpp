// The three-chains experiment in six configurations: end-to-end latencies on 1 to 4 cores, computed
// from inherited activations, against the oracle's tables.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>

#include "support/golden.hpp"

namespace takt_core::test
{

using takt_rt::to_ns;

namespace
{

// With this tick, shares of a core are whole numbers of units.
constexpr std::int64_t kTick = 6 * 6 * 6 * 6;

struct Latency
{
  std::int64_t end;
  std::int64_t value;
};

const std::map<std::string, std::string> kChains{
  {"c3", "c1>c2>c3"}, {"c6", "c4>c5>c6"}, {"c9", "c7>c8>c9"}};

std::map<std::string, std::vector<Latency>> latencies(
  const std::string & configuration, const std::string & cost, const std::string & kernel,
  std::uint32_t cores, Looks looks, std::int64_t simulated)
{
  auto scenario =
    read_golden("replay", "three_chains_" + configuration + "_" + cost).at("scenario");
  scenario["horizon_ns"] = simulated + 1;
  GoldenScenario run(
    scenario, kernel == "fair" ? Kernel::fair : Kernel::fifo, cores, looks, plain_seam, kTick);
  run.world.run_until(run.horizon);
  std::map<std::string, std::vector<Latency>> found;
  for (const End & end : run.world.ends()) {
    if (const auto chain = kChains.find(end.callback->id()); chain != kChains.end()) {
      const Time release = end.run.activations.begin()->release;
      found[chain->second].push_back({end.at, end.at - to_ns(release)});
    }
  }
  return found;
}

using Values = std::vector<std::int64_t>;

// The first `count` latencies of chains that end after `from` and not after `to`.
Values between(
  const std::vector<Latency> & of, std::int64_t from, std::int64_t to, std::size_t count)
{
  Values values;
  for (const Latency & latency : of) {
    if (latency.end > from * kTick && latency.end <= to * kTick && values.size() < count) {
      values.push_back(latency.value);
    }
  }
  return values;
}

Values scaled(const nlohmann::json & ns)
{
  Values values = ns.get<Values>();
  for (std::int64_t & value : values) {
    value *= kTick;
  }
  return values;
}

void compare(const std::string & cost, const nlohmann::json & result, Looks looks)
{
  const std::string configuration = result.at("configuration");
  const std::string kernel = result.at("kernel");
  const auto cores = result.at("cores").get<std::uint32_t>();
  SCOPED_TRACE(
    configuration + ", " + cost + ", " + kernel + " on " + std::to_string(cores) + " cores");
  const auto simulated = result.at("simulated_ns").get<std::int64_t>();
  const std::int64_t transient =
    result.at("transient_ns").is_null() ? simulated : result.at("transient_ns").get<std::int64_t>();
  const auto found = latencies(configuration, cost, kernel, cores, looks, simulated);
  const auto & chains = result.at("chains");
  for (const auto & [chain, expected] : chains.items()) {
    SCOPED_TRACE(chain);
    const Values first = scaled(expected.at("transient_from_release_ns"));
    const Values steady = scaled(expected.at("steady_from_release_ns"));
    const auto own = found.find(chain);
    ASSERT_TRUE(own != found.end()) << "no run of this chain ended";
    EXPECT_EQ(between(own->second, -1, transient, first.size()), first) << "transient";
    EXPECT_EQ(between(own->second, transient, simulated, steady.size()), steady) << "steady";
  }
}

class ThreeChains : public testing::TestWithParam<std::string>
{
};

TEST_P(ThreeChains, have_the_oracles_latencies_on_fairly_shared_cores)
{
  const auto file = read_golden("latency", "three_chains_" + GetParam());
  std::size_t compared = 0;
  for (const auto & result : file.at("results")) {
    if (result.at("kernel") == "fair") {
      compare(GetParam(), result, Looks::every_instant);
      ++compared;
    }
  }
  EXPECT_EQ(compared, 24U) << "six configurations on one to four cores";
}

// Here threads sleep and wake by the scheduler's own protocol and queue for cores.
TEST_P(ThreeChains, have_the_oracles_latencies_on_cores_with_a_run_queue)
{
  const auto file = read_golden("latency", "three_chains_" + GetParam());
  std::size_t compared = 0;
  for (const auto & result : file.at("results")) {
    if (result.at("kernel") == "fifo") {
      compare(GetParam(), result, Looks::when_woken);
      ++compared;
    }
  }
  EXPECT_EQ(compared, 24U) << "six configurations on one to four cores";
}

INSTANTIATE_TEST_SUITE_P(
  costs, ThreeChains, testing::Values("c10", "c13", "c100"),
  [](const auto & test) { return test.param; });

}  // namespace
}  // namespace takt_core::test
