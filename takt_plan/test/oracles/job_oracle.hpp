// Asks oracles/job_oracle, a program of its own that shares no code with takt, whether what takt claims about a model holds.
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

/// What is claimed about a model.
struct Claims
{
  Bounds tasks;
  Bounds chains;
  std::optional<Hyperperiod> windows;
};

/// Bounds as `bounds` (bounds.hpp) finds them.
Claims claims_of(const takt_plan::Bounds & found);

/// How the oracle runs the model.
struct OracleRuns
{
  Ns duration = 60'000;
  int runs = 4;
  Ns starts_within = 0;           ///< processes start at any moment up to this
  Ns judged_from = 0;             ///< what was released before is not judged
  bool publishes_at_end = false;  ///< else runs publish at any time
};

/// The model as the oracle reads it. Runs take what `overheads` say, and their best times are drawn from the seed: no
/// analysis knows them.
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
  /// What it says in the end.
  std::string output();
  /// The same, without --responses.
  nlohmann::json findings() { return nlohmann::json::parse(output()); }

private:
  std::string out_;  // file
  std::FILE * in_ = nullptr;
};

}  // namespace takt_plan::test

#endif  // TAKT_PLAN__TEST__ORACLES__JOB_ORACLE_HPP_
