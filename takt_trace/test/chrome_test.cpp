// Properties of the Trace Event Format. timeline_test.cpp tests the content that viewers show.
#include "timeline/chrome.hpp"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <random>
#include <string>
#include <vector>

#include "support/chrome_decoder.hpp"
#include "support/perfetto_decoder.hpp"
#include "support/random_traces.hpp"
#include "support/traces.hpp"
#include "timeline/perfetto.hpp"

namespace takt_trace::test
{
namespace
{

using Json = nlohmann::json;

TEST(Chrome, TimesAreMicrosecondsWithThreeDecimals)
{
  const std::string text =
    chrome_trace({process_of({{run_start(1'002'003, 0), run_end(1'002'053, 0, 1'002'003)}})});
  EXPECT_NE(text.find("\"ts\":1002.003,\"dur\":0.050,"), std::string::npos) << text;
}

TEST(Chrome, AnEventIsOneLine)
{
  const std::string text = chrome_trace({process_of({{instant(1, 0), instant(2, 0)}})});
  const auto lines = std::count(text.begin(), text.end(), '\n');
  // The first and last line, process_name, thread_name and thread_sort_index.
  EXPECT_EQ(lines, 2 + 3 + 2) << text;
}

TEST(Chrome, NamesAreEscaped)
{
  ProcessTrace process = process_of({{instant(1, 0), instant(2, 1)}});
  process.program = "/bin/\"quoted\"\\";
  process.names[0] = "line\nbreak \"\\ \x01";
  process.names[1] = std::string("a\0b\xff", 4);
  const SeenTrace seen = decode_chrome(chrome_trace({process}));
  EXPECT_EQ(seen.faults, std::vector<std::string>{});
  const SeenTrack thread = seen.track("worker0");
  EXPECT_EQ(thread.process, "\"quoted\"\\");
  EXPECT_EQ(thread.instants.at(0).name, process.names[0]);
  EXPECT_EQ(thread.instants.at(1).name, std::string("a\0b\xef\xbf\xbd", 6));
}

TEST(Chrome, OfSeveralHostsTheTimeOfDayBeginsInTheSecondOfTheFirstEvent)
{
  constexpr std::int64_t kDay = 1'700'000'000'000'000'000;
  ProcessTrace one = process_of({{instant(2'000'000'007, 0)}});
  one.to_realtime = kDay;
  ProcessTrace other = one;
  other.host = "there";
  const Json json = Json::parse(chrome_trace({one, other}));
  EXPECT_EQ(json["otherData"]["clock"], "realtime");
  EXPECT_EQ(json["otherData"]["origin_ns"], std::to_string(kDay + 2'000'000'000));
  EXPECT_EQ(Json::parse(chrome_trace({one}))["otherData"]["clock"], "boottime");
  EXPECT_EQ(Json::parse(chrome_trace({one}))["otherData"]["origin_ns"], "0");
}

TEST(Chrome, AnyTimesMakeJson)
{
  std::mt19937 random(seed());
  AnyTraces traces(random, true);
  for (std::uint64_t round = 0; round < rounds(1000); ++round) {
    const std::string text = chrome_trace(traces.next());
    ASSERT_TRUE(Json::accept(text)) << "round " << round << ", TAKT_TEST_SEED=" << seed();
  }
}

TEST(Chrome, ItTellsWhatPerfettosTraceTells)
{
  std::mt19937 random(seed());
  AnyTraces traces(random, false);
  const auto summary = [](const SeenTrace & trace) {
    std::vector<std::string> lines;
    for (const SeenTrack & track : trace.tracks) {
      const std::string place = track.process + "|" + track.name + "|";
      std::size_t ends = 0, begins = 0;  // of arrows
      for (const SeenSlice & slice : track.slices) {
        ends += slice.arrows.size();
        lines.push_back(
          place + slice.name + " " + std::to_string(slice.end - slice.begin) + " " +
          std::to_string(slice.facts.size()));
      }
      for (const SeenInstant & instant : track.instants) {
        begins += instant.arrows.size();
        lines.push_back(place + instant.name);
      }
      for (const SeenSample & sample : track.samples) {
        lines.push_back(place + std::to_string(sample.value));
      }
      lines.push_back(place + std::to_string(begins) + " " + std::to_string(ends));
    }
    std::sort(lines.begin(), lines.end());
    return lines;
  };
  for (std::uint64_t round = 0; round < rounds(1000); ++round) {
    const auto processes = traces.next();
    ASSERT_EQ(
      summary(decode_chrome(chrome_trace(processes))),
      summary(decode_perfetto(perfetto_trace(processes)).seen))
      << "round " << round << ", TAKT_TEST_SEED=" << seed();
  }
}

}  // namespace
}  // namespace takt_trace::test
