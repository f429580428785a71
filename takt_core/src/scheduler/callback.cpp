#include "takt_core/callback.hpp"

#include "scheduler/callback_numbers.hpp"

namespace takt_core
{

Callback::Callback(CallbackOptions options)
: CallbackEntry(options.kind, detail::take_number(), options.depth, options.timer),
  id_(std::move(options.id)),
  chain_id_(std::move(options.chain_id)),
  of_client_library_(options.of_client_library),
  stamped_(options.stamped),
  id_number_(detail::id_number(chain_id())),
  group_owner_(
    options.group != nullptr
      ? std::move(options.group)
      : std::make_shared<Group>(GroupKind::mutually_exclusive, id_ + "!group"))
{
  group_ = group_owner_.get();
  detail::note_callback(number_, *id_number_);
}

Callback::~Callback()
{
  detail::give_back_number(number_);
}

bool Callback::take(const Run &)
{
  return true;
}

ArrivalWord * Callback::arrival_word() noexcept
{
  return nullptr;
}

void Callback::leave_out(const Run &) noexcept
{
}

}  // namespace takt_core
