// Messages that no thread announces: executor threads sleep on the words of their sources.
#include <gtest/gtest.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/mman.h>
#include <sys/prctl.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstddef>
#include <fstream>
#include <memory>
#include <new>
#include <string>
#include <thread>
#include <vector>

#include "support/executor_fixture.hpp"
#include "support/rounds.hpp"
#include "takt_core/arrival_word.hpp"
#include "takt_rt/futex.hpp"

namespace takt_core::test
{
namespace
{

using namespace std::chrono_literals;
using takt_rt::futex_wake_shared;
using takt_rt::to_ns;

// A source of messages in memory that processes share: a counter and an arrival word.
class Source
{
public:
  Source()
  : page_(::mmap(nullptr, sizeof(Page), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0)),
    page(*new (page_) Page)
  {
  }
  ~Source() { ::munmap(page_, sizeof(Page)); }
  Source(const Source &) = delete;
  Source & operator=(const Source &) = delete;

  // Returns the number of sleepers that it woke.
  int send() noexcept
  {
    page.sent.fetch_add(1, std::memory_order_relaxed);
    page.word.fetch_add(1, std::memory_order_seq_cst);
    return futex_wake_shared(page.word, 1);
  }
  int sleepers() noexcept { return futex_wake_shared(page.word, INT32_MAX); }

private:
  void * page_;

public:
  struct Page
  {
    std::atomic<std::uint32_t> word{0};
    std::atomic<std::uint64_t> sent{0};
  } & page;
};

class Receiver final : public Callback, private ArrivalWord
{
public:
  Receiver(
    Executor & executor, Source & source, CallbackOptions options,
    std::function<void(const Run &)> function = {})
  : Callback(std::move(options)),
    executor_(executor),
    source_(source),
    function_(std::move(function))
  {
  }

  ArrivalWord * arrival_word() noexcept override { return this; }
  bool take(const Run & run) override
  {
    run.arrived = arrived;
    return true;
  }
  void run(const Run & run) override
  {
    if (function_) {
      function_(run);
    }
    runs.fetch_add(1);
  }

  std::atomic<std::uint64_t> runs{0};
  std::atomic<std::uint64_t> looks{0};
  Time arrived = kNever;

private:
  const std::atomic<std::uint32_t> & word() const noexcept override { return source_.page.word; }
  void changed() noexcept override
  {
    looks.fetch_add(1);
    const std::uint64_t sent = source_.page.sent.load(std::memory_order_relaxed);
    executor_.ready(*this, static_cast<std::uint32_t>(sent - announced_));
    announced_ = sent;
  }

  Executor & executor_;
  Source & source_;
  std::function<void(const Run &)> function_;
  std::uint64_t announced_ = 0;
};

std::shared_ptr<Receiver> add_receiver(
  Executor & executor, Source & source, const std::string & id, const Binding & binding = {},
  std::function<void(const Run &)> function = {}, std::shared_ptr<Group> group = nullptr,
  std::uint32_t depth = 1000)
{
  CallbackOptions options;
  options.id = id;
  options.kind = Kind::subscription;
  options.depth = depth;
  options.group = std::move(group);
  auto receiver =
    std::make_shared<Receiver>(executor, source, std::move(options), std::move(function));
  EXPECT_TRUE(executor.add(receiver, binding).ok());
  return receiver;
}

Binding on(ThreadMask threads)
{
  Binding binding;
  binding.threads = threads;
  return binding;
}

struct Sleeps : Observer
{
  ObserverInterest interest() const noexcept override { return {false, true, false}; }
  void on_idle(std::uint32_t, Time) noexcept override { idles.fetch_add(1); }
  void on_wake(std::uint32_t, Time) noexcept override { wakes.fetch_add(1); }
  std::atomic<int> idles{0};
  std::atomic<int> wakes{0};
};

// Whether all threads of the executor sleep in the kernel, waiting for messages.
bool all_asleep(const Executor & executor, const Sleeps & sleeps)
{
  const std::vector<pid_t> threads = executor.thread_ids();
  return sleeps.idles - sleeps.wakes == static_cast<int>(threads.size()) &&
         std::all_of(threads.begin(), threads.end(), [](pid_t thread) {
           std::ifstream stat("/proc/self/task/" + std::to_string(thread) + "/stat");
           std::string text;
           std::getline(stat, text);
           const std::size_t name = text.rfind(')');
           return name != std::string::npos && text.compare(name, 3, ") S") == 0;
         });
}

TEST(ArrivalWord, AMessageWakesOneOfTheIdleThreads)
{
  Source source;
  const auto executor = make_executor(3);
  const auto sleeps = std::make_shared<Sleeps>();
  ASSERT_TRUE(executor->add_observer(sleeps).ok());
  const auto receiver = add_receiver(*executor, source, "/a:sub(x)");
  ASSERT_TRUE(executor->start().ok());
  // A wake-up by the kernel means that a thread slept. The next message follows when all three
  // threads sleep again.
  const auto all_idle = [&] { return all_asleep(*executor, *sleeps); };
  constexpr int kMessages = 200;
  for (int sent = 0; sent < kMessages;) {
    ASSERT_TRUE(eventually(all_idle));
    const int before = sleeps->wakes;
    if (source.send() == 0) {
      ASSERT_TRUE(eventually([&] { return receiver->runs == source.page.sent; }));
      continue;  // a thread was on its way to sleep and saw the message
    }
    ++sent;
    ASSERT_TRUE(eventually([&] { return receiver->runs == source.page.sent && all_idle(); }));
    EXPECT_EQ(sleeps->wakes - before, 1);
  }
  executor->cancel();
  EXPECT_TRUE(executor->wait().ok());
  EXPECT_EQ(source.sleepers(), 0);
}

TEST(ArrivalWord, ABusyThreadFindsMessagesAtItsNextDispatch)
{
  Source source;
  const auto executor = make_executor(1);
  std::atomic<int> woken{0};
  std::shared_ptr<Receiver> receiver;
  const auto busy = add_function(*executor, "/a:sub(busy)", [&](const takt_core::Run &) {
    for (int i = 0; i < 5; ++i) {
      woken += source.send();
    }
  });
  receiver = add_receiver(*executor, source, "/a:sub(x)");
  ASSERT_TRUE(executor->start().ok());
  executor->ready(*busy);
  ASSERT_TRUE(eventually([&] { return receiver->runs == 5; }));
  EXPECT_EQ(woken, 0);
  executor->cancel();
  EXPECT_TRUE(executor->wait().ok());
}

TEST(ArrivalWord, TheReleaseIsTheArrivalThatTheTakeReports)
{
  Source source;
  const auto executor = make_executor(1);
  takt_core::Run seen;
  Binding binding;
  binding.deadline = 10ms;
  const auto receiver = add_receiver(
    *executor, source, "/a:sub(x)", binding, [&](const takt_core::Run & run) { seen = run; });
  receiver->arrived = now() - 1s;
  source.send();
  ASSERT_TRUE(executor->spin_some().ok());
  EXPECT_EQ(seen.release, receiver->arrived);
  EXPECT_EQ(seen.deadline, receiver->arrived + 10ms);
  ASSERT_EQ(seen.activations.size(), 1U);
  EXPECT_EQ(seen.activations.begin()->release, receiver->arrived);
  // A time after the announcement does not count as an arrival.
  receiver->arrived = now() + 1h;
  source.send();
  ASSERT_TRUE(executor->spin_some().ok());
  EXPECT_LT(seen.release, now());
}

TEST(ArrivalWord, EndsTheWaitOfSpinOnce)
{
  Source source;
  const auto executor = make_executor(2);
  const auto group = std::make_shared<Group>(GroupKind::mutually_exclusive, "own");
  Isolation isolation;
  ASSERT_TRUE(executor->isolate(*group, isolation).ok());
  const auto receiver = add_receiver(*executor, source, "/a:sub(x)");
  Source second;
  const auto isolated = add_receiver(*executor, second, "/a:sub(y)", {}, {}, group);
  std::thread sender([&] {
    source.send();
    while (second.send() == 0 && isolated->runs == 0) {
      std::this_thread::yield();
    }
  });
  while (receiver->runs == 0 || isolated->runs == 0) {
    ASSERT_TRUE(executor->spin_once(-1ns).ok());
  }
  sender.join();
}

// Rejects twins that do not wake the sleepers, or do not wait until these have left: then a thread
// still sleeps on the word.
TEST(ArrivalWord, NoThreadSleepsOnTheWordOfARemovedCallback)
{
  Source kept;
  Source gone;
  const auto executor = make_executor(2);
  const auto sleeps = std::make_shared<Sleeps>();
  ASSERT_TRUE(executor->add_observer(sleeps).ok());
  const auto receiver = add_receiver(*executor, kept, "/a:sub(kept)");
  ASSERT_TRUE(executor->start().ok());
  for (int round = 0; round < 100; ++round) {
    const auto removed = add_receiver(*executor, gone, "/a:sub(gone)");
    if (round % 4 != 0) {
      ASSERT_TRUE(eventually([&] { return all_asleep(*executor, *sleeps); }));
    }
    executor->remove(*removed);
    ASSERT_EQ(gone.sleepers(), 0);
    const std::uint64_t looks = removed->looks;
    gone.send();
    ASSERT_EQ(removed->looks, looks);
  }
  kept.send();
  EXPECT_TRUE(eventually([&] { return receiver->runs == 1; }));
  executor->cancel();
  EXPECT_TRUE(executor->wait().ok());
}

// Rejects a twin that does not wake the new threads: these sleep without the word, and only the
// former thread wakes.
TEST(ArrivalWord, AMessageAfterAMoveWakesANewThread)
{
  Source source;
  const auto executor = make_executor(2);
  const auto sleeps = std::make_shared<Sleeps>();
  ASSERT_TRUE(executor->add_observer(sleeps).ok());
  std::atomic<std::uint32_t> thread{0};
  const auto receiver = add_receiver(
    *executor, source, "/a:sub(x)", on(1),
    [&](const takt_core::Run & run) { thread = run.thread; });
  ASSERT_TRUE(executor->start().ok());
  for (std::uint32_t round = 1; round < 100; ++round) {
    ASSERT_TRUE(eventually([&] { return all_asleep(*executor, *sleeps); }));
    Reconfiguration change;
    change.callbacks.push_back({receiver, on(1U << round % 2)});
    ASSERT_TRUE(executor->reconfigure(change).ok());
    if (round % 3 == 0) {
      ASSERT_TRUE(eventually([&] { return all_asleep(*executor, *sleeps); }));
    }
    source.send();
    ASSERT_TRUE(eventually([&] { return receiver->runs == round; }));
    EXPECT_EQ(thread, round % 2);
  }
  executor->cancel();
  EXPECT_TRUE(executor->wait().ok());
}

TEST(ArrivalWord, NoMessageIsLostWhileCallbacksMove)
{
  Source source;
  Source other;
  const auto executor = make_executor(3);
  const auto receiver = add_receiver(*executor, source, "/a:sub(x)", on(1));
  const auto second = add_receiver(*executor, other, "/a:sub(y)", on(6));
  ASSERT_TRUE(executor->start().ok());
  const auto moves = static_cast<std::uint32_t>(rounds(400));
  std::atomic<bool> over{false};
  std::thread mover([&] {
    for (std::uint32_t i = 0; i < moves; ++i) {
      Reconfiguration change;
      const ThreadMask masks[] = {1, 2, 4, 6};
      change.callbacks.push_back({receiver, on(masks[i % 4])});
      ASSERT_TRUE(executor->reconfigure(change).ok());
      if (i % 8 == 0) {
        executor->remove(*second);
        ASSERT_TRUE(executor->add(second, on(6)).ok());
      }
    }
    over = true;
  });
  for (int i = 0; !over; ++i) {
    source.send();
    other.send();
    if (i % 3 != 0) {
      continue;  // some messages meet busy threads, others sleeping ones
    }
    ASSERT_TRUE(eventually([&] { return receiver->runs == source.page.sent; })) << i;
  }
  mover.join();
  EXPECT_TRUE(eventually([&] { return receiver->runs == source.page.sent; }));
  executor->cancel();
  EXPECT_TRUE(executor->wait().ok());
}

TEST(ArrivalWord, EveryMessageRunsItsCallbackOnce)
{
  for (const std::size_t threads : {1U, 3U}) {
    std::vector<std::unique_ptr<Source>> sources;
    std::vector<std::shared_ptr<Receiver>> receivers;
    const auto executor = make_executor(threads);
    const int messages = static_cast<int>(rounds(2000));
    for (int i = 0; i < 4; ++i) {
      sources.push_back(std::make_unique<Source>());
      receivers.push_back(add_receiver(
        *executor, *sources.back(), "/a:sub(" + std::to_string(i) + ")", {}, {}, nullptr,
        static_cast<std::uint32_t>(2 * messages)));
    }
    ASSERT_TRUE(executor->start().ok());
    std::vector<std::thread> senders;
    for (int sender = 0; sender < 2; ++sender) {
      senders.emplace_back([&, sender] {
        for (int i = 0; i < messages; ++i) {
          sources[static_cast<std::size_t>(i * (sender + 1)) % 4]->send();
          if (i % 16 == 0) {
            std::this_thread::yield();
          }
        }
      });
    }
    for (std::thread & sender : senders) {
      sender.join();
    }
    for (std::size_t i = 0; i < 4; ++i) {
      EXPECT_TRUE(eventually([&] { return receivers[i]->runs == sources[i]->page.sent; })) << i;
      EXPECT_EQ(receivers[i]->overwritten(), 0U);
    }
    executor->cancel();
    EXPECT_TRUE(executor->wait().ok());
  }
}

TEST(ArrivalWord, WakesNoThreadForANonTriggeringCallback)
{
  Source source;
  const auto executor = make_executor(1);
  const auto group = std::make_shared<Group>(GroupKind::mutually_exclusive, "group");
  const auto taker = add_function(*executor, "/a:sub(taker)", {}, group);
  Binding waits;
  waits.non_triggering.emplace();
  const auto receiver = add_receiver(*executor, source, "/a:sub(x)", waits, {}, group);
  ASSERT_TRUE(executor->start().ok());
  for (int i = 1; i <= 20; ++i) {
    EXPECT_EQ(source.send(), 0);
    EXPECT_EQ(source.sleepers(), 0);
    executor->ready(*taker);
    ASSERT_TRUE(eventually([&] { return taker->runs == i; }));
    EXPECT_EQ(receiver->runs, static_cast<std::uint64_t>(i));
  }
  executor->cancel();
  EXPECT_TRUE(executor->wait().ok());
}

TEST(ArrivalWord, AnExecutorHasAtMostSoManyWords)
{
  std::vector<std::unique_ptr<Source>> sources;
  const auto executor = make_executor(1);
  std::vector<std::shared_ptr<Receiver>> all;
  for (std::size_t i = 0; i < ArrivalWord::kMost; ++i) {
    sources.push_back(std::make_unique<Source>());
    all.push_back(add_receiver(*executor, *sources.back(), "/a:sub(" + std::to_string(i) + ")"));
  }
  CallbackOptions options;
  options.id = "/a:sub(more)";
  options.kind = Kind::subscription;
  const Status more =
    executor->add(std::make_shared<Receiver>(*executor, *sources.front(), options));
  ASSERT_EQ(more.faults().size(), 1U);
  EXPECT_EQ(
    to_string(more.faults().front()),
    "/a:sub(more): the executor has 127 callbacks with messages in shared memory already, and "
    "cannot have more");
  ASSERT_TRUE(executor->start().ok());
  for (std::size_t i = 0; i < all.size(); ++i) {
    sources[i]->send();
    EXPECT_TRUE(eventually([&] { return all[i]->runs == 1; }));
  }
  executor->cancel();
  EXPECT_TRUE(executor->wait().ok());
}

// Runs in a child process, because the filter stays.
void add_where_the_kernel_lacks_the_call()
{
  constexpr std::uint32_t kFutexWaitv = 449;
  sock_filter program[] = {
    BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr)),
    BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, kFutexWaitv, 0, 1),
    BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | ENOSYS),
    BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)};
  const sock_fprog filter = {4, program};
  if (
    ::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 ||
    ::prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter) != 0) {
    std::exit(2);
  }
  Source source;
  const auto executor = make_executor(1);
  CallbackOptions options;
  options.id = "/a:sub(x)";
  options.kind = Kind::subscription;
  const Status added = executor->add(std::make_shared<Receiver>(*executor, source, options));
  options.id = "/a:sub(y)";
  const bool others = executor->add(std::make_shared<FunctionCallback>(options, nullptr)).ok();
  std::exit(
    others && added.faults().size() == 1 &&
        to_string(added.faults().front()) ==
          "/a:sub(x): messages in shared memory wake an executor thread by the system call "
          "futex_waitv, which this kernel lacks or forbids (it came with Linux 5.16)"
      ? 0
      : 1);
}

TEST(ArrivalWord, IsRefusedWhereTheKernelLacksTheCall)
{
  EXPECT_EXIT(add_where_the_kernel_lacks_the_call(), testing::ExitedWithCode(0), "");
}

}  // namespace
}  // namespace takt_core::test
