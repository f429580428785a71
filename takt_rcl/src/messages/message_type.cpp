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

/// The two kinds of types.
struct TypeKind
{
  const char * word;
  const char * folder;
  const char * example;
};
constexpr TypeKind kMessage{"message", "msg", "std_msgs/msg/Int32"};
constexpr TypeKind kService{"service", "srv", "std_srvs/srv/SetBool"};

// Package, folders and name; the kind's folder where the folder is omitted.
std::vector<std::string> parts_of(const std::string & name, const TypeKind & kind)
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
      "'" + name + "' is not the name of a " + kind.word + " type; write it as '" + kind.example +
      "'");
  }
  if (parts.size() == 2) {
    parts.insert(parts.begin() + 1, kind.folder);
  }
  return parts;
}

std::string library_of(const std::string & package, const std::string & name, const TypeKind & kind)
{
  try {
    return ament_index_cpp::get_package_prefix(package) + "/lib/" +
           rcpputils::get_platform_library_name(package + "__" + kTypeSupport);
  } catch (const ament_index_cpp::PackageNotFoundError &) {
    throw Error(
      "no package '" + package + "' for the " + kind.word + " type '" + name +
      "' is in AMENT_PREFIX_PATH; source the workspace that has it");
  } catch (const std::exception & error) {  // without AMENT_PREFIX_PATH
    throw Error(
      "cannot find the package '" + package + "' of the " + kind.word + " type '" + name +
      "': " + error.what() + "; source the workspace that has it");
  }
}

// A loaded library is never unloaded: the middleware may use its types for as long as the process
// lives.
rcpputils::SharedLibrary & load(
  const std::string & package, const std::string & name, const TypeKind & kind)
{
  static std::mutex mutex;
  static auto & loaded = *new std::map<std::string, std::unique_ptr<rcpputils::SharedLibrary>>;
  const std::lock_guard lock(mutex);
  auto & library = loaded[package];
  if (library == nullptr) {
    const std::string path = library_of(package, name, kind);
    try {
      library = std::make_unique<rcpputils::SharedLibrary>(path);
    } catch (const std::runtime_error & error) {
      throw Error(
        "cannot load the " + std::string(kind.word) + " type '" + name + "' from " + path + ": " +
        error.what());
    }
  }
  return *library;
}

// The type support of this kind.
template <typename TypeSupport>
const TypeSupport & type_support(const std::string & name, const TypeKind & kind)
{
  const std::vector<std::string> parts = parts_of(name, kind);
  std::string symbol = std::string(kTypeSupport) + "__get_" + kind.word + "_type_support_handle";
  for (const std::string & part : parts) {
    symbol += "__" + part;
  }
  rcpputils::SharedLibrary & library = load(parts.front(), name, kind);
  if (!library.has_symbol(symbol)) {
    throw Error("package '" + parts.front() + "' has no " + kind.word + " type '" + name + "'");
  }
  using Get = const TypeSupport * (*)();
  return *reinterpret_cast<Get>(library.get_symbol(symbol))();
}

}  // namespace

const rosidl_message_type_support_t & message_type_support(const std::string & name)
{
  return type_support<rosidl_message_type_support_t>(name, kMessage);
}

const rosidl_service_type_support_t & service_type_support(const std::string & name)
{
  return type_support<rosidl_service_type_support_t>(name, kService);
}

std::string service_type_name(const std::string & name)
{
  std::string result;
  for (const std::string & part : parts_of(name, kService)) {
    result += (result.empty() ? "" : "/") + part;
  }
  return result;
}

}  // namespace takt_rcl
