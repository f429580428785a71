#include "watch/read_actions.hpp"

#include <algorithm>
#include <optional>
#include <utility>

#include "ids/callback_id.hpp"
#include "schedule/read_executor.hpp"
#include "takt_schedule/reader/text.hpp"
#include "watch/action_words.hpp"
#include "watch/parameter_value.hpp"

namespace takt_schedule::detail
{
namespace
{

using Kind = AlarmAction::Kind;

constexpr std::size_t kMostActions = 16;

std::vector<std::string> action_words()
{
  std::vector<std::string> words;
  for (const ActionWord & one : kActionWords) {
    words.emplace_back(one.word);
  }
  return words;
}

const ActionWord * find_word(std::string_view word)
{
  const auto * const found = std::find_if(
    kActionWords.begin(), kActionWords.end(),
    [&](const ActionWord & one) { return one.word == word; });
  return found == kActionWords.end() ? nullptr : found;
}

class ActionReader
{
public:
  ActionReader(Findings & findings, std::string_view key, const AlarmsOf & alarms)
  : findings_(findings),
    key_(key),
    alarms_(alarms)
  {
  }

  void read(const YamlNode & node, const Source & at)
  {
    if (node.is_scalar()) {
      read_word({node.text, node.at});
    } else if (!node.is_map() || node.entries.empty()) {
      findings_.fault(
        at, "each action of " + key_ + " is a word or a map with one key, such as log or " +
              std::string(find_word("priority")->example));
    } else if (node.entries.size() > 1) {
      findings_.fault(
        node.entries[1].at, "an action has one key, and " + quoted(node.entries[1].key) +
                              " comes after " + quoted(node.entries[0].key) +
                              "; make an entry of " + key_ + " for each");
    } else {
      read_map(node);
    }
  }

  std::vector<AlarmAction> actions;

private:
  void add(AlarmAction action, const Source & at)
  {
    const bool once = action.kind != Kind::run && action.kind != Kind::set_parameter &&
                      action.kind != Kind::thread_priority && action.kind != Kind::thread_nice;
    if (once && std::any_of(actions.begin(), actions.end(), [&](const AlarmAction & earlier) {
          return earlier.kind == action.kind;
        })) {
      const auto * const same = std::find_if(
        kActionWords.begin(), kActionWords.end(),
        [&](const ActionWord & one) { return one.kind == action.kind; });
      findings_.fault(at, quoted(same->word) + " is listed twice in " + key_ + "; omit one");
      return;
    }
    if (actions.size() == kMostActions) {
      findings_.fault(
        at, key_ + " has more than " + std::to_string(kMostActions) + " actions; let one run a " +
              "program that does the rest");
    }
    actions.push_back(std::move(action));
  }

  void unknown(const Word & word)
  {
    findings_.fault(
      word.at, "unknown action " + quoted(word.text) + " in " + key_ +
                 findings_.guesses().suggestion(word.text, action_words(), "actions"));
  }

  void read_word(const Word & word)
  {
    const ActionWord * const found = find_word(word.text);
    if (found == nullptr) {
      unknown(word);
    } else if (!found->example.empty()) {
      findings_.fault(
        word.at, "action " + quoted(word.text) + " needs more than the word; write " +
                   std::string(found->example));
    } else {
      AlarmAction action;
      action.kind = found->kind;
      add(std::move(action), word.at);
    }
  }

  void read_map(const YamlNode & node)
  {
    const YamlNode::Entry & entry = node.entries.front();
    const ActionWord * const found = find_word(entry.key);
    if (found == nullptr) {
      unknown({entry.key, entry.at});
      return;
    }
    if (found->example.empty()) {
      findings_.fault(
        entry.at,
        "action " + quoted(entry.key) + " is a word; write " + entry.key + " instead of a map");
      return;
    }
    MapReader map(findings_, node, "action", action_words());
    const std::size_t before = findings_.fault_count();
    AlarmAction action;
    action.kind = found->kind;
    switch (found->kind) {
      case Kind::run:
        read_run(map, action);
        break;
      case Kind::set_parameter:
        read_parameter(*entry.value, action);
        break;
      case Kind::priority:
        read_priority(map, action);
        break;
      case Kind::threads:
        read_threads(map, action);
        break;
      default:
        read_thread(*entry.value, action);
        break;
    }
    if (findings_.fault_count() == before) {
      add(std::move(action), entry.at);
    }
  }

  void read_run(MapReader & map, AlarmAction & action)
  {
    for (const Word & word : map.words("run", "a program and its arguments")) {
      if (word.text.find('\0') != std::string::npos) {
        findings_.fault(word.at, "run: " + quoted(word.text) + " has a zero byte in it");
      }
      action.words.push_back(word.text);
    }
  }

  void read_parameter(const YamlNode & node, AlarmAction & action)
  {
    MapReader map(findings_, node, "set_parameter", {"node", "name", "value"});
    if (map.require("node", "/lidar")) {
      if (const auto word = map.scalar("node", "the full name of a node")) {
        if (!word->text.starts_with('/') || !can_name(word->text, "/")) {
          findings_.fault(
            word->at,
            "node must be the full name of a node, such as /lidar, not " + quoted(word->text));
        }
        action.name = word->text;
      }
    }
    if (map.require("name", "rate")) {
      if (const auto word = map.scalar("name", "the name of a parameter")) {
        if (
          auto why = word->text.empty() ? "name is empty; write the name of a parameter"
                                        : bad_characters(word->text)) {
          findings_.fault(word->at, std::move(*why));
        }
        action.words.push_back(word->text);
      }
    }
    if (map.require("value", "5")) {
      if (auto text = parameter_value(*map.find("value"))) {
        action.value = std::move(*text);
      } else {
        findings_.fault(
          map.value_at("value"), "value must be a number, a word, or a list of numbers or words");
      }
    }
  }

  void read_priority(MapReader & map, AlarmAction & action)
  {
    if (alarms_.executor == nullptr && !alarms_.chain) {
      findings_.fault(
        map.at("priority"),
        "priority is that of a callback or a chain; move it to on_alarm of a callback rule or of a "
        "chain");
      return;
    }
    map.integer("priority", 0, 255, action.number);
  }

  void read_threads(MapReader & map, AlarmAction & action)
  {
    if (alarms_.executor == nullptr) {
      findings_.fault(
        map.at("threads"),
        "threads are those of a callback; move it to on_alarm of a callback rule");
    } else if (!alarms_.executor->threads.empty()) {
      action.words = read_thread_words(map, findings_, "threads", *alarms_.executor);
    }
  }

  void read_thread(const YamlNode & node, AlarmAction & action)
  {
    MapReader map(findings_, node, "thread", {"name", "priority", "nice"});
    if (map.require("name", "hot")) {
      if (const auto word = map.scalar("name", "the name of a thread")) {
        alarms_.threads.check(*word, map.has("nice"), findings_);
        action.name = word->text;
      }
    }
    if (map.has("priority") && map.has("nice")) {
      findings_.fault(
        map.at("nice"), "an action gives a thread a priority or a nice level; omit one of the two");
    } else if (map.has("nice")) {
      action.kind = Kind::thread_nice;
      map.integer("nice", -20, 19, action.number);
    } else if (map.require("priority", "80")) {
      map.integer("priority", 1, 99, action.number);
    }
  }

  Findings & findings_;
  std::string key_;
  const AlarmsOf & alarms_;
};

}  // namespace

std::vector<AlarmAction> read_actions(
  MapReader & map, Findings & findings, std::string_view key, const AlarmsOf & alarms)
{
  ActionReader reader(findings, key, alarms);
  const YamlNode * const node = map.find(key);
  if (node == nullptr) {
    return {};
  }
  if (!node->is_list()) {
    reader.read(*node, map.value_at(key));
  } else if (node->items.empty() && !alarms.may_be_empty) {
    findings.fault(
      node->at, std::string(key) + " is an empty list; omit it, or list actions such as log");
  }
  for (const YamlPtr & item : node->items) {
    reader.read(*item, item->is_null() ? map.at(key) : item->at);
  }
  return std::move(reader.actions);
}

}  // namespace takt_schedule::detail
