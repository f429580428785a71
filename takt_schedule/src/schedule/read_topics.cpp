#include "schedule/read_topics.hpp"

#include <array>
#include <map>
#include <string>
#include <string_view>
#include <utility>

#include "ids/callback_id.hpp"
#include "takt_schedule/pattern.hpp"
#include "takt_schedule/reader/text.hpp"
#include "takt_schedule/topic_rules.hpp"

namespace takt_schedule::detail
{
namespace
{

const std::array<std::pair<TopicTransport, std::string_view>, 2> kTransports{
  {{TopicTransport::middleware, to_string(TopicTransport::middleware)},
   {TopicTransport::shared_memory, to_string(TopicTransport::shared_memory)}}};

/// Why `text` is no topic and no pattern of topics; empty if it is one.
std::string fault_of(const std::string & text)
{
  if (text.find_first_of(":()") != std::string::npos) {
    return quoted(text) + " is not a topic; topics look like '/camera/image'";
  }
  if (text.front() != '/' && text.front() != '*') {
    return "pattern " + quoted(text) + " can match nothing, topics start with '/'; write " +
           quoted("/" + text) + " or " + quoted("**/" + text);
  }
  const auto pattern = Pattern::compile(text);
  return pattern ? std::string() : to_string(pattern.faults().front());
}

TopicRule read_topic(
  const YamlNode & node, Findings & findings, std::map<std::string, Source> & written)
{
  TopicRule rule;
  rule.source = node.at;
  MapReader map(findings, node, "topic rule", {"match", "transport", "copy_period"});
  if (!map.has("match")) {
    findings.fault(map.at(), "this topic rule has no 'match'");
  }
  if (!map.has("transport")) {
    findings.fault(
      map.at(), "this topic rule has no 'transport'; add transport: shared_memory, or middleware");
  }
  const std::vector<Word> words =
    map.has("match") ? map.words("match", "a topic or a list of topics") : std::vector<Word>();
  for (const Word & word : words) {
    if (auto why = bad_characters(word.text)) {
      findings.fault(word.at, std::move(*why));
    } else if (std::string fault = fault_of(word.text); !fault.empty()) {
      findings.fault(word.at, std::move(fault));
    } else if (const auto [first, fresh] = written.emplace(word.text, word.at); !fresh) {
      findings.fault(
        word.at, "duplicate topic " + quoted(word.text) + "; it is on line " +
                   std::to_string(first->second.line) + " already");
    } else {
      rule.match.push_back(word.text);
    }
  }
  map.choice<TopicTransport>("transport", kTransports, rule.transport);
  map.duration("copy_period", true, rule.copy_period);
  if (map.has("copy_period") && rule.transport != TopicTransport::shared_memory) {
    findings.fault(
      map.at("copy_period"),
      "copy_period belongs to transport: shared_memory; the middleware gets each message "
      "otherwise");
  }
  return rule;
}

}  // namespace

void read_topics(MapReader & map, Findings & findings, std::vector<TopicRule> & topics)
{
  const YamlNode * const node = map.find("topics");
  if (node == nullptr || !expect_list(findings, *node, "topics")) {
    return;
  }
  std::map<std::string, Source> written;
  for (const YamlPtr & item : node->items) {
    if (item->is_map()) {
      topics.push_back(read_topic(*item, findings, written));
    } else {
      findings.fault(item->at, "each entry of topics must be a map that starts with '- match:'");
    }
  }
}

}  // namespace takt_schedule::detail
