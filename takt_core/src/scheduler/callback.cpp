#include "takt_core/callback.hpp"

#include "scheduler/callback_numbers.hpp"

namespace takt_core
{

Callback::Callback(CallbackOptions options)
: group_(nullptr),
  number_(detail::take_number()),
  kind_(options.kind),
  arrivals_(options.depth),
  timed_(options.timer.has_value()),
  timer_(options.timer.value_or(TimerOptions{})),
  id_(std::move(options.id)),
  chain_id_(std::move(options.chain_id)),
  id_number_(detail::id_number(chain_id())),
  group_owner_(std::move(options.group))
{
  if (group_owner_ == nullptr) {
    group_owner_ = std::make_shared<Group>(GroupKind::mutually_exclusive, id_ + "!group");
  }
  group_ = group_owner_.get();
  detail::note_callback(number_, *id_number_);
  timer_active_ = options.timer.has_value() && options.timer->autostart;
}

Callback::~Callback()
{
  detail::give_back_number(number_);
}

bool Callback::take(const Run &)
{
  return true;
}

}  // namespace takt_core
