#include "model/ways_in.hpp"

#include <algorithm>
#include <utility>

namespace takt_plan::detail
{

std::vector<Index> way_in(const Streams & streams, Index stream)
{
  std::vector<Index> path;
  for (;;) {
    const Stream & one = streams.all()[stream];
    if (one.set == stream) {  // the way enters the set by the topic from which the set counts
      const MessageSet & set = *streams.set(one.task);
      const auto & complete = streams.after(one.task);
      const auto at = std::find(complete.begin(), complete.end(), stream) - complete.begin();
      stream = set.topics[set.slowest][static_cast<Index>(at)];
      continue;
    }
    path.push_back(one.task);
    if (one.from.empty()) {
      break;
    }
    stream = one.from.front().stream;
  }
  std::reverse(path.begin(), path.end());
  return path;
}

Index MoreChains::add(const std::vector<Index> & path, const std::vector<Chain::Alias> & aliases)
{
  const auto before = added_.find(path);
  if (before != added_.end()) {
    return before->second;
  }
  if (path.size() > kMostTasks - tasks_) {
    return kNone;
  }
  tasks_ += path.size();
  added_.emplace(path, model_.chains.size());
  Chain chain;
  chain.path = path;
  chain.aliases = aliases;
  model_.chains.push_back(std::move(chain));
  return model_.chains.size() - 1;
}

}  // namespace takt_plan::detail
