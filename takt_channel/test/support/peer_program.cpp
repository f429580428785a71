// One side of a channel in a process of its own. Reads a command a line, and answers each with one
// line.
//
//     publisher|subscriber NAME MAX_SIZE DEPTH HISTORY HELD [TYPE [SUBSCRIBERS [PUBLISHERS]]]
//
// Its first line is "open", or the number of the refusal and its sentence. Commands of a publisher:
//   publish N SIZE N messages; answers the sequence of the next one place publishes one and answers
//   where its bytes are: the file's inode and the offset in it pace N SIZE US publishes N, one each
//   US microseconds serve serves late subscribers; answers "served"
// of a subscriber:
//   take takes all that waits; answers: count, first, last, missed, wrong await N waits and takes
//   until N came; answers as take hold takes one and keeps it; answers its sequence place as hold,
//   and answers where its bytes are check answers how many messages that it holds have changed
//   release releases these receive N waits and takes until N came; answers as take, and: p50 and
//   p99 in ns, voluntary switches, threads
// of both: quit
#include <dirent.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <cinttypes>
#include <cstdio>
#include <fstream>
#include <iostream>
#include <sstream>
#include <string>
#include <vector>

#include "support/content.hpp"
#include "takt_channel/channel.hpp"

namespace
{

using takt_channel::Message;
using takt_channel::Options;
using takt_channel::Publisher;
using takt_channel::Subscriber;
using takt_channel_test::has_content;
using takt_channel_test::write_content;

void answer(const std::string & line)
{
  std::cout << line << std::endl;
}

// The file and the offset of an address: the same place in two processes is the same memory.
std::string place_of(const std::byte * data)
{
  const auto address = reinterpret_cast<std::uintptr_t>(data);
  std::ifstream maps("/proc/self/maps");
  for (std::string line; std::getline(maps, line);) {
    std::uintptr_t begin = 0;
    std::uintptr_t end = 0;
    std::uint64_t offset = 0;
    std::uint64_t inode = 0;
    std::sscanf(
      line.c_str(), "%" SCNxPTR "-%" SCNxPTR " %*s %" SCNx64 " %*s %" SCNu64, &begin, &end, &offset,
      &inode);
    if (address >= begin && address < end) {
      return std::to_string(inode) + ":" + std::to_string(offset + (address - begin));
    }
  }
  return "nowhere";
}

std::size_t threads()
{
  std::size_t count = 0;
  DIR * const folder = ::opendir("/proc/self/task");
  while (const dirent * const entry = ::readdir(folder)) {
    count += entry->d_name[0] != '.';
  }
  ::closedir(folder);
  return count;
}

long switches()
{
  rusage usage = {};
  ::getrusage(RUSAGE_SELF, &usage);
  return usage.ru_nvcsw;
}

int publish(const Options & options)
{
  auto publisher = Publisher::open(options);
  if (!publisher) {
    answer(
      std::to_string(static_cast<int>(publisher.refusal)) + " " +
      to_string(publisher.faults.at(0)));
    return 0;
  }
  answer("open");
  std::uint64_t next = 0;
  const auto send = [&](std::size_t size) {
    auto loan = publisher->loan(size);
    if (!loan) {
      std::cerr << "no loan: " << static_cast<int>(loan.denial) << '\n';
      std::exit(1);
    }
    write_content(loan.data, size, next);
    std::string place = place_of(loan.data);
    if (publisher->publish(loan) != takt_channel::Denial::none) {
      std::cerr << "not published\n";
      std::exit(1);
    }
    ++next;
    return place;
  };
  const auto send_quickly = [&](std::size_t size) {
    auto loan = publisher->loan(size);
    std::memcpy(loan.data, &next, std::min(size, sizeof next));
    publisher->publish(loan);
    ++next;
  };
  for (std::string line; std::getline(std::cin, line);) {
    std::istringstream words(line);
    std::string command;
    std::uint64_t count = 0;
    std::size_t size = 0;
    std::uint64_t period = 0;
    words >> command >> count >> size >> period;
    if (command == "publish") {
      for (std::uint64_t i = 0; i < count; ++i) {
        send(size);
      }
      answer(std::to_string(next));
    } else if (command == "place") {
      answer(send(options.max_size));
    } else if (command == "serve") {
      answer(publisher->serve() == takt_channel::Denial::none ? "served" : "not served");
    } else if (command == "pace") {
      for (std::uint64_t i = 0; i < count; ++i) {
        ::usleep(static_cast<useconds_t>(period));
        send_quickly(size);
      }
      answer(std::to_string(next));
    } else {
      break;
    }
  }
  return 0;
}

struct Taken
{
  std::uint64_t count = 0;
  std::uint64_t first = 0;
  std::uint64_t last = 0;
  std::uint64_t wrong = 0;

  void add(const Message & message, bool has_pattern)
  {
    first = count == 0 ? message.sequence : first;
    last = message.sequence;
    ++count;
    wrong += has_pattern && !has_content(message.data, message.size, message.sequence);
  }
};

std::string text(const Taken & taken, const Subscriber & subscriber)
{
  return std::to_string(taken.count) + " " + std::to_string(taken.first) + " " +
         std::to_string(taken.last) + " " + std::to_string(subscriber.missed()) + " " +
         std::to_string(taken.wrong);
}

int subscribe(const Options & options)
{
  auto subscriber = Subscriber::open(options);
  if (!subscriber) {
    answer(
      std::to_string(static_cast<int>(subscriber.refusal)) + " " +
      to_string(subscriber.faults.at(0)));
    return 0;
  }
  answer("open");
  std::vector<Message> held;
  for (std::string line; std::getline(std::cin, line);) {
    std::istringstream words(line);
    std::string command;
    std::uint64_t count = 0;
    words >> command >> count;
    Taken taken;
    if (command == "take") {
      while (Message message = subscriber->take()) {
        taken.add(message, true);
        subscriber->release(message);
      }
      answer(text(taken, *subscriber.value));
    } else if (command == "await") {
      while (taken.count < count) {
        if (Message message = subscriber->take()) {
          taken.add(message, true);
          subscriber->release(message);
        } else {
          subscriber->wait();
        }
      }
      answer(text(taken, *subscriber.value));
    } else if (command == "hold" || command == "place") {
      const Message message = subscriber->take();
      if (message) {
        held.push_back(message);
      }
      answer(
        !message            ? "denied " + std::to_string(static_cast<int>(message.denial))
        : command == "hold" ? std::to_string(message.sequence)
                            : place_of(message.data));
    } else if (command == "check") {
      answer(std::to_string(std::count_if(held.begin(), held.end(), [](const Message & message) {
        return !has_content(message.data, message.size, message.sequence);
      })));
    } else if (command == "release") {
      for (Message & message : held) {
        subscriber->release(message);
      }
      held.clear();
      answer("released");
    } else if (command == "receive") {
      std::vector<std::int64_t> latencies;
      latencies.reserve(count);
      const long before = switches();
      while (taken.count < count) {
        if (Message message = subscriber->take()) {
          latencies.push_back((takt_rt::now() - message.published).count());
          taken.add(message, false);
          subscriber->release(message);
        } else {
          subscriber->wait();
        }
      }
      const long slept = switches() - before;
      std::sort(latencies.begin(), latencies.end());
      answer(
        text(taken, *subscriber.value) + " " + std::to_string(latencies[count / 2]) + " " +
        std::to_string(latencies[count * 99 / 100]) + " " + std::to_string(slept) + " " +
        std::to_string(threads()));
    } else {
      break;
    }
  }
  return 0;
}

}  // namespace

int main(int argc, char ** argv)
{
  const std::vector<std::string> words(argv + 1, argv + argc);
  Options options;
  options.name = words.at(1);
  options.max_size = std::stoul(words.at(2));
  options.depth = static_cast<std::uint32_t>(std::stoul(words.at(3)));
  options.history = static_cast<std::uint32_t>(std::stoul(words.at(4)));
  options.held = static_cast<std::uint32_t>(std::stoul(words.at(5)));
  if (words.size() > 6) {
    options.type = words[6];
  }
  if (words.size() > 7) {
    options.subscribers = static_cast<std::uint32_t>(std::stoul(words[7]));
  }
  if (words.size() > 8) {
    options.publishers = static_cast<std::uint32_t>(std::stoul(words[8]));
  }
  return words[0] == "publisher" ? publish(options) : subscribe(options);
}
