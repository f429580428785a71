// The order in which the audit calls ThreadSanitizer, whose functions are replaced here.
#include "audit/audit_observer.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "takt_core/callback.hpp"
#include "takt_core/group.hpp"

namespace
{

int g_depth = 0;  // of the stack that ThreadSanitizer has of this thread
std::vector<const void *> g_acquired;
std::vector<const void *> g_released;

}  // namespace

// NOLINTBEGIN(bugprone-reserved-identifier): the runtime's names
extern "C" {
__attribute__((visibility("default"))) void __tsan_func_entry(void * /*place*/)
{
  ++g_depth;
}
__attribute__((visibility("default"))) void __tsan_func_exit()
{
  --g_depth;
}
__attribute__((visibility("default"))) void __tsan_acquire(void * place)
{
  g_acquired.push_back(place);
}
__attribute__((visibility("default"))) void __tsan_release(void * place)
{
  g_released.push_back(place);
}
}
// NOLINTEND(bugprone-reserved-identifier)

namespace takt_host
{
namespace
{

using takt_core::Group;
using takt_core::GroupKind;

class Quiet final : public takt_core::Callback
{
public:
  using Callback::Callback;
  void run(const takt_core::Run & /*run*/) override {}
};

bool has(const std::vector<const void *> & places, const void * place)
{
  return std::find(places.begin(), places.end(), place) != places.end();
}

class AuditObserverTest : public testing::Test
{
protected:
  AuditObserverTest()
  {
    ::setenv("TAKT_AUDIT_DIR", testing::TempDir().c_str(), 1);
    g_depth = 0;
    g_acquired.clear();
    g_released.clear();
    observer = AuditObserver::make("/node", false);
  }

  static void TearDownTestSuite()
  {
    std::remove((testing::TempDir() + "/" + std::to_string(::getpid()) + ".audit").c_str());
  }

  static Quiet callback(const std::string & id, std::shared_ptr<Group> group)
  {
    takt_core::CallbackOptions options;
    options.id = id;
    options.group = std::move(group);
    return Quiet(std::move(options));
  }

  void start(Quiet & one) { observer->on_start(run_of(one), {}); }
  void end(Quiet & one) { observer->on_end(run_of(one), {}); }

  static takt_core::Run run_of(Quiet & one)
  {
    takt_core::Run run;
    run.callback = &one;
    return run;
  }

  std::shared_ptr<AuditObserver> observer;
};

TEST_F(AuditObserverTest, RunsOfAnExclusiveGroupHappenOneAfterTheOther)
{
  const auto group = std::make_shared<Group>(GroupKind::mutually_exclusive, "/node:group(1)");
  const auto many = std::make_shared<Group>(GroupKind::reentrant, "/node:group(2)");
  Quiet one = callback("/node:timer(1ms)", group);
  Quiet other = callback("/node:timer(2ms)", many);
  for (Quiet * const each : {&one, &other}) {
    observer->on_added(*each);
    EXPECT_TRUE(has(g_released, each));  // its set-up happened before each run
    start(*each);
    EXPECT_EQ(g_depth, 1);
    EXPECT_TRUE(has(g_acquired, each));
    end(*each);
    EXPECT_EQ(g_depth, 0);
  }
  EXPECT_TRUE(has(g_acquired, group.get()));
  EXPECT_TRUE(has(g_released, group.get()));
  EXPECT_FALSE(has(g_acquired, many.get()));
  EXPECT_FALSE(has(g_released, many.get()));
}

// As a timer that ends itself in its first run.
TEST_F(AuditObserverTest, ACallbackThatIsRemovedInItsRunLeavesNothingBehind)
{
  const auto group = std::make_shared<Group>(GroupKind::mutually_exclusive, "/node:group(1)");
  Quiet outer = callback("/node:timer(1ms)", group);
  Quiet inner = callback("/node:timer(2ms)", nullptr);
  observer->on_added(outer);
  observer->on_added(inner);
  start(outer);
  observer->on_removed(outer);
  start(inner);  // the outer one spins
  EXPECT_EQ(g_depth, 2);
  end(inner);
  EXPECT_EQ(g_depth, 1);
  EXPECT_FALSE(has(g_released, group.get()));
  end(outer);
  EXPECT_EQ(g_depth, 0);
  EXPECT_TRUE(has(g_released, group.get()));
  // One that was added by no observer has no frame to leave.
  start(outer);
  EXPECT_EQ(g_depth, 0);
  end(outer);
  EXPECT_EQ(g_depth, 0);
}

}  // namespace
}  // namespace takt_host
