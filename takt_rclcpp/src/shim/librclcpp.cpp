#include "shim/librclcpp.hpp"

#include <dlfcn.h>
#include <elf.h>
#include <link.h>

#include <atomic>
#include <string>
#include <vector>

namespace takt_preload
{

void * librclcpp()
{
  static std::atomic<void *> g_handle{nullptr};
  void * handle = g_handle.load(std::memory_order_acquire);
  if (handle == nullptr) {
    handle = ::dlopen("librclcpp.so", RTLD_NOLOAD | RTLD_LAZY);
    g_handle.store(handle, std::memory_order_release);
  }
  return handle;
}

void * stock_symbol(const char * symbol)
{
  if (void * const next = ::dlsym(RTLD_NEXT, symbol); next != nullptr) {
    return next;
  }
  std::vector<std::string> names;
  ::dl_iterate_phdr(
    [](dl_phdr_info * info, std::size_t, void * all) {
      if (info->dlpi_name != nullptr && *info->dlpi_name != '\0') {
        static_cast<std::vector<std::string> *>(all)->emplace_back(info->dlpi_name);
      }
      return 0;
    },
    &names);
  Dl_info own{};
  ::dladdr(reinterpret_cast<void *>(&stock_symbol), &own);
  for (const std::string & name : names) {
    void * const library = ::dlopen(name.c_str(), RTLD_NOLOAD | RTLD_LAZY);
    void * const found = library == nullptr ? nullptr : ::dlsym(library, symbol);
    Dl_info where{};
    const bool is_own =
      found != nullptr && ::dladdr(found, &where) != 0 && where.dli_fbase == own.dli_fbase;
    if (library != nullptr) {
      ::dlclose(library);
    }
    if (found != nullptr && !is_own) {
      return found;
    }
  }
  return nullptr;
}

bool calls_are_bound_inside()
{
  void * const library = librclcpp();
  link_map * map = nullptr;
  if (library == nullptr || ::dlinfo(library, RTLD_DI_LINKMAP, &map) != 0) {
    return false;
  }
  // The linker marks -Bsymbolic by a flag, but not -Bsymbolic-functions. With the latter the
  // library has no slot for a function that it defines and calls. So look for such a slot.
  const char * strings = nullptr;
  const ElfW(Sym) * symbols = nullptr;
  const ElfW(Rela) * slots = nullptr;
  std::size_t size = 0;
  for (const ElfW(Dyn) * entry = map->l_ld; entry->d_tag != DT_NULL; ++entry) {
    switch (entry->d_tag) {
      case DT_STRTAB:
        strings = reinterpret_cast<const char *>(entry->d_un.d_ptr);
        break;
      case DT_SYMTAB:
        symbols = reinterpret_cast<const ElfW(Sym) *>(entry->d_un.d_ptr);
        break;
      case DT_JMPREL:
        slots = reinterpret_cast<const ElfW(Rela) *>(entry->d_un.d_ptr);
        break;
      case DT_PLTRELSZ:
        size = entry->d_un.d_val;
        break;
      case DT_SYMBOLIC:
        return true;
      case DT_FLAGS:
        if ((entry->d_un.d_val & DF_SYMBOLIC) != 0) {
          return true;
        }
        break;
      default:
        break;
    }
  }
  if (strings == nullptr || symbols == nullptr || slots == nullptr) {
    return true;
  }
  for (std::size_t i = 0; i < size / sizeof(ElfW(Rela)); ++i) {
    const auto & symbol = symbols[ELF64_R_SYM(slots[i].r_info)];
    if (symbol.st_shndx != SHN_UNDEF && ELF64_ST_TYPE(symbol.st_info) == STT_FUNC) {
      return false;
    }
  }
  return true;
}

}  // namespace takt_preload
