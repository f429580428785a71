// Events of the ignore list do not count for alarms.
#include "exec/guard/judge.hpp"

#include <gtest/gtest.h>
#include <link.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <limits>
#include <memory>
#include <new>
#include <string>
#include <thread>
#include <vector>

#include "exec/report_folder.hpp"

namespace takt_exec::test
{

// Functions of this program, whose symbols the judge reads. Not static: they have to stay.
[[gnu::noinline]] void logs()
{
  asm volatile("" ::: "memory");
}
[[gnu::noinline]] void controls()
{
  asm volatile("nop" ::: "memory");
}

namespace
{

using takt_rt::GuardAccount;
using takt_rt::GuardKind;
using takt_rt::GuardSite;

std::uint64_t offset_of(void (*function)())
{
  std::uint64_t base = 0;
  ::dl_iterate_phdr(
    [](dl_phdr_info * object, std::size_t, void * to) {
      *static_cast<std::uint64_t *>(to) = object->dlpi_addr;
      return 1;  // the first one is the program
    },
    &base);
  return reinterpret_cast<std::uint64_t>(function) - base;
}

class JudgeTest : public testing::Test
{
protected:
  void SetUp() override
  {
    const std::filesystem::path list = folder_->path() / "ignored";
    std::ofstream(list) << "allocation takt_exec::test::logs\n";
    ignored_ = *IgnoreList::read(list);
  }

  // The account of a program that begins now.
  GuardAccount & begin_program(const char * name)
  {
    const std::filesystem::path path = folder_->path() / (std::string(name) + ".guard");
    std::ofstream file(path);
    file.close();
    std::filesystem::resize_file(path, sizeof(GuardAccount));
    files_.push_back(std::make_unique<AccountFile>(path));
    EXPECT_EQ(files_.back()->get(), nullptr) << "it has no head yet";
    judge_.look();
    std::ofstream head(path, std::ios::in | std::ios::binary);
    head.write(reinterpret_cast<const char *>(&GuardAccount::kMagic), sizeof(GuardAccount::kMagic));
    head.close();
    GuardAccount & account = *files_.back()->get();
    account.name_count = 2;
    account.objects[3].path = {};
    ::readlink("/proc/self/exe", account.objects[3].path.data(), account.objects[3].path.size());
    return account;
  }

  // Events at a place in `function`.
  static void add(
    GuardAccount & account, std::size_t place, std::uint32_t name, GuardKind kind,
    void (*function)(), std::uint64_t count)
  {
    GuardSite & site = account.sites[place];
    site.name = name;
    site.kind = kind;
    site.frame_count = 2;
    site.frames[0] = GuardAccount::kNoObject << 48U | 16;
    site.frames[1] = std::uint64_t{3} << 48U | offset_of(function);
    site.count = count;
    site.state = GuardSite::ready;
  }

  // How often this process has mapped that program's account.
  int times_mapped(const std::string & program) const
  {
    const std::string path = (folder_->path() / (program + ".guard")).string();
    std::ifstream maps("/proc/self/maps");
    int found = 0;
    for (std::string line; std::getline(maps, line);) {
      found += line.ends_with(path) ? 1 : 0;
    }
    return found;
  }

  const takt_rt::Result<ReportFolder> folder_ = ReportFolder::make();
  IgnoreList ignored_;
  Judge judge_{folder_->path(), ignored_};
  std::vector<std::unique_ptr<AccountFile>> files_;
};

TEST_F(JudgeTest, counts_the_events_that_the_list_does_not_ignore)
{
  GuardAccount & account = begin_program("7");
  add(account, 5, 0, GuardKind::allocation, &logs, 100);
  add(account, 6, 0, GuardKind::free, &logs, 3);
  add(account, 7, 1, GuardKind::allocation, &controls, 20);
  account.names[0].events = 103;
  account.names[1].events = 20;
  judge_.look();
  EXPECT_EQ(account.names[0].judged, 3U);
  EXPECT_EQ(account.names[0].seen, 103U) << "those of the list, too";
  EXPECT_EQ(account.names[1].judged, 20U);
  EXPECT_EQ(account.names[1].seen, 20U);
  account.sites[5].count += 50;
  account.sites[7].count += 1;
  add(account, 4000, 0, GuardKind::allocation, &controls, 4);
  judge_.look();
  EXPECT_EQ(account.names[0].judged, 7U);
  EXPECT_EQ(account.names[1].judged, 21U);
  EXPECT_EQ(account.judge_looks, 2U);
}

TEST_F(JudgeTest, judges_programs_that_begin_later)
{
  GuardAccount & first = begin_program("7");
  add(first, 0, 0, GuardKind::free, &logs, 1);
  judge_.look();
  GuardAccount & second = begin_program("8");
  add(second, 0, 1, GuardKind::free, &logs, 2);
  judge_.look();
  EXPECT_EQ(first.names[0].judged, 1U);
  EXPECT_EQ(second.names[1].judged, 2U);
}

TEST_F(JudgeTest, forgets_programs_that_have_ended)
{
  GuardAccount & ended = begin_program("7");
  GuardAccount & killed = begin_program("8");
  GuardAccount & unknown = begin_program("9");
  const pid_t child = ::fork();
  if (child == 0) {
    ::pause();
    ::_exit(0);
  }
  ASSERT_GT(child, 0);
  killed.process = child;
  // Its number in another namespace, which the kernel does not know here.
  unknown.process = std::numeric_limits<std::int32_t>::max();
  for (GuardAccount * const account : {&ended, &killed, &unknown}) {
    add(*account, 0, 0, GuardKind::free, &controls, 1);
  }
  judge_.look();
  EXPECT_EQ(times_mapped("7"), 2) << "by the judge and by this test";
  ended.ended = 1;
  ::kill(child, SIGKILL);
  ASSERT_EQ(::waitpid(child, nullptr, 0), child);
  for (GuardAccount * const account : {&ended, &killed, &unknown}) {
    EXPECT_EQ(account->names[0].judged, 1U);
    account->sites[0].count = 2;
  }
  judge_.look();
  judge_.look();
  EXPECT_EQ(ended.names[0].judged, 1U);
  EXPECT_EQ(killed.names[0].judged, 1U);
  EXPECT_EQ(unknown.names[0].judged, 2U);
  EXPECT_EQ(times_mapped("7"), 1);
  EXPECT_EQ(times_mapped("8"), 1);
  EXPECT_EQ(times_mapped("9"), 2);
}

TEST_F(JudgeTest, looks_by_itself_until_its_end)
{
  GuardAccount & account = begin_program("7");
  const Judging judging(folder_->path(), ignored_);
  add(account, 0, 0, GuardKind::free, &controls, 2);
  const auto limit = std::chrono::steady_clock::now() + std::chrono::minutes(2);
  while (account.names[0].judged == 0 && std::chrono::steady_clock::now() < limit) {
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  EXPECT_EQ(account.names[0].judged, 2U);
}

TEST(GuardAccount, raises_alarms_for_all_events_without_a_judge)
{
  const auto account = std::make_unique<GuardAccount>();
  account->names[4].events = 9;
  account->names[4].judged = 2;
  EXPECT_EQ(account->alarming(4), 9U);
  account->is_judged = 1;
  EXPECT_EQ(account->alarming(4), 2U);
}

}  // namespace
}  // namespace takt_exec::test
