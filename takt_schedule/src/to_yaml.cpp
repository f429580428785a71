#include "takt_schedule/to_yaml.hpp"

#include <algorithm>
#include <array>
#include <cctype>

#include "takt_schedule/duration.hpp"
#include "takt_schedule/size.hpp"
#include "takt_schedule/thread_names.hpp"
#include "text.hpp"

namespace takt_schedule
{
namespace
{

using takt_core::Policy;
using takt_core::ThreadAttributes;

/// A scalar that is read back as `text`.
std::string scalar(std::string_view text)
{
  // Words that YAML versions give a meaning of their own.
  constexpr std::array<std::string_view, 9> kSpecial{"null", "true", "false", "yes", "no",
                                                     "on",   "off",  "y",     "n"};
  std::string lowered{text};
  std::transform(lowered.begin(), lowered.end(), lowered.begin(), [](unsigned char c) {
    return static_cast<char>(std::tolower(c));
  });
  const bool plain =
    !text.empty() && std::isalpha(static_cast<unsigned char>(text.front())) != 0 &&
    std::all_of(
      text.begin(), text.end(),
      [](unsigned char c) {
        return std::isalnum(c) != 0 || c == '_' || c == '-' || c == '.' || c == '/';
      }) &&
    std::find(kSpecial.begin(), kSpecial.end(), lowered) == kSpecial.end();
  if (plain) {
    return std::string(text);
  }
  std::string result = "\"";
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\') {
      result += {'\\', c};
    } else if (byte < 0x20 || byte == 0x7f) {
      constexpr std::string_view kHex = "0123456789abcdef";
      result += {'\\', 'x', kHex[byte >> 4U], kHex[byte & 0xfU]};
    } else {
      result += c;
    }
  }
  return result + "\"";
}

std::string scalar_or_list(const std::vector<std::string> & words)
{
  if (words.size() == 1) {
    return scalar(words.front());
  }
  std::string result;
  for (const std::string & word : words) {
    result += (result.empty() ? "[" : ", ") + scalar(word);
  }
  return result + "]";
}

class Writer
{
public:
  std::string take() { return std::move(text_); }

  void blank() { text_ += '\n'; }

  void comment(int depth, std::string_view text)
  {
    while (!text.empty()) {
      const std::size_t end = std::min(text.find_first_of("\r\n"), text.size());
      text_ += std::string(static_cast<std::size_t>(depth) * 2, ' ') + "#";
      if (end > 0) {
        text_ += ' ';
        for (const char c : text.substr(0, end)) {
          const auto byte = static_cast<unsigned char>(c);
          text_ += byte < 0x20 || byte == 0x7f ? ' ' : c;
        }
      }
      text_ += '\n';
      text.remove_prefix(std::min(end + 1, text.size()));
    }
  }

  /// "key: value"; an empty value opens a block. `item`: the first key of a list entry.
  void line(int depth, std::string_view key, std::string_view value, std::string_view remark = {})
  {
    std::string indent(static_cast<std::size_t>(depth) * 2, ' ');
    if (item_) {
      indent.replace(indent.size() - 2, 2, "- ");
      item_ = false;
    }
    text_ += indent + scalar(key) + ":";
    if (!value.empty()) {
      text_ += ' ';
      text_ += value;
    }
    if (!remark.empty()) {
      text_ += "  # ";
      text_ += remark;
    }
    text_ += '\n';
  }

  void item() { item_ = true; }

private:
  std::string text_;
  bool item_ = false;
};

using Pairs = std::vector<std::pair<std::string, std::string>>;

void add_attributes(const ThreadAttributes & a, Pairs & pairs)
{
  if (a.policy != Policy::inherit) {
    pairs.emplace_back("policy", to_string(a.policy));
  }
  if (a.priority != 0) {
    pairs.emplace_back("priority", std::to_string(a.priority));
  }
  if (a.nice) {
    pairs.emplace_back("nice", std::to_string(*a.nice));
  }
  for (const auto & [key, value] :
       {std::pair{"runtime", a.runtime}, {"deadline", a.deadline}, {"period", a.period}}) {
    if (value != takt_core::Duration{}) {
      pairs.emplace_back(key, print_duration(value));
    }
  }
  if (!a.cores.empty()) {
    std::string cores;
    for (const int core : a.cores) {
      cores += (cores.empty() ? "[" : ", ") + std::to_string(core);
    }
    pairs.emplace_back("cores", cores + "]");
  }
}

std::string flow(const Pairs & pairs)
{
  std::string result = "{";
  for (const auto & [key, value] : pairs) {
    result += (result.size() > 1 ? ", " : "") + key + ": " + value;
  }
  return result + "}";
}

void write_threads(Writer & out, const Threads & threads)
{
  Pairs pairs;
  if (threads.count != 1) {
    pairs.emplace_back("count", std::to_string(threads.count));
  }
  add_attributes(threads.attributes, pairs);
  if (threads.spread) {
    pairs.emplace_back("spread", "true");
  }
  if (threads.follow) {
    pairs.emplace_back("follow", "true");
  }
  if (threads.attributes.stack_size != 0) {
    pairs.emplace_back("stack", print_size(threads.attributes.stack_size));
  }
  if (threads.fallback) {
    pairs.emplace_back("fallback", "{nice: " + std::to_string(threads.fallback->nice) + "}");
  }
  out.comment(3, threads.source.comment);
  out.line(3, threads.name, flow(pairs));
}

void write_callback(Writer & out, const CallbackRule & rule)
{
  out.comment(3, rule.source.comment);
  out.item();
  out.line(4, "match", scalar_or_list(rule.match));
  if (!rule.threads.empty()) {
    out.line(4, "threads", scalar_or_list(rule.threads));
  }
  if (rule.priority) {
    out.line(4, "priority", std::to_string(*rule.priority));
  }
  if (rule.deadline) {
    out.line(4, "deadline", print_duration(*rule.deadline));
  }
  if (rule.missed_periods) {
    out.line(4, "missed_periods", to_string(*rule.missed_periods));
  }
  if (rule.offset) {
    out.line(4, "offset", print_duration(*rule.offset));
  }
  if (rule.backlog) {
    out.line(4, "backlog", std::to_string(*rule.backlog));
  }
  if (rule.publishes_last) {
    out.line(4, "publishes_last", "true");
  }
}

void write_options(Writer & out, const ExecutorSchedule & executor)
{
  out.line(2, "order", to_string(executor.order));
  const ExecutorSchedule defaults;
  if (executor.window_timers != defaults.window_timers) {
    out.line(2, "window_timers", to_string(executor.window_timers));
  }
  if (executor.on_exception != defaults.on_exception) {
    out.line(2, "on_exception", to_string(executor.on_exception));
  }
  if (executor.missing_rights != defaults.missing_rights) {
    out.line(2, "missing_rights", to_string(executor.missing_rights));
  }
  if (executor.middleware_ceiling.mode != defaults.middleware_ceiling.mode) {
    out.line(2, "middleware_ceiling", to_string(executor.middleware_ceiling));
  }
  if (executor.lock_memory) {
    out.line(2, "lock_memory", "true");
  }
}

void write_executor(Writer & out, const ExecutorSchedule & executor)
{
  out.comment(1, executor.source.comment);
  out.line(1, executor.name, {});
  write_options(out, executor);
  out.line(2, "threads", {});
  for (const Threads & threads : executor.threads) {
    write_threads(out, threads);
  }
  out.line(
    2, "default", scalar_or_list(executor.default_threads), "for callbacks that no rule matches");
  if (!executor.callbacks.empty()) {
    out.line(2, "callbacks", {});
  }
  for (const CallbackRule & rule : executor.callbacks) {
    write_callback(out, rule);
  }
  if (!executor.groups.empty()) {
    out.line(2, "groups", {});
  }
  for (const GroupRule & rule : executor.groups) {
    out.comment(3, rule.source.comment);
    out.item();
    out.line(4, "match", scalar_or_list(rule.match));
    out.line(4, "across_priorities", rule.across_priorities ? "allow" : "forbid");
  }
  if (!executor.process_threads.empty()) {
    out.line(2, "process_threads", {});
  }
  for (const ProcessThreadRule & rule : executor.process_threads) {
    out.comment(3, rule.source.comment);
    out.item();
    out.line(4, "match", scalar_or_list(rule.match));
    Pairs pairs;
    add_attributes(rule.attributes, pairs);
    for (const auto & [key, value] : pairs) {
      out.line(4, key, value);
    }
  }
}

void write_chain(Writer & out, const takt_core::ChainOptions & chain)
{
  out.line(1, chain.name, {});
  // One id per line: paths are long, and diffs of schedules are read by people.
  std::string path;
  for (const std::string & id : chain.path) {
    path += (path.empty() ? "[\n      " : ",\n      ") + scalar(id);
  }
  out.line(2, "path", path + "]");
  if (chain.priority != 0) {
    out.line(2, "priority", std::to_string(chain.priority));
  }
  if (chain.deadline != takt_core::kForever) {
    out.line(2, "deadline", print_duration(chain.deadline));
  }
  if (chain.period != takt_core::Duration{}) {
    out.line(2, "period", print_duration(chain.period));
  }
}

}  // namespace

std::string to_yaml(const Schedule & schedule, std::string_view header)
{
  Writer out;
  out.comment(0, header);
  out.comment(0, "A takt schedule; takt check FILE checks it.");
  out.line(0, "version", std::to_string(kVersion));
  if (schedule.strict) {
    out.line(0, "strict", "true", "a pattern that matches nothing is an error");
  }
  out.blank();
  out.line(0, "executors", {});
  for (const ExecutorSchedule & executor : schedule.executors) {
    write_executor(out, executor);
  }
  if (!schedule.chains.empty()) {
    out.blank();
    out.line(0, "chains", {});
  }
  for (const ChainSchedule & chain : schedule.chains) {
    out.comment(1, chain.source.comment);
    write_chain(out, chain.options);
  }
  return out.take();
}

}  // namespace takt_schedule
