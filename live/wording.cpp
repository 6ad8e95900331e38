// Names the scripts and locks of a model; see the header.
#include "live/wording.hpp"

#include "sim/client/servers.hpp"
#include "sim/model/wording.hpp"

namespace lockstep::live {

std::string worded_node(const sim::Model& model, std::uint8_t node) {
  return sim::server_name(node, sim::servers_of(model).count());
}

std::string worded_to(const sim::Model& model, const sim::Request& request, std::uint8_t node) {
  if (node == sim::kResource) return sim::printed(sim::words_for_resource(request));
  return sim::printed(sim::argument_texts(request, *model.program, {}));
}

std::string worded_of(const sim::Model& model, std::uint8_t process, const sim::Effect& effect) {
  std::string request;
  if (effect.kind == sim::Effect::Kind::send) {
    request = worded_to(model, effect.request, effect.node);
    if (effect.node == sim::kResource)
      request += " to the resource";
    else if (sim::servers_of(model.processes.front()).count() > 1)  // the client knows of these
      request += " to " + worded_node(model, effect.node);
  }
  return sim::worded(effect, sim::lock_name(model, process, effect.lock), request);
}

}  // namespace lockstep::live
