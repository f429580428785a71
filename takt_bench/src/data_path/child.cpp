#include "data_path/child.hpp"

#include <signal.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <cstdio>
#include <exception>
#include <stdexcept>

#include "data_path/course.hpp"
#include "data_path/middleware_setting.hpp"
#include "data_path/transport.hpp"

namespace takt_bench::data_path
{

namespace
{

/// Threads that the middleware makes later keep the attributes of `make`.
template <typename Make>
auto made(const Setting & setting, Side side, Make make)
{
  takt_rt::apply(attributes_of(setting, side, true));
  auto part = make();
  takt_rt::apply(attributes_of(setting, side, false));
  return part;
}

void publish(const Setting & setting, Ledger & ledger)
{
  const auto part =
    made(setting, Side::publisher, [&] { return make_publishing(setting, ledger); });
  if (!ledger.wait_for(Step::receiving, takt_rt::now() + kMeeting)) {
    throw std::runtime_error("the receiver did not start");
  }
  part->connect();
  Course course(ledger, setting);
  course.run([&](std::uint64_t number) { part->publish(number); });
}

void receive(const Setting & setting, Ledger & ledger)
{
  made(setting, Side::receiver, [&] { return make_receiving(setting, ledger); })->run();
}

void do_both(const Setting & setting, Ledger & ledger)
{
  const auto part =
    made(setting, Side::publisher, [&] { return make_one_thread(setting, ledger); });
  Course course(ledger, setting);
  part->run(course);
}

}  // namespace

pid_t start_child(const Setting & setting, Ledger & ledger, Side side)
{
  const pid_t parent = ::getpid();
  std::fflush(nullptr);
  const pid_t child = ::fork();
  if (child != 0) {
    return child;
  }
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (::getppid() != parent) {
    ::_exit(1);
  }
  try {
    set_up_middleware(setting);
    if (setting.place == Place::one_thread) {
      do_both(setting, ledger);
    } else if (side == Side::publisher) {
      publish(setting, ledger);
    } else {
      receive(setting, ledger);
    }
  } catch (const std::exception & error) {
    ledger.fail(side, error.what());
    std::fflush(nullptr);
    ::_exit(1);
  }
  std::fflush(nullptr);
  ::_exit(0);
}

}  // namespace takt_bench::data_path
