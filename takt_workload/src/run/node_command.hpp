// The last node of a way: takes messages, and computes the figures that the reference system
// reports.
#ifndef NODE_COMMAND_HPP_
#define NODE_COMMAND_HPP_

#include "run/node_base.hpp"

namespace takt_workload
{

/// Computes the reference system's figures from each message's history. Stores them and prints
/// nothing.
template <typename Msg>
class Command final : public NodeBase<Msg>
{
public:
  Command(
    const Graph & graph, const CallbackTable & table, std::uint32_t number,
    const NodeSettings & settings)
  : NodeBase<Msg>(graph, table, number, settings)
  {
    samples_.reserve(has_history<Msg> ? settings.originals : 0);
    names();
    this->template subscribe<const Msg &>(0, [this](const Msg & input) {
      if constexpr (has_history<Msg>) {
        compute(input);
      }
    });
  }

  std::vector<OriginalSample> originals() const override { return samples_; }

private:
  std::string name_at(const std::string & id) const
  {
    const std::uint32_t callback = this->table_.find(id);
    return callback == kNone ? std::string()
                             : std::string(entry_name(
                                 this->graph_.nodes[this->table_.callbacks()[callback].node].name));
  }

  void names();

  void compute(const Msg & input) noexcept
  {
    if (samples_.size() == samples_.capacity() || used_entries(input) == 0) {
      return;
    }
    const auto time_of = [](const Entry & entry) {
      return takt_rt::from_ns(static_cast<std::int64_t>(entry.timestamp));
    };
    OriginalSample sample;
    sample.callback = this->callbacks_[0];
    sample.at = start_of_run();
    takt_rt::Time oldest = sample.at;
    takt_rt::Time later{};
    for (std::size_t i = 0; i < used_entries(input); ++i) {
      const Entry & entry = input.stats[i];
      oldest = std::min(oldest, time_of(entry));
      const auto is_one_of = [&](const std::vector<std::string> & all) {
        return std::find(all.begin(), all.end(), name_of(entry)) != all.end();
      };
      if (is_one_of(roots_)) {
        later = std::max(later, time_of(entry));
      }
      if (is_one_of(hot_)) {
        sample.hot_path_drops += entry.dropped_samples;
      }
      if (name_of(entry) == planner_) {
        sample.planner_start = time_of(entry);
        sample.planner_sequence = entry.sequence_number;
      }
    }
    sample.oldest = sample.at - oldest;
    if (const Entry * const sink = find_entry(input, sink_);
        sink != nullptr && later != takt_rt::Time{}) {
      sample.has_hot_path = true;
      sample.hot_path = time_of(*sink) - later;
    }
    samples_.push_back(sample);
  }

  std::vector<OriginalSample> samples_;
  std::vector<std::string> roots_;
  std::vector<std::string> hot_;
  std::string sink_;
  std::string planner_;
};

}  // namespace takt_workload

#endif  // NODE_COMMAND_HPP_
