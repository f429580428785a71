#include "data_path/floors.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <memory>

#include "takt_rt/time.hpp"

namespace takt_bench::data_path
{

using nlohmann::ordered_json;

namespace
{

constexpr int kVersion = 1;
constexpr std::size_t kBatches = 41;
// A batch is long beside the two looks at the clock around it.
constexpr std::size_t kCalls = 100'000;
constexpr std::size_t kBytesOfBatch = std::size_t{4} << 20;

/// A call that the compiler cannot resolve.
struct Callee
{
  virtual ~Callee() = default;
  virtual void call() noexcept = 0;
};

struct Counting final : Callee
{
  void call() noexcept override { count = count + 1; }
  volatile std::uint32_t count = 0;
};

/// The median of the batches, for one of `times` operations.
template <typename Operation>
double median_ns(std::size_t times, Operation operation)
{
  std::array<double, kBatches> each{};
  operation();  // touches memory for the first time
  for (double & one : each) {
    const takt_rt::Time begin = takt_rt::now();
    for (std::size_t i = 0; i < times; ++i) {
      operation();
    }
    one = static_cast<double>((takt_rt::now() - begin).count()) / static_cast<double>(times);
  }
  std::nth_element(each.begin(), each.begin() + kBatches / 2, each.end());
  return each[kBatches / 2];
}

double copy_ns(std::size_t size)
{
  const auto from = std::make_unique<unsigned char[]>(size);
  const auto to = std::make_unique<unsigned char[]>(size);
  std::memset(from.get(), 1, size);
  return median_ns(std::max<std::size_t>(kBytesOfBatch / size, 1), [&] {
    std::memcpy(to.get(), from.get(), size);
    asm volatile("" : : "r"(to.get()) : "memory");  // somebody could read the copy
  });
}

}  // namespace

ordered_json floors(const std::vector<std::size_t> & sizes)
{
  const std::unique_ptr<Callee> callee = std::make_unique<Counting>();
  Callee * volatile const hidden = callee.get();
  ordered_json copies = ordered_json::array();
  for (const std::size_t size : sizes) {
    copies.push_back({{"size", size}, {"ns", copy_ns(size)}});
  }
  volatile std::int64_t seen = 0;
  return {
    {"version", kVersion},
    {"call_ns", median_ns(kCalls, [&] { hidden->call(); })},
    {"clock_ns", median_ns(kCalls, [&] { seen = takt_rt::to_ns(takt_rt::now()); })},
    {"copies", std::move(copies)}};
}

}  // namespace takt_bench::data_path
