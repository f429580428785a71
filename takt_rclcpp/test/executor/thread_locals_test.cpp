// An adopted program opens takt's library late, with all libraries that it needs. The loader keeps
// 1,664 bytes for the thread-local variables of such libraries, and the program's own late
// libraries may need some of them.
#include <gtest/gtest.h>
#include <link.h>

#include <cstddef>
#include <string_view>

namespace
{

int add_thread_locals(dl_phdr_info * library, std::size_t, void * sum)
{
  if (std::string_view(library->dlpi_name).find("/libtakt_") == std::string_view::npos) {
    return 0;
  }
  for (int i = 0; i < library->dlpi_phnum; ++i) {
    if (library->dlpi_phdr[i].p_type == PT_TLS) {
      *static_cast<std::size_t *>(sum) += library->dlpi_phdr[i].p_memsz;
    }
  }
  return 0;
}

TEST(ThreadLocals, of_all_libraries_of_takt_are_few)
{
  std::size_t sum = 0;
  ::dl_iterate_phdr(add_thread_locals, &sum);
  EXPECT_GT(sum, 0U);
  EXPECT_LE(sum, 1024U);
}

}  // namespace
