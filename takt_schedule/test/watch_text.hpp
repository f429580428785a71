// Schedules with one rule, chain or `watch` for tests of watching.
#ifndef TAKT_SCHEDULE__TEST__WATCH_TEXT_HPP_
#define TAKT_SCHEDULE__TEST__WATCH_TEXT_HPP_

#include <string>

#include "schedule_text.hpp"

namespace takt_schedule::test
{

inline const std::string kWatchThreads =
  "order: priority\nthreads: {hot: {count: 2, policy: fifo, priority: 80}, rest: {nice: 5}}\n"
  "default: all\n";

/// A rule for /a:sub(/p) with these keys, on line 8 from column 31 on.
inline std::string with_rule(const std::string & keys, const std::string & match = "\"/a:sub(/p)\"")
{
  return with_main(kWatchThreads + "callbacks:\n  - {match: " + match + ", " + keys + "}");
}

/// A chain with a deadline and these keys, on line 8 from column 45 on.
inline std::string with_chain(const std::string & keys)
{
  return with_main(kWatchThreads) + "chains:\n  c: {path: [\"/a:sub(/p)\"], deadline: 50ms, " +
         keys + "}\n";
}

/// `watch` with these keys, on line 7 from column 9 on.
inline std::string with_watch(const std::string & keys)
{
  return with_main(kWatchThreads) + "watch: {" + keys + "}\n";
}

inline CallbackRule rule(const std::string & keys)
{
  return parse(with_rule(keys)).executors.at(0).callbacks.at(0);
}

}  // namespace takt_schedule::test

#endif  // TAKT_SCHEDULE__TEST__WATCH_TEXT_HPP_
