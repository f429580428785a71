// Keeps the events of the ignore list from raising alarms.
//
// A guarded program knows no names of functions. So a thread of takt looks at the accounts ten
// times a second while the programs run: it finds the names of new places, and writes to each
// account how many events of each callback are at places that the list does not ignore
// (GuardedName::judged). The watch of the program raises alarms for these.
#ifndef EXEC__GUARD__JUDGE_HPP_
#define EXEC__GUARD__JUDGE_HPP_

#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "exec/guard/account_file.hpp"
#include "exec/guard/ignore_list.hpp"
#include "exec/guard/stacks.hpp"

namespace takt_exec
{

/// One thread at a time.
class Judge
{
public:
  /// `folder`: of the accounts, which programs may make later.
  Judge(std::filesystem::path folder, const IgnoreList & ignored);

  /// Judges the places that are new, and counts the events of all. May block for seconds where a
  /// new place is in a large file.
  void look();

private:
  enum class Verdict : std::uint8_t
  {
    open,
    counts,
    ignored
  };
  struct Account
  {
    explicit Account(const std::filesystem::path & path) : file(path) {}

    AccountFile file;
    std::vector<Verdict> verdicts = std::vector<Verdict>(takt_rt::GuardAccount::kSites);
    bool was_found = false;  ///< the kernel knew a process of the account's number
  };

  void find_accounts();
  void look(Account & account);
  /// True if the account's program runs no more: nobody reads what the judge writes to it.
  static bool has_ended(Account & account);
  /// Judges new places, all at once: their names may need a start of addr2line for each object.
  void judge_new(Account & account);

  const std::filesystem::path folder_;
  const IgnoreList & ignored_;
  // By file name; null: the program has ended.
  std::map<std::string, std::unique_ptr<Account>> accounts_;
  Names names_;
};

/// Looks ten times a second, on a thread of its own, until the object's end.
class Judging
{
public:
  Judging(std::filesystem::path folder, const IgnoreList & ignored);

private:
  Judge judge_;
  std::jthread thread_;
};

}  // namespace takt_exec

#endif  // EXEC__GUARD__JUDGE_HPP_
