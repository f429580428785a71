#include <algorithm>
#include <array>
#include <cmath>
#include <unordered_map>
#include <utility>

#include "ids/callback_id.hpp"
#include "reader/other_words.hpp"
#include "schedule/read_attributes.hpp"
#include "schedule/read_executor.hpp"
#include "takt_schedule/number.hpp"
#include "takt_schedule/pattern.hpp"
#include "takt_schedule/reader/text.hpp"
#include "watch/read_watch.hpp"

namespace takt_schedule::detail
{
namespace
{

using takt_core::MissedPeriods;

constexpr std::array<std::pair<bool, std::string_view>, 1> kSettles{{{true, "never"}}};

constexpr std::array<std::pair<bool, std::string_view>, 2> kAcross{{
  {true, "allow"},
  {false, "forbid"},
}};

struct Written
{
  Pattern pattern;
  Source at;
};

/// The patterns of a key; adds a fault for each that can match nothing. `example`: an id; empty:
/// the patterns match names.
std::vector<Written> read_patterns(
  MapReader & map, std::string_view key, Findings & findings, const std::string & example)
{
  const bool names = example.empty();
  std::vector<Written> result;
  for (const Word & word : map.words(key, "a pattern or a list of patterns")) {
    if (auto why = bad_characters(word.text)) {
      findings.fault(word.at, std::move(*why));
      continue;
    }
    const std::string text = names ? word.text : normal_id(word.text);
    const auto pattern = names ? Pattern::compile_name(text) : Pattern::compile(text);
    if (!pattern) {
      findings.fault(word.at, to_string(pattern.faults().front()));
      continue;
    }
    if (!names && word.text.front() != '/' && word.text.front() != '*') {
      const std::string meant = meant_id(word.text);
      findings.fault(
        word.at,
        "pattern " + quoted(word.text) + " can match nothing, ids start with '/'; write " +
          (meant.starts_with("**") ? quoted(meant) + ", or the node's name in place of '**'"
                                   : quoted("/" + word.text) + " or " + quoted("**/" + word.text)));
      continue;
    }
    if (!names && !may_be_id(word.text)) {
      const std::string meant = meant_id(word.text);
      findings.fault(
        word.at, "pattern " + quoted(word.text) + " can match nothing, ids look like " + example +
                   (meant.empty() ? std::string() : "; did you mean " + quoted(meant) + "?"));
      continue;
    }
    result.push_back({pattern.value(), word.at});
  }
  return result;
}

/// The patterns of one list of rules; finds those that can never win.
class RuleList
{
public:
  /// `example`: an id; empty: the patterns match names.
  RuleList(Findings & findings, std::string example)
  : findings_(findings),
    example_(std::move(example))
  {
  }

  std::vector<std::string> read_match(MapReader & map, std::string_view what)
  {
    std::vector<std::string> result;
    if (!map.has("match")) {
      findings_.fault(map.at(), std::string(what) + " has no 'match'");
      return result;
    }
    for (Written & written : read_patterns(map, "match", findings_, example_)) {
      result.push_back(written.pattern.text());
      check_tie(std::move(written));
    }
    return result;
  }

private:
  void check_tie(Written added)
  {
    // Only patterns with the same literal characters can be equal or cover each other.
    std::string literals = added.pattern.text();
    std::erase(literals, '*');
    std::vector<Written> & alike = written_[literals];
    for (const Written & earlier : alike) {
      const std::string line = "line " + std::to_string(earlier.at.line);
      if (earlier.pattern.text() == added.pattern.text()) {
        findings_.fault(
          added.at, std::string("duplicate ") + (added.pattern.exact() ? "id " : "pattern ") +
                      quoted(added.pattern.text()) + "; it is on " + line + " already");
        return;
      }
      if (earlier.pattern.covers(added.pattern) || added.pattern.covers(earlier.pattern)) {
        findings_.fault(
          added.at, "pattern " + quoted(added.pattern.text()) + " always ties with " +
                      quoted(earlier.pattern.text()) + " on " + line +
                      ", which has the same literal characters; make one of them longer");
        break;
      }
    }
    alike.push_back(std::move(added));
  }

  Findings & findings_;
  std::string example_;
  std::unordered_map<std::string, std::vector<Written>> written_;
};

/// Reports a word in ":word(" that looks like a kind. Adapters may have their own kinds, so an
/// unknown one is not a fault; "subscription", as other tools write, is.
void check_kind(const CallbackRule & rule, Findings & findings)
{
  const std::vector<std::string> known{"timer", "sub", "service", "client", "waitable"};
  for (const std::string & text : rule.match) {
    const std::string_view word = kind_word(text);
    if (
      word.empty() || word.find('*') != std::string_view::npos ||
      std::find(known.begin(), known.end(), word) != known.end()) {
      continue;
    }
    const std::string meant = word_for_other(word, known);
    if (!meant.empty() || word.starts_with("action")) {
      const std::string head = text.substr(0, text.find('(') - word.size());
      const std::string tail = text.substr(text.find('('));
      findings.fault(
        rule.source,
        "there is no kind " + quoted(word) + ", as in " + quoted(text) + "; did you mean " +
          (meant.empty() ? quoted(head + "waitable(action_*)**") + ", the actions of the node"
                         : quoted(head + meant + tail)) +
          "?");
      continue;
    }
    const std::string best = findings.guesses().closest(word, known);
    findings.warn(
      rule.source,
      "unusual kind " + quoted(word) + " in " + quoted(text) +
        (best.empty() ? "; kinds are " + listed(known) : "; did you mean " + quoted(best) + "?"));
  }
}

/// A star that cannot match a topic, because topics begin with a slash: it matches only names given
/// by users.
void check_topic_stars(const CallbackRule & rule, Findings & findings)
{
  for (const std::string & text : rule.match) {
    const std::string_view word = kind_word(text);
    const std::string_view topic = bracketed(text);
    if (
      (word != "sub" && word != "service" && word != "client") || !topic.starts_with('*') ||
      topic.find('/') != std::string_view::npos || topic.find("**") != std::string_view::npos) {
      continue;
    }
    const std::string head = text.substr(0, text.find('(') + 1);
    const std::string tail = text.substr(text.find('(') + 1);
    findings.warn(
      rule.source, "pattern " + quoted(text) +
                     " matches no topic: '*' stays within one segment, and topics begin with '/'; "
                     "did you mean " +
                     quoted(head + "/" + tail) + ", or " + quoted(head + "*" + tail) +
                     " for topics of any depth?");
  }
}

void check_timer_keys(const CallbackRule & rule, const MapReader & map, Findings & findings)
{
  for (const char * key : {"missed_periods", "offset"}) {
    for (const std::string & text : rule.match) {
      const std::string_view word = kind_word(text);
      if (
        map.has(key) && !word.empty() && word.find('*') == std::string_view::npos &&
        word != "timer") {
        findings.fault(
          map.at(key), std::string(key) + " belongs to timers, and " + quoted(text) + " is none");
      }
    }
  }
}

/// Reads "all", "latest" or a number of messages.
std::uint32_t read_keep(MapReader & map, Findings & findings)
{
  constexpr int kMost = 1'000'000;
  const YamlNode * const node = map.find("keep");
  if (node == nullptr) {
    return 0;
  }
  const auto word = map.scalar("keep", "all, latest, or a number of messages");
  if (!word || word->text == "all") {
    return 0;
  }
  if (word->text == "latest") {
    return 1;
  }
  const auto number = parse_number(word->text, 1, kMost);
  if (!number || *number != std::floor(*number)) {
    findings.fault(
      word->at, "keep must be all, latest, or a number of messages from 1 to 1000000, not " +
                  quoted(word->text));
    return 0;
  }
  return static_cast<std::uint32_t>(*number);
}

/// Reads `trigger` and the keys that belong to it.
void read_trigger(MapReader & map, Findings & findings, CallbackRule & rule)
{
  bool trigger = true;
  map.boolean("trigger", trigger);
  if (trigger) {
    for (const char * key : {"with", "keep", "max_age"}) {
      if (map.has(key)) {
        findings.fault(
          map.at(key),
          std::string(key) +
            " belongs to a subscription that does not trigger; add trigger: false, or omit " + key);
      }
    }
    return;
  }
  NonTriggeringRule taken;
  if (map.has("with")) {
    for (const Written & written : read_patterns(map, "with", findings, "'/node:sub(/topic)'")) {
      taken.with.push_back(written.pattern.text());
    }
  }
  taken.keep = read_keep(map, findings);
  map.duration("max_age", true, taken.max_age);
  rule.non_triggering = std::move(taken);
  for (const char * key : {"threads", "priority", "boost", "publishes_last"}) {
    if (map.has(key)) {
      findings.fault(
        map.at(key),
        std::string(key) +
          " has no meaning for a subscription that does not trigger: it runs on the thread of "
          "the callback that takes its messages; omit " +
          key);
    }
  }
  for (const std::string & text : rule.match) {
    const std::string_view word = kind_word(text);
    if (!word.empty() && word.find('*') == std::string_view::npos && word != "sub") {
      findings.fault(
        map.at("trigger"),
        "trigger: false belongs to subscriptions, and " + quoted(text) + " is none");
    }
  }
}

CallbackRule read_callback_rule(
  const YamlNode & node, Findings & findings, RuleList & list, const ExecutorSchedule & executor,
  const KnownThreads & threads)
{
  CallbackRule rule;
  rule.source = node.at;
  std::vector<std::string> keys{"match",          "threads", "priority",       "deadline",
                                "missed_periods", "offset",  "publishes_last", "settles",
                                "trigger",        "with",    "keep",           "max_age"};
  const std::vector<std::string> watched = rule_watch_keys();
  keys.insert(keys.end(), watched.begin(), watched.end());
  MapReader map(findings, node, "callback rule", std::move(keys));
  rule.match = list.read_match(map, "this callback rule");
  if (map.has("threads") && !executor.threads.empty()) {
    rule.threads = read_thread_words(map, findings, "threads", executor);
  }
  map.integer("priority", 0, 255, rule.priority);
  map.duration("deadline", true, rule.deadline);
  if (map.has("missed_periods")) {
    MissedPeriods policy{};
    map.choice("missed_periods", policy);
    rule.missed_periods = policy;
  }
  map.duration("offset", false, rule.offset);
  map.boolean("publishes_last", rule.publishes_last);
  map.choice<bool>("settles", kSettles, rule.never_settles);
  read_rule_watch(map, findings, executor, threads, rule);
  read_trigger(map, findings, rule);
  check_timer_keys(rule, map, findings);
  check_kind(rule, findings);
  check_topic_stars(rule, findings);
  return rule;
}

/// Reads "any", "all", or a map of count and fresh, or of spread.
std::optional<ConditionRule> read_condition(MapReader & map, Findings & findings)
{
  constexpr std::array<std::pair<std::uint32_t, std::string_view>, 2> kWords{
    {{1U, "any"}, {0U, "all"}}};
  const YamlNode * const node = map.find("when");
  if (node == nullptr) {
    return std::nullopt;
  }
  ConditionRule rule;
  if (node->is_scalar()) {
    map.choice<std::uint32_t>("when", kWords, rule.count);
    return rule;
  }
  MapReader entry(findings, *node, "when", {"count", "fresh", "spread"});
  if (const YamlNode * const count = entry.find("count");
      count != nullptr && count->is_scalar() && count->text == "all") {
    rule.count = 0;
  } else {
    std::optional<int> number;
    entry.integer("count", 1, 1'000'000, number);
    rule.count = static_cast<std::uint32_t>(number.value_or(1));
  }
  entry.duration("fresh", true, rule.fresh);
  entry.duration("spread", false, rule.spread);  // 0: equal stamps
  if (node->is_map() && node->entries.empty()) {
    findings.fault(
      map.value_at("when"),
      "when is empty; write any, all, {count: 2}, {fresh: 100ms}, or {spread: 20ms}");
  }
  if (entry.has("spread")) {
    if (entry.has("fresh") || (entry.has("count") && rule.count != 0)) {
      findings.fault(
        map.value_at("when"),
        "spread takes one message of each subscription, so it goes neither with fresh nor with a "
        "count; omit one of the keys");
    }
    rule.count = 0;
    rule.fresh.reset();
  }
  return rule;
}

/// Reads `true`, `false`, or a map of `late`.
std::optional<takt_core::LateOutputs> read_logical_time(MapReader & map, Findings & findings)
{
  using takt_core::LateOutputs;
  constexpr std::array<std::pair<LateOutputs, std::string_view>, 2> kLate{
    {{LateOutputs::publish, "publish"}, {LateOutputs::drop, "drop"}}};
  const YamlNode * const node = map.find("let");
  if (node == nullptr) {
    return std::nullopt;
  }
  std::optional<LateOutputs> late = LateOutputs::publish;
  if (node->is_scalar()) {
    bool wanted = false;
    map.boolean("let", wanted);
    if (!wanted) {
      late.reset();
    }
  } else {
    MapReader entry(findings, *node, "let", {"late"});
    entry.choice<LateOutputs>("late", kLate, *late);
  }
  if (late && map.has("when")) {
    findings.fault(
      map.at("let"),
      "a group with let reads its messages when its timer is released, so it waits for no "
      "condition; "
      "omit let or when");
  }
  return late;
}

template <typename Read>
void for_each_item(MapReader & map, Findings & findings, std::string_view key, const Read & read)
{
  const YamlNode * const node = map.find(key);
  if (node == nullptr || !expect_list(findings, *node, key)) {
    return;
  }
  for (const YamlPtr & item : node->items) {
    if (item->is_map()) {
      read(*item);
    } else {
      findings.fault(
        item->at,
        "each entry of " + std::string(key) + " must be a map that starts with '- match:'");
    }
  }
}

}  // namespace

void read_rules(
  MapReader & map, Findings & findings, const std::vector<int> * cores, ExecutorSchedule & executor)
{
  RuleList callbacks(findings, "'/node:timer(100ms)'");
  const KnownThreads threads(std::span(&executor, 1));
  for_each_item(map, findings, "callbacks", [&](const YamlNode & item) {
    executor.callbacks.push_back(read_callback_rule(item, findings, callbacks, executor, threads));
  });

  RuleList groups(findings, "'/node:group(name)'");
  for_each_item(map, findings, "groups", [&](const YamlNode & item) {
    GroupRule rule;
    rule.source = item.at;
    std::vector<std::string> keys = isolation_keys();
    keys.insert(keys.begin(), {"match", "across_priorities", "isolate", "when", "let"});
    MapReader entry(findings, item, "group rule", std::move(keys));
    rule.match = groups.read_match(entry, "this group rule");
    for (const std::string & text : rule.match) {
      const std::string_view word = kind_word(text);
      if (!word.empty() && word.find('*') == std::string_view::npos && word != "group") {
        findings.fault(
          rule.source,
          quoted(text) + " is not a callback group; their ids look like '/node:group(name)'");
      }
    }
    entry.choice<bool>("across_priorities", kAcross, rule.across_priorities);
    rule.when = read_condition(entry, findings);
    rule.logical_time = read_logical_time(entry, findings);
    rule.isolate = read_isolation(entry, findings, cores, executor);
    executor.groups.push_back(std::move(rule));
  });

  RuleList process_threads(findings, {});
  for_each_item(map, findings, "process_threads", [&](const YamlNode & item) {
    constexpr std::size_t kLongestOsName = 15;
    ProcessThreadRule rule;
    rule.source = item.at;
    std::vector<std::string> keys = attribute_keys();
    keys.insert(keys.begin(), "match");
    MapReader entry(findings, item, "process thread rule", std::move(keys));
    rule.match = process_threads.read_match(entry, "this process thread rule");
    rule.attributes = read_attributes(entry, findings, cores);
    for (const std::string & text : rule.match) {
      const auto literals = static_cast<std::size_t>(
        std::count_if(text.begin(), text.end(), [](char c) { return c != '*'; }));
      if (literals > kLongestOsName) {
        findings.fault(
          rule.source, "pattern " + quoted(text) +
                         " can match nothing, the kernel keeps 15 characters of a thread's name; "
                         "write " +
                         quoted(text.substr(0, kLongestOsName)));
      }
    }
    executor.process_threads.push_back(std::move(rule));
  });
}

}  // namespace takt_schedule::detail
