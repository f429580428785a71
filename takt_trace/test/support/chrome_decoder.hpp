// Reads a trace in the Trace Event Format, and reports faults that a viewer would refuse.
#ifndef SUPPORT__CHROME_DECODER_HPP_
#define SUPPORT__CHROME_DECODER_HPP_

#include <cmath>
#include <cstdint>
#include <exception>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>

#include "seen.hpp"

namespace takt_trace::test
{

class ChromeDecoder
{
public:
  SeenTrace decode(const std::string & text)
  {
    try {
      const Json json = Json::parse(text);
      for (const Json & event : json.at("traceEvents")) {
        read(event);
      }
    } catch (const std::exception & e) {
      trace_.faults.push_back(e.what());
    }
    find_faults(trace_);
    return std::move(trace_);
  }

private:
  using Json = nlohmann::json;

  static std::uint64_t nanoseconds(const Json & event, const char * field)
  {
    const double value = event.at(field).get<double>() * 1000;
    return static_cast<std::uint64_t>(std::llround(value));
  }

  static Facts facts_of(const Json & event)
  {
    Facts facts;
    for (const auto & [name, value] : event.at("args").items()) {
      facts[name] = value.is_string()         ? value.get<std::string>()
                    : value.is_number_float() ? std::to_string(value.get<double>())
                                              : value.dump();
    }
    return facts;
  }

  SeenTrack & add_track(const Json & event, const std::string & name)
  {
    const std::int64_t pid = event.at("pid").get<std::int64_t>();
    trace_.tracks.push_back({processes_[pid], name, pid, event.value("tid", 0LL), {}, {}, {}});
    return trace_.tracks.back();
  }

  SeenTrack & track_of(const Json & event)
  {
    const std::pair key{event.at("pid").get<std::int64_t>(), event.at("tid").get<std::int64_t>()};
    return trace_.tracks.at(tracks_.at(key));
  }

  SeenTrack & counter_of(const Json & event)
  {
    const std::string name = event.at("name").get<std::string>();
    const auto [entry, is_new] =
      counters_.emplace(std::pair{event.at("pid").get<std::int64_t>(), name}, trace_.tracks.size());
    return is_new ? add_track(event, name) : trace_.tracks[entry->second];
  }

  void read(const Json & event)
  {
    const std::string phase = event.at("ph").get<std::string>();
    const std::string name = event.at("name").get<std::string>();
    if (phase == "M") {
      read_name(event, name);
    } else if (phase == "X") {
      const std::uint64_t begin = nanoseconds(event, "ts");
      track_of(event).slices.push_back(
        {name,
         begin,
         begin + nanoseconds(event, "dur"),
         event.at("cat").get<std::string>(),
         facts_of(event),
         {}});
    } else if (phase == "i") {
      track_of(event).instants.push_back(
        {name, nanoseconds(event, "ts"), event.at("cat").get<std::string>(), facts_of(event), {}});
    } else if (phase == "C") {
      for (const auto & [unit, value] : event.at("args").items()) {
        counter_of(event).samples.push_back({nanoseconds(event, "ts"), value.get<double>()});
      }
    } else if (phase == "s" || phase == "f") {
      read_arrow(event, phase == "s");
    } else {
      trace_.faults.push_back("phase " + phase);
    }
  }

  void read_name(const Json & event, const std::string & what)
  {
    if (what == "process_name") {
      const auto name = event.at("args").at("name").get<std::string>();
      if (!processes_.emplace(event.at("pid").get<std::int64_t>(), name).second) {
        trace_.faults.push_back("two processes with one pid");
      }
    } else if (what == "thread_name") {
      const std::pair key{event.at("pid").get<std::int64_t>(), event.at("tid").get<std::int64_t>()};
      if (!tracks_.emplace(key, trace_.tracks.size()).second) {
        trace_.faults.push_back("two threads with one tid");
      }
      add_track(event, event.at("args").at("name").get<std::string>());
    }
  }

  void read_arrow(const Json & event, bool is_begin)
  {
    SeenTrack & track = track_of(event);
    const std::uint64_t time = nanoseconds(event, "ts");
    const std::uint64_t arrow = event.at("id").get<std::uint64_t>();
    if (is_begin) {
      for (SeenInstant & instant : track.instants) {
        if (instant.time == time && instant.category == "message") {
          instant.arrows.push_back(arrow);
          return;
        }
      }
    } else if (event.at("bp") == "e") {
      for (SeenSlice & slice : track.slices) {
        if (slice.begin == time && slice.category == "callback") {
          slice.arrows.push_back(arrow);
          return;
        }
      }
    }
    trace_.faults.push_back("an arrow at no event");
  }

  SeenTrace trace_;
  std::map<std::int64_t, std::string> processes_;
  std::map<std::pair<std::int64_t, std::int64_t>, std::size_t> tracks_;
  std::map<std::pair<std::int64_t, std::string>, std::size_t> counters_;
};

inline SeenTrace decode_chrome(const std::string & text)
{
  return ChromeDecoder().decode(text);
}

}  // namespace takt_trace::test

#endif  // SUPPORT__CHROME_DECODER_HPP_
