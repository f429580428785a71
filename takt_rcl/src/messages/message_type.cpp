#include "takt_rcl/message_type.hpp"

#include <algorithm>
#include <ament_index_cpp/get_package_prefix.hpp>
#include <map>
#include <memory>
#include <mutex>
#include <rcpputils/shared_library.hpp>
#include <stdexcept>
#include <vector>

#include "takt_rcl/error.hpp"

namespace takt_rcl
{
namespace
{

constexpr const char * kTypeSupport = "rosidl_typesupport_cpp";

bool is_word(const std::string & part)
{
  return !part.empty() && std::all_of(part.begin(), part.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
  });
}

// Package, folders and name; "msg" where the folder is omitted.
std::vector<std::string> parts_of(const std::string & name)
{
  std::vector<std::string> parts(1);
  for (const char c : name) {
    if (c == '/') {
      parts.emplace_back();
    } else {
      parts.back() += c;
    }
  }
  if (parts.size() < 2 || !std::all_of(parts.begin(), parts.end(), &is_word)) {
    throw Error(
      "'" + name + "' is not the name of a message type; write it as 'std_msgs/msg/Int32'");
  }
  if (parts.size() == 2) {
    parts.insert(parts.begin() + 1, "msg");
  }
  return parts;
}

std::string library_of(const std::string & package, const std::string & name)
{
  try {
    return ament_index_cpp::get_package_prefix(package) + "/lib/" +
           rcpputils::get_platform_library_name(package + "__" + kTypeSupport);
  } catch (const ament_index_cpp::PackageNotFoundError &) {
    throw Error(
      "no package '" + package + "' for the message type '" + name +
      "' is in AMENT_PREFIX_PATH; source the workspace that has it");
  } catch (const std::exception & error) {  // without AMENT_PREFIX_PATH
    throw Error(
      "cannot find the package '" + package + "' of the message type '" + name +
      "': " + error.what() + "; source the workspace that has it");
  }
}

// A loaded library is never unloaded: the middleware may use its types for as long as the process
// lives.
rcpputils::SharedLibrary & load(const std::string & package, const std::string & name)
{
  static std::mutex mutex;
  static auto & loaded = *new std::map<std::string, std::unique_ptr<rcpputils::SharedLibrary>>;
  const std::lock_guard lock(mutex);
  auto & library = loaded[package];
  if (library == nullptr) {
    const std::string path = library_of(package, name);
    try {
      library = std::make_unique<rcpputils::SharedLibrary>(path);
    } catch (const std::runtime_error & error) {
      throw Error("cannot load the message type '" + name + "' from " + path + ": " + error.what());
    }
  }
  return *library;
}

}  // namespace

const rosidl_message_type_support_t & message_type_support(const std::string & name)
{
  const std::vector<std::string> parts = parts_of(name);
  std::string symbol = std::string(kTypeSupport) + "__get_message_type_support_handle";
  for (const std::string & part : parts) {
    symbol += "__" + part;
  }
  rcpputils::SharedLibrary & library = load(parts.front(), name);
  if (!library.has_symbol(symbol)) {
    throw Error("package '" + parts.front() + "' has no message type '" + name + "'");
  }
  using Get = const rosidl_message_type_support_t * (*)();
  return *reinterpret_cast<Get>(library.get_symbol(symbol))();
}

}  // namespace takt_rcl
