#include "support/seen_terms.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

namespace takt_plan::test
{
namespace
{

Ns of_kind(const BoundTerms & terms, TermKind kind)
{
  Ns sum = 0;
  for (const BoundTerm & term : terms) {
    sum += term.kind == kind ? term.time : 0;
  }
  return sum;
}

class Check
{
public:
  Check(const std::string & what, const Model & model, SeenTerms & seen)
  : what_(what),
    model_(model),
    seen_(seen),
    waits_(std::any_of(model.tasks.begin(), model.tasks.end(), [](const Task & task) {
      return task.newest || task.all;
    }))
  {
  }

  void chain(const Chain & chain, const ChainAnswer & answer)
  {
    ++seen_.chains;
    std::vector<Index> path;
    Ns end = 0;
    for (const SegmentBound & part : answer.segments) {
      if (!waits_ && !path.empty()) {
        follows(part, end);
      }
      segment(part);
      EXPECT_GE(part.response, 0) << what_ << chain.name;
      end = part.released + part.response + part.waiting;
      path.insert(path.end(), part.tasks.begin(), part.tasks.end());
    }
    EXPECT_EQ(end, answer.bound) << what_ << chain.name;
    if (!waits_) {  // otherwise the last message decides
      EXPECT_EQ(path, chain.path) << what_ << chain.name;
    }
  }

private:
  /// Checks that a part follows after the message's delay, if no other source starts it.
  void follows(const SegmentBound & part, Ns end) const
  {
    const Task & head = model_.tasks[part.tasks.front()];
    if (!head.release && head.triggers.size() == 1) {
      // A part that ends by its latest release is released by its end.
      const Ns latest = end + head.triggers.front().delay;
      EXPECT_EQ(part.released, part.response > 0 ? latest : std::min(latest, part.released))
        << what_ << head.id;
    }
  }

  void segment(const SegmentBound & part)
  {
    const std::string & name = model_.tasks[part.tasks.back()].id;
    const bool local = part.analysis != Analysis::priority;
    ++seen_.segments;
    seen_.runs += local && part.tasks.size() > 1 ? 1 : 0;
    EXPECT_EQ(sum_of(part.terms), part.response) << what_ << name;
    for (const BoundTerm & term : part.terms) {
      ++seen_.kinds[{part.analysis, term.kind}];
      EXPECT_EQ(term.time < 0, term.kind == TermKind::head_start) << what_ << name;
      EXPECT_NE(term.time, 0) << what_ << name;
      busy(term, name);
    }
    Ns cost = 0;
    Ns overhead = 0;
    for (const Index task : part.tasks) {
      const Task & own = model_.tasks[task];
      cost += std::max<Ns>(own.newest ? own.store : own.cost(), local ? 1 : 0);
      overhead += own.newest ? 0 : own.dispatch + own.middleware;
    }
    const Ns own_work = of_kind(part.terms, TermKind::work);
    const Ns own_overhead = of_kind(part.terms, TermKind::overhead);
    if (local) {
      EXPECT_EQ(own_work + own_overhead, cost) << what_ << name;
      EXPECT_EQ(own_overhead, overhead) << what_ << name;
    } else {  // with what they start, and for each activation that counts
      EXPECT_GE(own_work + own_overhead, cost) << what_ << name;
      EXPECT_GE(own_overhead, overhead) << what_ << name;
    }
  }

  void busy(const BoundTerm & term, const std::string & name) const
  {
    Ns work = 0;
    for (const BusyWork & one : term.busy) {
      EXPECT_GT(one.time, 0) << what_ << name;
      EXPECT_EQ(one.tasks.empty(), one.had_begun) << what_ << name;
      work += one.time;
    }
    if (term.kind == TermKind::threads_busy || term.kind == TermKind::cores_busy) {
      EXPECT_EQ(work / static_cast<Ns>(term.threads), term.time) << what_ << name;
    } else {
      EXPECT_TRUE(term.busy.empty()) << what_ << name;
    }
  }

  const std::string & what_;
  const Model & model_;
  SeenTerms & seen_;
  const bool waits_;  // the task waits for several messages
};

}  // namespace

void check_terms(const std::string & what, const Model & model, SeenTerms & seen)
{
  BoundsOptions explained;
  explained.explain = true;
  const auto plain = bounds(model);
  const auto found = bounds(model, explained);
  ASSERT_TRUE(plain.ok() && found.ok()) << what;
  for (Index task = 0; task < model.tasks.size(); ++task) {
    ASSERT_EQ(found->tasks[task].ok(), plain->tasks[task].ok()) << what;
    if (found->tasks[task]) {
      EXPECT_EQ(*found->tasks[task], *plain->tasks[task]) << what;
    }
  }
  Check check(what, model, seen);
  for (Index chain = 0; chain < model.chains.size(); ++chain) {
    ASSERT_EQ(found->chains[chain].ok(), plain->chains[chain].ok()) << what;
    if (!found->chains[chain]) {
      continue;
    }
    EXPECT_EQ(found->chains[chain]->bound, plain->chains[chain]->bound) << what;
    EXPECT_EQ(found->chains[chain]->analysis, plain->chains[chain]->analysis) << what;
    for (const SegmentBound & segment : plain->chains[chain]->segments) {
      EXPECT_TRUE(segment.terms.empty()) << what;
    }
    check.chain(model.chains[chain], *found->chains[chain]);
  }
}

}  // namespace takt_plan::test
