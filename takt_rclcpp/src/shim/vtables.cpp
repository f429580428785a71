#include "shim/vtables.hpp"

#include <dlfcn.h>
#include <link.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstdint>
#include <string>

#include "shim/hooked_symbols.h"
#include "shim/librclcpp.hpp"
#include "shim/say.hpp"

#define TAKT_DECLARE(symbol, kind) extern "C" void symbol(void *);
TAKT_SPIN_SYMBOLS(TAKT_DECLARE)
extern "C" void TAKT_EVENTS_UPDATED(void *, bool);
#define TAKT_DECLARE_MADE(symbol, function) extern "C" void symbol(void *, void *, void *);
TAKT_MADE_SYMBOLS(TAKT_DECLARE_MADE)

namespace takt_preload
{
namespace
{

// A table's slots, without the two words before the first function. The size is the symbol's.
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

void patch(const Slots & slots, const void * stock, void * ours, const std::string & symbol)
{
  for (void ** slot = slots.begin; slot < slots.end; ++slot) {
    if (*slot != stock) {
      continue;
    }
    const auto page = static_cast<std::uintptr_t>(::sysconf(_SC_PAGESIZE));
    const auto address = reinterpret_cast<std::uintptr_t>(slot) & ~(page - 1);
    if (::mprotect(reinterpret_cast<void *>(address), page, PROT_READ | PROT_WRITE) != 0) {
      say("the system does not let takt hook " + symbol + "; rclcpp's own loop will run there");
      return;
    }
    *slot = ours;
    // Tables of virtual functions lie where the loader writes once and protects afterwards.
    ::mprotect(reinterpret_cast<void *>(address), page, PROT_READ);
  }
}

/// `function`: its name in the symbol, with what follows up to its parameters.
void patch(const std::string & symbol, const std::string & function, void * ours)
{
  void * const stock = ::dlsym(librclcpp(), symbol.c_str());
  if (stock == nullptr || stock == ours) {
    return;
  }
  // "_ZN" class "4spinEv" → "_ZTVN" class "E"
  const std::string table = "_ZTV" + symbol.substr(2, symbol.find(function) - 2) + "E";
  // The library's own, and the one that all use where the program has a copy of it.
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
  patch(
    TAKT_STRING(TAKT_EVENTS_UPDATED), "23handle_updated_entitiesE",
    reinterpret_cast<void *>(&TAKT_EVENTS_UPDATED));
#define TAKT_PATCH_MADE(symbol, function) \
  patch(#symbol, function, reinterpret_cast<void *>(&symbol));
  TAKT_MADE_SYMBOLS(TAKT_PATCH_MADE)
}

}  // namespace takt_preload
