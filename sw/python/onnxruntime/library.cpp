// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <exception>
#include <limits>

#include "sw/python/onnxruntime/operator.h"

namespace mxe::onnxruntime {
namespace {

/// One element type; onnxruntime chooses by the input's type.
struct Quantizing : Operator {
  const Api* api = nullptr;
  const char* operator_name = nullptr;
  Owner owner = Owner::mxe;
  Element element = Element::undefined;
};

const Quantizing& of(const Operator* one) { return *static_cast<const Quantizing*>(one); }

template <typename Work>
Status* guarded(const Api& api, const Work& work) {
  try {
    work();
    return nullptr;
  } catch (const std::exception& error) {
    return api.create_status(kInvalidArgument, error.what());
  }
}

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
  made.name = [](const Operator* one) { return of(one).operator_name; };
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
  made.operator_name = name;
  made.owner = owner;
  made.element = element;
  return made;
}

struct OperatorSet {
  const char* domain;
  std::array<Quantizing, 2> operators;
};

OperatorSet make_operator_set(const Api& api, const char* domain, const char* name, Owner owner) {
  return {domain,
          {make_operator(api, name, owner, Element::float32),
           make_operator(api, name, owner, Element::float16)}};
}

// Static, because onnxruntime keeps these addresses while sessions exist.
const std::array<OperatorSet, 3>& operator_sets(const Api& api) {
  static const std::array<OperatorSet, 3> all = {
      make_operator_set(api, "com.mxe", "MXQuantizeDequantize", Owner::mxe),
      make_operator_set(api, "com.amd.quark", "MXQuantizeDequantize", Owner::quark),
      make_operator_set(api, "com.vai.quantize", "MXFixNeuron", Owner::quark)};
  return all;
}

// The domain is never freed, because the end of the last session is not reported.
Status* add(const Api& api, SessionOptions* options, const OperatorSet& set) {
  Domain* domain = nullptr;
  if (Status* const status = api.create_domain(set.domain, &domain)) return status;
  for (const Quantizing& one : set.operators) {
    if (Status* const status = api.add_operator(domain, &one)) return status;
  }
  return api.add_domain(options, domain);
}

}  // namespace
}  // namespace mxe::onnxruntime

/// onnxruntime calls this after it has loaded the library.
extern "C" __attribute__((visibility("default"))) mxe::onnxruntime::Status* RegisterCustomOps(
    mxe::onnxruntime::SessionOptions* options, const mxe::onnxruntime::ApiBase* base) {
  using namespace mxe::onnxruntime;
  const Api& api = api_of(base);
  for (const OperatorSet& set : operator_sets(api)) {
    if (Status* const status = add(api, options, set)) return status;
  }
  return nullptr;
}
