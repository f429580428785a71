#include "isolation/model_callback.hpp"

#include "isolation/spin.hpp"

namespace takt_bench::isolation
{

void ModelCallback::run(const takt_core::Run & run)
{
  spin(iterations_);
  for (ModelCallback * const subscriber : here_) {
    executor_->ready(*subscriber);
  }
  if (!there_.empty()) {
    Message message;
    for (const takt_core::Activation & one : run.activations) {
      message.roots[message.count++] = {
        roots_.position(one.root), one.instance, takt_rt::to_ns(one.release)};
    }
    for (const auto & [wire, subscriber] : there_) {
      message.target = subscriber;
      send(wire, message);
    }
  }
  if (chains_.empty()) {
    return;
  }
  const takt_rt::Time end = takt_rt::now();
  for (ChainRecord * const chain : chains_) {
    for (const takt_core::Activation & one : run.activations) {
      if (roots_.position(one.root) == chain->root()) {
        chain->record(one.release, end);
      }
    }
  }
}

takt_core::ActivationSet activations_of(const Message & message) noexcept
{
  takt_core::ActivationSet all;
  for (std::uint32_t i = 0; i < message.count && i < message.roots.size(); ++i) {
    const Message::Root & one = message.roots[i];
    all.add({Roots::received(one.callback), one.instance, takt_rt::from_ns(one.release_ns)});
  }
  return all;
}

}  // namespace takt_bench::isolation
