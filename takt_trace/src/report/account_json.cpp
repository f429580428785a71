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

/// Ways not to end, the misses first.
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
  const AccountedActivation * activation = nullptr;
};

class Writer
{
public:
  Writer(const ChainAccount & chain, const TracedFlow & flow, std::int64_t began)
  : chain_(chain),
    flow_(flow),
    began_(began)
  {
    for (const AccountedActivation & one : chain.account->activations) {
      if (one.fate != Fate::completed) {
        stopped_.push_back({stop_of(one), &one});
      }
    }
  }

  /// Each way and place with its number, in the order of the ways.
  ordered_json stops() const
  {
    std::map<std::pair<Stop, std::size_t>, std::uint64_t> counts;
    for (const Stopped & one : stopped_) {
      ++counts[{one.stop, one.activation->stopped_at}];
    }
    ordered_json all = ordered_json::array();
    for (const auto & [stop, count] : counts) {
      all.push_back(
        {{"kind", name_of(stop.first)},
         {"callback", chain_.chain.path[stop.second]},
         {"count", count}});
    }
    return all;
  }

  /// Some of them by their releases; misses before others.
  ordered_json stopped() const
  {
    std::vector<Stopped> some = stopped_;
    const auto release = [](const Stopped & one) { return one.activation->release; };
    std::stable_sort(some.begin(), some.end(), [&](const Stopped & a, const Stopped & b) {
      return std::pair(a.stop, release(a)) < std::pair(b.stop, release(b));
    });
    some.resize(std::min(some.size(), kMostStopped));
    std::stable_sort(some.begin(), some.end(), [&](const Stopped & a, const Stopped & b) {
      return release(a) < release(b);
    });
    ordered_json all = ordered_json::array();
    for (const Stopped & one : some) {
      const std::string & callback = chain_.chain.path[one.activation->stopped_at];
      all.push_back(
        {{"release_ns", saturating_subtract(release(one), began_)},
         {"kind", name_of(one.stop)},
         {"callback", callback},
         {"reason", reason(*one.activation, callback)}});
    }
    return all;
  }

private:
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
    const FlowRun & last = flow_.flow().runs()[one.last];
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
  std::vector<Stopped> stopped_;
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
