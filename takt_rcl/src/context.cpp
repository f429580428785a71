#include "takt_rcl/context.hpp"

#include <rcl/arguments.h>
#include <rcl/init.h>
#include <rmw/features.h>

#include <cstdlib>
#include <utility>

#include "engine.hpp"
#include "logging.hpp"
#include "messages/topic_transports.hpp"
#include "takt_core/adapter/stop_signals.hpp"
#include "takt_rcl/error.hpp"
#include "takt_rt/futex.hpp"

namespace takt_rcl
{

namespace stop_signals = takt_core::adapter::stop_signals;

namespace
{

// Undoes a step at the end of the scope.
template <typename Function>
class AtExit
{
public:
  explicit AtExit(Function function) : function_(std::move(function)) {}
  ~AtExit() { function_(); }
  AtExit(const AtExit &) = delete;
  AtExit & operator=(const AtExit &) = delete;

private:
  Function function_;
};

// Arguments after --ros-args that ROS does not know.
std::string unknown_ros_arguments(
  int argc, const char * const * argv, const rcl_arguments_t & arguments)
{
  const rcl_allocator_t allocator = rcl_get_default_allocator();
  const int count = rcl_arguments_get_count_unparsed_ros(&arguments);
  int * indices = nullptr;
  if (count <= 0 || rcl_arguments_get_unparsed_ros(&arguments, allocator, &indices) != RCL_RET_OK) {
    detail::take_rcl_error();
    return {};
  }
  std::string text;
  for (int i = 0; i < count; ++i) {
    if (indices[i] < argc) {
      text += (text.empty() ? "'" : " '") + std::string(argv[indices[i]]) + "'";
    }
  }
  allocator.deallocate(indices, allocator.state);
  return text;
}

// A context that ends by itself; it must be shut down before.
std::shared_ptr<rcl_context_t> make_rcl_context()
{
  return {new rcl_context_t(rcl_get_zero_initialized_context()), [](rcl_context_t * context) {
            if (context->impl != nullptr) {
              detail::ignore(rcl_context_fini(context));
            }
            delete context;
          }};
}

std::mutex g_default_mutex;
std::shared_ptr<Context> g_default;
bool g_default_ended = false;  // a default context was shut down

}  // namespace

Context::Context() : topics_(std::make_shared<TopicTransports>())
{
}

Context::~Context()
{
  shutdown("context destroyed");
  if (uses_logging_) {
    logging::release();
  }
}

void Context::init(int argc, const char * const * argv, const InitOptions & options)
{
  std::lock_guard lock(mutex_);
  if (initialised_.load(std::memory_order_relaxed)) {
    throw Error("this context has been initialised already");
  }
  const rcl_allocator_t allocator = rcl_get_default_allocator();
  rcl_init_options_t init_options = rcl_get_zero_initialized_init_options();
  if (rcl_init_options_init(&init_options, allocator) != RCL_RET_OK) {
    detail::throw_rcl("cannot start ROS 2");
  }
  const AtExit end_options([&] { detail::ignore(rcl_init_options_fini(&init_options)); });
  if (
    options.domain_id &&
    rcl_init_options_set_domain_id(&init_options, *options.domain_id) != RCL_RET_OK) {
    detail::throw_rcl("cannot use domain id " + std::to_string(*options.domain_id));
  }

  const std::shared_ptr<rcl_context_t> context = make_rcl_context();
  // rcl takes a missing argv only with argc 0.
  rcl_ret_t result = RCL_RET_ERROR;
  {
    const logging::QuietRcl quiet;
    result = rcl_init(argc, argc > 0 ? argv : nullptr, &init_options, context.get());
  }
  if (result != RCL_RET_OK) {
    *context = rcl_get_zero_initialized_context();
    detail::throw_rcl(
      result == RCL_RET_INVALID_ROS_ARGS ? "bad ROS arguments" : "cannot start ROS 2");
  }
  bool done = false;
  const AtExit undo([&] {
    if (!done) {
      detail::ignore(rcl_shutdown(context.get()));
    }
  });
  const std::string unknown = unknown_ros_arguments(argc, argv, context->global_arguments);
  if (!unknown.empty()) {
    throw Error("bad ROS arguments: unknown after --ros-args: " + unknown);
  }
  if (options.configure_logging && !uses_logging_) {
    logging::acquire(context->global_arguments, argc, argv);
    uses_logging_ = true;
  }
  detail::throw_schedule_faults("cannot use the schedule", topics_->add_of_process());
  handles_signals_ = options.shutdown_on_signal;
  signals_before_ = stop_signals::count();
  if (handles_signals_) {
    stop_signals::acquire();
  }
  done = true;
  context_ = context;
  ended_ = false;
  reason_.clear();
  initialised_.store(true, std::memory_order_release);
}

bool Context::ok() const noexcept
{
  return initialised_.load(std::memory_order_acquire) &&
         (!handles_signals_ || stop_signals::count() == signals_before_);
}

bool Context::shutdown(const std::string & reason)
{
  std::vector<std::shared_ptr<Engine>> engines;
  std::vector<std::function<void()>> told;
  std::shared_ptr<rcl_context_t> context;
  bool handled_signals = false;
  {
    std::lock_guard lock(mutex_);
    if (!initialised_.exchange(false)) {
      return false;
    }
    ended_ = true;
    reason_ = reason;
    context = context_;
    handled_signals = handles_signals_;
    told = on_shutdown_;
    for (const auto & weak : engines_) {
      if (auto engine = weak.lock(); engine != nullptr) {
        engines.push_back(std::move(engine));
      }
    }
  }
  for (const auto & engine : engines) {
    engine->core().cancel();
  }
  stop_signals::interrupt();
  if (handled_signals) {
    stop_signals::release();
  }
  detail::ignore(rcl_shutdown(context.get()));
  for (const auto & function : told) {
    function();
  }
  return true;
}

void Context::on_shutdown(std::function<void()> function)
{
  std::lock_guard lock(mutex_);
  on_shutdown_.push_back(std::move(function));
}

std::shared_ptr<rcl_context_t> Context::rcl_context(const std::string & what) const
{
  std::lock_guard lock(mutex_);
  if (!initialised_.load(std::memory_order_relaxed)) {
    throw Error(
      what + (ended_ ? ": the context has been shut down"
                     : ": the context is not initialised; call takt_rcl::init first"));
  }
  return context_;
}

std::string Context::shutdown_reason() const
{
  std::lock_guard lock(mutex_);
  return reason_;
}

std::size_t Context::domain_id() const
{
  std::size_t id = 0;
  if (rcl_context_get_domain_id(rcl_context("no domain id").get(), &id) != RCL_RET_OK) {
    detail::throw_rcl("no domain id");
  }
  return id;
}

bool Context::publication_sequence_supported() noexcept
{
  static const bool supported =
    rmw_feature_supported(RMW_FEATURE_MESSAGE_INFO_PUBLICATION_SEQUENCE_NUMBER);
  return supported;
}

void Context::add(const std::shared_ptr<Engine> & engine)
{
  std::lock_guard lock(mutex_);
  std::erase_if(engines_, [](const auto & weak) { return weak.expired(); });
  engines_.push_back(engine);
}

std::shared_ptr<Context> default_context()
{
  std::lock_guard lock(g_default_mutex);
  if (g_default == nullptr) {
    g_default = std::make_shared<Context>();
    g_default->ended_ = g_default_ended;
  }
  return g_default;
}

void init(int argc, const char * const * argv, const InitOptions & options)
{
  default_context()->init(argc, argv, options);
}

std::vector<std::string> init_and_remove_ros_arguments(
  int argc, const char * const * argv, const InitOptions & options)
{
  init(argc, argv, options);
  return remove_ros_arguments(argc, argv);
}

std::vector<std::string> remove_ros_arguments(int argc, const char * const * argv)
{
  const rcl_allocator_t allocator = rcl_get_default_allocator();
  rcl_arguments_t arguments = rcl_get_zero_initialized_arguments();
  const logging::QuietRcl quiet;
  if (rcl_parse_arguments(argc, argv, allocator, &arguments) != RCL_RET_OK) {
    detail::throw_rcl("bad ROS arguments");
  }
  const AtExit end_arguments([&] { detail::ignore(rcl_arguments_fini(&arguments)); });
  int left = 0;
  const char ** values = nullptr;
  if (rcl_remove_ros_arguments(argv, &arguments, allocator, &left, &values) != RCL_RET_OK) {
    detail::throw_rcl("cannot remove ROS arguments");
  }
  std::vector<std::string> result(values, values + left);
  allocator.deallocate(values, allocator.state);
  return result;
}

bool ok(const std::shared_ptr<Context> & context)
{
  return (context != nullptr ? context : default_context())->ok();
}

bool shutdown(const std::shared_ptr<Context> & context, const std::string & reason)
{
  if (context != nullptr) {
    return context->shutdown(reason);
  }
  // The next `init` starts afresh; this context lives until its nodes have ended.
  std::shared_ptr<Context> ended;
  {
    std::lock_guard lock(g_default_mutex);
    ended = std::exchange(g_default, nullptr);
  }
  if (ended == nullptr || !ended->shutdown(reason)) {
    return false;
  }
  std::lock_guard lock(g_default_mutex);
  g_default_ended = true;
  return true;
}

void on_shutdown(std::function<void()> function, const std::shared_ptr<Context> & context)
{
  (context != nullptr ? context : default_context())->on_shutdown(std::move(function));
}

bool sleep_for(takt_rt::Duration duration, const std::shared_ptr<Context> & context)
{
  const std::shared_ptr<Context> ended_by = context != nullptr ? context : default_context();
  const takt_rt::Time until = takt_rt::add_saturated(takt_rt::now(), duration);
  for (;;) {
    const std::uint32_t before = stop_signals::interruptions().load();
    if (!ended_by->ok()) {
      return false;
    }
    if (
      takt_rt::futex_wait(stop_signals::interruptions(), before, until) ==
      takt_rt::WaitResult::timed_out) {
      return true;
    }
  }
}

}  // namespace takt_rcl
