#include "exec/guard/judge.hpp"

#include <signal.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <stop_token>
#include <system_error>
#include <utility>

namespace takt_exec
{

using takt_rt::GuardAccount;
using takt_rt::GuardSite;

Judge::Judge(std::filesystem::path folder, const IgnoreList & ignored)
: folder_(std::move(folder)),
  ignored_(ignored)
{
}

void Judge::look()
{
  find_accounts();
  for (auto & [name, account] : accounts_) {
    if (account != nullptr && has_ended(*account)) {
      account.reset();
    }
    if (account != nullptr) {
      look(*account);
    }
  }
}

void Judge::find_accounts()
{
  std::error_code error;
  for (const auto & entry : std::filesystem::directory_iterator(folder_, error)) {
    const std::string name = entry.path().filename();
    if (entry.path().extension() == ".guard" && accounts_.count(name) == 0) {
      auto account = std::make_unique<Account>(entry.path());
      if (account->file.get() != nullptr) {  // the program has written its head
        accounts_.emplace(name, std::move(account));
      }
    }
  }
}

bool Judge::has_ended(Account & account)
{
  const GuardAccount & all = *account.file.get();
  const bool found = ::kill(all.process, 0) == 0 || errno != ESRCH;
  // Elsewhere than here the process may have another number.
  account.was_found = account.was_found || found;
  return all.ended.load(std::memory_order_relaxed) != 0 || (account.was_found && !found);
}

void Judge::look(Account & account)
{
  GuardAccount & all = *account.file.get();
  // Read before the counts of places, which then have all of these events.
  std::vector<std::uint64_t> seen(all.names.size());
  for (std::size_t i = 0; i < seen.size(); ++i) {
    seen[i] = all.names[i].events.load(std::memory_order_acquire);
  }
  judge_new(account);
  std::vector<std::uint64_t> counts(all.names.size());
  for (std::size_t i = 0; i < all.sites.size(); ++i) {
    const GuardSite & site = all.sites[i];
    if (site.state.load(std::memory_order_acquire) != GuardSite::ready) {
      continue;
    }
    if (account.verdicts[i] == Verdict::counts && site.name < counts.size()) {
      counts[site.name] += site.count.load(std::memory_order_relaxed);
    }
  }
  for (std::size_t i = 0; i < counts.size(); ++i) {
    if (counts[i] > 0) {
      all.names[i].judged.store(counts[i], std::memory_order_relaxed);
    }
    if (seen[i] > 0) {
      all.names[i].seen.store(seen[i], std::memory_order_relaxed);
    }
  }
  all.judge_looks.fetch_add(1, std::memory_order_release);
}

void Judge::judge_new(Account & account)
{
  const GuardAccount & all = *account.file.get();
  std::vector<std::size_t> open;
  std::vector<std::vector<Frame>> stacks;
  for (std::size_t i = 0; i < all.sites.size(); ++i) {
    const GuardSite & site = all.sites[i];
    if (
      account.verdicts[i] != Verdict::open ||
      site.state.load(std::memory_order_acquire) != GuardSite::ready) {
      continue;
    }
    std::vector<Frame> stack = stack_at(all, site);
    cut_executor(stack);
    // Most are found by their symbols, which costs less.
    if (std::any_of(stack.begin(), stack.end(), [&](const Frame & frame) {
          return ignored_.ignores(site.kind, names_.symbol(frame));
        })) {
      account.verdicts[i] = Verdict::ignored;
    } else {
      open.push_back(i);
      stacks.push_back(std::move(stack));
    }
  }
  std::vector<std::vector<Frame> *> all_stacks;
  for (auto & stack : stacks) {
    all_stacks.push_back(&stack);
  }
  names_.add_to(all_stacks);
  for (std::size_t i = 0; i < open.size(); ++i) {
    const bool ignored = std::any_of(stacks[i].begin(), stacks[i].end(), [&](const Frame & frame) {
      return ignored_.ignores(all.sites[open[i]].kind, frame.place.function);
    });
    account.verdicts[open[i]] = ignored ? Verdict::ignored : Verdict::counts;
  }
}

Judging::Judging(std::filesystem::path folder, const IgnoreList & ignored)
: judge_(std::move(folder), ignored)
{
  // The program's signals are for the main thread, which passes them on.
  sigset_t all{};
  sigset_t before{};
  ::sigfillset(&all);
  ::pthread_sigmask(SIG_SETMASK, &all, &before);
  thread_ = std::jthread([this](const std::stop_token & stop) {
    std::mutex mutex;
    std::condition_variable_any ended;
    std::unique_lock lock(mutex);
    while (!stop.stop_requested()) {
      judge_.look();
      ended.wait_for(lock, stop, std::chrono::milliseconds(100), [] { return false; });
    }
  });
  ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

}  // namespace takt_exec
