#include "model/proposed_chains.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <map>
#include <set>

namespace takt_trace
{
namespace
{

using takt_schedule::CallbackModel;
using takt_schedule::ChainSchedule;

constexpr std::size_t kMostChains = 200;
constexpr std::size_t kLongestChain = 64;

/// The callbacks that a topic's messages start, each with the id under which it is started.
using Takers = std::multimap<std::string, std::pair<const CallbackModel *, std::string>>;

// An example: "/ns/FrontLidar:timer(100ms)" becomes "front_lidar".
std::string word_of(const std::string & id)
{
  const std::string node = id.substr(0, id.find(':'));
  std::string word;
  for (const char c : node.substr(node.rfind('/') + 1)) {
    const auto u = static_cast<unsigned char>(c);
    if (
      std::isupper(u) != 0 && !word.empty() && word.back() != '_' &&
      std::islower(static_cast<unsigned char>(word.back())) != 0) {
      word += '_';
    }
    word += std::isalnum(u) != 0 ? static_cast<char>(std::tolower(u)) : '_';
  }
  return word.empty() ? "chain" : word;
}

class Search
{
public:
  explicit Search(const Takers & takers) : takers_(takers) {}

  void from(const CallbackModel & callback, const std::string & id)
  {
    if (paths.size() > kMostChains || path_.size() >= kLongestChain) {
      return;
    }
    if (std::find(path_.begin(), path_.end(), id) != path_.end()) {
      return;  // a loop
    }
    path_.push_back(id);
    bool taken = false;
    for (const std::string & topic : callback.publishes) {
      const auto [begin, end] = takers_.equal_range(topic);
      for (auto taker = begin; taker != end; ++taker) {
        taken = true;
        from(*taker->second.first, taker->second.second);
      }
    }
    if (!taken && path_.size() > 1) {
      paths.push_back(path_);
    }
    path_.pop_back();
  }

  std::vector<std::vector<std::string>> paths;

private:
  const Takers & takers_;
  std::vector<std::string> path_;
};

}  // namespace

std::vector<ChainSchedule> propose_chains(
  const takt_schedule::System & system, std::vector<std::string> & notes)
{
  Takers takers;
  std::vector<const CallbackModel *> roots;
  for (const CallbackModel & callback : system.callbacks) {
    for (std::size_t i = 0; i < callback.triggers.size(); ++i) {
      takers.emplace(
        callback.triggers[i],
        std::pair(&callback, callback.ids.empty() ? callback.id : callback.ids[i]));
    }
    if (callback.period) {
      roots.push_back(&callback);
    }
  }
  std::stable_sort(roots.begin(), roots.end(), [](const auto * a, const auto * b) {
    return *a->period < *b->period;
  });
  std::vector<ChainSchedule> chains;
  std::map<std::string, int> names;
  for (const CallbackModel * root : roots) {
    Search search(takers);
    search.from(*root, root->id);
    for (auto & path : search.paths) {
      if (chains.size() >= kMostChains) {
        notes.push_back(fmt::format(
          "there are more than {} paths; the model has the first of them", kMostChains));
        return chains;
      }
      ChainSchedule chain;
      chain.options.name = word_of(path.front()) + "_to_" + word_of(path.back());
      if (const int number = ++names[chain.options.name]; number > 1) {
        chain.options.name += "_" + std::to_string(number);
      }
      chain.options.path = std::move(path);
      chain.options.period = *root->period;
      chains.push_back(std::move(chain));
    }
  }
  return chains;
}

}  // namespace takt_trace
