// job_oracle: simulates models job by job and says whether what is claimed about them holds.
//
// Exit codes: 0 it holds; 1 some of it does not; 2 the input or the command line is wrong.
#include <cstring>
#include <exception>
#include <fstream>
#include <iostream>
#include <nlohmann/json.hpp>

#include "judge.hpp"
#include "read_model.hpp"

namespace
{

constexpr int kRefuted = 1;
constexpr int kWrong = 2;

struct Options
{
  bool stop = false;
  bool responses = false;
  const char * file = nullptr;
};

int wrong(const std::string & what)
{
  std::cerr << "job_oracle: " << what << "\n";
  return kWrong;
}

int look(std::istream & in, const Options & options)
{
  job_oracle::Findings findings;
  std::string line;
  for (int number = 1; std::getline(in, line); ++number) {
    try {
      const job_oracle::Model model = job_oracle::read_model(line);
      const job_oracle::Judge judge = job_oracle::look_at(model, findings);
      if (options.responses) {
        std::cout
          << nlohmann::
               ordered_json{{"name", model.name}, {"tasks", judge.tasks()}, {"chains", judge.chains()}}
          << "\n";
      }
    } catch (const std::exception & fault) {
      return wrong("line " + std::to_string(number) + ": " + fault.what());
    }
    if (options.stop && findings.violations > 0) {
      break;
    }
  }
  if (!options.responses) {
    std::cout << nlohmann::ordered_json{{"models", findings.models},
                                        {"jobs", findings.jobs},
                                        {"in_windows", findings.in_windows},
                                        {"responses", findings.responses},
                                        {"bounds", findings.bounds},
                                        {"refusals", findings.refusals},
                                        {"violations", findings.violations},
                                        {"refuted", findings.refuted},
                                        {"tightest", findings.tightest},
                                        {"first", findings.first}}
              << "\n";
  }
  if (!std::cout.flush()) {
    return wrong("the output could not be written");
  }
  return findings.violations > 0 ? kRefuted : 0;
}

}  // namespace

int main(int argc, char ** argv)
{
  Options options;
  for (int i = 1; i < argc; ++i) {
    if (std::strcmp(argv[i], "--stop") == 0) {
      options.stop = true;
    } else if (std::strcmp(argv[i], "--responses") == 0) {
      options.responses = true;
    } else if (argv[i][0] == '-' || options.file != nullptr) {
      return wrong("usage: job_oracle [--stop] [--responses] [FILE]");
    } else {
      options.file = argv[i];
    }
  }
  if (options.file == nullptr) {
    return look(std::cin, options);
  }
  std::ifstream file(options.file);
  return file ? look(file, options) : wrong(std::string(options.file) + " cannot be read");
}
