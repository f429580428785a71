// The names that the shim hooks, by distribution: the shim exports each name, and the librclcpp of
// this machine has the names of its distribution.
#include <gtest/gtest.h>

#include <array>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>
#include <string>

namespace
{

using Names = std::set<std::string>;

Names read(const std::filesystem::path & path)
{
  Names names;
  std::ifstream file(path);
  for (std::string line; std::getline(file, line);) {
    if (!line.empty() && line.front() != '#') {
      names.insert(line);
    }
  }
  return names;
}

/// Functions that `library` defines.
Names defined(const std::string & library)
{
  Names names;
  FILE * const pipe = ::popen(("nm -D --defined-only '" + library + "'").c_str(), "r");
  std::array<char, 4096> line{};
  while (std::fgets(line.data(), line.size(), pipe) != nullptr) {
    std::string name = line.data();
    name = name.substr(name.rfind(' ') + 1);
    names.insert(name.substr(0, name.find('\n')));
  }
  ::pclose(pipe);
  return names;
}

Names without(const Names & some, const Names & others)
{
  Names rest;
  for (const auto & name : some) {
    if (!others.contains(name)) {
      rest.insert(name);
    }
  }
  return rest;
}

// An adopted executor may spin on while the program ends, so nothing that it uses is destroyed
// then.
TEST(Symbols, have_no_object_that_is_destroyed_at_the_end)
{
  std::istringstream libraries(TAKT_LIBRARIES);
  for (std::string library; std::getline(libraries, library, ':');) {
    Names asked;
    FILE * const pipe = ::popen(("nm -D --undefined-only '" + library + "'").c_str(), "r");
    std::array<char, 4096> line{};
    while (std::fgets(line.data(), line.size(), pipe) != nullptr) {
      std::string name = line.data();
      name = name.substr(name.rfind(' ') + 1);
      asked.insert(name.substr(0, name.find_first_of("@\n")));
    }
    ::pclose(pipe);
    if (asked.contains("__asan_init") || asked.contains("__tsan_init")) {
      GTEST_SKIP() << "a sanitizer's own functions are called at the end";
    }
    EXPECT_FALSE(asked.empty()) << library;
    EXPECT_FALSE(asked.contains("__cxa_atexit")) << library;
  }
}

TEST(Symbols, are_hooked_by_the_shim_for_each_distribution)
{
  const Names exported = defined(TAKT_PRELOAD);
  Names all;
  for (const auto & entry : std::filesystem::directory_iterator(TAKT_SYMBOLS)) {
    const Names names = read(entry.path());
    EXPECT_GE(names.size(), 9U) << entry.path();
    EXPECT_EQ(without(names, exported), Names()) << entry.path();
    all.insert(names.begin(), names.end());
  }
  // The shim hooks no function that is in no list.
  Names of_rclcpp;
  for (const auto & name : exported) {
    if (name.starts_with("_ZN6rclcpp")) {
      of_rclcpp.insert(name);
    }
  }
  EXPECT_EQ(without(of_rclcpp, all), Names());
}

TEST(Symbols, are_in_the_rclcpp_that_is_found)
{
  if (std::string(TAKT_LIBRCLCPP).empty()) {
    GTEST_SKIP() << "rclcpp is not found";
  }
  const std::string list = TAKT_SYMBOLS "/" TAKT_DISTRIBUTION ".txt";
  ASSERT_TRUE(std::filesystem::exists(list)) << "no list for this rclcpp: " << list;
  EXPECT_EQ(without(read(list), defined(TAKT_LIBRCLCPP)), Names());
}

}  // namespace
