// SPDX-License-Identifier: Apache-2.0
// The library that SessionOptions.register_custom_ops_library loads.
#include <array>
#include <exception>
#include <limits>

#include "sw/python/onnxruntime/operator.h"

namespace mxe::onnxruntime {
namespace {

/// An operator for elements of one type; onnxruntime takes the one that fits.
struct Quantizing : Operator {
  const Api* api = nullptr;
  const char* given_name = nullptr;
  Owner owner = Owner::mxe;
  Element element = Element::undefined;
};

const Quantizing& of(const Operator* one) { return *static_cast<const Quantizing*>(one); }

// No exception may leave this library.
template <typename Work>
Status* guarded(const Api& api, const Work& work) {
  try {
    work();
    return nullptr;
  } catch (const std::exception& error) {
    return api.create_status(kInvalidArgument, error.what());
  }
}

// A kernel, and the functions that its errors need.
struct Node {
  const Api& api;
  Kernel kernel;
};

Status* create(const Operator* one, const Api* api, const KernelInfo* info, void** out) {
  return guarded(*api, [&] {
    *out = new Node{*api, Kernel(*api, info, of(one).owner, of(one).element)};
  });
}

Status* compute(void* node, KernelContext* context) {
  const auto& [api, kernel] = *static_cast<const Node*>(node);
  return guarded(api, [&kernel = kernel, context] { kernel.compute(context); });
}

// The input's shape, where it is known.
Status* infer_shape(const Operator* one, ShapeContext* context) {
  const Api& api = *of(one).api;
  TensorInfo* info = nullptr;
  Status* status = api.input_shape(context, 0, &info);
  if (!status) status = api.set_output_shape(context, 0, info);
  if (status) api.release(status);
  return nullptr;
}

const Api& api_of(const ApiBase* base) { return *base->api(kApiVersion); }

Quantizing make_operator(const Api& api, const char* name, Owner owner, Element element) {
  Quantizing made{};
  made.version = kApiVersion;
  made.name = [](const Operator* one) { return of(one).given_name; };
  made.provider = [](const Operator*) -> const char* { return nullptr; };
  made.input_type = [](const Operator* one, std::size_t) { return of(one).element; };
  made.output_type = made.input_type;
  made.inputs = [](const Operator*) -> std::size_t { return 1; };
  made.outputs = made.inputs;
  made.input_kind = [](const Operator*, std::size_t) { return 0; };
  made.output_kind = made.input_kind;
  made.input_memory = made.input_kind;
  for (auto& variadic : made.variadic) variadic = [](const Operator*) { return 0; };
  made.create = create;
  made.compute = compute;
  made.destroy = [](void* node) { delete static_cast<Node*>(node); };
  made.first_version = [](const Operator*) { return 1; };
  made.last_version = [](const Operator*) { return std::numeric_limits<int>::max(); };
  made.infer_shape = infer_shape;
  made.api = &api;
  made.given_name = name;
  made.owner = owner;
  made.element = element;
  return made;
}

/// A domain with one operator.
struct Room {
  const char* domain;
  std::array<Quantizing, 2> operators;
};

Room make_room(const Api& api, const char* domain, const char* name, Owner owner) {
  return {domain,
          {make_operator(api, name, owner, Element::float32),
           make_operator(api, name, owner, Element::float16)}};
}

// onnxruntime keeps the addresses of these for as long as there are sessions.
const std::array<Room, 3>& rooms(const Api& api) {
  static const std::array<Room, 3> all = {
      make_room(api, "com.mxe", "MXQuantizeDequantize", Owner::mxe),
      make_room(api, "com.amd.quark", "MXQuantizeDequantize", Owner::quark),
      make_room(api, "com.vai.quantize", "MXFixNeuron", Owner::quark)};
  return all;
}

// The domain stays: nothing says when the last session that has it ends.
Status* add(const Api& api, SessionOptions* options, const Room& room) {
  Domain* domain = nullptr;
  if (Status* const status = api.create_domain(room.domain, &domain)) return status;
  for (const Quantizing& one : room.operators) {
    if (Status* const status = api.add_operator(domain, &one)) return status;
  }
  return api.add_domain(options, domain);
}

}  // namespace
}  // namespace mxe::onnxruntime

/// What onnxruntime calls when it has loaded the library.
extern "C" __attribute__((visibility("default"))) mxe::onnxruntime::Status* RegisterCustomOps(
    mxe::onnxruntime::SessionOptions* options, const mxe::onnxruntime::ApiBase* base) {
  using namespace mxe::onnxruntime;
  const Api& api = api_of(base);
  for (const Room& room : rooms(api)) {
    if (Status* const status = add(api, options, room)) return status;
  }
  return nullptr;
}
