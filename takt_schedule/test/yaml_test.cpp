// Faults of a file before it is read as a schedule.
#include <gtest/gtest.h>

#include "schedule_text.hpp"

namespace takt_schedule
{
namespace
{

using test::faults;
using test::parse;
using test::Strings;
using test::with_main;

TEST(Yaml, ThatIsNoneIsOneFaultWithItsLine)
{
  EXPECT_EQ(
    faults("version: 1\nexecutors: [a\n"),
    Strings{"s.yaml:3:1: not YAML: end of sequence flow not found"});
}

TEST(Yaml, ATabInTheIndentationIsNamedWhereItStands)
{
  const std::string what =
    "a tab stands here; YAML is indented with spaces only, so replace it by spaces";
  EXPECT_EQ(faults("version: 1\n\tstrict: true\n"), Strings{"s.yaml:2:1: " + what});
  EXPECT_EQ(
    faults("version: 1\nexecutors:\n\tmain:\n\t\tthreads: {a: {}}\n"),
    Strings{"s.yaml:3:1: " + what});
  EXPECT_EQ(
    faults("version: 1\nexecutors:\n  main:\n    threads:\n\t  a: {}\n    default: a\n"),
    Strings{"s.yaml:5:1: " + what});
}

TEST(Yaml, AGraphIsRecognised)
{
  EXPECT_EQ(
    faults("version: 1\nname: g\nnodes: [{name: A, kind: sensor, period: 1s}]\nchains: []\n"),
    Strings{"s.yaml:1:1: this is a graph (it has 'nodes'), where a schedule is expected; `takt run "
            "FILE` runs a graph"});
}

TEST(Yaml, ASystemModelIsRecognised)
{
  EXPECT_EQ(
    faults("version: 1\nhosts: {car: {cores: 2}}\ncallbacks: []\n"),
    Strings{
      "s.yaml:1:1: this is a system model (it has 'callbacks'), where a schedule is expected; "
      "`takt plan FILE` makes one"});
}

TEST(Yaml, OfAnEmptyFileIsAFault)
{
  const Strings expected{"s.yaml:1:1: the file is empty; a schedule starts with 'version: 1'"};
  EXPECT_EQ(faults(""), expected);
  EXPECT_EQ(faults("# nothing\n"), expected);
}

TEST(Yaml, OfAnotherShapeIsAFault)
{
  EXPECT_EQ(
    faults("[1, 2]"), Strings{"s.yaml:1:1: a schedule must be a map with version, system, strict, "
                              "epoch, settles, executors, chains, topics or watch, "
                              "not a list"});
}

TEST(Yaml, DuplicateKeysAreFaultsAtTheSecondOne)
{
  EXPECT_EQ(
    faults(with_main("threads:\n  a: {nice: 1, nice: 2}\n  a: {}\ndefault: a")),
    (Strings{
      "s.yaml:5:20: duplicate key 'nice'; it is on line 5 already",
      "s.yaml:6:7: duplicate key 'a'; it is on line 5 already"}));
}

TEST(Yaml, KeysMustBeWords)
{
  EXPECT_EQ(
    faults("version: 1\n[a]: b\nexecutors: {main: {threads: {t: }, default: t}}\n"),
    Strings{"s.yaml:2:1: a key must be a word"});
}

TEST(Yaml, ASecondDocumentIsAFault)
{
  EXPECT_EQ(
    faults("version: 1\n---\nversion: 1\n"),
    Strings{"s.yaml:2:1: a schedule file holds one document; remove what follows '---'"});
}

TEST(Yaml, AnchorsAliasesAndMergeKeysWork)
{
  const Schedule schedule =
    parse(with_main("threads:\n"
                    "  a: &hot {policy: fifo, priority: 80, cores: &both [0, 1]}\n"
                    "  b: {<<: *hot, priority: 70}\n"
                    "  c: {cores: *both}\n"
                    "default: all"));
  ASSERT_EQ(schedule.executors.size(), 1U);
  const auto & threads = schedule.executors[0].threads;
  ASSERT_EQ(threads.size(), 3U);
  EXPECT_EQ(threads[1].attributes.policy, takt_rt::Policy::fifo);
  EXPECT_EQ(threads[1].attributes.priority, 70);
  EXPECT_EQ(threads[1].attributes.cores, (std::vector<int>{0, 1}));
  EXPECT_EQ(threads[2].attributes.cores, (std::vector<int>{0, 1}));
}

TEST(Yaml, AFaultUnderAnAliasIsToldOnceWhereItIsWritten)
{
  EXPECT_EQ(
    faults(with_main("threads:\n  a: &x {cout: 2}\n  b: *x\ndefault: all")),
    (Strings{
      "s.yaml:5:14: unknown key 'cout' in threads 'a'; did you mean 'count'?",
      "s.yaml:5:14: unknown key 'cout' in threads 'b'; did you mean 'count'?"}));
}

TEST(Yaml, AMergeOfSomethingElseIsAFault)
{
  EXPECT_EQ(
    faults(with_main("threads:\n  a: {<<: 5}\ndefault: a")),
    Strings{"s.yaml:5:15: '<<' takes a map, as in '<<: *name', or a list of maps"});
}

TEST(Yaml, AnAliasInsideOfWhatItNamesIsAFault)
{
  EXPECT_EQ(
    faults("version: 1\nexecutors: &a {main: *a}\n"),
    Strings{"s.yaml:2:22: this alias refers to a node that contains the alias"});
}

TEST(Yaml, AnUnknownAliasIsAFault)
{
  const Strings found = faults("version: 1\nexecutors: *nothing\n");
  ASSERT_EQ(found.size(), 1U);
  EXPECT_TRUE(found[0].starts_with("s.yaml:2:12: not YAML: the referenced anchor is not defined"))
    << found[0];
}

TEST(Yaml, AliasesThatGrowWithoutEndAreAFault)
{
  std::string bomb = "version: 1\nchains:\n  a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n";
  for (int i = 1; i < 20; ++i) {
    const std::string before = "*a" + std::to_string(i - 1);
    bomb += "  a" + std::to_string(i) + ": &a" + std::to_string(i) + " [";
    for (int j = 0; j < 10; ++j) {
      bomb += before + (j < 9 ? ", " : "]\n");
    }
  }
  EXPECT_EQ(faults(bomb), Strings{"s.yaml:8:57: more than 1000000 nodes with aliases expanded"});
}

TEST(Yaml, NestingWithoutEndIsAFault)
{
  EXPECT_EQ(
    faults("version: " + std::string(65, '[') + std::string(65, ']')),
    Strings{"s.yaml:1:73: nested more than 64 deep"});
  EXPECT_EQ(faults("version: " + std::string(100000, '[')).size(), 1U);
  EXPECT_EQ(faults(std::string(100000, '{')).size(), 1U);
  EXPECT_EQ(faults("version: " + std::string(1, '[') + std::string(50000, '-')).size(), 1U);
}

TEST(Yaml, NestingThroughAliasesIsBoundedToo)
{
  std::string text = "a: &a0 [" + std::string(40, '[') + std::string(40, ']') + "]\n";
  text += "b: " + std::string(40, '[') + "*a0" + std::string(40, ']') + "\n";
  EXPECT_EQ(faults(text), Strings{"s.yaml:2:44: nested more than 64 deep with aliases expanded"});
}

TEST(Yaml, WhatIsNoTextIsOneFaultThatSaysSo)
{
  const std::string latin = "s.yaml:2:1: the file is not UTF-8 text; save it as UTF-8";
  for (const std::string & bad :
       {std::string("\xe9"), std::string("\xc0\x80"), std::string("\x80"), std::string("\xf8"),
        std::string("\xe2\x82")}) {
    EXPECT_EQ(faults("version: 1\nstrict: " + bad), Strings{latin});
  }
  EXPECT_EQ(
    faults(std::string(100, '\0')),
    Strings{"s.yaml:1:1: the file has a zero byte, which no text has; name a text file"});
  EXPECT_EQ(
    faults("version: 1\nexecutors: {\xc3\xa4\xe2\x82\xac\xf0\x9f\x98\x80: 3}\n")
      .front()
      .find("UTF-8"),
    std::string::npos);
}

TEST(Yaml, MoreTextThanAScheduleNeedsIsAFault)
{
  EXPECT_EQ(
    faults(std::string((16U << 20U) + 1, '#')),
    Strings{"s.yaml:1:1: more than 16777216 bytes of text"});
}

TEST(Yaml, AFileThatCannotBeReadIsAFault)
{
  EXPECT_EQ(
    sentences(load_schedule("/nowhere/s.yaml").faults()),
    Strings{"/nowhere/s.yaml: cannot be read: No such file or directory"});
  EXPECT_EQ(
    sentences(load_schedule("/").faults()), Strings{"/: is a directory; name a schedule file"});
}

}  // namespace
}  // namespace takt_schedule
