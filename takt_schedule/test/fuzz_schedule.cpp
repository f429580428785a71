// libFuzzer's entry for the parsers of schedules and system models; fuzz_test.cpp also calls it
// without libFuzzer.
//
// For any bytes: no crash, no exception, faults with file and line; accepted input can be written
// and reads back equal.
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>

#include "takt_schedule/parse.hpp"
#include "takt_schedule/parse_system.hpp"
#include "takt_schedule/to_yaml.hpp"

namespace
{

void require(bool condition, const char * what, const std::string & detail)
{
  if (!condition) {
    std::fprintf(stderr, "%s: %s\n", what, detail.c_str());
    std::abort();
  }
}

bool has_position(const std::string & fault)
{
  int line = 0;
  int column = 0;
  return std::sscanf(fault.c_str(), "f.yaml:%d:%d: ", &line, &column) == 2 && line > 0 &&
         column > 0 && fault.find('\n') == std::string::npos;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t * data, std::size_t size)
{
  takt_schedule::Machine machine;
  machine.cores = {0, 1, 2, 3};
  machine.autogroup = true;
  machine.realtime = false;
  const std::string_view text(reinterpret_cast<const char *>(data), size);
  const auto schedule = takt_schedule::parse_schedule(text, "f.yaml", machine);
  for (const std::string & fault : sentences(schedule.faults())) {
    require(has_position(fault), "fault without a position", fault);
  }
  for (const std::string & fault :
       sentences(takt_schedule::parse_system(text, "f.yaml").faults())) {
    require(has_position(fault), "fault without a position", fault);
  }
  if (schedule) {
    const std::string written = takt_schedule::to_yaml(schedule.value());
    const auto again = takt_schedule::parse_schedule(written, "f.yaml", machine);
    require(again.ok(), "written, but not read back", written);
    require(again.value() == schedule.value(), "read back differently", written);
    require(takt_schedule::to_yaml(again.value()) == written, "not stable", written);
  }
  return 0;
}
