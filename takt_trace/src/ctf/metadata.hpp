// The metadata of a CTF trace: a text in TSDL that describes the layout of its streams.
#ifndef TAKT_TRACE__SRC__CTF__METADATA_HPP_
#define TAKT_TRACE__SRC__CTF__METADATA_HPP_

#include <cstdint>
#include <string>

#include "stream_writer.hpp"

namespace takt_trace::detail
{

/// `host`: UTF-8. `to_realtime`: the difference of CLOCK_REALTIME to a time; readers accept no
/// negative one.
std::string ctf_metadata(const Uuid & trace, const std::string & host, std::int64_t to_realtime);

}  // namespace takt_trace::detail

#endif  // TAKT_TRACE__SRC__CTF__METADATA_HPP_
