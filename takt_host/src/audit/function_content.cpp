#include "audit/function_content.hpp"

#include <cxxabi.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <functional>
#include <memory>
#include <optional>
#include <string_view>
#include <typeinfo>

namespace takt_host
{
namespace
{

constexpr std::size_t kMostOfObject = 4096;  // of one object; a larger one is cut
constexpr std::size_t kMostCaptured = 256;   // bytes of one function object
constexpr std::size_t kUnknownSize = 64;     // read of a function object of unknown size
constexpr int kMostNested = 4;               // functions within functions
constexpr std::size_t kMostVirtual = 64;     // functions of one table

std::string demangled(const std::string & name)
{
  int status = 0;
  const std::unique_ptr<char, void (*)(void *)> text(
    abi::__cxa_demangle(name.c_str(), nullptr, nullptr, &status), &std::free);
  return status == 0 ? std::string(text.get()) : name;
}

/// The run-time type of an object with virtual functions.
struct Dynamic
{
  std::string type;
  Word object = 0;  // the whole object
};

/// The type of the object at `address`, if the object has virtual functions.
std::optional<Dynamic> dynamic_type(Word address, const ProcessMemory & process)
{
  const auto table = process.word(address);
  if (!table || *table < 2 * sizeof(Word) || !process.is_constant(*table)) {
    return std::nullopt;
  }
  // Before the functions of the table stand the distance to the whole object and the type.
  const auto before = process.words(*table - 2 * sizeof(Word), 3 * sizeof(Word));
  if (before.size() < 3 || !process.is_constant(before[1]) || !process.is_code(before[2])) {
    return std::nullopt;
  }
  const auto type = process.words(before[1], 2 * sizeof(Word));
  const auto to_top = static_cast<std::intptr_t>(before[0]);
  constexpr std::intptr_t kFar = 1 << 20;
  if (type.size() < 2 || !process.is_constant(type[0]) || to_top > 0 || to_top < -kFar) {
    return std::nullopt;
  }
  std::string name = process.text(type[1] & ~(Word{1} << 63U));  // AArch64 marks local types there
  if (!name.empty() && name.front() == '*') {
    name.erase(0, 1);
  }
  if (name.empty()) {
    return std::nullopt;
  }
  return Dynamic{demangled(name), address + static_cast<Word>(to_top)};
}

class Content
{
public:
  explicit Content(const ProcessMemory & process) : process_(process) {}

  void read(const FunctionMemory & memory)
  {
    const auto begin = reinterpret_cast<Word>(memory.begin);
    const auto words = process_.words(begin, std::min(memory.bytes, kMostOfObject));
    if (memory.holds_functions) {
      for (std::size_t i = 0; i + 3 < words.size(); ++i) {
        if (is_function(words, i)) {
          read_function(begin + i * sizeof(Word), 0);
          i += 3;
        }
      }
    } else {
      // A function object without members may be in padding.
      content_.found = !words.empty() || memory.bytes < sizeof(Word);
      read_object(begin, words, 0);
    }
    if (memory.caller != nullptr) {
      const auto caller = reinterpret_cast<Word>(memory.caller);
      add_virtual_functions(caller);
      if (const auto own = dynamic_type(caller, process_); own && content_.type.empty()) {
        content_.type = own->type;
      }
    }
  }

  FunctionContent content() && { return std::move(content_); }

private:
  // As libstdc++ has it: two words of data, the manager, the invoker.
  bool is_function(const std::vector<Word> & words, std::size_t at) const
  {
    return at + 3 < words.size() && process_.is_code(words[at + 2]) &&
           process_.is_code(words[at + 3]) &&
           process_.function(words[at + 2]).find("_M_manager") != std::string::npos;
  }

  void read_function(Word address, int nested)
  {
    const auto words = process_.words(address, 4 * sizeof(Word));
    if (!is_function(words, 0)) {
      return;  // changed meanwhile
    }
    content_.found = true;
    add_code(words[3]);
    // The manager's name says what it is, so that it may be called. It tells the type of the
    // function object and its place: within std::function, or on the heap. It gets a copy, because
    // the function may be dead memory.
    using Data = std::array<Word, 2>;
    using Manager = bool (*)(Data &, const Data &, int);
    const auto manager = reinterpret_cast<Manager>(words[2]);
    const Data data{words[0], words[1]};
    constexpr int kType = 0;
    constexpr int kPlace = 1;
    Data answer{};
    manager(answer, data, kType);
    if (answer[0] != 0 && content_.type.empty()) {
      content_.type = demangled(reinterpret_cast<const std::type_info *>(answer[0])->name());
    }
    answer = {};
    manager(answer, data, kPlace);
    if (answer[0] == reinterpret_cast<Word>(&data)) {
      read_object(address, {words[0], words[1]}, nested + 1);
      return;
    }
    const Word place = answer[0];
    const std::size_t bytes = process_.block_bytes(place).value_or(kUnknownSize);
    read_object(place, process_.words(place, std::min(bytes, kMostCaptured)), nested + 1);
  }

  void read_object(Word address, const std::vector<Word> & words, int nested)
  {
    if (nested > kMostNested) {
      return;
    }
    std::size_t i = 0;
    if (const auto own = dynamic_type(address, process_); own) {
      add_virtual_functions(address);
      i = 1;
    }
    for (; i < words.size(); ++i) {
      const Word word = words[i];
      if (is_function(words, i)) {
        read_function(address + i * sizeof(Word), nested);
        i += 3;
      } else if (process_.is_code(word)) {
        add_code(word);
      } else if (process_.is_writable(word) && word % alignof(Word) == 0) {
        add_captured(word);
      } else if (i + 1 < words.size() && word % 2 == 1 && word < kMostVirtual * sizeof(Word)) {
        add_virtual_member(word - 1, words);
      }
    }
  }

  void add_captured(Word address)
  {
    const auto dynamic = dynamic_type(address, process_);
    if (dynamic && dynamic->type.find("std::_Sp_counted_") == 0) {
      return;  // the counts of a shared pointer, beside the pointer
    }
    Captured captured = dynamic ? Captured{dynamic->object, dynamic->type} : Captured{address, ""};
    auto & all = content_.captured;
    if (std::find(all.begin(), all.end(), captured) == all.end()) {
      all.push_back(std::move(captured));
    }
  }

  void add_code(Word address)
  {
    auto & all = content_.code;
    if (std::find(all.begin(), all.end(), address) == all.end()) {
      all.push_back(address);
    }
  }

  // A pointer to a virtual member function is its place in the table; the object is one of the
  // other words.
  void add_virtual_member(Word place, const std::vector<Word> & words)
  {
    for (const Word word : words) {
      if (process_.is_writable(word) && dynamic_type(word, process_)) {
        if (const auto code = process_.word(process_.word(word).value_or(0) + place);
            code && process_.is_code(*code)) {
          add_code(*code);
        }
      }
    }
  }

  void add_virtual_functions(Word object)
  {
    const Word table = process_.word(object).value_or(0);
    const auto functions = process_.words(table, kMostVirtual * sizeof(Word));
    for (const Word one : functions) {
      if (!process_.is_code(one)) {
        break;  // the table ends
      }
      add_code(one);
    }
  }

  const ProcessMemory & process_;
  FunctionContent content_;
};

}  // namespace

FunctionContent content_of(const FunctionMemory & memory, const ProcessMemory & process)
{
  Content content(process);
  if (memory.begin != nullptr) {
    content.read(memory);
  }
  return std::move(content).content();
}

}  // namespace takt_host
