// Pool, heap of constant time, and functions without allocation.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <map>
#include <memory>
#include <memory_resource>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "support/rounds.hpp"
#include "takt_rt/memory/block_pool.hpp"
#include "takt_rt/memory/inplace_function.hpp"
#include "takt_rt/memory/tlsf_heap.hpp"
#include "takt_rt/memory/tlsf_resource.hpp"

namespace takt_rt
{
namespace
{

bool is_aligned(const void * block, std::size_t alignment)
{
  return reinterpret_cast<std::uintptr_t>(block) % alignment == 0;
}

TEST(BlockPool, GivesEachBlockOnceAndTakesItBack)
{
  BlockPool pool(40, 3);
  EXPECT_EQ(pool.block_bytes(), 48U);
  std::vector<void *> blocks;
  for (int i = 0; i < 3; ++i) {
    blocks.push_back(pool.try_allocate());
    ASSERT_NE(blocks.back(), nullptr);
    EXPECT_TRUE(is_aligned(blocks.back(), 16));
    std::memset(blocks.back(), i, 40);
  }
  EXPECT_EQ(pool.try_allocate(), nullptr);
  EXPECT_EQ(pool.exhausted(), 1U);
  std::sort(blocks.begin(), blocks.end());
  EXPECT_EQ(std::unique(blocks.begin(), blocks.end()), blocks.end());
  pool.release(blocks[1]);
  EXPECT_EQ(pool.try_allocate(), blocks[1]);
}

TEST(BlockPoolDeathTest, EndsTheProcessAtAForeignPointer)
{
  ::testing::FLAGS_gtest_death_test_style = "threadsafe";
  EXPECT_DEATH(
    {
      BlockPool pool(64, 2);
      pool.release(static_cast<char *>(pool.try_allocate()) + 1);
    },
    "not a block of this pool");
  EXPECT_DEATH(
    {
      BlockPool pool(64, 2);
      int other = 0;
      pool.release(&other);
    },
    "not a block of this pool");
}

TEST(BlockPoolDeathTest, EndsTheProcessAtASecondRelease)
{
  ::testing::FLAGS_gtest_death_test_style = "threadsafe";
  EXPECT_DEATH(
    {
      BlockPool pool(64, 2);
      void * const block = pool.try_allocate();
      pool.release(block);
      pool.release(block);
    },
    "the block was released before");
  EXPECT_DEATH(
    {
      BlockPool pool(64, 2);
      void * const block = pool.try_allocate();
      pool.release(block);
      static_cast<void>(pool.try_allocate());
      pool.release(static_cast<char *>(block) + 64);  // the other one, which nobody has
    },
    "the block was released before");
}

TEST(BlockPool, IsSharedByThreads)
{
  constexpr int kThreads = 4;
  const std::uint64_t rounds = test::rounds(30000);
  BlockPool pool(64, 6);
  std::atomic<std::uint64_t> faults{0};
  std::vector<std::thread> threads;
  for (int i = 0; i < kThreads; ++i) {
    threads.emplace_back([&, i] {
      std::array<std::uint64_t *, 2> own{};
      for (std::uint64_t round = 0; round < rounds; ++round) {
        for (auto & block : own) {
          block = static_cast<std::uint64_t *>(pool.try_allocate());
          if (block != nullptr) {
            *block = static_cast<std::uint64_t>(i);  // plain: ThreadSanitizer checks
          }
        }
        for (auto * block : own) {
          if (block != nullptr) {
            faults += *block != static_cast<std::uint64_t>(i) ? 1 : 0;
            pool.release(block);
          }
        }
      }
    });
  }
  for (std::thread & thread : threads) {
    thread.join();
  }
  EXPECT_EQ(faults, 0U);
  int left = 0;
  while (pool.try_allocate() != nullptr) {
    ++left;
  }
  EXPECT_EQ(left, 6);
}

TEST(PoolResource, IsTheMemoryOfSharedPointersAndNodes)
{
  PoolResource resource(128, 4);
  {
    const std::pmr::polymorphic_allocator<int> allocator(&resource);
    const std::shared_ptr<int> number = std::allocate_shared<int>(allocator, 7);
    std::pmr::map<int, int> map(&resource);
    map[1] = 1;
    map[2] = 2;
    map[3] = 3;
    EXPECT_THROW(map[4] = 4, std::bad_alloc);
    EXPECT_EQ(resource.pool().exhausted(), 1U);
    EXPECT_EQ(*number, 7);
  }
  EXPECT_THROW(static_cast<void>(resource.allocate(129)), std::bad_alloc);
  EXPECT_THROW(static_cast<void>(resource.allocate(16, 128)), std::bad_alloc);
  EXPECT_EQ(resource.pool().exhausted(), 1U) << "these found no fault of the pool's size";
}

struct Piece
{
  unsigned char * bytes;
  std::size_t size;
  unsigned char filler;
};

TEST(TlsfHeap, KeepsItsBlocksApartInRandomUse)
{
  constexpr std::size_t kMemory = 1U << 18U;
  std::vector<unsigned char> memory(kMemory);
  TlsfHeap heap(memory.data() + 3, kMemory - 3);  // alignment is the heap's affair
  ASSERT_TRUE(heap.consistent());
  std::mt19937_64 random(7);
  std::vector<Piece> pieces;
  const auto intact = [](const Piece & piece) {
    return std::all_of(
      piece.bytes, piece.bytes + piece.size, [&](auto byte) { return byte == piece.filler; });
  };
  std::uint64_t refused = 0;
  for (int step = 0; step < 20000; ++step) {
    if (pieces.empty() || random() % 5 < 3) {
      const std::size_t size = random() % 8 == 0 ? random() % 20000 : random() % 600;
      const std::size_t alignment = std::size_t{1} << random() % 10;
      auto * const bytes = static_cast<unsigned char *>(heap.try_allocate(size, alignment));
      if (bytes == nullptr) {
        ++refused;
        pieces.size() > 1 ? std::swap(pieces[random() % pieces.size()], pieces.back()) : void();
        ASSERT_TRUE(intact(pieces.back()));
        heap.release(pieces.back().bytes);
        pieces.pop_back();
        continue;
      }
      ASSERT_TRUE(is_aligned(bytes, alignment));
      ASSERT_GE(bytes, memory.data());
      ASSERT_LE(bytes + size, memory.data() + kMemory);
      pieces.push_back({bytes, size, static_cast<unsigned char>(random())});
      std::memset(bytes, pieces.back().filler, size);
    } else {
      std::swap(pieces[random() % pieces.size()], pieces.back());
      ASSERT_TRUE(intact(pieces.back()));
      heap.release(pieces.back().bytes);
      pieces.pop_back();
    }
    if (step % 500 == 0) {
      ASSERT_TRUE(heap.consistent());
    }
  }
  EXPECT_GT(refused, 10U) << "the test must fill the heap";
  EXPECT_EQ(heap.exhausted(), refused);
  for (const Piece & piece : pieces) {
    ASSERT_TRUE(intact(piece));
    heap.release(piece.bytes);
  }
  EXPECT_TRUE(heap.consistent());
  EXPECT_EQ(heap.used(), 0U);
  EXPECT_GT(heap.most_used(), kMemory / 2);
}

TEST(TlsfHeap, IsOnePieceAgainWhenAllIsFree)
{
  std::vector<unsigned char> memory(1U << 16U);
  TlsfHeap heap(memory.data(), memory.size());
  std::vector<void *> blocks;
  for (void * block = nullptr; (block = heap.try_allocate(100)) != nullptr;) {
    blocks.push_back(block);
  }
  EXPECT_GE(blocks.size() * 128, heap.capacity() - 128) << "no room is wasted";
  for (std::size_t i = 0; i < blocks.size(); i += 2) {
    heap.release(blocks[i]);
  }
  EXPECT_EQ(heap.try_allocate(1000), nullptr) << "only single blocks are free";
  for (std::size_t i = 1; i < blocks.size(); i += 2) {
    heap.release(blocks[i]);
  }
  EXPECT_TRUE(heap.consistent());
  void * const most = heap.try_allocate(heap.capacity() * 31 / 32);
  EXPECT_NE(most, nullptr);
  heap.release(most);
}

TEST(TlsfHeap, GivesAReleasedBlockToTheNextRequestOfItsSize)
{
  std::vector<unsigned char> memory(1U << 16U);
  TlsfHeap heap(memory.data(), memory.size());
  for (const std::size_t size : {1U, 100U, 1000U, 5000U}) {
    void * const block = heap.try_allocate(size);
    void * const behind = heap.try_allocate(16);
    heap.release(block);
    EXPECT_TRUE(heap.consistent());
    EXPECT_EQ(heap.used(), 32U);
    EXPECT_EQ(heap.try_allocate(size), block);
    heap.release(block);
    void * const larger = heap.try_allocate(4 * size + 64);
    EXPECT_NE(larger, block) << "too large for it";
    heap.release(larger);
    heap.release(behind);
    heap.release(heap.try_allocate(heap.capacity() / 2));
    EXPECT_TRUE(heap.consistent());
  }
}

TEST(TlsfHeap, KeepsReleasedBlocksOnlyWhileNoRequestNeedsTheirRoom)
{
  std::vector<unsigned char> memory(1U << 16U);
  TlsfHeap heap(memory.data(), memory.size());
  std::vector<void *> blocks;
  for (std::size_t size = 16; heap.used() + size + 4000 < heap.capacity(); size += 16) {
    blocks.push_back(heap.try_allocate(size));  // one of each size, next to each other
  }
  ASSERT_GT(blocks.size(), 80U) << "more than are kept";
  for (void * const block : blocks) {
    heap.release(block);
    ASSERT_TRUE(heap.consistent());
  }
  EXPECT_EQ(heap.used(), 0U);
  void * const all = heap.try_allocate(heap.capacity() * 31 / 32);
  EXPECT_NE(all, nullptr);
  EXPECT_TRUE(heap.consistent());
  EXPECT_EQ(heap.exhausted(), 0U);
}

// A program that asks for small blocks and then for larger ones: kept blocks of the first size
// leave the store, so that those of the other size find room in it.
TEST(TlsfHeap, ForgetsSizesForWhichNobodyAsks)
{
  std::vector<unsigned char> memory(1U << 18U);
  TlsfHeap heap(memory.data(), memory.size());
  const auto round = [&](std::size_t size, std::size_t count) {
    std::vector<void *> blocks(count);
    std::generate(blocks.begin(), blocks.end(), [&] { return heap.try_allocate(size); });
    const std::vector<void *> given = blocks;
    std::for_each(blocks.rbegin(), blocks.rend(), [&](void * block) { heap.release(block); });
    std::generate(blocks.begin(), blocks.end(), [&] { return heap.try_allocate(size); });
    const bool same = blocks == given;
    std::for_each(blocks.rbegin(), blocks.rend(), [&](void * block) { heap.release(block); });
    EXPECT_TRUE(heap.consistent());
    return same;
  };
  EXPECT_TRUE(round(64, 64));
  for (int i = 0; i < 4; ++i) {
    round(2000, 48);
  }
  EXPECT_TRUE(round(2000, 48)) << "all 48 are kept at once";
}

TEST(TlsfHeap, RefusesWhatItCannotHold)
{
  std::array<unsigned char, 4096> memory{};
  TlsfHeap heap(memory.data(), memory.size());
  EXPECT_EQ(heap.try_allocate(5000), nullptr);
  EXPECT_EQ(heap.try_allocate(SIZE_MAX), nullptr);
  EXPECT_EQ(heap.try_allocate(SIZE_MAX - 8), nullptr);
  EXPECT_EQ(heap.try_allocate(1, std::size_t{1} << 40), nullptr);
  EXPECT_EQ(heap.exhausted(), 4U);
  heap.release(nullptr);
  TlsfHeap none(memory.data(), 40);
  EXPECT_EQ(none.try_allocate(1), nullptr);
  EXPECT_TRUE(none.consistent());
  EXPECT_EQ(none.capacity(), 0U);
  TlsfHeap nowhere(nullptr, 0);
  EXPECT_EQ(nowhere.try_allocate(1), nullptr);
}

TEST(TlsfHeapDeathTest, EndsTheProcessAtASecondRelease)
{
  ::testing::FLAGS_gtest_death_test_style = "threadsafe";
  EXPECT_DEATH(
    {
      std::vector<unsigned char> memory(4096);
      TlsfHeap heap(memory.data(), memory.size());
      void * const block = heap.try_allocate(64);
      heap.release(block);
      heap.release(block);
    },
    "the block is free already");
}

template <typename Resource>
class TlsfResources : public ::testing::Test
{
};
using BothLocks = ::testing::Types<TlsfResource, UnsynchronizedTlsfResource>;
TYPED_TEST_SUITE(TlsfResources, BothLocks);

TYPED_TEST(TlsfResources, AreTheMemoryOfContainers)
{
  TypeParam resource(1U << 16U);
  {
    std::pmr::vector<std::pmr::string> texts(&resource);
    for (int i = 0; i < 100; ++i) {
      texts.emplace_back(
        "a text that is too long for a string's own bytes, number " + std::to_string(i));
    }
    EXPECT_EQ(texts[99].substr(texts[99].size() - 2), "99");
    EXPECT_GT(resource.used(), 5000U);
    std::pmr::vector<char> too_many(&resource);
    EXPECT_THROW(too_many.reserve(1U << 17U), std::bad_alloc);
    EXPECT_EQ(resource.exhausted(), 1U);
  }
  EXPECT_EQ(resource.used(), 0U);
  EXPECT_EQ(resource.try_allocate(1U << 17U), nullptr);
}

TEST(TlsfResource, IsSharedByThreads)
{
  TlsfResource resource(1U << 16U);
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([&, i] {
      for (std::size_t round = 0; round < 10000; ++round) {
        const std::size_t size = 16 + round * 37 % 900;
        void * const block = resource.try_allocate(size);
        if (block != nullptr) {
          std::memset(block, i, size);  // plain: ThreadSanitizer checks
          resource.release(block);
        }
      }
    });
  }
  for (std::thread & thread : threads) {
    thread.join();
  }
  EXPECT_EQ(resource.used(), 0U);
}

TEST(InplaceFunction, CallsWhatItHolds)
{
  InplaceFunction<int(int)> function;
  EXPECT_FALSE(function);
  int offset = 1;
  function = [&offset](int value) { return value + offset; };
  EXPECT_TRUE(function);
  EXPECT_EQ(function(1), 2);
  offset = 10;
  EXPECT_EQ(function(1), 11);
  function = [count = 0](int value) mutable { return ++count * value; };
  EXPECT_EQ(function(5), 5);
  EXPECT_EQ(function(5), 10);
  InplaceFunction<void(int)> without_result = [](int value) { return value; };
  without_result(1);
  InplaceFunction<std::size_t(const std::string &)> member = &std::string::size;
  EXPECT_EQ(member("four"), 4U);
}

TEST(InplaceFunction, MovesAndDestroysTheCallable)
{
  const auto witness = std::make_shared<int>(3);
  {
    InplaceFunction<int()> first = [witness] { return *witness; };
    EXPECT_EQ(witness.use_count(), 2);
    InplaceFunction<int()> second = std::move(first);
    EXPECT_FALSE(first);  // NOLINT: it is empty by contract
    EXPECT_EQ(second(), 3);
    EXPECT_EQ(witness.use_count(), 2);
    second = [] { return 4; };
    EXPECT_EQ(witness.use_count(), 1);
    InplaceFunction<int()> unique = [owned = std::make_unique<int>(5)] { return *owned; };
    second = std::move(unique);
    EXPECT_EQ(second(), 5);
    second = InplaceFunction<int()>();
    EXPECT_FALSE(second);
  }
  EXPECT_EQ(witness.use_count(), 1);
}

TEST(InplaceFunctionDeathTest, EndsTheProcessAtACallOfAnEmptyOne)
{
  ::testing::FLAGS_gtest_death_test_style = "threadsafe";
  EXPECT_DEATH((InplaceFunction<void()>()()), "call of an empty function");
}

}  // namespace
}  // namespace takt_rt
