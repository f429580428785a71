// takt_tightness: compares the bounds of each analysis with the worst simulated response. With
// --kinds: for each kind of small system, with and without phases.
//
// Exit codes: 0 done, 1 a simulated response exceeded its bound, or the output could not be
// written, 2 the command line is faulty.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <nlohmann/json.hpp>

#include "programs/kind_tightness.hpp"
#include "programs/tightness.hpp"
#include "takt_rt/percentile.hpp"
#include "takt_schedule/program.hpp"

namespace
{

using namespace takt_bench;  // NOLINT: a program

constexpr int kRefuted = 1;
constexpr std::array kUtilizations{0.3, 0.5, 0.7, 0.9};

/// bound / worst simulated response, for some chains.
struct Ratios
{
  std::vector<double> values;
  int without = 0;  ///< chains that have no bound
  int refuted = 0;  ///< chains with a simulated response above the bound
  int windows = 0;  ///< chains whose jobs have windows

  void add(const ChainTightness & chain)
  {
    windows += chain.windows ? 1 : 0;
    if (!chain.bound) {
      ++without;
    } else if (chain.worst > 0) {
      refuted += chain.worst > *chain.bound ? 1 : 0;
      values.push_back(static_cast<double>(*chain.bound) / static_cast<double>(chain.worst));
    }
  }

  nlohmann::ordered_json json() const
  {
    nlohmann::ordered_json result{
      {"ratios", values.size()},
      {"without_bound", without},
      {"refuted", refuted},
      {"median", nullptr},
      {"p90", nullptr},
      {"max", nullptr},
      {"percentiles", nlohmann::ordered_json::array()}};
    if (!values.empty()) {
      result["max"] = values.back();
      for (std::size_t percent = 0; percent <= 100; ++percent) {
        const std::size_t rank = (values.size() * percent + 99) / 100;
        result["percentiles"].push_back(values[std::max<std::size_t>(rank, 1) - 1]);
      }
      result["median"] = result["percentiles"][50];
    }
    if (const auto rank = takt_rt::supported_rank(values.size(), 0.9)) {
      result["p90"] = values[*rank - 1];
    }
    return result;
  }
};

/// Prints all points. Returns the program's exit code.
int finish(const nlohmann::ordered_json & points, int refuted)
{
  fmt::print("{}\n", points.dump(2));
  if (refuted > 0) {
    fmt::print(stderr, "takt_tightness: simulation was above {} bounds\n", refuted);
    return kRefuted;
  }
  return 0;
}

nlohmann::ordered_json kind_json(
  std::string_view kind, bool phases, std::uint64_t sets, Ratios & ratios)
{
  std::sort(ratios.values.begin(), ratios.values.end());
  return {
    {"kind", kind},
    {"phases", phases},
    {"sets", sets},
    {"windows", ratios.windows},
    {"all", ratios.json()}};
}

int run_kinds(std::uint64_t sets, std::uint64_t seed, int changes)
{
  auto json = nlohmann::ordered_json::array();
  int refuted = 0;
  for (const bool phases : {true, false}) {
    Ratios all;
    for (const Kind kind : kKinds) {
      Ratios ratios;
      for (std::uint64_t i = 0; i < sets; ++i) {
        for (const ChainTightness & chain : tightness(kind, phases, seed + i, changes)) {
          ratios.add(chain);
          all.add(chain);
        }
      }
      refuted += ratios.refuted;
      json.push_back(kind_json(to_string(kind), phases, sets, ratios));
      fmt::print(stderr, "{}, {} phases\n", to_string(kind), phases ? "known" : "unknown");
    }
    json.push_back(kind_json("all kinds", phases, sets * kKinds.size(), all));
  }
  return finish(json, refuted);
}

int run(std::uint64_t sets, std::uint64_t seed, const std::vector<Bound> & kinds)
{
  auto json = nlohmann::ordered_json::array();
  int refuted = 0;
  for (const Bound kind : kinds) {
    for (const double utilization : kUtilizations) {
      Ratios most_important;
      Ratios all;
      for (std::uint64_t i = 0; i < sets; ++i) {
        for (const ChainTightness & chain : tightness(kind, utilization, seed + i)) {
          all.add(chain);
          if (chain.most_important) {
            most_important.add(chain);
          }
        }
      }
      refuted += all.refuted;
      nlohmann::ordered_json point{
        {"analysis", to_string(kind)}, {"utilization", utilization}, {"sets", sets}};
      for (auto & [name, ratios] :
           {std::pair<const char *, Ratios &>{"most_important", most_important}, {"all", all}}) {
        std::sort(ratios.values.begin(), ratios.values.end());
        point[name] = ratios.json();
      }
      json.push_back(std::move(point));
      fmt::print(stderr, "{}, {:.0f} %\n", to_string(kind), 100 * utilization);
    }
  }
  return finish(json, refuted);
}

}  // namespace

int main(int argc, char ** argv)
{
  CLI::App app{
    "Holds the bounds of each analysis against the worst simulated response, as JSON.",
    "takt_tightness"};
  std::uint64_t sets = 200;
  std::uint64_t seed = 1;
  bool by_kind = false;
  int changes = kChangesOfKinds;
  std::vector<std::string> names;
  std::vector<std::string> all;
  for (const Bound kind : kBounds) {
    all.emplace_back(to_string(kind));
  }
  app.add_option("--sets", sets, "systems per point")->check(CLI::Range(1, 1'000'000));
  app.add_option("--seed", seed, "of the first system");
  app.add_flag("--kinds", by_kind, "small systems of each kind, with phases and without");
  app.add_option("--changes", changes, "with --kinds, that look for a chain's worst response")
    ->check(CLI::Range(0, 1'000'000));
  app.add_option("--analysis", names, "only these")->check(CLI::IsMember(all));
  return takt_schedule::run_program(app, argc, argv, [&] {
    if (by_kind) {
      return run_kinds(sets, seed, changes);
    }
    std::vector<Bound> kinds;
    for (const Bound kind : kBounds) {
      if (names.empty() || std::find(names.begin(), names.end(), to_string(kind)) != names.end()) {
        kinds.push_back(kind);
      }
    }
    return run(sets, seed, kinds);
  });
}
