#include "metadata.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

#include "event_types.hpp"

namespace takt_trace::detail
{
namespace
{

// The layout of LTTng-UST, because readers were tested with it. Names of fields begin with `_`,
// which readers remove: a name such as `event` would be a keyword. The header's variant hides the
// name `timestamp`, which is also a field of rmw_publish. `domain`: readers accept `ros2` events
// only with this value.
constexpr std::string_view kTrace = R"(/* CTF 1.8 */

typealias integer {{ size = 8; align = 8; signed = false; }} := uint8_t;
typealias integer {{ size = 16; align = 8; signed = false; }} := uint16_t;
typealias integer {{ size = 32; align = 8; signed = false; }} := uint32_t;
typealias integer {{ size = 64; align = 8; signed = false; }} := uint64_t;
typealias integer {{ size = 32; align = 8; signed = true; }} := int32_t;
typealias integer {{ size = 64; align = 8; signed = true; }} := int64_t;
typealias integer {{ size = 64; align = 8; signed = false; base = 16; }} := handle_t;
typealias integer {{ size = 8; align = 8; signed = true; encoding = UTF8; }} := utf8_t;
typealias floating_point {{ exp_dig = 11; mant_dig = 53; align = 8; }} := real_t;

trace {{
  major = 1;
  minor = 8;
  uuid = "{0}";
  byte_order = le;
  packet.header := struct {{
    uint32_t magic;
    uint8_t uuid[16];
    uint32_t stream_id;
    uint64_t stream_instance_id;
  }};
}};

env {{
  hostname = "{1}";
  domain = "ust";
  tracer_name = "takt";
  tracer_major = 0;
  tracer_minor = 1;
}};

clock {{
  name = "monotonic";
  description = "CLOCK_MONOTONIC";
  freq = 1000000000;
  offset = {2};
  absolute = true;
}};

typealias integer {{
  size = 64; align = 8; signed = false;
  map = clock.monotonic.value;
}} := uint64_clock_monotonic_t;

stream {{
  id = 0;
  packet.context := struct {{
    uint64_clock_monotonic_t timestamp_begin;
    uint64_clock_monotonic_t timestamp_end;
    uint64_t content_size;
    uint64_t packet_size;
    uint64_t packet_seq_num;
    uint64_t events_discarded;
    int32_t cpu_id;
  }};
  event.header := struct {{
    enum : uint16_t {{ compact = 0 ... 65534, extended = 65535 }} id;
    variant <id> {{
      struct {{
        uint64_clock_monotonic_t timestamp;
      }} compact;
      struct {{
        uint32_t id;
        uint64_clock_monotonic_t timestamp;
      }} extended;
    }} v;
  }};
  event.context := struct {{
    int32_t _vpid;
    int32_t _vtid;
    utf8_t _procname[{3}];
  }};
}};
)";

std::string declaration(const Field & field)
{
  switch (field.type) {
    case FieldType::handle:
      return fmt::format("    handle_t _{};\n", field.name);
    case FieldType::unsigned64:
      return fmt::format("    uint64_t _{};\n", field.name);
    case FieldType::signed64:
      return fmt::format("    int64_t _{};\n", field.name);
    case FieldType::signed32:
      return fmt::format("    int32_t _{};\n", field.name);
    case FieldType::real:
      return fmt::format("    real_t _{};\n", field.name);
    case FieldType::text:
      return fmt::format("    string _{};\n", field.name);
    case FieldType::gid:
      return fmt::format("    uint8_t _{}[{}];\n", field.name, kGidBytes);
  }
  return {};
}

std::string uuid_text(const Uuid & uuid)
{
  std::string text;
  for (std::size_t i = 0; i < uuid.size(); ++i) {
    text += (i == 4 || i == 6 || i == 8 || i == 10 ? "-" : "") + fmt::format("{:02x}", uuid[i]);
  }
  return text;
}

/// Escapes a text for a string of TSDL.
std::string escaped(const std::string & utf8)
{
  std::string text;
  for (const char letter : utf8) {
    if (letter == '"' || letter == '\\') {
      text += '\\';
    }
    text += static_cast<unsigned char>(letter) < 0x20 || letter == 0x7f ? '?' : letter;
  }
  return text;
}

}  // namespace

std::string ctf_metadata(const Uuid & trace, const std::string & host, std::int64_t to_realtime)
{
  std::string text = fmt::format(
    kTrace, uuid_text(trace), escaped(host), std::max<std::int64_t>(to_realtime, 0),
    kProcnameBytes);
  for (const EventType & type : event_types()) {
    text += fmt::format(
      "\nevent {{\n  name = \"{}\";\n  id = {};\n  stream_id = 0;\n  fields := struct {{\n",
      type.name, static_cast<unsigned>(type.event));
    for (const Field & field : type.fields()) {
      text += declaration(field);
    }
    text += "  };\n};\n";
  }
  return text;
}

}  // namespace takt_trace::detail
