// Field numbers and values of the messages of a Perfetto trace that the writer uses.
//
// From perfetto's published schema, protos/perfetto/trace/perfetto_trace.proto.
#ifndef TAKT_TRACE__SRC__TIMELINE__PERFETTO_FIELDS_HPP_
#define TAKT_TRACE__SRC__TIMELINE__PERFETTO_FIELDS_HPP_

#include <cstdint>

namespace takt_trace::detail
{

namespace trace
{
constexpr std::uint32_t kPacket = 1;
}  // namespace trace

namespace packet
{
constexpr std::uint32_t kClockSnapshot = 6, kTimestamp = 8, kSequence = 10, kTrackEvent = 11,
                        kInternedData = 12, kSequenceFlags = 13, kTrackDescriptor = 60,
                        kFirstOnSequence = 87;
constexpr std::uint64_t kStateCleared = 1, kNeedsState = 2;  // flags
}  // namespace packet

namespace clock_snapshot
{
constexpr std::uint32_t kClock = 1, kClockId = 1, kClockTime = 2;
constexpr std::uint64_t kRealtime = 1, kBoottime = 6;
}  // namespace clock_snapshot

namespace descriptor
{
constexpr std::uint32_t kUuid = 1, kName = 2, kProcess = 3, kThread = 4, kParent = 5, kCounter = 8,
                        kDescription = 14;
constexpr std::uint32_t kPid = 1, kProcessName = 6;                 // of kProcess
constexpr std::uint32_t kThreadPid = 1, kTid = 2, kThreadName = 5;  // of kThread
constexpr std::uint32_t kUnitName = 6;                              // of kCounter
}  // namespace descriptor

namespace event
{
constexpr std::uint32_t kCategory = 3, kAnnotation = 4, kType = 9, kName = 10, kTrack = 11,
                        kCounterValue = 44, kArrow = 47, kArrowEnd = 48;
constexpr std::uint64_t kBegin = 1, kEnd = 2, kInstant = 3, kCounter = 4;        // types
constexpr std::uint32_t kFact = 1, kBool = 2, kInt = 4, kDouble = 5, kText = 6;  // of kAnnotation
}  // namespace event

namespace interned
{
constexpr std::uint32_t kCategories = 1, kNames = 2, kFacts = 3, kId = 1, kText = 2;
}  // namespace interned

}  // namespace takt_trace::detail

#endif  // TAKT_TRACE__SRC__TIMELINE__PERFETTO_FIELDS_HPP_
