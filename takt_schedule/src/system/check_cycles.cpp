// Callbacks that trigger themselves. Linear in the size of the model.
#include <string>
#include <unordered_map>
#include <vector>

#include "system/read_system.hpp"
#include "takt_schedule/reader/text.hpp"

namespace takt_schedule::detail
{
namespace
{

using Index = std::size_t;

class CycleSearch
{
public:
  CycleSearch(const System & system, Findings & findings) : system_(system), findings_(findings)
  {
    for (Index i = 0; i < system.callbacks.size(); ++i) {
      const CallbackModel & callback = system.callbacks[i];
      for (const std::string & topic : callback.publishes) {
        topics_[topic].publishers.push_back(i);
      }
      // A callback starts those that it waits for, as through a topic with the name of each.
      for (const std::string & id : callback.waits_for) {
        topics_[id].publishers.push_back(i);
      }
    }
  }

  /// Finds callbacks that trigger themselves, directly or through others: they would run for ever.
  /// Searches each topic once, for its first reader: readers times publishers may be too many.
  void search()
  {
    std::vector<Visit> visits(system_.callbacks.size());
    std::vector<Step> way;
    const auto enter = [&](Index callback) {
      visits[callback] = {Visit::Mark::open, way.size()};
      way.push_back({callback});
    };
    for (Index root = 0; root < visits.size(); ++root) {
      if (visits[root].mark == Visit::Mark::fresh) {
        enter(root);
      }
      while (!way.empty()) {
        Step & step = way.back();
        const CallbackModel & callback = system_.callbacks[step.callback];
        const auto & triggers = callback.triggers;
        if (step.trigger > triggers.size()) {
          visits[step.callback].mark = Visit::Mark::done;
          way.pop_back();
          continue;
        }
        const auto found =
          topics_.find(step.trigger < triggers.size() ? triggers[step.trigger] : callback.id);
        if (found == topics_.end() || !look_through(found->second, way)) {
          ++step.trigger;
          step.publisher = 0;
          continue;
        }
        const Index next = found->second.publishers[step.publisher++];
        if (visits[next].mark == Visit::Mark::fresh) {
          enter(next);
        } else if (visits[next].mark == Visit::Mark::open) {
          report_cycle(way, visits[next].at);
        }
      }
    }
  }

private:
  /// The state of the search for a callback or a topic.
  struct Visit
  {
    enum class Mark : unsigned char
    {
      fresh,
      open,
      done
    };
    Mark mark = Mark::fresh;
    std::size_t at = 0;  ///< while open: its position in the path
  };

  struct Topic
  {
    std::vector<Index> publishers;
    Visit visit;
  };

  /// A callback of the path, and its progress: triggers, and publishers of that topic.
  struct Step
  {
    Index callback;
    std::size_t trigger = 0, publisher = 0;
  };

  /// Whether the path's last step has an unvisited publisher of the topic.
  bool look_through(Topic & topic, const std::vector<Step> & way)
  {
    const Step & step = way.back();
    if (step.publisher == 0) {
      if (topic.visit.mark == Visit::Mark::open) {
        // The step after the one that opened the topic is one of its publishers.
        report_cycle(way, topic.visit.at + 1);
      }
      if (topic.visit.mark != Visit::Mark::fresh) {
        return false;
      }
      topic.visit = {Visit::Mark::open, way.size() - 1};
    }
    if (step.publisher == topic.publishers.size()) {
      topic.visit.mark = Visit::Mark::done;
      return false;
    }
    return true;
  }

  /// Reports the path from position `from` to its end.
  void report_cycle(const std::vector<Step> & way, std::size_t from)
  {
    constexpr std::size_t kShown = 8;
    std::string names;
    for (std::size_t i = from; i < way.size() && i - from < kShown; ++i) {
      // The path goes from a callback to those that trigger it.
      names = (i == from ? "" : quoted(system_.callbacks[way[i].callback].id) + " -> ") + names;
    }
    const CallbackModel & first = system_.callbacks[way[from].callback];
    findings_.fault(
      first.source,
      quoted(first.id) + " triggers itself: " + quoted(first.id) + " -> " +
        (way.size() - from > kShown ? "... -> " : "") + names + quoted(first.id) +
        "; let one of them read the topic instead of being triggered, or start it by a timer");
  }

  const System & system_;
  Findings & findings_;
  std::unordered_map<std::string_view, Topic> topics_;  // topics with a publisher
};

}  // namespace

void check_cycles(const System & system, Findings & findings)
{
  CycleSearch(system, findings).search();
}

}  // namespace takt_schedule::detail
