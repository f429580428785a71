#include "event.hpp"

#include <rcutils/logging_macros.h>
#include <rmw/qos_string_conversions.h>
#include <rmw/rmw.h>

#include <system_error>

#include "node_state.hpp"
#include "takt_core/activation.hpp"
#include "takt_rcl/error.hpp"

namespace takt_rcl
{
namespace
{

// For the log and its publisher of /rosout.
constexpr std::size_t kWarningStack = std::size_t{1} << 20;

template <typename Handle, typename Init>
std::shared_ptr<EventSource> open_source(const std::shared_ptr<Handle> & handle, const Init & init)
{
  auto source = std::make_shared<EventSource>(handle);
  const std::lock_guard lock(rcl_mutex());
  const rcl_ret_t result = init(&source->rcl);
  if (result == RCL_RET_UNSUPPORTED) {
    detail::take_rcl_error();
    return nullptr;
  }
  if (result != RCL_RET_OK) {
    detail::throw_rcl("cannot listen for events");
  }
  return source;
}

}  // namespace

EventSource::~EventSource()
{
  const std::lock_guard lock(rcl_mutex());
  if (rcl.impl != nullptr) {
    detail::ignore(rcl_event_fini(&rcl));
  }
}

bool EventSource::listen(rcl_event_callback_t listener, const void * data) noexcept
{
  return rcl_event_set_callback(&rcl, listener, data) == RCL_RET_OK;
}

std::shared_ptr<EventSource> open_event(
  const std::shared_ptr<rcl_publisher_t> & publisher, rcl_publisher_event_type_t type)
{
  return open_source(publisher, [&](rcl_event_t * event) {
    return rcl_publisher_event_init(event, publisher.get(), type);
  });
}

std::shared_ptr<EventSource> open_event(
  const std::shared_ptr<rcl_subscription_t> & subscription, rcl_subscription_event_type_t type)
{
  return open_source(subscription, [&](rcl_event_t * event) {
    return rcl_subscription_event_init(event, subscription.get(), type);
  });
}

bool note_changes(QOSLivelinessChangedInfo & status, QOSLivelinessChangedInfo & last) noexcept
{
  status.alive_count_change = status.alive_count - last.alive_count;
  status.not_alive_count_change = status.not_alive_count - last.not_alive_count;
  last = status;
  return status.alive_count_change != 0 || status.not_alive_count_change != 0;
}

bool note_changes(MatchedInfo & status, MatchedInfo & last) noexcept
{
  if (status.total_count < last.total_count) {
    last.total_count = 0;  // a reader that the middleware replaced counts anew
  }
  status.total_count_change = status.total_count - last.total_count;
  status.current_count_change =
    static_cast<std::int32_t>(status.current_count) - static_cast<std::int32_t>(last.current_count);
  last = status;
  return status.total_count_change != 0 || status.current_count_change != 0;
}

QosEventBase::QosEventBase(
  std::shared_ptr<NodeState> node, const EntityOptions & options,
  std::shared_ptr<EventSource> source)
: Entity(std::move(node), takt_core::Kind::waitable, "waitable", "event", options),
  source_(std::move(source))
{
  set_depth(1);
  // Once and for all executors: a middleware may forget changes when it gets another listener.
  if (!listen()) {
    detail::throw_rcl(id() + ": cannot listen for events");
  }
}

void QosEventBase::end() noexcept
{
  leave_node();
  if (!source_->listen(nullptr, nullptr)) {
    rcutils_reset_error();
  }
}

// The listener. Runs on a thread of the middleware, with its locks held, or inside a publish. The
// next take gets all events that have come until then, so one announcement is enough. An event
// belongs to no activation: not to that of the callback that happens to run here.
void QosEventBase::on_event(const void * self, std::size_t)
{
  auto * const here = const_cast<QosEventBase *>(static_cast<const QosEventBase *>(self));
  here->source_->happened.store(true);
  if (here->source_->announced.exchange(true)) {
    return;
  }
  static const takt_core::ActivationSet nobody;
  const takt_core::ActivationScope scope(nobody);
  const takt_core::MessageScope no_message(0);
  const bool told =
    here->attachment_.use([](takt_core::Executor & executor, takt_core::Callback & callback) {
      static_cast<takt_core::adapter::AnnouncedCallback &>(callback).announce(executor, 1);
    });
  if (!told) {
    here->keep(1);
    here->announce_kept();  // it may have entered an executor too early to see this event
  }
}

IncompatibleQosWarning::IncompatibleQosWarning(
  std::string logger, std::string owner, std::string peer, std::shared_ptr<EventSource> source)
: logger_(std::move(logger)),
  owner_(std::move(owner)),
  peer_(std::move(peer)),
  source_(std::move(source))
{
  if (!listen()) {
    detail::throw_rcl(owner_ + ": cannot listen for events");
  }
}

IncompatibleQosWarning::~IncompatibleQosWarning()
{
  if (!source_->listen(nullptr, nullptr)) {
    rcutils_reset_error();
  }
  thread_.reset();
}

// With locks of the middleware held, which the take needs, and perhaps the log's publisher.
void IncompatibleQosWarning::on_event(const void * self, std::size_t)
{
  auto * const here =
    const_cast<IncompatibleQosWarning *>(static_cast<const IncompatibleQosWarning *>(self));
  if (here->source_->announced.exchange(true)) {
    return;
  }
  try {
    here->thread_ = std::make_unique<takt_rt::SmallThread>(kWarningStack, [here] { here->warn(); });
  } catch (const std::exception &) {  // the process has no room for a thread
    here->source_->announced.store(false);
  }
}

void IncompatibleQosWarning::warn() const
{
  rmw_qos_incompatible_event_status_t status{};
  const std::lock_guard lock(source_->take_mutex);
  if (rcl_take_event(&source_->rcl, &status) != RCL_RET_OK) {
    rcutils_reset_error();
    return;
  }
  const char * const policy = rmw_qos_policy_kind_to_str(status.last_policy_kind);
  RCUTILS_LOG_WARN_NAMED(
    logger_.c_str(), "%s and %s have incompatible QoS (%s): no message passes between them",
    owner_.c_str(), peer_.c_str(), policy != nullptr ? policy : "unknown policy");
}

Events::Events(std::shared_ptr<NodeState> node, EntityOptions options, std::string owner)
: node_(std::move(node)),
  options_(std::move(options)),
  owner_(std::move(owner))
{
}

Events::~Events()
{
  for (const auto & event : events_) {
    event->end();
  }
  if (followed_ != nullptr && !followed_->listen(nullptr, nullptr)) {
    rcutils_reset_error();
  }
}

std::shared_ptr<EventSource> Events::follow(std::shared_ptr<EventSource> source)
{
  if (source != nullptr) {
    // On a thread of the middleware, with its locks held.
    const auto note = [](const void * self, std::size_t) {
      const_cast<EventSource *>(static_cast<const EventSource *>(self))->happened.store(true);
    };
    if (!source->listen(note, source.get())) {
      rcutils_reset_error();
      return nullptr;
    }
    followed_ = source;
  }
  return source;
}

std::shared_ptr<EventSource> Events::supported(
  std::shared_ptr<EventSource> source, const char * name)
{
  if (source == nullptr) {
    throw UnsupportedEventTypeException(
      owner_ + " cannot have a " + name + ", because " + rmw_get_implementation_identifier() +
      " does not report such events");
  }
  return source;
}

void Events::adopt(std::shared_ptr<QosEventBase> event)
{
  events_.push_back(std::move(event));
  node_->adopt(events_.back());
}

bool Events::change_reader(const std::function<bool()> & change)
{
  std::vector<std::unique_lock<takt_rt::PiMutex>> quiet;
  for (const auto & event : events_) {
    quiet.emplace_back(event->source().take_mutex);
  }
  if (warning_ != nullptr) {
    quiet.emplace_back(warning_->source().take_mutex);
  }
  const bool replaced = change();
  bool listens = warning_ == nullptr || warning_->listen();
  for (const auto & event : events_) {
    if (replaced) {
      event->reader_replaced();
    }
    listens = event->listen() && listens;
  }
  return listens;
}

void Events::warn(std::shared_ptr<EventSource> source, const char * peer)
{
  if (source != nullptr) {
    warning_ = std::make_unique<IncompatibleQosWarning>(
      rcl_node_get_logger_name(node_->rcl()), owner_, peer, std::move(source));
  }
}

}  // namespace takt_rcl
