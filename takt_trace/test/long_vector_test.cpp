// Lists that may be longer than memory: their content, order and memory, and their fault without
// room.
#include "takt_trace/long_vector.hpp"

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <random>
#include <string>
#include <vector>

#include "takt_trace/sorted_list.hpp"

namespace takt_trace
{
namespace
{

constexpr std::size_t kPage = 256;

struct Odd
{
  std::int64_t key = 0;
  std::uint32_t number = 0;
  char letter = 'x';

  friend bool operator==(const Odd &, const Odd &) = default;
};

std::string folder()
{
  return std::filesystem::temp_directory_path().string();
}

void compare(const LongVector<Odd> & list, const std::vector<Odd> & plain)
{
  ASSERT_EQ(list.size(), plain.size());
  ASSERT_EQ(list.in_memory(), plain);
}

/// The list behaves as a plain vector for random operations in random order. `count`: approximate
/// number of elements.
void check_as_a_vector(std::size_t count)
{
  std::mt19937 random(static_cast<std::uint32_t>(count));
  const auto any = [&] {
    return Odd{
      static_cast<std::int64_t>(random() % (count / 4 + 1)), static_cast<std::uint32_t>(random()),
      'a'};
  };
  LongVector<Odd> list;
  std::vector<Odd> plain;
  while (plain.size() < count) {
    switch (random() % 8) {
      case 0:
        if (!plain.empty()) {
          const std::size_t at = random() % plain.size();
          const Odd one = any();
          list.set(at, one);
          plain[at] = one;
          ASSERT_EQ(list[random() % plain.size()].letter, 'a');
        }
        break;
      case 1:
        if (!plain.empty()) {
          list.pop_back();
          plain.pop_back();
        }
        break;
      default:
        list.push_back(any());
        plain.push_back(list.back());
    }
  }
  compare(list, plain);
  for (std::size_t i = plain.size(); i > 0; --i) {
    ASSERT_EQ(list[i - 1], plain[i - 1]);
  }
  LongVector<Odd> copy = list;
  copy.set(0, {-1, 0, 'b'});
  compare(list, plain);
  const auto by_key = [](const Odd & a, const Odd & b) { return a.key < b.key; };
  list.sort(by_key);
  std::stable_sort(plain.begin(), plain.end(), by_key);
  compare(list, plain);
  const SortedList<Odd> sorted(list);
  for (std::int64_t key = -1; key < static_cast<std::int64_t>(count / 4 + 2); key += 3) {
    const auto before = [&](const Odd & one) { return one.key < key; };
    ASSERT_EQ(
      sorted.first_not(before),
      static_cast<std::size_t>(
        std::partition_point(plain.begin(), plain.end(), before) - plain.begin()));
  }
}

TEST(LongVector, HoldsWhatAVectorHolds)
{
  for (const std::size_t count : {1U, 10U, 1000U, 20'000U}) {
    check_as_a_vector(count);
    for (const std::size_t pages : {1U, 3U, 40U, 10'000U}) {
      const MemoryLimit limit(pages * kPage, folder(), kPage);
      check_as_a_vector(count);
    }
  }
}

TEST(LongVector, ListsOfOneLimitShareItsPages)
{
  const MemoryLimit limit(4 * kPage, folder(), kPage);
  std::vector<LongVector<std::int64_t>> lists(20);
  for (std::int64_t i = 0; i < 40'000; ++i) {
    lists[static_cast<std::size_t>(i) % lists.size()].push_back(i);
  }
  lists.erase(lists.begin() + 3);  // other lists then use its pages
  LongVector<std::int64_t> more;
  for (std::int64_t i = 0; i < 4000; ++i) {
    more.push_back(-i);
  }
  for (std::size_t list = 3; list < lists.size(); ++list) {
    for (std::size_t i = 0; i < lists[list].size(); ++i) {
      ASSERT_EQ(lists[list][i], static_cast<std::int64_t>(i * 20 + list + 1));
    }
  }
  EXPECT_EQ(more.back(), -3999);
}

TEST(LongVector, ABorrowedListIsCopiedWhenItChanges)
{
  const std::vector<std::int64_t> plain{3, 1, 2};
  LongVector<std::int64_t> list = LongVector<std::int64_t>::borrowed(plain);
  EXPECT_EQ(list[1], 1);
  list.sort(std::less<>());
  EXPECT_EQ(list.in_memory(), (std::vector<std::int64_t>{1, 2, 3}));
  EXPECT_EQ(plain.front(), 3);
}

TEST(LongVector, ALimitEndsWithItsScope)
{
  {
    const MemoryLimit outer(kPage, folder(), kPage);
    {
      const MemoryLimit inner(kPage, folder(), kPage);
    }
    EXPECT_NE(detail::current_pool(), nullptr);
  }
  EXPECT_EQ(detail::current_pool(), nullptr);
}

TEST(LongVector, WithoutRoomItSaysWhereThereIsNone)
{
  const std::string nowhere = folder() + "/takt_no_such_folder";
  const MemoryLimit limit(kPage, nowhere, kPage);
  LongVector<std::int64_t> list;
  try {
    for (std::int64_t i = 0; i < 10'000; ++i) {
      list.push_back(i);
    }
    ADD_FAILURE() << "there is no such folder";
  } catch (const NoRoomForPages & fault) {
    const std::string words = fault.what();
    EXPECT_NE(words.find("cannot be made in " + nowhere + ": No such file"), std::string::npos);
  }
}

TEST(LongVector, AFileThatMayNotGrowIsOneSentence)
{
  const pid_t child = ::fork();
  if (child == 0) {
    std::signal(SIGXFSZ, SIG_IGN);
    const rlimit small{8192, 8192};
    ::setrlimit(RLIMIT_FSIZE, &small);
    bool said = false;
    try {
      const MemoryLimit limit(kPage, folder(), kPage);
      LongVector<std::int64_t> list;
      for (std::int64_t i = 0; i < 10'000; ++i) {
        list.push_back(i);
      }
    } catch (const NoRoomForPages & fault) {
      said = std::string(fault.what()).find("cannot be written in") != std::string::npos;
    }
    ::_exit(said ? 0 : 1);
  }
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
}

}  // namespace
}  // namespace takt_trace
