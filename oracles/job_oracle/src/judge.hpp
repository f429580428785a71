// Holds jobs and responses against what a model claims about them.
#ifndef JOB_ORACLE__JUDGE_HPP_
#define JOB_ORACLE__JUDGE_HPP_

#include <cstdint>
#include <string>
#include <vector>

#include "model.hpp"
#include "simulation.hpp"

namespace job_oracle
{

/// Over all models.
struct Findings
{
  std::uint64_t models = 0;
  std::uint64_t jobs = 0;                  ///< simulated
  std::uint64_t in_windows = 0;            ///< jobs that were held against windows
  std::uint64_t responses = 0;             ///< held against a bound
  std::uint64_t bounds = 0, refusals = 0;  ///< of tasks and chains; those that have none
  std::uint64_t violations = 0;
  std::uint64_t refuted = 0;  ///< models with violations
  double tightest = 0;        ///< largest part of a chain's bound that was seen
  std::string first;          ///< violation
};

class Judge final : public Watcher
{
public:
  Judge(const Model & model, Findings & findings);

  /// What is seen from now on is of this run.
  void begin(int run) { run_ = run; }
  void on_end(const Job & job, Time end) override;
  void on_chain_end(int chain, Time release, Time end) override;
  void on_left(const Job & job, Time now) override;

  /// Longest response of each task from its source, and of each chain; -1: none.
  const std::vector<Time> & tasks() const { return tasks_; }
  const std::vector<Time> & chains() const { return chains_; }

private:
  void judge(const Job & job, Time end);
  bool inside(const Job & job, Time end) const;
  void fail(const std::string & whose, const std::string & what);

  const Model & model_;
  Findings & findings_;
  int run_ = 0;
  std::uint64_t before_;  // violations
  std::vector<Time> tasks_;
  std::vector<Time> chains_;
};

/// Simulates all runs of a model.
Judge look_at(const Model & model, Findings & findings);

}  // namespace job_oracle

#endif  // JOB_ORACLE__JUDGE_HPP_
