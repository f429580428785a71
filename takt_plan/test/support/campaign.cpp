#include "support/campaign.hpp"

#include <cstdlib>

namespace takt_plan::test
{
namespace
{

std::uint64_t environment(const char * name, std::uint64_t otherwise)
{
  const char * const text = std::getenv(name);
  return text == nullptr ? otherwise : std::strtoull(text, nullptr, 10);
}

}  // namespace

std::uint64_t seed()
{
  return environment("TAKT_TEST_SEED", 1);
}

std::uint64_t rounds(std::uint64_t slice)
{
  return slice * environment("TAKT_TEST_ROUNDS", 1);
}

void compare(
  const Model & model, const Bounds & tasks, const Bounds & chains, std::uint64_t seed,
  Campaign & campaign)
{
  for (const auto & bound : tasks) {
    ++(bound ? campaign.bounds : campaign.refusals);
  }
  for (std::uint64_t i = 0; i < 6; ++i) {
    Situation situation;
    situation.seed = seed * 16 + i;
    situation.same_phase = i == 0;
    situation.worst_times = i < 4;
    situation.until = 30'000;
    const Observed observed = simulate(model, situation);
    campaign.runs += observed.runs;
    const auto look = [&](const Bounds & bounds, const std::vector<Ns> & seen, const char * what) {
      for (Index k = 0; k < seen.size(); ++k) {
        if (bounds[k] && seen[k] > *bounds[k] && campaign.violations++ == 0) {
          campaign.first = "TAKT_TEST_SEED=" + std::to_string(seed) + " situation " +
                           std::to_string(i) + " " + what + " " + std::to_string(k) + ": bound " +
                           std::to_string(*bounds[k]) + ", observed " + std::to_string(seen[k]);
        }
      }
    };
    look(tasks, observed.tasks, "task");
    look(chains, observed.chains, "chain");
  }
}

}  // namespace takt_plan::test
