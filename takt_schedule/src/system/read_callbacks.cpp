#include <algorithm>
#include <array>
#include <unordered_map>
#include <unordered_set>

#include "ids/callback_id.hpp"
#include "schedule/read_executor.hpp"
#include "system/read_system.hpp"
#include "takt_schedule/duration.hpp"
#include "takt_schedule/reader/text.hpp"

namespace takt_schedule::detail
{
namespace
{

constexpr int kLargestDepth = 1'000'000;
// For one callback and key: a callback that waits for messages checks each of its topics for each
// message.
constexpr std::size_t kMostTopics = 10'000;

void read_histogram(
  MapReader & map, Findings & findings, takt_rt::Duration best, ExecutionTime & time)
{
  const YamlNode * const node = map.find("histogram");
  if (node == nullptr || !expect_map(findings, *node, "histogram")) {
    return;
  }
  for (const YamlNode::Entry & entry : node->entries) {
    const auto value = parse_duration(entry.key);
    if (!value) {
      findings.fault(entry.at, "histogram: " + to_string(value.faults().front()));
      continue;
    }
    const auto count = map.integer_value("histogram", *entry.value, 1, std::int64_t{1} << 40);
    if (!count) {
      continue;
    }
    if (*value < best || *value > time.worst) {
      findings.fault(
        entry.at, "histogram: " + print_duration(*value) + " is not between the best time, " +
                    print_duration(best) + ", and the worst, " + print_duration(time.worst));
    }
    time.histogram.emplace_back(*value, static_cast<std::uint64_t>(*count));
  }
  std::sort(time.histogram.begin(), time.histogram.end());
}

/// `time: 5ms`, or a map with further values.
void read_time(MapReader & map, Findings & findings, CallbackModel & callback)
{
  const YamlNode * const node = map.find("time");
  if (node == nullptr) {
    findings.fault(
      map.at(), "callback " + quoted(callback.id) +
                  " has no time; add its worst execution time, "
                  "as in time: 5ms");
    return;
  }
  ExecutionTime & time = callback.time;
  if (!node->is_map()) {
    map.duration("time", false, time.worst);
    time.best = time.worst;
    return;
  }
  MapReader own(findings, *node, "time of " + quoted(callback.id), {"worst", "best", "histogram"});
  if (!own.has("worst")) {
    findings.fault(node->at, "time has no worst case; add worst: 5ms");
    return;
  }
  own.duration("worst", false, time.worst);
  std::optional<takt_rt::Duration> best;
  own.duration("best", false, best);
  if (best && *best > time.worst) {
    findings.fault(
      own.at("best"), "the best time, " + print_duration(*best) + ", is longer than the worst, " +
                        print_duration(time.worst));
  }
  read_histogram(own, findings, best.value_or(takt_rt::Duration{}), time);
  time.best = best.value_or(time.histogram.empty() ? time.worst : time.histogram.front().first);
}

/// `twice`: a topic may be repeated.
std::vector<std::string> read_topics(
  MapReader & map, Findings & findings, std::string_view key, bool twice = false)
{
  std::vector<std::string> topics;
  std::unordered_set<std::string> known;
  const std::vector<Word> words = map.words(key, "a topic or a list of topics");
  if (words.size() > kMostTopics) {
    findings.fault(
      map.at(key), std::string(key) + " names " + std::to_string(words.size()) +
                     " topics, and a callback has at most " + std::to_string(kMostTopics) +
                     "; describe it as several");
    return topics;
  }
  for (const Word & word : words) {
    if (word.text.front() != '/') {
      findings.fault(
        word.at, "topic " + quoted(word.text) + " is not fully qualified; did you mean " +
                   quoted("/" + word.text) + "?");
    } else if (!known.insert(word.text).second && !twice) {
      findings.fault(word.at, "topic " + quoted(word.text) + " is named twice");
    } else {
      topics.push_back(word.text);
    }
  }
  return topics;
}

/// `awaited`: another callback waits for this one, and so starts it.
void check_releases(
  const MapReader & map, Findings & findings, const CallbackModel & callback, bool awaited)
{
  const std::string who = "callback " + quoted(callback.id);
  if (callback.is_timer()) {
    if (!callback.period && !map.has("period")) {
      findings.fault(map.at(), who + " is a timer and has no period; add period: 100ms");
    }
    if (!callback.triggers.empty()) {
      findings.fault(map.at("triggers"), who + " is a timer: topics do not start it; use reads");
    }
    const auto named = parse_duration(bracketed(callback.id));
    if (callback.period && named && *named != *callback.period) {
      findings.warn(
        map.at("period"),
        who + " has period " + print_duration(*callback.period) + ", and its id names another");
    }
  } else if (callback.period && !callback.triggers.empty()) {
    findings.fault(
      map.at("period"), who + " is started by topics, so its rate is theirs; omit period");
  } else if (!map.has("period") && !map.has("triggers") && !awaited) {
    findings.fault(
      map.at(), who +
                  " is started by nothing; add triggers: /topic, or period: 100ms if its "
                  "messages come from outside of the model");
  }
  if (map.has("offset") && !callback.is_timer() && !callback.period) {
    findings.fault(
      map.at("offset"),
      "offset belongs to timers, and to messages from outside of the model, which have a period; " +
        quoted(callback.id) + " is neither");
  }
  if (map.has("jitter") && !map.has("period")) {
    findings.fault(map.at("jitter"), "jitter needs a period");
  }
}

void read_offset(MapReader & map, CallbackModel & callback)
{
  const YamlNode * const value = map.find("offset");
  callback.any_phase = value != nullptr && value->is_scalar() && value->text == "any";
  if (!callback.any_phase) {
    map.duration("offset", false, callback.offset);
  }
}

/// A callback without a group has a group of its own here; in ROS 2 it shares its node's default
/// group.
void check_groups(Findings & findings, const std::vector<CallbackModel> & callbacks)
{
  std::unordered_map<std::string_view, std::vector<const CallbackModel *>> of_node;
  for (const CallbackModel & callback : callbacks) {
    const std::string_view node = node_of(callback.id);
    if (callback.group.empty() && !node.empty()) {
      of_node[node].push_back(&callback);
    }
  }
  for (const CallbackModel & callback : callbacks) {
    const auto found = of_node.find(node_of(callback.id));
    if (found == of_node.end() || found->second.size() < 2 || found->second[1] != &callback) {
      continue;
    }
    const std::string node(found->first);
    findings.warn(
      callback.source,
      std::to_string(found->second.size()) + " callbacks of " + quoted(node) +
        " name no group and are taken to have one each; in ROS 2 they share the node's default one "
        "and run one at a time unless the code makes others: name it, group: \"" +
        node + ":group(default)\"");
  }
}

class Reader
{
public:
  /// `items`: the entries of `callbacks`.
  Reader(Findings & findings, const System & system, const std::vector<YamlPtr> & items)
  : findings_(findings)
  {
    for (const YamlPtr & item : items) {
      note_awaited(*item);
    }
    for (const GroupModel & group : system.groups) {
      groups_.insert(group.id);
      group_names_.push_back(group.id);
    }
    for (const HostModel & host : system.hosts) {
      hosts_.emplace(host.name, &host);
      host_names_.push_back(host.name);
    }
  }

  CallbackModel read(const YamlNode & node)
  {
    MapReader map(
      findings_, node, "a callback",
      {"id", "executor", "host", "group", "time", "period", "offset", "jitter", "triggers",
       "trigger", "reads", "publishes", "depth", "cores", "waits_for", "sleep", "stores",
       "publishes_last"});
    CallbackModel callback;
    callback.source = node.at;
    read_id(map, callback);
    read_place(map, callback);
    read_time(map, findings_, callback);
    map.duration("period", true, callback.period);
    read_offset(map, callback);
    map.duration("jitter", false, callback.jitter);
    map.duration("sleep", false, callback.sleep);
    callback.triggers = read_topics(map, findings_, "triggers", callback.ids.size() > 1);
    callback.reads = read_topics(map, findings_, "reads");
    callback.publishes = read_topics(map, findings_, "publishes");
    constexpr std::array<std::pair<Trigger, std::string_view>, 3> kTriggers{
      {{Trigger::any, "any"}, {Trigger::all, "all"}, {Trigger::newest, "newest"}}};
    const std::size_t before = findings_.fault_count();
    map.choice<Trigger>("trigger", kTriggers, callback.trigger);
    if (findings_.fault_count() == before) {
      check_set(map, callback);
      check_twice(map, callback);
    }
    int depth = static_cast<int>(callback.depth);
    map.integer("depth", 1, kLargestDepth, depth);
    callback.depth = static_cast<std::uint32_t>(depth);
    callback.depth_known = map.has("depth");
    map.boolean("stores", callback.stores);
    map.boolean("publishes_last", callback.publishes_last);
    read_waits(map, callback);
    if (!callback.id.empty()) {
      check_releases(map, findings_, callback, awaited_.count(callback.id) != 0);
      check_topic(map, callback);
    }
    return callback;
  }

private:
  void read_id(MapReader & map, CallbackModel & callback)
  {
    if (!map.has("id")) {
      findings_.fault(map.at(), "a callback without id; add id: \"/node:timer(100ms)\"");
      return;
    }
    const auto words = map.words("id", "a callback id such as \"/node:timer(100ms)\"");
    for (const Word & word : words) {
      if (auto why = bad_characters(word.text)) {
        findings_.fault(word.at, std::move(*why));
        continue;
      }
      if (word.text.find('*') != std::string::npos || !may_be_id(word.text)) {
        findings_.fault(
          word.at, quoted(word.text) + " is not a callback id; ids look like '/node:timer(100ms)'");
        continue;
      }
      const std::string id = normal_id(word.text);
      const auto [first, fresh] = ids_.emplace(id, word.at.line);
      if (!fresh) {
        findings_.fault(
          word.at, "duplicate id " + quoted(id) + "; it is on line " +
                     std::to_string(first->second) + " already");
      }
      if (callback.id.empty()) {
        callback.id = id;
      }
      if (words.size() > 1) {
        callback.ids.push_back(id);
      }
    }
  }

  /// Several ids are the subscriptions of a set, and a set needs several topics.
  void check_set(MapReader & map, const CallbackModel & callback)
  {
    const bool set = callback.trigger == Trigger::newest;
    if (set && callback.triggers.size() < 2) {
      findings_.fault(
        map.at("trigger"), "trigger: newest is about several topics; " + quoted(callback.id) +
                             " is started by " + std::to_string(callback.triggers.size()));
    }
    if (!callback.ids.empty() && !set) {
      findings_.fault(
        map.at("id"), quoted(callback.id) +
                        " has several ids; only the subscriptions of a set are described together, "
                        "with trigger: newest");
    } else if (!callback.ids.empty() && callback.ids.size() != callback.triggers.size()) {
      findings_.fault(
        map.at("id"), quoted(callback.id) + " has " + std::to_string(callback.ids.size()) +
                        " ids and " + std::to_string(callback.triggers.size()) +
                        " topics; write one id for each topic, in the same order");
    } else if (!callback.ids.empty()) {
      check_order(map, callback);
    } else if (set && callback.triggers.size() > 1 && !callback.id.empty()) {
      findings_.warn(
        map.at("id"),
        quoted(callback.id) + " is one of the " + std::to_string(callback.triggers.size()) +
          " subscriptions of its set, and a schedule has no rule for the others; write "
          "one id for each topic, in the same order");
    }
  }

  /// A node may have several subscriptions of one topic; then each has an id of its own.
  void check_twice(MapReader & map, const CallbackModel & callback)
  {
    std::vector<std::string> topics = callback.triggers;
    std::sort(topics.begin(), topics.end());
    const auto twice = std::adjacent_find(topics.begin(), topics.end());
    if (twice != topics.end() && callback.trigger != Trigger::newest) {
      findings_.fault(map.at("triggers"), "topic " + quoted(*twice) + " is named twice");
    }
  }

  /// Checks a subscription whose id names one topic but which another topic starts.
  void check_topic(MapReader & map, const CallbackModel & callback)
  {
    const std::string_view topic = bracketed(callback.id);
    const bool named = kind_word(callback.id) == "sub" && !topic.empty() && topic.front() == '/';
    const auto & topics = callback.triggers;
    if (
      named && !topics.empty() && std::find(topics.begin(), topics.end(), topic) == topics.end()) {
      findings_.warn(
        map.at("triggers"), "callback " + quoted(callback.id) + " is started by " +
                              quoted(topics.front()) + ", and its id names another topic");
    }
  }

  /// Checks ids that name another topic of the set than the one in their place.
  void check_order(MapReader & map, const CallbackModel & callback)
  {
    const std::unordered_set<std::string_view> topics(
      callback.triggers.begin(), callback.triggers.end());
    for (std::size_t i = 0; i < callback.ids.size(); ++i) {
      const std::string_view topic = bracketed(callback.ids[i]);
      if (
        kind_word(callback.ids[i]) == "sub" && topic != callback.triggers[i] &&
        topics.count(topic) != 0) {
        findings_.fault(
          map.at("id"), quoted(callback.ids[i]) + " is in the place of " +
                          quoted(callback.triggers[i]) +
                          "; write the ids in the order of the topics in triggers");
        return;
      }
    }
  }

  // Before callbacks are read: a callback that others wait for needs no other trigger. The later
  // reading reports entries that are not words.
  void note_awaited(const YamlNode & item)
  {
    for (const YamlNode::Entry & entry : item.entries) {
      if (entry.key != "waits_for") {
        continue;
      }
      if (entry.value->is_scalar()) {
        awaited_.insert(normal_id(entry.value->text));
      }
      for (const YamlPtr & word : entry.value->items) {
        awaited_.insert(normal_id(word->text));
      }
    }
  }

  void read_waits(MapReader & map, CallbackModel & callback)
  {
    const std::vector<Word> words = map.words("waits_for", "a callback id or a list of ids");
    if (words.size() > kMostWaits) {
      findings_.fault(
        map.at("waits_for"), "waits_for names " + std::to_string(words.size()) +
                               " callbacks, and a callback waits for at most " +
                               std::to_string(kMostWaits));
      return;
    }
    for (const Word & word : words) {
      callback.waits_for.push_back(normal_id(word.text));
    }
  }

  void read_place(MapReader & map, CallbackModel & callback)
  {
    callback.executor = "main";
    if (const auto word = map.scalar("executor", "an executor's name")) {
      check_name(word->text, "an executor", "./", word->at, findings_);
      callback.executor = word->text;
    }
    if (const auto word = map.scalar("host", "a host's name")) {
      if (hosts_.count(word->text) == 0) {
        findings_.fault(
          word->at, "unknown host " + quoted(word->text) +
                      findings_.guesses().suggestion(word->text, host_names_, "hosts"));
      }
      callback.host = word->text;
    } else if (host_names_.size() == 1) {
      callback.host = host_names_.front();
    } else if (host_names_.size() > 1 && !map.has("host")) {
      findings_.fault(
        map.at(), "callback " + quoted(callback.id) +
                    " has no host, and there are several: " + listed(host_names_));
    }
    if (const auto word = map.scalar("group", "a callback group's id")) {
      callback.group = word->text;
      if (groups_.count(word->text) == 0) {
        findings_.fault(
          word->at, "unknown group " + quoted(word->text) +
                      findings_.guesses().suggestion(word->text, group_names_, "groups"));
      }
    }
    const auto found = hosts_.find(callback.host);
    const HostModel * const host = found == hosts_.end() ? nullptr : found->second;
    for (const auto & [core, at] : map.cores("cores")) {
      if (host == nullptr || !has_core(*host, core, at, findings_)) {
        continue;
      }
      if (std::binary_search(host->reserved.begin(), host->reserved.end(), core)) {
        findings_.fault(
          at, "core " + std::to_string(core) + " of host " + quoted(host->name) +
                " is reserved for the rest of the system");
      } else {
        callback.cores.push_back(core);
      }
    }
  }

  Findings & findings_;
  std::unordered_map<std::string, int> ids_;
  std::unordered_set<std::string> awaited_;
  std::unordered_set<std::string> groups_;
  std::vector<std::string> group_names_;
  std::unordered_map<std::string, const HostModel *> hosts_;
  std::vector<std::string> host_names_;
};

}  // namespace

void read_groups(MapReader & map, Findings & findings, System & system)
{
  const YamlNode * const node = map.find("groups");
  if (node == nullptr || !expect_map(findings, *node, "groups")) {
    return;
  }
  using takt_core::GroupKind;
  constexpr std::array<std::pair<GroupKind, std::string_view>, 2> kKinds{
    {{GroupKind::mutually_exclusive, "mutually_exclusive"}, {GroupKind::reentrant, "reentrant"}}};
  for (const YamlNode::Entry & entry : node->entries) {
    GroupModel group;
    group.id = entry.key;
    group.source = entry.at;
    if (auto why = bad_characters(entry.key)) {
      findings.fault(entry.at, std::move(*why));
    }
    map.choice<GroupKind>(entry, kKinds, group.kind);
    system.groups.push_back(std::move(group));
  }
}

void read_callbacks(MapReader & map, Findings & findings, System & system)
{
  const YamlNode * const node = map.find("callbacks");
  if (node == nullptr) {
    findings.fault(map.at(), "no callbacks; add 'callbacks:' with one entry per callback");
    return;
  }
  if (!expect_list(findings, *node, "callbacks")) {
    return;
  }
  if (node->items.empty()) {
    findings.fault(map.at("callbacks"), "callbacks is empty; add one entry per callback");
  }
  Reader reader(findings, system, node->items);
  system.callbacks.reserve(node->items.size());
  for (const YamlPtr & item : node->items) {
    system.callbacks.push_back(reader.read(*item));
  }
  check_groups(findings, system.callbacks);
}

}  // namespace takt_schedule::detail
