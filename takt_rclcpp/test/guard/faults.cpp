#include "faults.hpp"

#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <semaphore.h>
#include <sys/epoll.h>
#include <sys/mman.h>
#include <sys/select.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <any>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <future>
#include <iostream>
#include <map>
#include <memory>
#include <mutex>
#include <shared_mutex>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

namespace guarded
{

using namespace std::chrono_literals;

namespace
{

// A thread holds the lock and sleeps, again and again, so that each run meets it.
template <typename Mutex>
class Holder
{
public:
  void start()
  {
    thread_ = std::thread([this] {
      while (!ends_) {
        mutex.lock();
        held_ = true;
        std::this_thread::sleep_for(2ms);
        held_ = false;
        mutex.unlock();
        std::this_thread::sleep_for(100us);
      }
    });
  }
  void stop()
  {
    ends_ = true;
    if (thread_.joinable()) {
      thread_.join();
    }
  }
  // Returns when the other thread has the lock.
  void wait_until_held() const
  {
    while (!held_) {
    }
  }
  Mutex mutex;

private:
  std::atomic<bool> ends_{false};
  std::atomic<bool> held_{false};
  std::thread thread_;
};

// With priority inheritance, which is no fault.
struct InheritingMutex
{
  InheritingMutex()
  {
    pthread_mutexattr_t attributes;
    ::pthread_mutexattr_init(&attributes);
    ::pthread_mutexattr_setprotocol(&attributes, PTHREAD_PRIO_INHERIT);
    ::pthread_mutex_init(&mutex, &attributes);
  }
  void lock() { ::pthread_mutex_lock(&mutex); }
  void unlock() { ::pthread_mutex_unlock(&mutex); }
  pthread_mutex_t mutex{};
};

Holder<std::mutex> g_held;
Holder<std::shared_mutex> g_held_shared;
Holder<std::recursive_mutex> g_held_recursive;
Holder<InheritingMutex> g_held_inheriting;
std::mutex g_free_mutex;
std::condition_variable g_condition;
sem_t g_semaphore;
std::array<int, 2> g_pipe{};
std::array<int, 2> g_quiet_pipe{};
std::array<int, 2> g_sockets{};
int g_epoll = -1;
int g_file = -1;
std::array<char, 4096> g_bytes{};
std::vector<int> g_reserved;
std::map<int, int> g_map;
std::atomic<int> g_atomic{0};
volatile double g_number = 0;
char * g_touched = nullptr;
std::function<void()> g_function;
std::string g_text;
char * volatile g_block = nullptr;
int g_rounds = 0;

// ---- allocation ----
void grow_vector()
{
  std::vector<int> values;
  values.push_back(1);
  g_number = values.front();
}
void fill_map()
{
  g_map[++g_rounds] = 1;
}
void long_string()
{
  g_text = std::string(100, 'x') + std::to_string(++g_rounds);
}
void make_shared()
{
  const auto made = std::make_shared<int>(++g_rounds);
  g_number = *made;
}
void large_function()
{
  const std::array<double, 16> captured{};
  g_function = [captured] { g_number = captured[0]; };
}
void text_stream()
{
  std::ostringstream text;
  text << "longer than a string keeps in itself " << 42;
  g_number = static_cast<double>(text.tellp());
}
void c_allocation()
{
  char * const block = static_cast<char *>(std::malloc(100));
  g_block = static_cast<char *>(std::realloc(block, 1000));
}
void aligned()
{
  g_block = static_cast<char *>(std::aligned_alloc(64, 128));
}
void free_block()
{
  std::free(g_block);
  g_block = nullptr;
}
void any_value()
{
  const std::any value = std::array<int, 20>{};
  g_number = value.has_value() ? 1 : 0;
}
struct Table
{
  Table() { values.resize(10); }
  std::vector<int> values;
};
void static_initialiser()
{
  static const Table kTable;
  g_number = static_cast<double>(kTable.values.size());
}

// ---- locks and waits ----
void lock_mutex()
{
  g_held.wait_until_held();
  const std::lock_guard lock(g_held.mutex);
}
void lock_shared()
{
  g_held_shared.wait_until_held();
  const std::shared_lock lock(g_held_shared.mutex);
}
void lock_exclusive()
{
  g_held_shared.wait_until_held();
  const std::unique_lock lock(g_held_shared.mutex);
}
void lock_recursive()
{
  g_held_recursive.wait_until_held();
  const std::lock_guard lock(g_held_recursive.mutex);
}
void wait_condition()
{
  std::unique_lock lock(g_free_mutex);
  g_condition.wait_for(lock, 1ms);
}
void wait_future()
{
  static std::promise<int> never;
  static const std::shared_future<int> kFuture = never.get_future().share();
  static_cast<void>(kFuture.wait_for(1ms));
}
void wait_semaphore()
{
  timespec until{};
  ::clock_gettime(CLOCK_REALTIME, &until);
  until.tv_nsec = until.tv_nsec < 998'000'000 ? until.tv_nsec + 1'000'000 : until.tv_nsec;
  ::sem_timedwait(&g_semaphore, &until);
}

// ---- system calls ----
void read_pipe()
{
  char one = 0;
  static_cast<void>(::write(g_quiet_pipe[1], "x", 1));  // this end does not block
  static_cast<void>(::read(g_pipe[0], &one, 0));
}
void read_file()
{
  static_cast<void>(::pread(g_file, g_bytes.data(), 16, 0));
}
void open_file()
{
  ::close(::open("/dev/null", O_RDONLY));
}
void poll_pipe()
{
  pollfd one{g_pipe[0], POLLIN, 0};
  ::poll(&one, 1, 1);
}
void select_pipe()
{
  fd_set files;
  FD_ZERO(&files);
  FD_SET(g_pipe[0], &files);
  timeval time{0, 1000};
  ::select(g_pipe[0] + 1, &files, nullptr, nullptr, &time);
}
void wait_epoll()
{
  epoll_event event{};
  ::epoll_wait(g_epoll, &event, 1, 1);
}
void send_to_socket()
{
  static_cast<void>(::send(g_sockets[0], "x", 1, 0));
  static_cast<void>(::recv(g_sockets[1], g_bytes.data(), 1, 0));
}
void map_memory()
{
  ::munmap(::mmap(nullptr, 4096, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0), 4096);
}
void sync_file()
{
  ::fdatasync(g_file);
}

// ---- output ----
void c_print()
{
  std::printf("%d\n", ++g_rounds);
}
void c_put()
{
  std::puts("text");
}
void c_error()
{
  std::fprintf(stderr, "%d\n", ++g_rounds);
}
void cpp_print()
{
  std::cout << ++g_rounds << std::endl;
}
void cpp_error()
{
  std::cerr << "text\n";
}
void raw_print()
{
  static_cast<void>(::write(STDOUT_FILENO, "text\n", 5));
}

// ---- page faults, sleep, threads, exceptions ----
void touch_memory()
{
  // Each run touches a page that no run touched before.
  g_touched += 4096;
  *static_cast<volatile char *>(g_touched) = 1;
}
void sleep_for()
{
  std::this_thread::sleep_for(100us);
}
void sleep_until()
{
  std::this_thread::sleep_until(std::chrono::steady_clock::now() + 100us);
}
void c_sleep()
{
  ::usleep(100);
}
void raw_thread()
{
  pthread_t thread{};
  ::pthread_create(
    &thread, nullptr, [](void *) -> void * { return nullptr; }, nullptr);
  ::pthread_join(thread, nullptr);
}
void throw_number()
{
  try {
    throw 1;
  } catch (int value) {
    g_number = value;
  }
}

// ---- clean ----
void nothing()
{
}
void arithmetic()
{
  for (int i = 0; i < 1000; ++i) {
    g_number = g_number * 0.5 + i;
  }
}
void free_lock()
{
  const std::lock_guard lock(g_free_mutex);
  g_number = 1;
}
void inheriting_lock()
{
  g_held_inheriting.wait_until_held();
  g_held_inheriting.mutex.lock();
  g_held_inheriting.mutex.unlock();
}
void try_held_lock()
{
  g_held.wait_until_held();
  if (g_held.mutex.try_lock()) {
    g_held.mutex.unlock();
  }
}
void free_shared_lock()
{
  static std::shared_mutex mutex;
  const std::shared_lock lock(mutex);
}
void atomic_exchange()
{
  g_number = g_atomic.exchange(++g_rounds);
}
void notify_condition()
{
  g_condition.notify_all();
}
void reserved_vector()
{
  g_reserved.clear();
  g_reserved.push_back(++g_rounds);
}
void short_string()
{
  const std::string text = "short";
  g_number = static_cast<double>(text.size());
}
void small_function()
{
  g_function = [] { g_number = 1; };
  g_function();
}
void format_text()
{
  std::snprintf(g_bytes.data(), g_bytes.size(), "%d", ++g_rounds);
}
void poll_without_wait()
{
  pollfd one{g_pipe[0], POLLIN, 0};
  ::poll(&one, 1, 0);
}
void write_without_wait()
{
  static_cast<void>(::write(g_quiet_pipe[1], "x", 1));
  static_cast<void>(::read(g_quiet_pipe[0], g_bytes.data(), 16));
}
void sort_numbers()
{
  std::array<int, 64> numbers{};
  for (int & one : numbers) {
    one = ++g_rounds * 7919 % 101;
  }
  std::sort(numbers.begin(), numbers.end());
  g_number = numbers[0];
}
void read_clock()
{
  g_number = static_cast<double>(std::chrono::steady_clock::now().time_since_epoch().count());
}
void semaphore_with_room()
{
  ::sem_post(&g_semaphore);
  ::sem_wait(&g_semaphore);
}
void known_static()
{
  static const int kValue = static_cast<int>(::getpid());
  g_number = kValue;
}
void copy_bytes()
{
  std::memmove(g_bytes.data(), g_bytes.data() + 1, g_bytes.size() - 1);
}

}  // namespace

std::mutex & held_mutex()
{
  g_held.wait_until_held();
  return g_held.mutex;
}

void prepare()
{
  g_held.start();
  g_held_shared.start();
  g_held_recursive.start();
  g_held_inheriting.start();
  ::sem_init(&g_semaphore, 0, 0);
  if (
    ::pipe(g_pipe.data()) != 0 || ::pipe2(g_quiet_pipe.data(), O_NONBLOCK) != 0 ||
    ::socketpair(AF_UNIX, SOCK_DGRAM, 0, g_sockets.data()) != 0) {
    std::abort();
  }
  g_epoll = ::epoll_create1(0);
  g_file = ::open("/proc/self/exe", O_RDONLY);
  g_reserved.reserve(16);
  g_block = static_cast<char *>(std::malloc(100));
}

void prepare_untouched_memory()
{
  constexpr std::size_t kBytes = 64UL << 20U;
  g_touched = static_cast<char *>(::mmap(
    nullptr, kBytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0));
  ::madvise(g_touched, kBytes, MADV_NOHUGEPAGE);
  ::munlock(g_touched, kBytes);
  ::madvise(g_touched, kBytes, MADV_DONTNEED);
}

void clean_up()
{
  g_held.stop();
  g_held_shared.stop();
  g_held_recursive.stop();
  g_held_inheriting.stop();
}

constexpr Place kTimer = Place::timer;
constexpr Place kSubscription = Place::subscription;
constexpr Place kService = Place::service;

const std::array<Case, kCaseCount> kCases{{
  {"grow_vector", kTimer, grow_vector, "allocation free"},
  {"grow_vector_in_service", kService, grow_vector, "allocation free"},
  {"fill_map", kSubscription, fill_map, "allocation"},
  {"long_string", kTimer, long_string, "allocation free"},
  {"make_shared", kSubscription, make_shared, "allocation free"},
  {"large_function", kTimer, large_function, "allocation free"},
  {"text_stream", kTimer, text_stream, "allocation free"},
  {"c_allocation", kSubscription, c_allocation, "allocation"},
  {"aligned", kTimer, aligned, "allocation"},
  {"any_value", kTimer, any_value, "allocation free"},
  {"static_initialiser", kTimer, static_initialiser, "allocation"},
  {"static_initialiser_in_subscription", kSubscription, static_initialiser, "allocation"},
  {"library_allocates", kTimer, allocate_in_library, "allocation free"},
  {"library_locks", kSubscription, lock_in_library, "lock"},
  {"library_prints", kService, print_in_library, "output"},
  {"lock_mutex", kTimer, lock_mutex, "lock"},
  {"lock_mutex_in_service", kService, lock_mutex, "lock"},
  {"lock_shared", kTimer, lock_shared, "lock"},
  {"lock_exclusive", kSubscription, lock_exclusive, "lock"},
  {"lock_recursive", kTimer, lock_recursive, "lock"},
  {"wait_condition", kTimer, wait_condition, "wait"},
  {"wait_future", kSubscription, wait_future, "allocation wait"},
  {"wait_semaphore", kTimer, wait_semaphore, "wait"},
  {"read_pipe", kTimer, read_pipe, "system_call"},
  {"read_file", kSubscription, read_file, "system_call"},
  {"open_file", kTimer, open_file, "system_call"},
  {"poll_pipe", kTimer, poll_pipe, "system_call"},
  {"select_pipe", kService, select_pipe, "system_call"},
  {"wait_epoll", kTimer, wait_epoll, "system_call"},
  {"send_to_socket", kSubscription, send_to_socket, "system_call"},
  {"map_memory", kTimer, map_memory, "system_call"},
  {"sync_file", kTimer, sync_file, "system_call"},
  {"c_print", kTimer, c_print, "output"},
  {"c_put", kSubscription, c_put, "output"},
  {"c_error", kTimer, c_error, "output"},
  {"cpp_print", kTimer, cpp_print, "output"},
  {"cpp_error", kService, cpp_error, "output"},
  {"raw_print", kTimer, raw_print, "output"},
  {"touch_memory", kTimer, touch_memory, "page_fault"},
  {"sleep_for", kTimer, sleep_for, "sleep"},
  {"sleep_until", kSubscription, sleep_until, "sleep"},
  {"c_sleep", kTimer, c_sleep, "sleep"},
  {"raw_thread", kTimer, raw_thread, "thread wait"},
  {"throw_number", kTimer, throw_number, "allocation exception free"},
  {"throw_in_service", kService, throw_number, "allocation exception free"},
  {"free_block", kTimer, free_block, "free"},
  {"log_line", kTimer, nullptr, "output", "allocation free lock system_call"},
  {"nothing", kTimer, nothing, ""},
  {"nothing_in_service", kService, nothing, ""},
  {"arithmetic", kSubscription, arithmetic, ""},
  {"free_lock", kTimer, free_lock, ""},
  {"inheriting_lock", kTimer, inheriting_lock, ""},
  {"try_held_lock", kSubscription, try_held_lock, ""},
  {"free_shared_lock", kTimer, free_shared_lock, ""},
  {"atomic_exchange", kTimer, atomic_exchange, ""},
  {"notify_condition", kService, notify_condition, ""},
  {"reserved_vector", kTimer, reserved_vector, ""},
  {"short_string", kSubscription, short_string, ""},
  {"small_function", kTimer, small_function, ""},
  {"format_text", kTimer, format_text, ""},
  {"poll_without_wait", kTimer, poll_without_wait, ""},
  {"write_without_wait", kSubscription, write_without_wait, ""},
  {"sort_numbers", kTimer, sort_numbers, ""},
  {"read_clock", kTimer, read_clock, ""},
  {"semaphore_with_room", kTimer, semaphore_with_room, ""},
  {"known_static", kService, known_static, ""},
  {"copy_bytes", kTimer, copy_bytes, ""},
}};

}  // namespace guarded
