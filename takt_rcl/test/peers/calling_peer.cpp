// The takt half of test_services.py: a service and a client, until it is told to end.
//
//   service /takt_echo "takt heard <text>"; the text "later" is answered a period of the timer
//   later client of /python_echo asks "question 0", "question 1", ... after each answer, and prints
//   the answers
#include <cstdio>
#include <diagnostic_msgs/srv/add_diagnostics.hpp>

#include "takt_rcl/takt_rcl.hpp"

namespace
{

using Srv = diagnostic_msgs::srv::AddDiagnostics;

class Peer : public takt_rcl::Node
{
public:
  Peer() : Node("takt_peer")
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
    timer_ = create_wall_timer(std::chrono::milliseconds(20), [this] {
      if (later_) {
        respond(later_, "later");
      }
      if (!asks_ && client_->service_is_ready()) {
        asks_ = true;
        ask();
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
  bool asks_ = false;
  int asked_ = 0;
  takt_rcl::Service<Srv>::SharedPtr service_;
  takt_rcl::Client<Srv>::SharedPtr client_;
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
