#include "takt_plan/end_to_end.hpp"

#include <algorithm>
#include <iterator>
#include <limits>
#include <map>
#include <optional>
#include <utility>

#include "analysis/counted_bounds.hpp"
#include "analysis/end_to_end/replaced.hpp"
#include "analysis/inputs/check_for_analysis.hpp"
#include "analysis/inputs/let.hpp"
#include "model/ways_in.hpp"
#include "takt_schedule/quoted.hpp"

namespace takt_plan
{
namespace
{

using detail::MoreChains;
using detail::Stream;
using detail::Streams;
using takt_rt::Faults;
using takt_rt::Result;
using takt_schedule::quoted;

/// A way to the first task of a part, and along the part.
struct Way
{
  Index stream = kNone;
  Index chain = kNone;
};

struct Part
{
  std::vector<Index> tasks;
  Ns under_way = 0;
  Index chain = kNone;  ///< a chain along the part; only for the first part
  std::vector<Way> ways;
  std::optional<Ns> border = {};  ///< as in PathPart
  bool at_border = false;         ///< it begins with the border task of the part before
};

/// The latest use of a message by a part.
struct Use
{
  Index chain = kNone;
  Ns next = 0;
  ChainAnswer answer;
};

class EndToEndAnalysis
{
public:
  EndToEndAnalysis(
    const Model & model, const EndToEndTerms & terms, bool explain,
    std::int64_t most_looks = detail::kMostLooks, const BoundsOptions & options = {})
  : model_(model),
    terms_(terms),
    explain_(explain),
    most_looks_(most_looks),
    options_(options),
    streams_(model, in_trigger_order(model)),
    asked_(model)
  {
    for (Index chain = 0; chain < model.chains.size(); ++chain) {
      parts_.push_back(cut(chain));
    }
  }

  Result<EndToEndBounds> answers()
  {
    const bool more = asked_.model().chains.size() > model_.chains.size();
    auto found =
      detail::counted_bounds(asked_.model(), with_terms(explain_ && !more), looks_, most_looks_);
    if (!found) {
      return found.faults();
    }
    found_ = std::move(*found);
    EndToEndBounds result;
    used_.resize(model_.chains.size());
    for (Index chain = 0; chain < model_.chains.size(); ++chain) {
      result.chains.push_back(answer(chain));
    }
    result.bounds = std::move(found_);
    result.bounds.chains.erase(
      result.bounds.chains.begin() + static_cast<std::ptrdiff_t>(model_.chains.size()),
      result.bounds.chains.end());
    for (Index chain = 0; chain < model_.chains.size(); ++chain) {
      if (parts_[chain].size() > 1) {
        result.bounds.chains[chain] = as_whole(result.chains[chain]);
      }
    }
    if (explain_ && more) {
      add_terms(result);
    }
    return result;
  }

  /// The effort of the analyses so far.
  double looks() const noexcept { return looks_; }

private:
  // ---- questions to `bounds` ----

  std::vector<Part> cut(Index chain)
  {
    const std::vector<Index> & path = model_.chains[chain].path;
    std::vector<Part> parts(1);
    parts.front().tasks = {path.front()};
    for (Index i = 1; i < path.size(); ++i) {
      const Task & before = model_.tasks[path[i - 1]];
      if (only_reads(model_.tasks[path[i]], path[i - 1])) {
        const bool at_border = before.border == path[i];
        if (at_border && terms_.border) {
          parts.back().border = before.release->period;
        }
        parts.push_back(reached_by_reading(path[i], path[i - 1]));
        parts.back().at_border = at_border;
      } else {
        parts.back().tasks.push_back(path[i]);
      }
    }
    for (Index i = 1; i < parts.size(); ++i) {
      if (meets_at_border(parts[i - 1], parts[i])) {
        parts[i - 1].border = 0;
      }
    }
    parts.front().chain =
      parts.size() == 1 ? chain : asked_.add(parts.front().tasks, model_.chains[chain].aliases);
    for (Part & part : parts) {
      find_ways(part);
    }
    return parts;
  }

  /// True if three conditions hold: `before` is a border task alone, timers with logical execution
  /// time of its executor take its messages, and only border tasks of this executor publish the
  /// messages that they take there.
  bool meets_at_border(const Part & before, const Part & part) const
  {
    if (!before.at_border || before.tasks.size() != 1 || part.under_way != 0) {
      return false;
    }
    const Index border = before.tasks.front();
    const Index executor = model_.tasks[border].executor;
    const auto & input = model_.tasks[part.tasks.front()].input;
    const std::vector<Index> takers =
      input ? input->takers : std::vector<Index>(1, part.tasks.front());
    const bool of_groups = std::all_of(takers.begin(), takers.end(), [&](Index taker) {
      return model_.tasks[taker].border != kNone && model_.tasks[taker].executor == executor;
    });
    return of_groups && (input ? input->from_borders : only_borders(part.tasks.front(), border));
  }

  /// True if only border tasks of its executor publish the messages that the reader gets from this
  /// border.
  bool only_borders(Index reader, Index border) const
  {
    const std::vector<Link> & reads = model_.tasks[reader].reads;
    std::vector<Link> links;
    std::copy_if(reads.begin(), reads.end(), std::back_inserter(links), [&](const Link & link) {
      return std::any_of(reads.begin(), reads.end(), [&](const Link & one) {
        return one.from == border && one.topic == link.topic;
      });
    });
    return all_from_borders(model_, links, model_.tasks[border].executor);
  }

  Part reached_by_reading(Index reader, Index from) const
  {
    Part part;
    part.tasks = {reader};
    const std::vector<Link> & reads = model_.tasks[reader].reads;
    for (const Link & link : reads) {
      if (link.from == from) {
        part.under_way = std::max(part.under_way, terms_.under_way ? link.delay : 0);
      }
    }
    return part;
  }

  void find_ways(Part & part)
  {
    const std::vector<Index> & streams = streams_.of(part.tasks.front());
    for (const Index stream : streams) {
      std::vector<Index> path = detail::way_in(streams_, stream);
      const bool alone = path.size() == 1 && streams.size() == 1;
      path.insert(path.end(), part.tasks.begin() + 1, part.tasks.end());
      part.ways.push_back({stream, alone && part.chain != kNone ? part.chain : asked_.add(path)});
    }
  }

  /// With all terms if the model has one chain.
  BoundsOptions with_terms(bool explain) const
  {
    BoundsOptions options = options_;
    options.give_up_above.clear();  // they are limits of other chains
    options.explain = explain;
    if (model_.chains.size() == 1) {
      options.most_terms = std::numeric_limits<std::size_t>::max();
    }
    return options;
  }

  /// Adds terms to the segments that the results use: these are known only now. Each segment has
  /// the importance of its chain.
  void add_terms(EndToEndBounds & result) const
  {
    Model model = asked_.model();
    model.chains.clear();
    std::map<Index, Index> position;  // from the position of a question to that of its result
    for (Index chain = 0; chain < model_.chains.size(); ++chain) {
      for (Index part = 0; result.chains[chain] && part < used_[chain].size(); ++part) {
        const Index asked = used_[chain][part];
        const auto [at, fresh] = position.try_emplace(asked, model.chains.size());
        if (fresh) {
          model.chains.push_back(asked_.model().chains[asked]);
        }
        int & priority = model.chains[at->second].priority;
        priority = std::max(priority, model_.chains[chain].priority);
      }
    }
    const auto found = bounds(model, with_terms(true));
    for (Index chain = 0; chain < model_.chains.size(); ++chain) {
      auto & answer = result.chains[chain];
      for (Index part = 0; answer && part < used_[chain].size(); ++part) {
        answer->parts[part].answer.segments =
          found->chains[position.at(used_[chain][part])]->segments;
      }
      if (answer && answer->parts.size() == 1) {
        result.bounds.chains[chain]->segments = answer->parts.front().answer.segments;
      }
    }
  }

  // ---- sums of the answers ----

  std::string name(Index task) const { return quoted(model_.tasks[task].id); }

  Result<const ChainAnswer *> found(Index chain) const
  {
    if (chain == kNone) {
      return Faults{
        "there are so many ways into its path that this analysis would look at more than " +
        std::to_string(MoreChains::kMostTasks) + " callbacks"};
    }
    const auto & answer = found_.chains[chain];
    return answer ? Result<const ChainAnswer *>(&*answer) : answer.faults();
  }

  /// B of a part, without the terms that `terms_` omits.
  ChainAnswer later(const ChainAnswer & answer, const Part & part) const
  {
    ChainAnswer result = answer;
    if (!terms_.late) {
      result.bound = 0;
      for (const Index task : part.tasks) {
        result.bound = add(result.bound, model_.tasks[task].time);
      }
    }
    return result;
  }

  /// W of a message that arrives by `there`, counted from the zero of all offsets. `there` is
  /// kUnbounded: all timers have had their first release. `from_border`: the message is there at
  /// the border of this task, whose phase is known.
  Result<Use> use(
    const Part & part, Ns there = kUnbounded, const Task * from_border = nullptr) const
  {
    const Index first = part.tasks.front();
    if (streams_.too_many(first)) {
      return Faults{detail::too_many_ways(name(first))};
    }
    if (part.at_border) {
      const auto answer = found(part.ways.front().chain);
      return answer ? Result<Use>(Use{part.ways.front().chain, 0, **answer}) : answer.faults();
    }
    Result<Use> best = Faults{
      "no timer starts " + name(first) +
      ", and of messages from outside of the model it is known only that they come at most so "
      "often: how long until the next is open"};
    for (const Way & way : part.ways) {
      const Stream & stream = streams_.all()[way.stream];
      if (!model_.tasks[stream.source].timer) {
        continue;
      }
      if (stream.set != kNone) {
        best =
          best
            ? std::move(best)
            : Result<Use>(Faults{
                name(first) + " is started after a set of newest messages, which not every release "
                              "completes: how long until the next is not covered"});
        continue;
      }
      const auto answer = found(way.chain);
      if (!answer) {
        best = best ? std::move(best) : Result<Use>(answer.faults());
        continue;
      }
      const Task & source = model_.tasks[stream.source];
      const Ns begins = model_.first_release(stream.source);
      const bool from_known = from_border != nullptr && source.release->offset;
      const Ns wait = from_known ? longest_wait_from_border(*from_border, source) : stream.period;
      const Ns next = std::max(wait, begins > there ? begins - there : 0);
      const Use one{way.chain, terms_.period ? next : 0, later(**answer, part)};
      if (!best || add(one.next, one.answer.bound) < add(best->next, best->answer.bound)) {
        best = one;
      }
    }
    return best;
  }

  Result<EndToEnd> answer(Index chain)
  {
    const std::vector<Part> & parts = parts_[chain];
    const auto first = found(parts.front().chain);
    if (!first) {
      return first.faults();
    }
    EndToEnd result;
    used_[chain] = {parts.front().chain};
    result.parts.push_back({parts.front().tasks, 0, 0, **first, parts.front().border});
    result.response = result.parts.front().time();
    const Task & root = model_.tasks[parts.front().tasks.front()];
    const Ns begins = root.timer ? model_.first_release(parts.front().tasks.front()) : 0;
    Ns through = 0;  // the sum over all parts but the first
    for (Index i = 1; i < parts.size(); ++i) {
      const Ns there = add(add(begins, result.response), add(through, parts[i].under_way));
      const Result<Use> used = use(parts[i], there, border_before(parts, i));
      if (!used) {
        return used.faults();
      }
      used_[chain].push_back(used->chain);
      result.parts.push_back(
        {parts[i].tasks, parts[i].under_way, used->next, used->answer, parts[i].border});
      through = add(through, add(parts[i].under_way, add(used->next, result.parts.back().time())));
    }
    result.response = add(result.response, through);
    if (result.response == kUnbounded) {
      return beyond();
    }
    add_ages(model_.chains[chain], parts, through, result);
    return result;
  }

  /// The border task before part `i`, if the message is there at a border of known phase. At a
  /// border the timer that takes the message first publishes due messages.
  const Task * border_before(const std::vector<Part> & parts, Index i) const
  {
    const Task & border = model_.tasks[parts[i - 1].tasks.front()];
    return meets_at_border(parts[i - 1], parts[i]) && border.release->offset ? &border : nullptr;
  }

  void add_ages(
    const Chain & chain, const std::vector<Part> & parts, Ns through, EndToEnd & result) const
  {
    const auto called = [&](Index task) { return quoted(model_.id_on(chain, task)); };
    for (const Part & part : parts) {
      for (const Index task : part.tasks) {
        if (model_.tasks[task].newest) {
          const Faults why{
            called(task) +
            " works on sets of newest messages: newer messages replace some messages of a set; "
            "this analysis does not bound the age of data after that"};
          result.reaction_time = result.data_age = result.age_at_output = why;
          return;
        }
      }
    }
    const Task & root = model_.tasks[parts.front().tasks.front()];
    const bool events = root.release && !root.timer;
    if (const auto place = replaced(model_, chain)) {
      const Faults why{why_no_age(model_, chain, *place)};
      result.reaction_time = result.data_age = result.age_at_output = why;
      return;
    }
    const Task * const input = input_of(parts);
    if (input != nullptr && input->input->by_release) {
      const Faults why{
        quoted(input->id) +
        " takes what arrived by its timer's release (let): a later message may replace an earlier "
        "one in its history, and waits for the next release itself"};
      result.reaction_time = result.data_age = result.age_at_output = why;
      return;
    }
    if (input != nullptr && input->input->max_age != kUnbounded) {
      const Faults why{
        quoted(input->id) +
        " leaves out messages that waited longer than its max_age: possibly all of them"};
      result.reaction_time = result.data_age = result.age_at_output = why;
      return;
    }
    const Result<Ns> sampled = sampled_and(through, parts.front());
    result.data_age = sampled;
    result.reaction_time = events ? Result<Ns>(result.response) : sampled;
    result.age_at_output = result.response;
    if (input != nullptr) {
      result.age_at_output = sampled;  // the taker also uses messages that are not the newest
    } else if (parts.back().at_border) {
      result.age_at_output = sampled;
    } else if (parts.size() > 1) {
      result.age_at_output = sampled ? Result<Ns>(*sampled - saved_by_last(parts.back())) : sampled;
    }
  }

  /// The non-triggering callback that ends the path; nullptr: another callback ends it.
  const Task * input_of(const std::vector<Part> & parts) const
  {
    const Task & last = model_.tasks[parts.back().tasks.back()];
    return last.input ? &last : nullptr;
  }

  Result<Ns> sampled_and(Ns through, const Part & root) const
  {
    const auto used = use(root);
    if (!used) {
      return used.faults();
    }
    const Ns sum = add(add(used->next, root.border.value_or(used->answer.bound)), through);
    return sum == kUnbounded ? Result<Ns>(beyond()) : sum;
  }

  static Faults beyond() { return {"the sum of its parts is beyond any time that can be told"}; }

  /// The time by which the age at the output is shorter than the data age, W - B: the last part has
  /// already read its message. 0 if a way of the part has no bound.
  Ns saved_by_last(const Part & last) const
  {
    Ns longest = 0;
    for (const Way & way : last.ways) {
      const auto answer = found(way.chain);
      longest = std::max(longest, answer ? later(**answer, last).bound : kUnbounded);
    }
    const Use used = *use(last);
    return std::max<Ns>(add(used.next, used.answer.bound) - longest, 0);
  }

  static Result<ChainAnswer> as_whole(const Result<EndToEnd> & answer)
  {
    if (!answer) {
      return answer.faults();
    }
    ChainAnswer whole;
    whole.analysis = answer->parts.front().answer.analysis;
    whole.bound = answer->response;
    whole.parts_rest_on_phases = std::any_of(
      answer->parts.begin(), answer->parts.end(),
      [](const PathPart & part) { return rests_on_phases(part.answer); });
    return whole;
  }

  const Model & model_;
  const EndToEndTerms terms_;
  const bool explain_;
  const std::int64_t most_looks_;
  const BoundsOptions options_;
  const Streams streams_;
  MoreChains asked_;
  double looks_ = 0;
  std::vector<std::vector<Part>> parts_;  // per chain
  Bounds found_;                          // answers to all questions
  // Per chain and part: positions of the answers that the part uses.
  std::vector<std::vector<Index>> used_;
};

}  // namespace

Result<EndToEndBounds> end_to_end(const Model & model, const EndToEndTerms & terms, bool explain)
{
  if (const takt_rt::Status status = check_for_analysis(model); !status) {
    return status.faults();
  }
  return EndToEndAnalysis(model, terms, explain).answers();
}

Result<Bounds> detail::counted_bounds_through_reads(
  const Model & model, double & looks, std::int64_t most, const BoundsOptions & options)
{
  Result<Bounds> without = counted_bounds(model, options, looks, most);
  const bool any = without && std::any_of(
                                model.chains.begin(), model.chains.end(),
                                [&](const Chain & chain) { return reads(model, chain); });
  if (!any) {
    return without;
  }
  EndToEndAnalysis analysis(model, {}, false, most, options);
  auto found = analysis.answers();
  looks += analysis.looks();
  return found ? Result<Bounds>(std::move(found->bounds)) : found.faults();
}

Result<Bounds> bounds_through_reads(const Model & model)
{
  double looks = 0;
  return detail::counted_bounds_through_reads(model, looks);
}

bool rests_on_phases(const ChainAnswer & chain)
{
  return chain.parts_rest_on_phases ||
         std::any_of(
           chain.segments.begin(), chain.segments.end(),
           [](const SegmentBound & segment) { return segment.analysis == Analysis::jobs; });
}

bool only_reads(const Task & task, Index before)
{
  // The messages that a taker sends to its own input wait for the taker's next run.
  return task.input || std::none_of(
                         task.triggers.begin(), task.triggers.end(),
                         [&](const Link & link) { return link.from == before; });
}

bool reads(const Model & model, const Chain & chain)
{
  for (Index i = 1; i < chain.path.size(); ++i) {
    if (only_reads(model.tasks[chain.path[i]], chain.path[i - 1])) {
      return true;
    }
  }
  return false;
}

}  // namespace takt_plan
