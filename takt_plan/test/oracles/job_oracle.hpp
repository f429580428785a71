// Asks oracles/job_oracle whether takt's claims about a model hold. It is a separate program that
// shares no code with takt.
//
// POSIX only: starts the program and writes to its standard input.
#ifndef TAKT_PLAN__TEST__ORACLES__JOB_ORACLE_HPP_
#define TAKT_PLAN__TEST__ORACLES__JOB_ORACLE_HPP_

#include <cstdint>
#include <cstdio>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "support/campaign.hpp"
#include "support/overheads.hpp"
#include "takt_plan/bounds.hpp"
#include "takt_plan/hyperperiod.hpp"
#include "takt_plan/model.hpp"

namespace takt_plan::test
{

/// takt's claims about a model.
struct Claims
{
  Bounds tasks;
  Bounds chains;
  std::optional<Hyperperiod> windows;
};

/// The claims that follow from bounds of `bounds` (bounds.hpp).
Claims claims_of(const takt_plan::Bounds & found);

/// The options with which the oracle runs the model.
struct OracleRuns
{
  Ns duration = 60'000;
  int runs = 4;
  Ns starts_within = 0;           ///< processes start at any time up to this
  Ns judged_from = 0;             ///< the oracle does not judge earlier releases
  bool publishes_at_end = false;  ///< false: runs publish at any time
};

/// The model in the oracle's form. Runs have the costs of `overheads`. Their best times are drawn
/// by the seed; no analysis knows them.
nlohmann::json for_oracle(
  const Model & model, const Overheads & overheads, const Claims & claims, std::uint64_t seed,
  const OracleRuns & runs = {});

/// One run of the oracle over many models.
class JobOracle
{
public:
  /// `options`: of its command line. With --stop it ends at the first claim that does not hold.
  explicit JobOracle(const std::string & options = {});
  ~JobOracle();
  JobOracle(const JobOracle &) = delete;
  JobOracle & operator=(const JobOracle &) = delete;

  /// False if the oracle has stopped.
  bool look_at(const nlohmann::json & model);
  /// The oracle's output at its end.
  std::string output();
  /// The output without --responses.
  nlohmann::json findings() { return nlohmann::json::parse(output()); }

private:
  std::string out_;  // file
  std::FILE * in_ = nullptr;
};

}  // namespace takt_plan::test

#endif  // TAKT_PLAN__TEST__ORACLES__JOB_ORACLE_HPP_
