#include "shim/stock_note.hpp"

#include <cxxabi.h>
#include <fcntl.h>
#include <limits.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <mutex>
#include <set>
#include <string>
#include <typeinfo>

#include "shim/environment.hpp"

namespace takt_preload
{
namespace
{

std::string quoted(const std::string & text)
{
  std::string json = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') {
      json += '\\';
    }
    json += static_cast<unsigned char>(c) < 0x20 ? ' ' : c;
  }
  return json + "\"";
}

std::string program()
{
  char path[PATH_MAX];
  const ssize_t length = ::readlink("/proc/self/exe", path, sizeof path);
  return length > 0 ? std::string(path, static_cast<std::size_t>(length)) : std::string();
}

void write_note(const std::string & name, const std::string & members)
{
  const std::string pid = std::to_string(::getpid());
  const std::string path =
    std::string(variable("TAKT_REPORT_DIR")) + "/" + pid + "." + name + ".json";
  const std::string text = "{\"version\": 1, \"pid\": " + pid +
                           ", \"program\": " + quoted(program()) + ", " + members + "}\n";
  const int file = ::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
  if (file >= 0) {
    // On a full disk the note is lost, and the program goes on.
    static_cast<void>(::write(file, text.data(), text.size()) < 0);
    ::close(file);
  }
}

// A class with virtual functions, so that typeid reads the class of any such object.
class Polymorphic
{
public:
  virtual ~Polymorphic();
};

std::string class_of(const void * object)
{
  const char * const mangled = typeid(*static_cast<const Polymorphic *>(object)).name();
  int status = 0;
  char * const readable = abi::__cxa_demangle(mangled, nullptr, nullptr, &status);
  const std::string name = readable == nullptr ? mangled : readable;
  std::free(readable);
  return name;
}

// Writes a note with `reason` once in a process for each `what`.
void note(const char * key, const std::string & what, const std::string & reason) noexcept
{
  // Never destroyed: objects of the program may spin in their destructors.
  static std::mutex & g_mutex = *new std::mutex;
  static auto & g_noted = *new std::set<std::string>;
  if (*variable("TAKT_REPORT_DIR") == '\0') {
    return;
  }
  try {
    const std::lock_guard lock(g_mutex);
    if (g_noted.insert(what).second) {
      write_note(
        "stock." + std::to_string(g_noted.size()),
        "\"" + std::string(key) + "\": " + quoted(what) + ", \"reason\": " + quoted(reason));
    }
  } catch (...) {
    // Without memory there is no note.
  }
}

}  // namespace

void note_stock(const char * function, const char * reason) noexcept
{
  note("stock", function, reason);
}

void note_class(const void * executor) noexcept
{
  try {
    const std::string name = class_of(executor);
    if (!name.starts_with("rclcpp::")) {
      note("class", name, "");
    }
  } catch (...) {
    // Without memory there is no note.
  }
}

void note_unseen() noexcept
{
  if (*variable("TAKT_REPORT_DIR") == '\0') {
    return;
  }
  try {
    write_note("unseen", "\"unseen\": true");
  } catch (...) {
    // Without memory there is no note.
  }
}

}  // namespace takt_preload
