#include "publishers.hpp"

#include <map>
#include <string_view>
#include <tuple>
#include <utility>

#include "callback_ids.hpp"

namespace takt_trace::detail
{
namespace
{

class Finder
{
public:
  explicit Finder(const LongTrace & process) : process_(process) {}

  void read(const ThreadView & view)
  {
    LongVector<std::size_t> of_publish;
    const auto & records = view.thread->records;
    std::vector<std::size_t> runs;  // indices of the ends of the runs in progress
    for (std::size_t i = 0; i < records.size(); ++i) {
      while (!runs.empty() && runs.back() <= i) {
        runs.pop_back();
      }
      const Record record = records[i];
      if (record.kind == RecordKind::run_start && view.others[i] != kNoRecord) {
        runs.push_back(view.others[i]);
      } else if (record.kind == RecordKind::publish) {
        const std::string node = runs.empty() ? "" : node_of(records[runs.back()].id);
        of_publish.push_back(publisher(record, node));
      }
    }
    result_.of_publish.push_back(std::move(of_publish));
  }

  FoundPublishers result() { return std::move(result_); }

private:
  std::string node_of(std::uint32_t callback) const
  {
    const bool known = callback < process_.callbacks.size();
    return known ? std::string(node_in(process_.callbacks[callback].id)) : "";
  }

  std::size_t publisher(const Record & publish, const std::string & node)
  {
    const auto key = std::tuple(publish.id, publish.a, publish.a == 0 ? node : std::string());
    const auto [entry, is_new] = numbers_.emplace(key, result_.all.size());
    if (is_new) {
      result_.all.push_back({publish.id, publish.a, {}});
    }
    FoundPublisher & found = result_.all[entry->second];
    if (found.node.empty()) {
      found.node = node;
    }
    return entry->second;
  }

  const LongTrace & process_;
  FoundPublishers result_;
  std::map<std::tuple<std::uint32_t, std::int64_t, std::string>, std::size_t> numbers_;
};

}  // namespace

FoundPublishers find_publishers(const LongTrace & process, const std::vector<ThreadView> & threads)
{
  Finder finder(process);
  for (const ThreadView & view : threads) {
    finder.read(view);
  }
  return finder.result();
}

}  // namespace takt_trace::detail
