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
  std::string claim = {};  ///< the claim that the limit proves, one sentence
  std::string minus = {};  ///< benchmark name; empty: no subtraction
  bool optional = false;   ///< a peer that need not be installed: exit code 3 omits this limit
};

/// The growth of a benchmark with its size: the exponent that follows from two medians.
struct Growth
{
  std::string smaller = {};  ///< benchmark name
  std::string larger = {};   ///< benchmark name
  double times = 1;          ///< ratio of the two sizes
  std::string claim = {};    ///< the growing quantity, as in "planning from 1,000 to 10,000
                             ///< callbacks"
};

/// `main` of a benchmark program. Exit code 1: a limit was exceeded (unless --no_limits); 2: bad
/// arguments; 3: a benchmark could not be measured, and no limit was exceeded. Repeats each
/// benchmark and uses its median. `--json` prints one object. `growths` are only printed.
int run(
  int argc, char ** argv, const std::vector<Limit> & limits,
  const std::vector<Growth> & growths = {});

}  // namespace takt_bench

#endif  // TAKT_BENCH__RATIO_REPORTER_HPP_
