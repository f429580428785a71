#include "apply_request.hpp"

#include "takt_control/json_fields.hpp"

namespace takt_control
{

takt_rt::Result<ApplyRequest> read_apply_request(const std::string & payload)
{
  try {
    const nlohmann::json request = request_object(payload);
    return ApplyRequest{
      required_text(request, "file"), required_text(request, "text"),
      flag_of(request, "check_only"), text_of(request, "id")};
  } catch (const BadField & bad) {
    return takt_rt::Faults{"the request to apply a schedule is wrong: " + bad.what};
  }
}

}  // namespace takt_control
