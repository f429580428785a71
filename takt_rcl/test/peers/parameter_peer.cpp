// The takt half of test_parameters.py: a node with one parameter of each type, until it is told to
// end. An on-set callback refuses the text "no". At the end the program prints the rate.
#include <cstdint>
#include <cstdio>
#include <string>
#include <vector>

#include "takt_rcl/takt_rcl.hpp"

namespace
{

class Peer : public takt_rcl::Node
{
public:
  Peer() : Node("takt_peer")
  {
    declare_parameter("flag", true);
    declare_parameter("text", "hello");
    takt_rcl::ParameterDescriptor in_hertz;
    in_hertz.description = "runs per second";
    in_hertz.floating_point_range.resize(1);
    in_hertz.floating_point_range[0].to_value = 100;
    declare_parameter("motor.rate", 10.0, in_hertz);
    declare_parameter("motor.count", 3);
    declare_parameter("bytes", std::vector<std::uint8_t>{1, 2});
    declare_parameter("flags", std::vector<bool>{true, false});
    declare_parameter("counts", std::vector<std::int64_t>{1, 2});
    declare_parameter("rates", std::vector<double>{0.5});
    declare_parameter("texts", std::vector<std::string>{"a", "b"});
    judge_ = add_on_set_parameters_callback([](const std::vector<takt_rcl::Parameter> & values) {
      takt_rcl::SetParametersResult result;
      result.successful = true;
      for (const auto & one : values) {
        if (one.get_name() == "text" && one.as_string() == "no") {
          result.successful = false;
          result.reason = "not this text";
        }
      }
      return result;
    });
  }

private:
  std::shared_ptr<takt_rcl::OnSetParametersCallbackHandle> judge_;
};

}  // namespace

int main(int argc, char ** argv)
{
  try {
    takt_rcl::init(argc, argv);
    {
      const auto peer = std::make_shared<Peer>();
      takt_rcl::spin(peer);
      std::printf("rate %g\n", peer->get_parameter("motor.rate").as_double());
    }
    takt_rcl::shutdown();
  } catch (const std::exception & error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
  return 0;
}
