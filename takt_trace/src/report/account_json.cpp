#include "report/account_json.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "callback_ids.hpp"
#include "saturating.hpp"

namespace takt_trace::detail
{
namespace
{

using nlohmann::ordered_json;

constexpr std::size_t kMostStopped = 20;

/// Ways to stop before the end, misses first.
enum class Stop : std::uint8_t
{
  lost,
  overdue,
  skipped,
  unfinished,
  superseded,
};
constexpr std::array<std::string_view, 5> kStops{
  "lost", "overdue", "skipped", "unfinished", "superseded"};

std::string_view name_of(Stop stop)
{
  return kStops[static_cast<std::size_t>(stop)];
}

Stop stop_of(const AccountedActivation & one)
{
  switch (one.fate) {
    case Fate::lost:
      return Stop::lost;
    case Fate::skipped:
      return Stop::skipped;
    case Fate::superseded:
      return Stop::superseded;
    default:
      return one.overdue ? Stop::overdue : Stop::unfinished;
  }
}

struct Stopped
{
  Stop stop{};
  AccountedActivation activation{};
};

class Writer
{
public:
  Writer(const ChainAccount & chain, const TracedFlow & flow, std::int64_t began)
  : chain_(chain),
    flow_(flow),
    began_(began)
  {
    for (const AccountedActivation one : chain.account->activations) {
      if (one.fate != Fate::completed) {
        const Stop stop = stop_of(one);
        ++counts_[{stop, one.stopped_at}];
        some_.push_back({stop, one});
        if (some_.size() > 2 * kMostStopped) {
          keep_some();
        }
      }
    }
    keep_some();
  }

  /// The number of activations for each way and place, in the order of the ways.
  ordered_json stops() const
  {
    ordered_json all = ordered_json::array();
    for (const auto & [stop, count] : counts_) {
      all.push_back(
        {{"kind", name_of(stop.first)},
         {"callback", chain_.chain.path[stop.second]},
         {"count", count}});
    }
    return all;
  }

  /// Some of the stopped activations by their releases; misses come before others.
  ordered_json stopped() const
  {
    std::vector<Stopped> some = some_;
    std::stable_sort(some.begin(), some.end(), [&](const Stopped & a, const Stopped & b) {
      return a.activation.release < b.activation.release;
    });
    ordered_json all = ordered_json::array();
    for (const Stopped & one : some) {
      const std::string & callback = chain_.chain.path[one.activation.stopped_at];
      all.push_back(
        {{"release_ns", saturating_subtract(one.activation.release, began_)},
         {"kind", name_of(one.stop)},
         {"callback", callback},
         {"reason", reason(one.activation, callback)}});
    }
    return all;
  }

private:
  /// Keeps the first ones by way and release.
  void keep_some()
  {
    std::stable_sort(some_.begin(), some_.end(), [](const Stopped & a, const Stopped & b) {
      return std::pair(a.stop, a.activation.release) < std::pair(b.stop, b.activation.release);
    });
    some_.resize(std::min(some_.size(), kMostStopped));
  }

  std::string reason(const AccountedActivation & one, const std::string & callback) const
  {
    switch (one.fate) {
      case Fate::lost:
        return callback + " took a later message of the publisher and not this one";
      case Fate::skipped:
        return "the timer skipped this period";
      case Fate::superseded:
        return "a newer run of " + callback + " replaced its data before the node published it";
      default:
        break;
    }
    const FlowingRun last = flow_.flow().runs()[one.last];
    if (const auto * const place = flow_.find(callback); last.callback != place->number) {
      return callback + " had not taken the message when the trace ended";
    }
    return last.ended() ? "the node " + std::string(node_in(callback)) +
                            " had not published its data when the trace ended"
                        : callback + " still ran when the trace ended";
  }

  const ChainAccount & chain_;
  const TracedFlow & flow_;
  const std::int64_t began_;
  std::map<std::pair<Stop, std::size_t>, std::uint64_t> counts_;  // by way and place
  std::vector<Stopped> some_;
};

}  // namespace

ordered_json account_counts_json(const ActivationAccount & account)
{
  return {
    {"released", account.released},
    {"completed", account.completed},
    {"late", account.late},
    {"lost", account.lost},
    {"superseded", account.superseded},
    {"unfinished", account.unfinished},
    {"overdue", account.overdue},
    {"skipped", account.skipped}};
}

ordered_json account_json(const ChainAccount & chain, const TracedFlow & flow, std::int64_t began)
{
  if (!chain.account) {
    return {{"account", nullptr}, {"account_why", chain.why}};
  }
  const Writer writer(chain, flow, began);
  ordered_json account = account_counts_json(*chain.account);
  account["stops"] = writer.stops();
  account["stopped"] = writer.stopped();
  return {{"account", std::move(account)}, {"account_why", nullptr}};
}

}  // namespace takt_trace::detail
