#include "adopt/publishing.hpp"

#include <rcl/publisher.h>
#include <rmw/rmw.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <memory>
#include <new>
#include <utility>

#include "adopt/held_messages.hpp"
#include "adopt/observe/work_after_publish.hpp"
#include "adopt/recorder.hpp"
#include "takt_core/activation.hpp"
#include "takt_core/message_key.hpp"
#include "takt_core/middleware_ceiling.hpp"
#include "takt_trace/recording.hpp"

namespace takt_rclcpp
{
namespace
{

/// Holds a scope that begins and ends in different functions. The scope's destructor does not run
/// at the thread's end, because the program's own objects may publish after the destruction of
/// `main`'s thread-local objects.
template <typename Scope>
class ScopePlace
{
public:
  template <typename... Arguments>
  void begin(Arguments... arguments)
  {
    new (bytes_) Scope(arguments...);
  }
  void end() { std::destroy_at(std::launder(reinterpret_cast<Scope *>(bytes_))); }

private:
  alignas(Scope) std::byte bytes_[sizeof(Scope)];
};

/// A publish in progress on this thread.
struct Publish
{
  ScopePlace<takt_core::MiddlewareCeilingScope> ceiling;
  ScopePlace<takt_core::MessageScope> name;
  takt_core::MessageKey key;
  const rcl_publisher_t * publisher;
  bool named;
  bool told;  // the trace has this publish, or no trace is recorded
};

// A listener may publish inside a publish. The depth is limited, because a publish may not allocate
// here.
constexpr std::size_t kDeepest = 4;
constinit thread_local std::array<Publish, kDeepest> t_publishes{};
constinit thread_local std::size_t t_depth = 0;

/// Finds the publisher's gid; it stays zero if the middleware does not give it. Returns false if
/// `publish.publisher` is not a publisher.
bool find_publisher(Publish & publish)
{
  if (!rcl_publisher_is_valid_except_context(publish.publisher)) {
    return false;
  }
  rmw_gid_t gid{};
  if (
    rmw_get_gid_for_publisher(rcl_publisher_get_rmw_handle(publish.publisher), &gid) ==
    RMW_RET_OK) {
    std::copy_n(std::begin(gid.data), publish.key.publisher.size(), publish.key.publisher.begin());
  }
  return true;
}

void trace(Publish & publish)
{
  if (!std::exchange(publish.told, true)) {
    takt_trace::record_publish(
      takt_trace::topic_id(rcl_publisher_get_topic_name(publish.publisher)), publish.key);
  }
}

}  // namespace

void publish_begins(const void * publisher)
{
  if (!publishes_held_message()) {
    Recorder::note_publish(publisher);
  }
  WorkAfterPublish::publish_begins();
  if (t_depth < kDeepest) {
    Publish & publish = t_publishes[t_depth];
    publish.key = {};
    publish.publisher = static_cast<const rcl_publisher_t *>(publisher);
    publish.named = false;
    // A run that takes this message within the process needs the message's name.
    const bool carries = takt_core::current_activations() != nullptr;
    const bool recorded = takt_trace::recording();
    const bool known = (carries || recorded) && find_publisher(publish);
    if (!known) {
      publish.publisher = nullptr;
    }
    publish.told = !recorded || !known;
    publish.ceiling.begin();
  }
  ++t_depth;
}

void message_named(std::int64_t source_time)
{
  if (t_depth == 0 || t_depth > kDeepest) {
    return;
  }
  Publish & publish = t_publishes[t_depth - 1];
  if (publish.publisher == nullptr || publish.named) {
    return;
  }
  publish.key.source_time = source_time;
  trace(publish);
  publish.name.begin(publish.key.name_by_time());
  publish.named = true;
}

void publish_ended()
{
  --t_depth;
  if (t_depth < kDeepest) {
    Publish & publish = t_publishes[t_depth];
    if (publish.named) {
      publish.name.end();
    }
    // Record a publish that the trace does not have yet, without a source time: the middleware has
    // no such tracepoint, or the publish failed.
    trace(publish);
    publish.ceiling.end();
  }
  WorkAfterPublish::publish_ends();
}

}  // namespace takt_rclcpp
