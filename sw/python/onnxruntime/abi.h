// SPDX-License-Identifier: Apache-2.0
// The part of onnxruntime's C interface that an operator uses; Debian 12 and PyPI have no headers.
// The interface only grows. A test compares this layout, of 1.17, with onnxruntime's header.
#pragma once

#include <cstddef>
#include <cstdint>

namespace mxe::onnxruntime {

constexpr uint32_t kApiVersion = 17;

struct Status;
struct Value;
struct TensorInfo;
struct KernelInfo;
struct KernelContext;
struct ShapeContext;
struct SessionOptions;
struct Domain;
struct Operator;

constexpr int kInvalidArgument = 2;

enum class Element : int32_t { undefined = 0, float32 = 1, float16 = 10 };

/// onnxruntime's table of functions. A Status is null for success.
class Api {
 public:
  Status* create_status(int code, const char* text) const {
    return at<Status*(int, const char*)>(0)(code, text);
  }
  void release(Status* status) const { at<void(Status*)>(kReleaseStatus)(status); }

  Status* create_domain(const char* name, Domain** out) const {
    return at<Status*(const char*, Domain**)>(kCreateCustomOpDomain)(name, out);
  }
  Status* add_operator(Domain* domain, const Operator* one) const {
    return at<Status*(Domain*, const Operator*)>(kCustomOpDomainAdd)(domain, one);
  }
  Status* add_domain(SessionOptions* options, Domain* domain) const {
    return at<Status*(SessionOptions*, Domain*)>(kAddCustomOpDomain)(options, domain);
  }

  Status* attribute(const KernelInfo* info, const char* name, int64_t* out) const {
    return at<Status*(const KernelInfo*, const char*, int64_t*)>(kKernelInfoGetAttributeInt64)(
        info, name, out);
  }
  /// `size` counts the final zero. A null `out` requests only the size.
  Status* attribute(const KernelInfo* info, const char* name, char* out, std::size_t* size) const {
    return at<Status*(const KernelInfo*, const char*, char*, std::size_t*)>(
        kKernelInfoGetAttributeString)(info, name, out, size);
  }

  Status* input(const KernelContext* context, std::size_t index, const Value** out) const {
    return at<Status*(const KernelContext*, std::size_t, const Value**)>(kKernelContextGetInput)(
        context, index, out);
  }
  Status* output(KernelContext* context, std::size_t index, const int64_t* shape, std::size_t rank,
                 Value** out) const {
    return at<Status*(KernelContext*, std::size_t, const int64_t*, std::size_t, Value**)>(
        kKernelContextGetOutput)(context, index, shape, rank, out);
  }
  Status* elements(Value* value, void** out) const {
    return at<Status*(Value*, void**)>(kGetTensorMutableData)(value, out);
  }

  Status* info(const Value* value, TensorInfo** out) const {
    return at<Status*(const Value*, TensorInfo**)>(kGetTensorTypeAndShape)(value, out);
  }
  Status* rank(const TensorInfo* info, std::size_t* out) const {
    return at<Status*(const TensorInfo*, std::size_t*)>(kGetDimensionsCount)(info, out);
  }
  Status* shape(const TensorInfo* info, int64_t* out, std::size_t rank) const {
    return at<Status*(const TensorInfo*, int64_t*, std::size_t)>(kGetDimensions)(info, out, rank);
  }
  void release(TensorInfo* info) const {
    at<void(TensorInfo*)>(kReleaseTensorTypeAndShapeInfo)(info);
  }

  /// The context owns `out`.
  Status* input_shape(const ShapeContext* context, std::size_t index, TensorInfo** out) const {
    return at<Status*(const ShapeContext*, std::size_t, TensorInfo**)>(
        kShapeInferContextGetInputTypeShape)(context, index, out);
  }
  Status* set_output_shape(const ShapeContext* context, std::size_t index,
                           const TensorInfo* info) const {
    return at<Status*(const ShapeContext*, std::size_t, const TensorInfo*)>(
        kShapeInferContextSetOutputTypeShape)(context, index, info);
  }

  static constexpr std::size_t kCreateCustomOpDomain = 26, kCustomOpDomainAdd = 27,
                               kAddCustomOpDomain = 28, kGetTensorMutableData = 51,
                               kGetDimensionsCount = 61, kGetDimensions = 62,
                               kGetTensorTypeAndShape = 65, kKernelInfoGetAttributeInt64 = 86,
                               kKernelInfoGetAttributeString = 87, kKernelContextGetInput = 90,
                               kKernelContextGetOutput = 91, kReleaseStatus = 93,
                               kReleaseTensorTypeAndShapeInfo = 99,
                               kShapeInferContextGetInputTypeShape = 268,
                               kShapeInferContextSetOutputTypeShape = 270;

 private:
  template <typename Function>
  Function* at(std::size_t place) const {
    return reinterpret_cast<Function*>(functions_[place]);
  }

  void (*functions_[kShapeInferContextSetOutputTypeShape + 1])();
};

struct ApiBase {
  const Api* (*api)(uint32_t version);  ///< null if `version` is newer than onnxruntime
  const char* (*version)();
};

/// Describes an operator. Its functions receive this description, but compute and destroy receive
/// the node that create() made.
struct Operator {
  uint32_t version;
  void* (*create_unused)(const Operator*, const Api*, const KernelInfo*);
  const char* (*name)(const Operator*);
  const char* (*provider)(const Operator*);  ///< null: the CPU
  Element (*input_type)(const Operator*, std::size_t);
  std::size_t (*inputs)(const Operator*);
  Element (*output_type)(const Operator*, std::size_t);
  std::size_t (*outputs)(const Operator*);
  void (*compute_unused)(void*, KernelContext*);
  void (*destroy)(void*);
  int (*input_kind)(const Operator*, std::size_t);  ///< 0: required
  int (*output_kind)(const Operator*, std::size_t);
  int (*input_memory)(const Operator*, std::size_t);  ///< 0: the provider's memory
  int (*variadic[4])(const Operator*);
  Status* (*create)(const Operator*, const Api*, const KernelInfo*, void**);
  Status* (*compute)(void*, KernelContext*);
  Status* (*infer_shape)(const Operator*, ShapeContext*);
  int (*first_version)(const Operator*);
  int (*last_version)(const Operator*);
};

}  // namespace mxe::onnxruntime
