// How a live demo talks with the program that started it: one JSON object a line, frames and
// results out, commands in.
//
// A command is {"set": {NAME: VALUE, ...}} for parameters of the demo's node. Set-up only; the
// thread that holds the signals (run/held_signals.hpp).
#ifndef LIVE__LIVE_STREAM_HPP_
#define LIVE__LIVE_STREAM_HPP_

#include <functional>
#include <nlohmann/json.hpp>
#include <string>

#include "takt_rt/time.hpp"

namespace takt_workload
{

class LiveStream
{
public:
  static constexpr int kVersion = 1;
  static constexpr takt_rt::Duration kFrame = std::chrono::milliseconds(50);
  /// Sets the parameters of a command. Returns why it refuses some of them; empty: it set all.
  using Set = std::function<std::string(const nlohmann::json &)>;

  /// `commands`: reads standard input, and ends with it.
  LiveStream(std::string demo, bool commands) : demo_(std::move(demo)), commands_(commands) {}

  /// Writes a line with version, kind and demo before `more`. Throws std::runtime_error if it
  /// cannot be written.
  void write(const char * kind, const nlohmann::ordered_json & more);
  /// Waits until `until`, and meanwhile gives commands to `set`. Writes a line of the kind
  /// `refused` for what it refuses. False: a signal came, or the commands ended.
  bool wait(takt_rt::Time until, const Set & set);

private:
  bool read(const Set & set);
  void obey(const std::string & line, const Set & set);

  const std::string demo_;
  const bool commands_;
  std::string input_;
};

}  // namespace takt_workload

#endif  // LIVE__LIVE_STREAM_HPP_
