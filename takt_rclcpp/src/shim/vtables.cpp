#include "shim/vtables.hpp"

#include <dlfcn.h>
#include <link.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cinttypes>
#include <cstdint>
#include <cstdio>
#include <fstream>
#include <string>

#include "shim/hooked_symbols.h"
#include "shim/librclcpp.hpp"
#include "shim/say.hpp"

#define TAKT_DECLARE(symbol, kind) extern "C" void symbol(void *);
TAKT_SPIN_SYMBOLS(TAKT_DECLARE)
extern "C" void TAKT_CBG_SPIN(void *);
extern "C" void TAKT_EVENTS_UPDATED(void *, bool);
#define TAKT_DECLARE_COLLECT(symbol, what, function) extern "C" void symbol(void *, void *, bool);
TAKT_COLLECT_SYMBOLS(TAKT_DECLARE_COLLECT)
extern "C" void TAKT_EVENTS_ADD_GROUP(void *, void *, void *, bool);
#define TAKT_DECLARE_MADE(symbol, function) extern "C" void symbol(void *, void *, void *);
TAKT_MADE_SYMBOLS(TAKT_DECLARE_MADE)

namespace takt_preload
{
namespace
{

// The functions of a virtual table, without the two words before the first function. The symbol
// gives the size.
struct Slots
{
  void ** begin = nullptr;
  void ** end = nullptr;
};

Slots slots_of(void * address)
{
  if (address == nullptr) {
    return {};
  }
  Dl_info info{};
  ElfW(Sym) * symbol = nullptr;
  if (
    ::dladdr1(address, &info, reinterpret_cast<void **>(&symbol), RTLD_DL_SYMENT) == 0 ||
    symbol == nullptr) {
    return {};
  }
  void ** const words = static_cast<void **>(address);
  return {words + 2, words + symbol->st_size / sizeof(void *)};
}

// The page's protection; -1: unknown.
int protection_of(std::uintptr_t address)
{
  std::ifstream maps("/proc/self/maps");
  for (std::string line; std::getline(maps, line);) {
    std::uintptr_t begin = 0;
    std::uintptr_t end = 0;
    char may[5] = {};
    if (
      std::sscanf(line.c_str(), "%" SCNxPTR "-%" SCNxPTR " %4s", &begin, &end, may) == 3 &&
      begin <= address && address < end) {
      return (may[0] == 'r' ? PROT_READ : 0) | (may[1] == 'w' ? PROT_WRITE : 0) |
             (may[2] == 'x' ? PROT_EXEC : 0);
    }
  }
  return -1;
}

void patch(const Slots & slots, const void * stock, void * ours, const std::string & symbol)
{
  for (void ** slot = slots.begin; slot < slots.end; ++slot) {
    if (*slot != stock) {
      continue;
    }
    const auto page = static_cast<std::uintptr_t>(::sysconf(_SC_PAGESIZE));
    const auto address = reinterpret_cast<std::uintptr_t>(slot) & ~(page - 1);
    // The loader makes the page read-only, unless the library was linked with -z norelro. Keep a
    // writable page writable, because the program may write to its other data.
    const int before = protection_of(address);
    const bool writable = before >= 0 && (before & PROT_WRITE) != 0;
    if (
      !writable &&
      ::mprotect(reinterpret_cast<void *>(address), page, PROT_READ | PROT_WRITE) != 0) {
      say("the system does not let takt hook " + symbol + "; rclcpp's own loop will run there");
      return;
    }
    *slot = ours;
    if (!writable && before >= 0) {
      ::mprotect(reinterpret_cast<void *>(address), page, before);
    }
  }
}

/// `function`: the part of `symbol` from the function's name to the parameters.
void patch(const std::string & symbol, const std::string & function, void * ours)
{
  void * const stock = ::dlsym(librclcpp(), symbol.c_str());
  if (stock == nullptr || stock == ours) {
    return;
  }
  // "_ZN" class "4spinEv" → "_ZTVN" class "E"
  const std::string table = "_ZTV" + symbol.substr(2, symbol.find(function) - 2) + "E";
  // The library's own table, and the table that is in use if the program has a copy.
  void * const own = ::dlsym(librclcpp(), table.c_str());
  void * const used = ::dlsym(RTLD_DEFAULT, table.c_str());
  patch(slots_of(own), stock, ours, symbol);
  if (used != own) {
    patch(slots_of(used), stock, ours, symbol);
  }
}

}  // namespace

void patch_vtables()
{
#define TAKT_PATCH(symbol, kind) patch(#symbol, "4spinEv", reinterpret_cast<void *>(&symbol));
  TAKT_SPIN_SYMBOLS(TAKT_PATCH)
  patch(TAKT_STRING(TAKT_CBG_SPIN), "4spinEv", reinterpret_cast<void *>(&TAKT_CBG_SPIN));
  patch(
    TAKT_STRING(TAKT_EVENTS_UPDATED), "23handle_updated_entitiesE",
    reinterpret_cast<void *>(&TAKT_EVENTS_UPDATED));
#define TAKT_PATCH_COLLECT(symbol, what, function) \
  patch(#symbol, function, reinterpret_cast<void *>(&symbol));
  TAKT_COLLECT_SYMBOLS(TAKT_PATCH_COLLECT)
  patch(
    TAKT_STRING(TAKT_EVENTS_ADD_GROUP), "18add_callback_groupE",
    reinterpret_cast<void *>(&TAKT_EVENTS_ADD_GROUP));
#define TAKT_PATCH_MADE(symbol, function) \
  patch(#symbol, function, reinterpret_cast<void *>(&symbol));
  TAKT_MADE_SYMBOLS(TAKT_PATCH_MADE)
}

}  // namespace takt_preload
