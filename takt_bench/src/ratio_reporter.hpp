// Runs the registered benchmarks and judges them by ratios taken in the same run.
//
// A limit says: the median of benchmark A, less that of `minus` if there is one, may be at most
// `limit` × the median of benchmark B (the baseline or physical limit), or, without B, at most
// `limit` nanoseconds.
#ifndef TAKT_BENCH__RATIO_REPORTER_HPP_
#define TAKT_BENCH__RATIO_REPORTER_HPP_

#include <string>
#include <vector>

namespace takt_bench
{

struct Limit
{
  std::string subject = {};   ///< benchmark name
  std::string baseline = {};  ///< benchmark name; empty: `limit` is in nanoseconds
  double limit = 0.0;
  std::string claim = {};  ///< what is shown, one sentence
  std::string minus = {};  ///< benchmark name; empty: nothing is taken off
};

/// How what is benchmarked grows: like the size to the power that two medians say.
struct Growth
{
  std::string smaller = {};  ///< benchmark name
  std::string larger = {};   ///< benchmark name
  double times = 1;          ///< larger
  std::string claim = {};    ///< what grows, as in "planning from 1,000 to 10,000 callbacks"
};

/// `main` of a benchmark program. Exit code 1 if a limit was exceeded (unless --no_limits), 2 for
/// bad arguments, 3 if something could not be measured and nothing was exceeded. Each benchmark is repeated and its median used; `--json` prints one object.
/// `growths` are printed, and judge nothing.
int run(
  int argc, char ** argv, const std::vector<Limit> & limits,
  const std::vector<Growth> & growths = {});

}  // namespace takt_bench

#endif  // TAKT_BENCH__RATIO_REPORTER_HPP_
