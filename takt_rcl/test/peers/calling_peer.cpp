// The takt half of test_services.py: a service and a client, until it is told to end.
//
//   service /takt_echo "takt heard <text>"; the text "later" is answered a period of the timer
//   later client of /python_echo asks "question 0", "question 1", ... after each answer, and prints
//   the answers
//
// A server that has not discovered the reader of a client's answers drops the answer after 100 ms
// (rmw_fastrtps). Endpoints are discovered in the order of their making, so the node begins to ask
// once a younger client got an answer from the other half; until then that one asks every 2 s.
#include <cstdio>
#include <diagnostic_msgs/srv/add_diagnostics.hpp>
#include <rcl_interfaces/srv/list_parameters.hpp>

#include "takt_rcl/takt_rcl.hpp"

namespace
{

using Srv = diagnostic_msgs::srv::AddDiagnostics;
using ListParameters = rcl_interfaces::srv::ListParameters;

class Peer : public takt_rcl::Node
{
public:
  Peer() : Node("takt_peer", takt_rcl::NodeOptions().start_parameter_services(true))
  {
    service_ = create_service<Srv>(
      "takt_echo", [this](takt_rcl::PendingResponse<Srv> pending, const Srv::Request & question) {
        if (question.load_namespace == "later") {
          later_ = std::move(pending);
        } else {
          respond(pending, question.load_namespace);
        }
      });
    client_ = create_client<Srv>("python_echo");
    younger_ = create_client<ListParameters>("python_peer/list_parameters");
    timer_ = create_wall_timer(std::chrono::milliseconds(20), [this] {
      if (later_) {
        respond(later_, "later");
      }
      if (!known_ && client_->service_is_ready() && younger_->service_is_ready()) {
        become_known();
      }
    });
  }

  void report() const
  {
    std::printf(
      "served %llu asked %d answered %llu\n",
      static_cast<unsigned long long>(service_->sent_responses()), asked_,
      static_cast<unsigned long long>(client_->taken_responses()));
  }

private:
  static void respond(takt_rcl::PendingResponse<Srv> & pending, const std::string & text)
  {
    Srv::Response answer;
    answer.success = true;
    answer.message = "takt heard " + text;
    pending.respond(answer);
  }

  void become_known()
  {
    if (periods_++ % 100 != 0) {
      return;
    }
    younger_->prune_requests_older_than(std::chrono::seconds(10));  // their answers were dropped
    younger_->async_send_request(
      ListParameters::Request(), [this](const ListParameters::Response &) {
        if (!known_) {
          known_ = true;
          ask();
        }
      });
  }

  void ask()
  {
    if (asked_ == 5) {
      return;
    }
    Srv::Request question;
    question.load_namespace = "question " + std::to_string(asked_++);
    client_->async_send_request(question, [this](const Srv::Response & answer) {
      std::printf("%s\n", answer.message.c_str());
      std::fflush(stdout);
      ask();
    });
  }

  takt_rcl::PendingResponse<Srv> later_;
  bool known_ = false;
  int periods_ = 0;
  int asked_ = 0;
  takt_rcl::Service<Srv>::SharedPtr service_;
  takt_rcl::Client<Srv>::SharedPtr client_;
  takt_rcl::Client<ListParameters>::SharedPtr younger_;
  takt_rcl::Timer::SharedPtr timer_;
};

}  // namespace

int main(int argc, char ** argv)
{
  try {
    takt_rcl::init(argc, argv);
    {
      const auto peer = std::make_shared<Peer>();
      takt_rcl::spin(peer);
      peer->report();
    }
    takt_rcl::shutdown();
  } catch (const std::exception & error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
  return 0;
}
