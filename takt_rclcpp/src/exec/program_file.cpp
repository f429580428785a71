#include "exec/program_file.hpp"

#include <elf.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <sys/xattr.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <fstream>
#include <sstream>
#include <string_view>
#include <vector>

namespace takt_exec
{
namespace
{

int usable(const std::string & path)
{
  struct stat info
  {
  };
  if (::stat(path.c_str(), &info) != 0) {
    return errno;
  }
  if (S_ISDIR(info.st_mode)) {
    return EISDIR;
  }
  return ::access(path.c_str(), X_OK) == 0 ? 0 : EACCES;
}

template <typename Part>
std::vector<Part> parts(std::ifstream & file, std::uint64_t offset, std::uint64_t bytes)
{
  constexpr std::uint64_t kMost = 1U << 24U;
  std::vector<Part> parts(std::min(bytes, kMost) / sizeof(Part));
  file.seekg(static_cast<std::streamoff>(offset));
  file.read(
    reinterpret_cast<char *>(parts.data()),
    static_cast<std::streamsize>(parts.size() * sizeof(Part)));
  return file ? parts : std::vector<Part>();
}

// The segments of a program; empty: the file is not a program for this machine.
std::vector<Elf64_Phdr> segments_of(std::ifstream & file)
{
  Elf64_Ehdr header{};
  file.read(reinterpret_cast<char *>(&header), sizeof header);
  if (
    !file || std::memcmp(header.e_ident, ELFMAG, SELFMAG) != 0 ||
    header.e_ident[EI_CLASS] != ELFCLASS64 || header.e_phentsize != sizeof(Elf64_Phdr)) {
    return {};
  }
  return parts<Elf64_Phdr>(file, header.e_phoff, header.e_phnum * sizeof(Elf64_Phdr));
}

// A static program has no loader, which would preload a library.
bool is_static(const std::string & path)
{
  std::ifstream file(path, std::ios::binary);
  const auto segments = segments_of(file);
  return !segments.empty() &&
         std::none_of(segments.begin(), segments.end(), [](const Elf64_Phdr & segment) {
           return segment.p_type == PT_INTERP;
         });
}

std::string obstacle_of(const std::string & path)
{
  struct stat info
  {
  };
  if (::stat(path.c_str(), &info) == 0) {
    const bool foreign_user = (info.st_mode & S_ISUID) != 0 && info.st_uid != ::getuid();
    const bool foreign_group = (info.st_mode & S_ISGID) != 0 && info.st_gid != ::getgid();
    if (foreign_user || foreign_group) {
      return "it runs as another user or group (setuid, setgid)";
    }
  }
  if (::getuid() != 0 && ::getxattr(path.c_str(), "security.capability", nullptr, 0) > 0) {
    return "it has file capabilities; take them away (`setcap -r`) and give its user the right "
           "to real-time priorities: '- rtprio 98' in /etc/security/limits.d";
  }
  if (is_static(path)) {
    return "it is linked statically";
  }
  return {};
}

// What the loader reads of a program.
struct Dynamic
{
  std::vector<Elf64_Dyn> entries;
  std::vector<char> names;
};

Dynamic dynamic_of(const std::string & path)
{
  std::ifstream file(path, std::ios::binary);
  const auto segments = segments_of(file);
  Dynamic found;
  for (const Elf64_Phdr & segment : segments) {
    if (segment.p_type == PT_DYNAMIC) {
      found.entries = parts<Elf64_Dyn>(file, segment.p_offset, segment.p_filesz);
    }
  }
  std::uint64_t at = 0;
  std::uint64_t size = 0;
  for (const Elf64_Dyn & entry : found.entries) {
    if (entry.d_tag == DT_STRTAB) {
      at = entry.d_un.d_ptr;
    } else if (entry.d_tag == DT_STRSZ) {
      size = entry.d_un.d_val;
    }
  }
  for (const Elf64_Phdr & segment : segments) {
    if (
      segment.p_type == PT_LOAD && segment.p_vaddr <= at &&
      at < segment.p_vaddr + segment.p_filesz) {
      found.names = parts<char>(file, at - segment.p_vaddr + segment.p_offset, size);
    }
  }
  return found;
}

// What the loader says of each library, as ldd(1) prints it: "libtsan.so.2 => /lib/libtsan.so.2
// (0x7f0000000000)".
std::vector<std::string> lines_of_loader(const std::string & path, const Environment & environment)
{
  std::vector<std::string> found;
  if (dynamic_of(path).entries.empty() || is_static(path)) {
    return found;
  }
  Environment tracing = environment;
  tracing.set("LD_TRACE_LOADED_OBJECTS", "1");
  const auto variables = tracing.strings();
  std::array<char *, 2> words{const_cast<char *>(path.c_str()), nullptr};
  std::array<int, 2> pipe{};
  if (::pipe2(pipe.data(), O_CLOEXEC) != 0) {
    return found;
  }
  const pid_t child = ::fork();
  if (child == 0) {
    ::dup2(pipe[1], STDOUT_FILENO);
    ::dup2(::open("/dev/null", O_WRONLY | O_CLOEXEC), STDERR_FILENO);
    ::execve(path.c_str(), words.data(), variables.data());
    ::_exit(127);
  }
  ::close(pipe[1]);
  std::string text;
  std::array<char, 4096> some{};
  for (ssize_t n = 0; (n = ::read(pipe[0], some.data(), some.size())) > 0;) {
    text.append(some.data(), static_cast<std::size_t>(n));
  }
  ::close(pipe[0]);
  while (child > 0 && ::waitpid(child, nullptr, 0) < 0 && errno == EINTR) {
  }
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    const std::size_t begin = line.find_first_not_of(" \t");
    found.push_back(line.substr(std::min(begin, line.size())));
  }
  return found;
}

}  // namespace

ProgramFile find_program(const std::string & name, const std::optional<std::string> & variable)
{
  if (name.find('/') != std::string::npos) {
    if (const int error = usable(name); error != 0) {
      return {{}, error, {}};
    }
    return {name, 0, obstacle_of(name)};
  }
  const std::string path = variable.value_or("/usr/local/bin:/usr/bin:/bin");
  int error = ENOENT;
  for (std::size_t begin = 0; begin <= path.size();) {
    const std::size_t end = std::min(path.find(':', begin), path.size());
    const std::string folder = end == begin ? "." : path.substr(begin, end - begin);
    const std::string candidate = folder + "/" + name;
    const int here = usable(candidate);
    if (here == 0) {
      return {candidate, 0, obstacle_of(candidate)};
    }
    if (here == EACCES) {
      error = EACCES;
    }
    begin = end + 1;
  }
  return {{}, error, {}};
}

std::vector<std::string> needed_libraries(const std::string & path)
{
  const auto [entries, names] = dynamic_of(path);
  std::vector<std::string> needed;
  for (const Elf64_Dyn & entry : entries) {
    if (entry.d_tag == DT_NEEDED && entry.d_un.d_val < names.size()) {
      const char * const name = names.data() + entry.d_un.d_val;
      needed.emplace_back(name, ::strnlen(name, names.size() - entry.d_un.d_val));
    }
  }
  return needed;
}

std::vector<std::string> missing_libraries(
  const std::string & path, const Environment & environment)
{
  std::vector<std::string> missing;
  for (const std::string & line : lines_of_loader(path, environment)) {
    const std::size_t arrow = line.find(" => not found");
    if (arrow != std::string::npos && arrow > 0) {
      missing.push_back(line.substr(0, arrow));
    }
  }
  return missing;
}

bool may_have_thread_sanitizer(const std::string & path, const Environment & environment)
{
  const auto names = dynamic_of(path).names;
  // Also of a program that has the sanitizer's runtime in itself, as clang makes them.
  if (std::string_view(names.data(), names.size()).find("__tsan_init") != std::string_view::npos) {
    return true;
  }
  bool of_ros = false;
  for (const std::string & line : lines_of_loader(path, environment)) {
    const std::string name = line.substr(line.rfind('/', line.find(' ')) + 1);
    if (name.starts_with("libtsan.so") || name.starts_with("libclang_rt.tsan")) {
      return true;
    }
    of_ros = of_ros || name.starts_with("librcl.so") || name.starts_with("librclcpp.so") ||
             name.starts_with("libtakt_rcl.so") || name.starts_with("libtakt_rt.so");
  }
  return !of_ros;
}

}  // namespace takt_exec
