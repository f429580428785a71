// The content of a written trace as a viewer shows it, in any format: tracks with slices, instants
// and samples, and the faults of the trace.
#ifndef SUPPORT__SEEN_HPP_
#define SUPPORT__SEEN_HPP_

#include <algorithm>
#include <cstdint>
#include <map>
#include <ostream>
#include <string>
#include <tuple>
#include <vector>

namespace takt_trace::test
{

/// Values of annotations as text.
using Facts = std::map<std::string, std::string>;

struct SeenSlice
{
  std::string name;
  std::uint64_t begin = 0;
  std::uint64_t end = 0;
  std::string category{};
  Facts facts{};
  std::vector<std::uint64_t> arrows{};  // arrows that end here

  auto key() const { return std::tie(name, begin, end); }
  friend bool operator==(const SeenSlice & a, const SeenSlice & b) { return a.key() == b.key(); }
  friend bool operator<(const SeenSlice & a, const SeenSlice & b) { return a.key() < b.key(); }
  friend std::ostream & operator<<(std::ostream & out, const SeenSlice & slice)
  {
    return out << slice.name << " [" << slice.begin << ", " << slice.end << "]";
  }
};

struct SeenInstant
{
  std::string name;
  std::uint64_t time = 0;
  std::string category{};
  Facts facts{};
  std::vector<std::uint64_t> arrows{};  // arrows that begin here
};

struct SeenSample
{
  std::uint64_t time = 0;
  double value = 0;

  friend bool operator==(const SeenSample &, const SeenSample &) = default;
};

struct SeenTrack
{
  std::string process;
  std::string name;
  std::int64_t pid = 0;
  std::int64_t tid = 0;           // 0: the format has no thread
  std::vector<SeenSlice> slices;  // outer ones first
  std::vector<SeenInstant> instants;
  std::vector<SeenSample> samples;
};

struct SeenTrace
{
  std::vector<SeenTrack> tracks;
  std::vector<std::string> faults;

  std::vector<SeenTrack> named(const std::string & name) const
  {
    std::vector<SeenTrack> found;
    for (const SeenTrack & track : tracks) {
      if (track.name == name) {
        found.push_back(track);
      }
    }
    return found;
  }

  /// The only track with this name; otherwise an empty track.
  SeenTrack track(const std::string & name) const
  {
    const std::vector<SeenTrack> found = named(name);
    return found.size() == 1 ? found.front() : SeenTrack{};
  }

  /// The slices of this category on all tracks, sorted.
  std::vector<SeenSlice> slices(const std::string & category) const
  {
    std::vector<SeenSlice> found;
    for (const SeenTrack & track : tracks) {
      for (const SeenSlice & slice : track.slices) {
        if (slice.category == category) {
          found.push_back(slice);
        }
      }
    }
    std::sort(found.begin(), found.end());
    return found;
  }
};

/// Reports slices of a track that overlap although neither is inside the other.
inline void find_crossings(const SeenTrack & track, std::vector<std::string> & faults)
{
  std::vector<SeenSlice> around;
  for (const SeenSlice & slice : track.slices) {
    while (!around.empty() && around.back().end <= slice.begin) {
      around.pop_back();
    }
    if (slice.end < slice.begin || (!around.empty() && slice.end > around.back().end)) {
      faults.push_back(track.name + ": " + slice.name + " does not nest");
    }
    around.push_back(slice);
  }
}

/// Reports arrows without a begin or end, with several of them, or that go back in time.
inline void find_loose_arrows(const SeenTrace & trace, std::vector<std::string> & faults)
{
  std::map<std::uint64_t, std::vector<std::uint64_t>> begins, ends;
  for (const SeenTrack & track : trace.tracks) {
    for (const SeenInstant & instant : track.instants) {
      for (const std::uint64_t arrow : instant.arrows) {
        begins[arrow].push_back(instant.time);
        ends[arrow];
      }
    }
    for (const SeenSlice & slice : track.slices) {
      for (const std::uint64_t arrow : slice.arrows) {
        ends[arrow].push_back(slice.begin);
      }
    }
  }
  for (const auto & [arrow, times] : ends) {
    if (begins[arrow].size() != 1 || times.size() != 1 || begins[arrow][0] >= times[0]) {
      faults.push_back("arrow " + std::to_string(arrow) + " does not join two events");
    }
  }
}

inline void find_unsorted(const SeenTrack & track, std::vector<std::string> & faults)
{
  const auto earlier = [](const auto & a, const auto & b) { return a.time < b.time; };
  if (
    !std::is_sorted(track.samples.begin(), track.samples.end(), earlier) ||
    !std::is_sorted(track.instants.begin(), track.instants.end(), earlier)) {
    faults.push_back(track.name + ": times go back");
  }
}

/// Checks the common rules of both formats.
inline void find_faults(SeenTrace & trace)
{
  for (const SeenTrack & track : trace.tracks) {
    find_crossings(track, trace.faults);
    find_unsorted(track, trace.faults);
  }
  find_loose_arrows(trace, trace.faults);
}

}  // namespace takt_trace::test

#endif  // SUPPORT__SEEN_HPP_
