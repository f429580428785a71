// Helpers for tests that parse schedules: a small valid one to add to, and faults by text.
#ifndef TAKT_SCHEDULE__TEST__SCHEDULE_TEXT_HPP_
#define TAKT_SCHEDULE__TEST__SCHEDULE_TEXT_HPP_

#include <gtest/gtest.h>

#include <numeric>
#include <string>
#include <string_view>
#include <vector>

#include "takt_schedule/parse.hpp"

namespace takt_schedule::test
{

/// The same machine for every test run.
inline Machine machine(int cores = 4)
{
  Machine result;
  result.cores.emplace(static_cast<std::size_t>(cores));
  std::iota(result.cores->begin(), result.cores->end(), 0);
  result.autogroup = false;
  result.realtime = false;
  result.deadline_share = AdmittedShare{0.95, false};
  return result;
}

inline std::vector<std::string> faults(std::string_view text, const Machine & on = machine())
{
  return sentences(parse_schedule(text, "s.yaml", on).faults());
}

inline Schedule parse(std::string_view text, const Machine & on = machine())
{
  auto schedule = parse_schedule(text, "s.yaml", on);
  for (const std::string & fault : sentences(schedule.faults())) {
    ADD_FAILURE() << fault;
  }
  return schedule ? schedule.value() : Schedule{};
}

inline std::vector<std::string> warnings(std::string_view text, const Machine & on = machine())
{
  return sentences(parse(text, on).warnings);
}

/// An executor `main` whose entries begin on line 4; each line of `body` without its indentation.
inline std::string with_main(std::string_view body)
{
  std::string text = "version: 1\nexecutors:\n  main:\n";
  while (!body.empty()) {
    const std::size_t end = std::min(body.find('\n'), body.size());
    text += "    " + std::string(body.substr(0, end)) + "\n";
    body.remove_prefix(std::min(end + 1, body.size()));
  }
  return text;
}

/// One thread entry `t` with these attributes, on line 4 from column 18 on.
inline std::string with_thread(const std::string & attributes)
{
  return with_main("threads: {t: {" + attributes + "}}\ndefault: t");
}

using Strings = std::vector<std::string>;

}  // namespace takt_schedule::test

#endif  // TAKT_SCHEDULE__TEST__SCHEDULE_TEXT_HPP_
