#include "audit/process_memory.hpp"

#include <dlfcn.h>
#include <elf.h>
#include <fcntl.h>
#include <link.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <fstream>
#include <mutex>
#include <sstream>

#include "takt_host/audited_function.hpp"

namespace takt_host
{
namespace
{

constexpr std::size_t kMostOfTable = 1U << 28U;  // of a table of symbols

template <typename Entry>
std::vector<Entry> entries(std::ifstream & file, std::uint64_t offset, std::uint64_t bytes)
{
  std::vector<Entry> result(std::min<std::uint64_t>(bytes, kMostOfTable) / sizeof(Entry));
  file.clear();
  file.seekg(static_cast<std::streamoff>(offset));
  file.read(
    reinterpret_cast<char *>(result.data()),
    static_cast<std::streamsize>(result.size() * sizeof(Entry)));
  return file ? result : std::vector<Entry>();
}

std::map<std::uint64_t, std::string> read_functions(const std::string & path)
{
  std::map<std::uint64_t, std::string> result;
  std::ifstream file(path, std::ios::binary);
  const auto header = entries<Elf64_Ehdr>(file, 0, sizeof(Elf64_Ehdr));
  if (
    header.empty() || std::memcmp(header[0].e_ident, ELFMAG, SELFMAG) != 0 ||
    header[0].e_ident[EI_CLASS] != ELFCLASS64) {
    return result;
  }
  const auto sections = entries<Elf64_Shdr>(
    file, header[0].e_shoff, std::uint64_t{header[0].e_shnum} * sizeof(Elf64_Shdr));
  for (const Elf64_Shdr & section : sections) {
    if (
      (section.sh_type != SHT_SYMTAB && section.sh_type != SHT_DYNSYM) ||
      section.sh_link >= sections.size()) {
      continue;
    }
    const Elf64_Shdr & names = sections[section.sh_link];
    auto text = entries<char>(file, names.sh_offset, names.sh_size);
    text.push_back('\0');
    for (const auto & symbol : entries<Elf64_Sym>(file, section.sh_offset, section.sh_size)) {
      if (
        ELF64_ST_TYPE(symbol.st_info) == STT_FUNC && symbol.st_shndx != SHN_UNDEF &&
        symbol.st_name < text.size()) {
        result.emplace(symbol.st_value, &text[symbol.st_name]);
      }
    }
  }
  return result;
}

}  // namespace

ProcessMemory::ProcessMemory() : file_(::open("/proc/self/mem", O_RDONLY | O_CLOEXEC))
{
  std::ifstream maps("/proc/self/maps");
  for (std::string line; std::getline(maps, line);) {
    Word begin = 0;
    Mapping mapping;
    char dash = 0;
    std::string rights;
    std::string skipped;
    std::string path;
    std::istringstream words(line);
    words >> std::hex >> begin >> dash >> mapping.end >> rights >> skipped >> skipped >> skipped >>
      path;
    if (!words && path.empty() && rights.size() < 4) {
      continue;
    }
    if (rights[0] != 'r') {
      continue;
    }
    if (rights[2] == 'x') {
      mapping.rights = Rights::code;
    } else if (rights[1] == 'w') {
      mapping.rights = Rights::writable;
    } else if (!path.empty() && path.front() == '/') {
      mapping.rights = Rights::constant;
    } else {
      continue;
    }
    mappings_.emplace(begin, mapping);
  }
}

ProcessMemory::~ProcessMemory()
{
  if (file_ >= 0) {
    ::close(file_);
  }
}

std::vector<Word> ProcessMemory::words(Word address, std::size_t bytes) const
{
  std::vector<Word> result(bytes / sizeof(Word));
  const auto read =
    ::pread(file_, result.data(), result.size() * sizeof(Word), static_cast<off_t>(address));
  result.resize(read < 0 ? 0 : static_cast<std::size_t>(read) / sizeof(Word));
  return result;
}

std::optional<Word> ProcessMemory::word(Word address) const
{
  const auto one = words(address, sizeof(Word));
  return one.empty() ? std::nullopt : std::optional(one.front());
}

std::optional<std::size_t> ProcessMemory::block_bytes(Word address) const
{
  const auto * const place = reinterpret_cast<const void *>(address);
  static const auto g_owns =
    reinterpret_cast<int (*)(const void *)>(::dlsym(RTLD_DEFAULT, "__sanitizer_get_ownership"));
  static const auto g_size = reinterpret_cast<std::size_t (*)(const void *)>(
    ::dlsym(RTLD_DEFAULT, "__sanitizer_get_allocated_size"));
  // ThreadSanitizer also owns the places within a block.
  using Locate = const char * (*)(Word, char *, std::size_t, Word *, std::size_t *);
  static const auto g_locate =
    reinterpret_cast<Locate>(::dlsym(RTLD_DEFAULT, "__tsan_locate_address"));
  if (g_owns != nullptr && g_size != nullptr) {
    Word begin = address;
    std::size_t bytes = 0;
    std::array<char, 8> name{};
    if (g_locate != nullptr) {
      g_locate(address, name.data(), name.size(), &begin, &bytes);
    }
    return g_owns(place) != 0 && begin == address ? std::optional(g_size(place)) : std::nullopt;
  }
  static const bool g_of_glibc = [] {
    Dl_info allocator{};
    Dl_info glibc{};
    return ::dladdr(::dlsym(RTLD_DEFAULT, "malloc_usable_size"), &allocator) != 0 &&
           ::dladdr(::dlsym(RTLD_DEFAULT, "gnu_get_libc_version"), &glibc) != 0 &&
           allocator.dli_fbase == glibc.dli_fbase;
  }();
  // Before a block stands its size with three flags, and behind it the same of the next block,
  // which has the first flag if this block is in use. A block with a mapping of its own has the
  // second flag and no next one.
  constexpr Word kFlags = 7;
  constexpr Word kInUse = 1;
  constexpr Word kMapped = 2;
  constexpr Word kUnit = 16;
  constexpr Word kMost = Word{1} << 30U;
  if (!g_of_glibc || address % kUnit != 0 || !is_writable(address - sizeof(Word))) {
    return std::nullopt;
  }
  const Word head = word(address - sizeof(Word)).value_or(0);
  const Word bytes = head & ~kFlags;
  if (bytes < 2 * kUnit || bytes % kUnit != 0 || bytes > kMost) {
    return std::nullopt;
  }
  if ((head & kMapped) != 0) {
    return bytes - 2 * sizeof(Word);
  }
  const Word next = word(address - sizeof(Word) + bytes).value_or(0);
  if ((next & kInUse) == 0 || (next & ~kFlags) < kUnit) {
    return std::nullopt;
  }
  return bytes - sizeof(Word);
}

std::size_t block_bytes(const void * begin)
{
  return ProcessMemory().block_bytes(reinterpret_cast<Word>(begin)).value_or(0);
}

std::string ProcessMemory::text(Word address) const
{
  std::array<char, 1024> buffer{};
  const auto read = ::pread(file_, buffer.data(), buffer.size() - 1, static_cast<off_t>(address));
  return read <= 0 ? "" : buffer.data();
}

bool ProcessMemory::has(Word address, Rights rights) const
{
  auto found = mappings_.upper_bound(address);
  if (found == mappings_.begin()) {
    return false;
  }
  --found;
  return address < found->second.end && found->second.rights == rights;
}

Place ProcessMemory::place(Word address) const
{
  Dl_info info{};
  link_map * module = nullptr;
  if (
    ::dladdr1(
      reinterpret_cast<const void *>(address), &info, reinterpret_cast<void **>(&module),
      RTLD_DL_LINKMAP) == 0 ||
    module == nullptr) {
    return {};
  }
  std::string path = module->l_name;
  if (path.empty()) {
    std::array<char, 4096> own{};
    if (::readlink("/proc/self/exe", own.data(), own.size() - 1) > 0) {
      path = own.data();
    }
  }
  return {path, address - module->l_addr};
}

std::string ProcessMemory::function(Word address) const
{
  const Place found = place(address);
  if (found.module.empty()) {
    return "";
  }
  // Tables are large, and a process looks at each of its callbacks.
  static std::mutex & g_mutex = *new std::mutex;
  static auto & g_functions = *new std::map<std::string, std::map<std::uint64_t, std::string>>;
  const std::lock_guard lock(g_mutex);
  auto known = g_functions.find(found.module);
  if (known == g_functions.end()) {
    known = g_functions.emplace(found.module, read_functions(found.module)).first;
  }
  const auto name = known->second.find(found.offset);
  return name == known->second.end() ? "" : name->second;
}

}  // namespace takt_host
