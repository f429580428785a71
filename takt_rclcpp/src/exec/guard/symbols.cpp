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
#include <utility>

extern char ** environ;

namespace takt_exec
{
namespace
{

std::string demangled(const std::string & name)
{
  if (name.rfind("_Z", 0) != 0) {
    return name;  // "f" would be a type
  }
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

// `places`: one place with the function by the file's symbols, which know the function's full name.
void add_found(std::vector<Place> found, std::vector<Place> & places)
{
  if (found.empty()) {
    return;
  }
  if (!places.front().function.empty()) {
    found.back().function = std::move(places.front().function);
  }
  for (std::size_t i = 0; i + 1 < found.size(); ++i) {
    found[i].inlined = true;
  }
  places = std::move(found);
}

// For each address addr2line prints "0x...". Then it prints two lines for each function that is
// inlined there, from the innermost out: the name, and "file:line". The last function is the one
// that contains the code.
void add_lines(
  const std::string & path, const std::vector<std::uint64_t> & offsets,
  std::vector<std::vector<Place>> & places)
{
  constexpr std::size_t kAtOnce = 1000;
  for (std::size_t first = 0; first < offsets.size(); first += kAtOnce) {
    std::vector<std::string> words{"addr2line", "-a", "-i", "-f", "-e", path};
    const std::size_t end = std::min(first + kAtOnce, offsets.size());
    for (std::size_t i = first; i < end; ++i) {
      words.push_back(fmt::format("{:#x}", offsets[i]));
    }
    std::istringstream lines(output_of(std::move(words)));
    std::vector<std::vector<Place>> found(end - first);
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
      Place one;
      const std::size_t colon = place.rfind(':');
      if (name != "??") {
        one.function = demangled(name);
      }
      if (place.rfind("??", 0) != 0 && colon != std::string::npos) {
        one.file = place.substr(0, colon);
        one.line = std::atoi(place.c_str() + colon + 1);
      }
      found[at - first].push_back(std::move(one));
    }
    for (std::size_t i = first; i < end; ++i) {
      add_found(std::move(found[i - first]), places[i]);
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

std::vector<std::vector<Place>> places_in(
  const std::string & path, const Functions & functions, const std::vector<std::uint64_t> & offsets)
{
  std::vector<std::vector<Place>> places(offsets.size());
  for (std::size_t i = 0; i < offsets.size(); ++i) {
    places[i].push_back({functions.at(offsets[i]), "", 0, false});
  }
  add_lines(path, offsets, places);
  return places;
}

}  // namespace takt_exec
