#include "exec/guard/symbols.hpp"

#include <cxxabi.h>
#include <elf.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>
#include <memory>
#include <sstream>

extern char ** environ;

namespace takt_exec
{
namespace
{

std::string demangled(const std::string & name)
{
  int status = 0;
  const std::unique_ptr<char, decltype(&std::free)> text(
    abi::__cxa_demangle(name.c_str(), nullptr, nullptr, &status), &std::free);
  return status == 0 && text != nullptr ? text.get() : name;
}

std::string content(const std::string & path)
{
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

template <typename T>
bool read_at(const std::string & file, std::uint64_t at, T & to)
{
  if (at > file.size() || file.size() - at < sizeof to) {
    return false;
  }
  std::memcpy(&to, file.data() + at, sizeof to);
  return true;
}

// The standard output of a program; empty: the program was not found, or failed.
std::string output_of(std::vector<std::string> words)
{
  std::array<int, 2> pipe{};
  if (::pipe2(pipe.data(), O_CLOEXEC) != 0) {
    return {};
  }
  posix_spawn_file_actions_t actions;
  ::posix_spawn_file_actions_init(&actions);
  ::posix_spawn_file_actions_adddup2(&actions, pipe[1], STDOUT_FILENO);
  ::posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
  std::vector<char *> arguments;
  for (std::string & word : words) {
    arguments.push_back(word.data());
  }
  arguments.push_back(nullptr);
  pid_t child = 0;
  const int error =
    ::posix_spawnp(&child, arguments.front(), &actions, nullptr, arguments.data(), environ);
  ::posix_spawn_file_actions_destroy(&actions);
  ::close(pipe[1]);
  std::string text;
  if (error == 0) {
    std::array<char, 4096> part{};
    for (ssize_t bytes = 0; (bytes = ::read(pipe[0], part.data(), part.size())) > 0;) {
      text.append(part.data(), static_cast<std::size_t>(bytes));
    }
    int status = 0;
    ::waitpid(child, &status, 0);
  }
  ::close(pipe[0]);
  return text;
}

constexpr std::string_view kCalled = "::operator()";

bool ends_with(const std::string & text, std::string_view end)
{
  return text.size() >= end.size() && text.compare(text.size() - end.size(), end.size(), end) == 0;
}

bool is_of_system(const std::string & file)
{
  return file.rfind("/usr/", 0) == 0;
}

// For each address addr2line prints "0x...". Then it prints two lines for each function that is
// inlined there, from the innermost out: the name, and "file:line". The last function is the one
// that contains the code.
void add_lines(
  const std::string & path, const std::vector<std::uint64_t> & offsets, std::vector<Place> & places)
{
  constexpr std::size_t kAtOnce = 1000;
  for (std::size_t first = 0; first < offsets.size(); first += kAtOnce) {
    std::vector<std::string> words{"addr2line", "-a", "-i", "-f", "-e", path};
    const std::size_t end = std::min(first + kAtOnce, offsets.size());
    for (std::size_t i = first; i < end; ++i) {
      words.push_back(fmt::format("{:#x}", offsets[i]));
    }
    std::istringstream lines(output_of(std::move(words)));
    std::size_t at = first;
    bool begun = false;
    for (std::string name, place; std::getline(lines, name);) {
      if (name.rfind("0x", 0) == 0) {
        at += begun ? 1 : 0;
        begun = true;
        continue;
      }
      if (!begun || at >= end || !std::getline(lines, place)) {
        break;
      }
      const std::size_t colon = place.rfind(':');
      // Code of the author's function that is inlined in one of the C++ library: its own line is
      // the innermost one that is not the library's.
      const bool inlined = ends_with(places[at].function, kCalled);
      const bool found = inlined && !places[at].file.empty() && !is_of_system(places[at].file);
      if (place.rfind("??", 0) == 0 || colon == std::string::npos || found) {
        continue;
      }
      places[at].file = place.substr(0, colon);
      places[at].line = std::atoi(place.c_str() + colon + 1);
      if (places[at].function.empty() && name != "??") {
        places[at].function = written_function(demangled(name));
      }
    }
  }
}

}  // namespace

// By address. Of a damaged file only those that can be read.
Functions::Functions(const std::string & path)
{
  const std::string file = content(path);
  Elf64_Ehdr header{};
  if (
    !read_at(file, 0, header) || std::memcmp(header.e_ident, ELFMAG, SELFMAG) != 0 ||
    header.e_ident[EI_CLASS] != ELFCLASS64) {
    return;
  }
  const auto section = [&](std::uint32_t index, Elf64_Shdr & to) {
    return index < header.e_shnum &&
           read_at(file, header.e_shoff + std::uint64_t{index} * header.e_shentsize, to);
  };
  for (std::uint32_t i = 0; i < header.e_shnum; ++i) {
    Elf64_Shdr table{};
    Elf64_Shdr names{};
    if (
      !section(i, table) || (table.sh_type != SHT_SYMTAB && table.sh_type != SHT_DYNSYM) ||
      !section(table.sh_link, names)) {
      continue;
    }
    for (std::uint64_t at = 0; at + sizeof(Elf64_Sym) <= table.sh_size; at += sizeof(Elf64_Sym)) {
      Elf64_Sym symbol{};
      if (!read_at(file, table.sh_offset + at, symbol)) {
        break;
      }
      const std::uint64_t name = names.sh_offset + symbol.st_name;
      if (
        ELF64_ST_TYPE(symbol.st_info) == STT_FUNC && symbol.st_shndx != SHN_UNDEF &&
        name < file.size()) {
        const auto end =
          std::find(file.begin() + static_cast<std::ptrdiff_t>(name), file.end(), '\0');
        all_.push_back(
          {symbol.st_value, symbol.st_size,
           std::string(file.begin() + static_cast<std::ptrdiff_t>(name), end)});
      }
    }
  }
  std::stable_sort(all_.begin(), all_.end(), [](const Function & a, const Function & b) {
    return a.begin < b.begin;
  });
}

std::string Functions::at(std::uint64_t offset) const
{
  auto next = std::upper_bound(
    all_.begin(), all_.end(), offset,
    [](std::uint64_t address, const Function & one) { return address < one.begin; });
  // Symbols may overlap, and some have no size, so try a few.
  for (int i = 0; i < 8 && next != all_.begin(); ++i) {
    --next;
    if (offset < next->begin + std::max<std::uint64_t>(next->size, 1)) {
      return demangled(next->name);
    }
  }
  return {};
}

std::string written_function(const std::string & demangled)
{
  constexpr std::string_view kHandler = "std::_Function_handler<";
  constexpr std::string_view kInvoke = "::_M_invoke";
  const std::size_t begin = demangled.find(kHandler);
  if (begin == std::string::npos || demangled.find('(') < begin) {
    return demangled;
  }
  // Its arguments: the signature, and the type of the function that it calls.
  int depth = 0;
  std::size_t called = std::string::npos;
  for (std::size_t i = begin + kHandler.size(); i < demangled.size(); ++i) {
    const char letter = demangled[i];
    if (letter == '>' && depth == 0) {
      const bool invokes = demangled.compare(i + 1, kInvoke.size(), kInvoke) == 0;
      std::string type = called == std::string::npos ? "" : demangled.substr(called, i - called);
      const bool is_class = !type.empty() && type.find("(*)") == std::string::npos;
      return invokes && is_class ? type.append(kCalled) : demangled;
    }
    depth += letter == '<' || letter == '(' || letter == '{' ? 1 : 0;
    depth -= letter == '>' || letter == ')' || letter == '}' ? 1 : 0;
    if (letter == ',' && depth == 0) {
      called = std::min(demangled.find_first_not_of(' ', i + 1), demangled.size());
    }
  }
  return demangled;
}

std::vector<Place> places_in(const std::string & path, const std::vector<std::uint64_t> & offsets)
{
  std::vector<Place> places(offsets.size());
  const Functions functions(path);
  for (std::size_t i = 0; i < offsets.size(); ++i) {
    places[i].function = written_function(functions.at(offsets[i]));
  }
  add_lines(path, offsets, places);
  return places;
}

}  // namespace takt_exec
