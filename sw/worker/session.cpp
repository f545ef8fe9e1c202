// SPDX-License-Identifier: Apache-2.0
#include "sw/worker/session.h"

#include <new>
#include <optional>
#include <string>

#include "model/job/difference.h"
#include "model/numerics/base/error.h"
#include "model/platform/device/device.h"
#include "sw/worker/requests.h"

namespace mxe::worker {
namespace {

/// Kinds: "value" for wrong requests, "device" for failures of the engine.
Json error(const char* kind, const std::string& what) { return {{"error", what}, {"kind", kind}}; }

Json run_shape(device::Device& device, const device::EngineSetup& setup, const Json& request) {
  job::JobShape shape = read_shape(request);
  shape.require_pair(setup.params);
  return describe(device.run(shape), shape, setup);
}

Json run_products(device::Device& device, const device::EngineSetup& setup, const Json& request,
                  Channel& channel) {
  const job::Products products = read_products(request, channel);
  const job::JobShape shape = products.total();
  shape.require_pair(setup.params);
  const device::DeviceResult result = device.run(products);
  const job::StoredOutput& output = result.output;
  channel.write(0, output.bytes.data(), output.bytes.size());
  channel.write(output.bytes.size(), output.scales.data(), output.scales.size());
  Json reply = describe(result, shape, setup);
  reply["bytes"] = output.bytes.size();
  reply["scales"] = output.scales.size();
  reply["saturations"] = output.saturations;
  if (request.at("check").get<bool>()) {
    numerics::GemmOptions golden = job::engine_sums(setup.params.fp4_dual != 0);
    golden.threads = request.at("threads").get<unsigned>();
    reply["difference"] = job::describe_difference(output, products.golden(golden), shape);
  }
  return reply;
}

/// Returns false if the engine has failed.
template <typename Answer>
bool reply_with(Channel& channel, const Answer& answer) {
  try {
    channel.send(answer());
  } catch (const harness::DeviceFailure& failure) {
    channel.send(error("device", failure.what()));
    return false;
  } catch (const Error& wrong) {
    channel.send(error("value", wrong.what()));
  } catch (const std::bad_alloc&) {
    channel.send(error("value", "not enough memory for arrays of this size"));
  }
  return true;
}

}  // namespace

void serve(Channel& channel) {
  std::optional<EngineRequest> engine;
  std::optional<device::Device> device;
  while (const std::optional<Json> request = channel.receive()) {
    const bool goes_on = reply_with(channel, [&]() -> Json {
      if (!device) {
        engine = read_engine(*request);
        device.emplace(engine->target, engine->setup);
        return describe(*engine);
      }
      const bool data = request->contains("pairs");
      return data ? run_products(*device, engine->setup, *request, channel)
                  : run_shape(*device, engine->setup, *request);
    });
    if (!goes_on || !device) return;
  }
}

}  // namespace mxe::worker
