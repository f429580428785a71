// Content filters of subscriptions.
//
// When a filter is set for the first time, or removed, the middleware (Fast DDS) replaces its
// reader: the new one calls no listener until it is set again, and does not have the messages that
// waited. Their announcements are dropped with them: otherwise each message of the new reader would
// get the arrival of an old one.
#include <rcutils/logging_macros.h>
#include <rmw/rmw.h>

#include <mutex>
#include <string>
#include <vector>

#include "event.hpp"
#include "messages/rcl_filter.hpp"
#include "subscription_run.hpp"

namespace takt_rcl
{
namespace
{

std::string does_not_filter()
{
  return std::string(rmw_get_implementation_identifier()) + " does not filter messages by content";
}

// A reader that has the filter from its creation on, for a topic without publishers. Fast DDS
// refuses a bad filter there. When it replaces a reader it deletes the present one first, and
// crashes later if it refuses the filter then.
std::string refusal_of(
  NodeState & node, const rosidl_message_type_support_t & type, const ContentFilterOptions & filter)
{
  detail::RclSubscriptionOptions options;
  options.set(filter);
  rcl_subscription_t trial = rcl_get_zero_initialized_subscription();
  const std::lock_guard lock(rcl_mutex());
  if (
    rcl_subscription_init(&trial, node.rcl(), &type, "~/_takt_filter", options.release()) !=
    RCL_RET_OK) {
    return detail::take_rcl_error();
  }
  detail::ignore(rcl_subscription_fini(&trial, node.rcl()));
  return {};
}

}  // namespace

void SubscriptionBase::note_filter(const ContentFilterOptions & filter)
{
  if (filter.filter_expression.empty()) {
    return;
  }
  if (rcl_subscription_is_cft_enabled(&shared_->subscription)) {
    shared_->filtered.store(true);
    return;
  }
  RCUTILS_LOG_WARN_NAMED(
    rcl_node_get_logger_name(node().rcl()), "%s: %s; the callback gets all messages of the topic",
    id().c_str(), does_not_filter().c_str());
}

bool SubscriptionBase::is_content_filter_enabled() const
{
  const std::lock_guard lock(shared_->listener_mutex);
  return rcl_subscription_is_cft_enabled(&shared_->subscription);
}

ContentFilterOptions SubscriptionBase::get_content_filter() const
{
  ContentFilterOptions result;
  const std::lock_guard lock(shared_->listener_mutex);
  if (!rcl_subscription_is_cft_enabled(&shared_->subscription)) {
    return result;
  }
  detail::RclFilter filter(shared_->subscription);
  if (rcl_subscription_get_content_filter(&shared_->subscription, &filter.options) != RCL_RET_OK) {
    detail::throw_rcl(id() + ": cannot read the content filter");
  }
  const rmw_subscription_content_filter_options_t & found =
    filter.options.rmw_subscription_content_filter_options;
  result.filter_expression = found.filter_expression;
  for (std::size_t i = 0; i < found.expression_parameters.size; ++i) {
    result.expression_parameters.emplace_back(found.expression_parameters.data[i]);
  }
  return result;
}

void SubscriptionBase::drop_announced() noexcept
{
  if (listener_ == &Run::on_new_message) {
    static_cast<Run *>(const_cast<void *>(listener_data_))->reader_replaced();
  }
  drop_kept();
}

void SubscriptionBase::set_content_filter(
  const std::string & filter_expression, const std::vector<std::string> & expression_parameters)
{
  if (shared_->inbox != nullptr && !filter_expression.empty()) {
    throw Error(
      id() +
      ": it gets messages by pointer, which no middleware filters; give it a filter in its "
      "options, or set "
      "use_intra_process_comm to Disable");
  }
  if (shared_->channel != nullptr && !filter_expression.empty()) {
    throw Error(id() + ": its messages come by shared memory, where no middleware filters them");
  }
  const std::string failed = id() + ": cannot set the filter '" + filter_expression + "'";
  const std::lock_guard listening(shared_->listener_mutex);
  const bool filtered = rcl_subscription_is_cft_enabled(&shared_->subscription);
  if (!filtered) {
    if (filter_expression.empty()) {
      return;
    }
    const std::string refusal =
      refusal_of(node(), shared_->type, {filter_expression, expression_parameters});
    if (!refusal.empty()) {
      throw Error(failed + ": " + refusal);
    }
  }
  detail::RclFilter filter(shared_->subscription);
  if (filter.fill(filter_expression, expression_parameters) != RCL_RET_OK) {
    detail::throw_rcl(failed);
  }
  rcl_ret_t result = RCL_RET_OK;
  std::string error;
  const std::lock_guard making(rcl_mutex());
  const bool events_listen = events_->change_reader([&] {
    const std::lock_guard taking(shared_->take_mutex);
    result = rcl_subscription_set_content_filter(&shared_->subscription, &filter.options);
    error = detail::take_rcl_error();
    if (result != RCL_RET_OK) {
      return false;
    }
    shared_->filtered.store(true);
    const bool replaced = filtered == filter_expression.empty();
    if (replaced) {
      drop_announced();
    }
    return replaced;
  });
  set_listener();  // also after a refusal: the reader may have been replaced before it
  if (!events_listen) {
    detail::throw_rcl(id() + ": cannot listen for events");
  }
  if (result == RCL_RET_UNSUPPORTED) {
    throw Error(failed + ": " + does_not_filter());
  }
  if (result != RCL_RET_OK) {
    throw Error(failed + (error.empty() ? "" : ": " + error));
  }
}

}  // namespace takt_rcl
