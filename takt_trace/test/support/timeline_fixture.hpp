// Writes traces in one of the formats and reads them back, for tests of the content that viewers
// show in both.
#ifndef SUPPORT__TIMELINE_FIXTURE_HPP_
#define SUPPORT__TIMELINE_FIXTURE_HPP_

#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <vector>

#include "chrome_decoder.hpp"
#include "perfetto_decoder.hpp"
#include "timeline/chrome.hpp"
#include "timeline/perfetto.hpp"
#include "traces.hpp"

namespace takt_trace::test
{

using Slices = std::vector<SeenSlice>;
using Samples = std::vector<SeenSample>;
using Faults = std::vector<std::string>;

inline const std::string kLidar = "/lidar:timer(100ms)", kFilter = "/filter:sub(/points)",
                         kBrake = "/brake:sub(/obstacles)";

enum class Format
{
  perfetto,
  chrome
};

class Timeline : public testing::TestWithParam<Format>
{
protected:
  static SeenTrace decode(const std::vector<ProcessTrace> & processes)
  {
    return GetParam() == Format::perfetto ? decode_perfetto(perfetto_trace(processes)).seen
                                          : decode_chrome(chrome_trace(processes));
  }

  /// Fails if the trace has faults.
  static SeenTrace see(const std::vector<ProcessTrace> & processes)
  {
    SeenTrace seen = decode(processes);
    EXPECT_EQ(seen.faults, Faults{});
    return seen;
  }

  static Slices slices_of(const std::vector<Record> & records, std::uint64_t dropped = 0)
  {
    ProcessTrace process = process_of({records});
    process.threads[0].dropped = dropped;
    return see({process}).track("worker0").slices;
  }
};

INSTANTIATE_TEST_SUITE_P(
  Formats, Timeline, testing::Values(Format::perfetto, Format::chrome),
  [](const auto & format) { return format.param == Format::perfetto ? "Perfetto" : "Chrome"; });

}  // namespace takt_trace::test

#endif  // SUPPORT__TIMELINE_FIXTURE_HPP_
