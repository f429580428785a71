#include "exec/program_file.hpp"

#include <elf.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <fstream>
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

// A static program has no loader, so nothing is preloaded into it.
bool is_static(const std::string & path)
{
  std::ifstream file(path, std::ios::binary);
  Elf64_Ehdr header{};
  file.read(reinterpret_cast<char *>(&header), sizeof header);
  if (
    !file || std::memcmp(header.e_ident, ELFMAG, SELFMAG) != 0 ||
    header.e_ident[EI_CLASS] != ELFCLASS64 || header.e_phentsize != sizeof(Elf64_Phdr)) {
    return false;
  }
  std::vector<Elf64_Phdr> segments(header.e_phnum);
  file.seekg(static_cast<std::streamoff>(header.e_phoff));
  file.read(
    reinterpret_cast<char *>(segments.data()),
    static_cast<std::streamsize>(segments.size() * sizeof(Elf64_Phdr)));
  if (!file) {
    return false;
  }
  for (const Elf64_Phdr & segment : segments) {
    if (segment.p_type == PT_INTERP) {
      return false;
    }
  }
  return true;
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
    return "it has file capabilities; take them away (`setcap -r`) and give its user the rights, "
           "for "
           "real-time priorities by `rtprio` in limits.conf";
  }
  if (is_static(path)) {
    return "it is linked statically";
  }
  return {};
}

}  // namespace

ProgramFile find_program(const std::string & name)
{
  if (name.find('/') != std::string::npos) {
    if (const int error = usable(name); error != 0) {
      return {{}, error, {}};
    }
    return {name, 0, obstacle_of(name)};
  }
  const char * const variable = std::getenv("PATH");
  const std::string path = variable == nullptr ? "/usr/local/bin:/usr/bin:/bin" : variable;
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

}  // namespace takt_exec
