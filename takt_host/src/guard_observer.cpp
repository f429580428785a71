#include "guard_observer.hpp"

#include "takt_trace/recording.hpp"
#include "takt_trace/tracer.hpp"

namespace takt_host
{
namespace
{

// One bit for each run that is under way on this thread, the innermost last: whether the guard
// watches it.
thread_local constinit std::uint64_t t_watched = 0;

// In a trace an event is an instant, or a slice if it took long enough to be seen.
constexpr std::int64_t kLong = 10'000;

void record(takt_trace::Literal name, std::int64_t begin, std::int64_t end)
{
  const takt_trace::Tracer tracer;
  if (end - begin >= kLong) {
    tracer.slice(name, takt_rt::from_ns(begin), takt_rt::from_ns(end));
  } else {
    tracer.instant(name);
  }
}

void on_event(takt_rt::GuardKind kind, std::int64_t begin, std::int64_t end)
{
  using takt_rt::GuardKind;
  using takt_trace::Literal;
  if (!takt_trace::recording()) {
    return;
  }
  switch (kind) {
    case GuardKind::allocation:
      return record(Literal("guard: allocation"), begin, end);
    case GuardKind::free:
      return record(Literal("guard: free"), begin, end);
    case GuardKind::lock:
      return record(Literal("guard: lock"), begin, end);
    case GuardKind::wait:
      return record(Literal("guard: wait"), begin, end);
    case GuardKind::system_call:
      return record(Literal("guard: system call"), begin, end);
    case GuardKind::output:
      return record(Literal("guard: output"), begin, end);
    case GuardKind::page_fault:
      return record(Literal("guard: page fault"), begin, end);
    case GuardKind::sleep:
      return record(Literal("guard: sleep"), begin, end);
    case GuardKind::thread:
      return record(Literal("guard: thread"), begin, end);
    case GuardKind::exception:
      return record(Literal("guard: exception"), begin, end);
  }
}

}  // namespace

std::shared_ptr<GuardObserver> GuardObserver::make()
{
  const takt_rt::GuardInterface * const library = takt_rt::guard_library();
  if (library == nullptr || library->watches_executors() == 0) {
    return nullptr;
  }
  library->listen(&on_event);
  return std::make_shared<GuardObserver>(*library);
}

void GuardObserver::on_added(const takt_core::Callback & callback)
{
  if (callback.id().rfind("/takt:", 0) == 0) {
    return;  // a callback of the adopted executor itself
  }
  numbers_.push_back(library_.name(callback.id().c_str()));
  names_.set(callback.number(), &numbers_.back());
}

void GuardObserver::on_removed(const takt_core::Callback & callback)
{
  names_.set(callback.number(), nullptr);
}

void GuardObserver::on_thread(std::uint32_t /*thread*/, const takt_rt::AttributeReport & /*report*/)
{
  library_.prepare_thread();
}

void GuardObserver::on_start(const takt_core::Run & run, takt_rt::Time /*start*/) noexcept
{
  const std::uint32_t * const name = names_.find(run.callback->number());
  const bool watched = name != nullptr && library_.enter(*name, 0) != 0;
  t_watched = t_watched << 1U | (watched ? 1U : 0U);
}

void GuardObserver::on_end(const takt_core::Run & /*run*/, takt_rt::Time /*end*/) noexcept
{
  const bool watched = (t_watched & 1U) != 0;
  t_watched >>= 1U;
  if (watched) {
    library_.leave();
  }
}

}  // namespace takt_host
