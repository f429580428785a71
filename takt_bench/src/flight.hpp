// A recording for the time of a benchmark.
#ifndef TAKT_BENCH__FLIGHT_HPP_
#define TAKT_BENCH__FLIGHT_HPP_

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <system_error>

#include "takt_trace/recording.hpp"

namespace takt_bench
{

/// Records while it lives, and keeps the last records in memory; no thread writes them to a file.
class Flight
{
public:
  Flight()
  {
    takt_trace::RecordingOptions options;
    options.last = std::chrono::hours(1);
    options.folder = std::filesystem::temp_directory_path();
    if (!takt_trace::start_recording(options).ok()) {
      std::abort();
    }
  }
  ~Flight()
  {
    if (const auto file = takt_trace::stop_recording(); file.ok()) {
      std::error_code error;
      std::filesystem::remove(file->path, error);
    }
  }
  Flight(const Flight &) = delete;
  Flight & operator=(const Flight &) = delete;
};

}  // namespace takt_bench

#endif  // TAKT_BENCH__FLIGHT_HPP_
