#include "live/live_stream.hpp"

#include <poll.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstddef>
#include <cstdio>
#include <cstring>
#include <stdexcept>

#include "run/held_signals.hpp"

namespace takt_workload
{

using nlohmann::json;
using nlohmann::ordered_json;

namespace
{

// A longer line is not a command.
constexpr std::size_t kLongestLine = 65'536;

}  // namespace

void LiveStream::write(const char * kind, const ordered_json & more)
{
  ordered_json line = {{"version", kVersion}, {"kind", kind}, {"demo", demo_}};
  line.update(more);
  // A text of a user may have any bytes.
  const std::string text = line.dump(-1, ' ', false, json::error_handler_t::replace) + "\n";
  if (std::fwrite(text.data(), 1, text.size(), stdout) != text.size() || std::fflush(stdout) != 0) {
    throw std::runtime_error(std::string("the output cannot be written: ") + std::strerror(errno));
  }
}

bool LiveStream::wait(takt_rt::Time until, const Set & set)
{
  while (takt_rt::now() < until) {
    std::array<pollfd, 1> input{{{STDIN_FILENO, POLLIN, 0}}};
    if (!commands_) {
      return !wait_for_signal(until);
    }
    if (wait_for_signal_or(input, until)) {
      return false;
    }
    if (input[0].revents != 0 && !read(set)) {
      return false;
    }
  }
  return true;
}

bool LiveStream::read(const Set & set)
{
  std::array<char, 4096> part;
  const ssize_t count = ::read(STDIN_FILENO, part.data(), part.size());
  if (count <= 0) {
    return count < 0 && errno == EINTR;
  }
  input_.append(part.data(), static_cast<std::size_t>(count));
  for (std::size_t end = 0; (end = input_.find('\n')) != std::string::npos;) {
    obey(input_.substr(0, end), set);
    input_.erase(0, end + 1);
  }
  if (input_.size() > kLongestLine) {
    input_.clear();
    write("refused", {{"text", "a command is longer than 65536 bytes"}});
  }
  return true;
}

void LiveStream::obey(const std::string & line, const Set & set)
{
  const json command = json::parse(line, nullptr, false);
  std::string refused = "a command is a line such as {\"set\": {\"load\": true}}";
  if (command.is_object() && command.contains("set") && command["set"].is_object()) {
    refused = set(command["set"]);
  }
  if (!refused.empty()) {
    write("refused", {{"text", refused}});
  }
}

}  // namespace takt_workload
