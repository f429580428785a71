#include "takt_schedule/core_list.hpp"

#include <algorithm>

#include "takt_schedule/number.hpp"
#include "takt_schedule/quoted.hpp"

namespace takt_schedule
{

takt_rt::Result<std::vector<int>> parse_cores(std::string_view text)
{
  using takt_rt::Faults;
  const Faults unreadable{
    quoted(text) + " is not a list of cores like 0,2-3 (from 0 to " + std::to_string(kLargestCore) +
    ")"};
  std::vector<int> cores;
  std::string_view rest = text;
  for (bool more = true; more;) {
    const std::size_t comma = rest.find(',');
    const std::string_view word = rest.substr(0, comma);
    more = comma != std::string_view::npos;
    rest.remove_prefix(more ? comma + 1 : rest.size());
    const std::size_t dash = word.find('-');
    const auto first = parse_number(word.substr(0, dash), 0, kLargestCore);
    const auto last =
      dash == std::string_view::npos ? first : parse_number(word.substr(dash + 1), 0, kLargestCore);
    if (!first || !last || *last < *first) {
      return unreadable;
    }
    for (int core = *first; core <= *last; ++core) {
      if (std::find(cores.begin(), cores.end(), core) != cores.end()) {
        return Faults{quoted(text) + " names core " + std::to_string(core) + " twice"};
      }
      cores.push_back(core);
    }
  }
  return cores;
}

std::string print_cores(std::span<const int> cores)
{
  std::string result;
  for (std::size_t i = 0; i < cores.size();) {
    std::size_t end = i;
    while (end + 1 < cores.size() && cores[end + 1] == cores[end] + 1) {
      ++end;
    }
    result += (result.empty() ? "" : ",") + std::to_string(cores[i]);
    if (end > i) {
      result += "-" + std::to_string(cores[end]);
    }
    i = end + 1;
  }
  return result;
}

}  // namespace takt_schedule
