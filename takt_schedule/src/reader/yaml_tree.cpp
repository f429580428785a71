#include "takt_schedule/reader/yaml_tree.hpp"

#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/exceptions.h>
#include <yaml-cpp/mark.h>
#include <yaml-cpp/parser.h>

#include <algorithm>
#include <exception>
#include <sstream>
#include <unordered_map>

#include "reader/encoding.hpp"
#include "reader/tabs.hpp"
#include "takt_schedule/reader/text.hpp"

namespace takt_schedule
{
namespace
{

/// Ends the reading inside yaml-cpp; caught in this file.
struct Stop
{
  Source at;
  std::string what;
};

Source source(const YAML::Mark & mark)
{
  // Null marks count from -1.
  return {std::max(mark.line, 0) + 1, std::max(mark.column, 0) + 1, {}};
}

/// yaml-cpp repeats faulty text unchanged, including line feeds.
std::string one_line(std::string text)
{
  std::replace_if(text.begin(), text.end(), is_control, '?');
  return text;
}

class TreeBuilder : public YAML::EventHandler
{
public:
  TreeBuilder(Findings & findings, const YamlLimits & limits) : findings_(findings), limits_(limits)
  {
  }

  YamlPtr root() const { return root_; }

  void OnDocumentStart(const YAML::Mark & mark) override
  {
    if (root_ != nullptr) {
      throw Stop{
        source(mark),
        std::string(limits_.what) + " file holds one document; remove what follows '---'"};
    }
  }
  void OnDocumentEnd() override {}

  void OnNull(const YAML::Mark & mark, YAML::anchor_t anchor) override
  {
    add(node(YamlNode::Type::null, mark, anchor));
  }

  void OnAlias(const YAML::Mark & mark, YAML::anchor_t anchor) override
  {
    const YamlPtr target = anchors_[anchor];
    if (std::any_of(open_.begin(), open_.end(), [&](const Open & o) { return o.node == target; })) {
      throw Stop{source(mark), "this alias refers to a node that contains the alias"};
    }
    if (target == nullptr) {
      throw Stop{source(mark), "this alias names nothing"};
    }
    add(target, source(mark));
  }

  void OnScalar(
    const YAML::Mark & mark, const std::string & tag, YAML::anchor_t anchor,
    const std::string & value) override
  {
    const auto scalar = node(YamlNode::Type::scalar, mark, anchor);
    scalar->text = value;
    scalar->plain = tag == "?";  // the tag of quotes and blocks is "!"
    add(scalar);
  }

  void OnSequenceStart(
    const YAML::Mark & mark, const std::string & /*tag*/, YAML::anchor_t anchor,
    YAML::EmitterStyle::value /*style*/) override
  {
    open(YamlNode::Type::list, mark, anchor);
  }
  void OnSequenceEnd() override { close(); }

  void OnMapStart(
    const YAML::Mark & mark, const std::string & /*tag*/, YAML::anchor_t anchor,
    YAML::EmitterStyle::value /*style*/) override
  {
    open(YamlNode::Type::map, mark, anchor);
  }
  void OnMapEnd() override { close(); }

private:
  struct Open
  {
    std::shared_ptr<YamlNode> node;
    YamlPtr key;  // maps: a key that was read before its value
    Source key_at;
    std::vector<YamlPtr> merges;
    std::unordered_map<std::string, Source> keys;
  };

  std::shared_ptr<YamlNode> node(
    YamlNode::Type type, const YAML::Mark & mark, YAML::anchor_t anchor)
  {
    auto result = std::make_shared<YamlNode>();
    result->type = type;
    result->at = source(mark);
    if (anchor != YAML::NullAnchor) {
      anchors_[anchor] = result;
    }
    return result;
  }

  void open(YamlNode::Type type, const YAML::Mark & mark, YAML::anchor_t anchor)
  {
    auto opened = node(type, mark, anchor);
    if (open_.size() + 1 > limits_.depth) {
      throw Stop{opened->at, "nested more than " + std::to_string(limits_.depth) + " deep"};
    }
    open_.push_back({std::move(opened), nullptr, {}, {}, {}});
  }

  void close()
  {
    Open done = std::move(open_.back());
    open_.pop_back();
    for (const YamlPtr & merge : done.merges) {
      merge_into(done, merge);
    }
    add(done.node);
  }

  void add(const YamlPtr & node) { add(node, node->at); }

  void add(const YamlPtr & node, const Source & at)
  {
    if (open_.empty()) {
      root_ = node;
      return;
    }
    Open & parent = open_.back();
    grow(*parent.node, *node, at);
    if (parent.node->is_list()) {
      parent.node->items.push_back(node);
    } else if (parent.key == nullptr) {
      parent.key = node;
      parent.key_at = at;
    } else {
      add_entry(parent, node);
      parent.key = nullptr;
    }
  }

  void grow(YamlNode & parent, const YamlNode & child, const Source & at)
  {
    parent.nodes += child.nodes;
    parent.height = std::max(parent.height, child.height + 1);
    if (parent.nodes > limits_.nodes) {
      throw Stop{at, "more than " + std::to_string(limits_.nodes) + " nodes with aliases expanded"};
    }
    if (open_.size() + child.height > limits_.depth + 1) {
      throw Stop{
        at, "nested more than " + std::to_string(limits_.depth) + " deep with aliases expanded"};
    }
  }

  void add_entry(Open & parent, const YamlPtr & value)
  {
    if (!parent.key->is_scalar()) {
      findings_.fault(parent.key_at, "a key must be a word");
      return;
    }
    const std::string & key = parent.key->text;
    if (key == "<<") {
      if (value->is_list()) {
        parent.merges.insert(parent.merges.end(), value->items.begin(), value->items.end());
      } else {
        parent.merges.push_back(value);
      }
      return;
    }
    if (const auto [first, fresh] = parent.keys.emplace(key, parent.key_at); !fresh) {
      findings_.fault(
        parent.key_at, "duplicate key " + quoted(key) + "; it is on line " +
                         std::to_string(first->second.line) + " already");
      return;
    }
    parent.node->entries.push_back({key, parent.key_at, value});
  }

  void merge_into(Open & target, const YamlPtr & merge)
  {
    if (!merge->is_map()) {
      findings_.fault(merge->at, "'<<' takes a map, as in '<<: *name', or a list of maps");
      return;
    }
    for (const YamlNode::Entry & entry : merge->entries) {
      if (target.keys.emplace(entry.key, entry.at).second) {
        target.node->entries.push_back(entry);
      }
    }
  }

  Findings & findings_;
  const YamlLimits & limits_;
  YamlPtr root_;
  std::vector<Open> open_;
  std::unordered_map<YAML::anchor_t, YamlPtr> anchors_;
};

}  // namespace

const YamlNode::Entry * YamlNode::entry(std::string_view key) const
{
  const auto found =
    std::find_if(entries.begin(), entries.end(), [&](const Entry & e) { return e.key == key; });
  return found == entries.end() ? nullptr : &*found;
}

YamlPtr parse_yaml(std::string_view text, Findings & findings, const YamlLimits & limits)
{
  if (text.size() > limits.text) {
    findings.fault({1, 1, {}}, "more than " + std::to_string(limits.text) + " bytes of text");
    return nullptr;
  }
  if (const auto bad = first_bad_byte(text); bad && !is_utf16(text)) {
    findings.fault(
      {line_of(text, *bad), 1, {}},
      text[*bad] == '\0' ? "the file has a zero byte, which no text has; name a text file"
                         : "the file is not UTF-8 text; save it as UTF-8");
    return nullptr;
  }
  TreeBuilder builder(findings, limits);
  try {
    std::istringstream stream{std::string(text)};
    YAML::Parser parser(stream);
    while (parser.HandleNextDocument(builder)) {
    }
  } catch (const Stop & stop) {
    findings.fault(stop.at, stop.what);
    return nullptr;
  } catch (const YAML::Exception & error) {
    const Source at = source(error.mark);
    if (const auto tab = tab_in_indentation(text, at.line)) {
      findings.fault({tab->line, tab->column, {}}, std::string(kTabFault));
    } else {
      findings.fault(at, "not YAML: " + one_line(error.msg));
    }
    return nullptr;
  } catch (const std::exception & error) {
    findings.fault({1, 1, {}}, std::string("not YAML: ") + error.what());
    return nullptr;
  }
  const YamlPtr root = builder.root();
  if (root == nullptr || root->is_null()) {
    findings.fault(
      root == nullptr ? Source{1, 1, {}} : root->at,
      "the file is empty; " + std::string(limits.what) + " starts with 'version: 1'");
    return nullptr;
  }
  return root;
}

}  // namespace takt_schedule
