#include "exec/audit/race_log.hpp"

#include <array>
#include <charconv>
#include <cstdlib>
#include <string_view>

namespace takt_exec
{
namespace
{

constexpr const char * kLogName = "races";

std::string known(std::string text)
{
  return text == "<null>" || text == "(null)" ? std::string() : text;
}

// "#2|0x5555|N::b()|/src/main.cpp|5"; names of functions may have bars, too.
RaceFrame read_frame(std::string_view line)
{
  RaceFrame frame;
  const std::size_t address = line.find('|');
  const std::size_t function = line.find('|', address + 1);
  const std::size_t number = line.rfind('|');
  const std::size_t file = line.rfind('|', number - 1);
  if (function == std::string_view::npos || file == std::string_view::npos || file < function) {
    return frame;
  }
  frame.address = std::strtoull(
    std::string(line.substr(address + 1, function - address - 1)).c_str(), nullptr, 16);
  frame.function = known(std::string(line.substr(function + 1, file - function - 1)));
  frame.file = known(std::string(line.substr(file + 1, number - file - 1)));
  frame.line = std::atoi(std::string(line.substr(number + 1)).c_str());
  return frame;
}

std::string lower(std::string text)
{
  if (!text.empty() && text[0] >= 'A' && text[0] <= 'Z') {
    text[0] = static_cast<char>(text[0] - 'A' + 'a');
  }
  return text;
}

// " Write of size 4 at 0x55 by thread T2:", " Previous atomic read of size 8 at 0x77 by main
// thread:"
bool read_access(std::string_view line, RaceAccess & access)
{
  const std::size_t size = line.find(" of size ");
  const std::size_t by = line.find(" by ", size == std::string_view::npos ? 0 : size);
  if (line.rfind("  ", 0) != 0 || size == std::string_view::npos || by == std::string_view::npos) {
    return false;
  }
  std::string kind = lower(std::string(line.substr(2, size - 2)));
  if (kind.rfind("previous ", 0) == 0) {
    kind.erase(0, 9);
  }
  if (kind != "write" && kind != "read" && kind != "atomic write" && kind != "atomic read") {
    return false;
  }
  access.kind = kind;
  std::string_view thread = line.substr(by + 4);
  access.thread = thread.substr(0, thread.find_first_of(":("));
  while (!access.thread.empty() && access.thread.back() == ' ') {
    access.thread.pop_back();
  }
  return true;
}

// "  Location is global 'g_count' of size 4 at 0x555 (main+0x4064)"
std::string read_location(std::string_view line)
{
  constexpr std::string_view kBegin = "  Location is ";
  std::string_view text = line.substr(kBegin.size());
  const std::size_t end = std::min(text.find(" at 0x"), text.find(" allocated by"));
  text = text.substr(0, end);
  while (!text.empty() && (text.back() == '.' || text.back() == ':')) {
    text.remove_suffix(1);
  }
  return text.find("'<null>'") == std::string_view::npos ? std::string(text) : "";
}

}  // namespace

std::string race_options(const std::string & given, const std::filesystem::path & folder)
{
  return given + (given.empty() ? "" : " ") + "log_path='" + (folder / kLogName).string() +
         "' exitcode=0 history_size=7 second_deadlock_stack=0 "
         "stack_trace_format='    #%n|%p|%f|%s|%l'";
}

bool is_race_log(const std::filesystem::path & path, int pid)
{
  return path.filename().string() == std::string(kLogName) + "." + std::to_string(pid);
}

std::vector<Race> read_races(std::istream & log)
{
  std::vector<Race> races;
  bool in_race = false;
  std::vector<RaceFrame> * stack = nullptr;  // that the next frames are of
  for (std::string line; std::getline(log, line);) {
    const std::size_t frame = line.find_first_not_of(' ');
    RaceAccess access;
    if (line.rfind("WARNING: ThreadSanitizer: ", 0) == 0) {
      in_race = line.find(": data race ") != std::string::npos;
      stack = nullptr;
      if (in_race) {
        races.emplace_back();
      }
    } else if (!in_race) {
      continue;
    } else if (line.rfind("=====", 0) == 0 || line.rfind("SUMMARY", 0) == 0) {
      in_race = false;
    } else if (frame != std::string::npos && line[frame] == '#') {
      if (stack != nullptr) {
        stack->push_back(read_frame(std::string_view(line).substr(frame)));
      }
    } else if (read_access(line, access)) {
      races.back().accesses.push_back(std::move(access));
      stack = &races.back().accesses.back().stack;
    } else if (line.rfind("  Location is ", 0) == 0) {
      if (const std::string found = read_location(line); !found.empty()) {
        races.back().location = found;
      }
      stack = &races.back().allocation;
    } else if (frame != std::string::npos) {
      stack = nullptr;  // a mutex, or the creation of a thread
    }
  }
  return races;
}

}  // namespace takt_exec
