// An executor with its observer, whose hooks a test calls by hand.
#ifndef SUPPORT__SIDE_HPP_
#define SUPPORT__SIDE_HPP_

#include <gtest/gtest.h>

#include <memory>
#include <string>

#include "executor_watch.hpp"
#include "support/made.hpp"

namespace takt_watch::test
{

/// An executor that does not spin, with its observer.
struct Side
{
  explicit Side(Switch & common, const std::string & name) : executor(test::executor(name))
  {
    WatchedExecutor facts;
    facts.name = name;
    facts.executor = executor.get();
    facts.rule = [](const auto &) { return takt_schedule::WatchRule(); };
    facts.chain_rule = [this](const auto &) { return rule; };
    watch = std::make_shared<ExecutorWatch>(facts, common, [] {});
    EXPECT_TRUE(executor->add_observer(watch).ok());
    watch->begin();
  }
  ~Side() { watch->leave(); }
  Side(const Side &) = delete;
  Side & operator=(const Side &) = delete;

  std::shared_ptr<Work> add(std::shared_ptr<Work> work) const
  {
    EXPECT_TRUE(executor->add(work).ok());
    return work;
  }

  takt_schedule::ChainWatchRule rule{};
  std::unique_ptr<takt_core::Executor> executor;
  std::shared_ptr<ExecutorWatch> watch;
};

}  // namespace takt_watch::test

#endif  // SUPPORT__SIDE_HPP_
