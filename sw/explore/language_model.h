// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include "sw/explore/run_size.h"
#include "sw/explore/workload.h"

namespace mxe::explore {

/// Groups of `heads / key_heads` query heads share a head of keys and a head of values.
struct GroupedAttention {
  uint64_t heads = 0, key_heads = 0, head_width = 0;
  uint64_t rope_width = 0;        ///< part of a head that is rotated by the position
  uint64_t head_norm_layers = 0;  ///< layers that norm each head of queries and keys
  bool has_norm_weights = true;   ///< of these norms
};

/// Keys and values of all heads are computed from one latent vector per token (DeepSeek's MLA).
struct LatentAttention {
  uint64_t heads = 0;
  uint64_t query_rank = 0;  ///< width of the latent of queries; 0: queries have none
  uint64_t rank = 0;        ///< width of the latent of keys and values
  uint64_t plain_width = 0, rope_width = 0;  ///< parts of a head's query: without, with position
  uint64_t value_width = 0;
};

/// Several networks in the place of one: a router chooses `per_token` of them for each token.
struct Experts {
  uint64_t count = 0, per_token = 0, hidden = 0;
  uint64_t shared_hidden = 0;  ///< hidden width of the experts that every token uses; 0: none
};

/// Layers in which a token attends to few tokens.
enum class Reach : uint8_t {
  window,  ///< itself and the `reach - 1` tokens before it
  chunk,   ///< itself and those before it in the same chunk; a chunk begins every `reach` tokens
};

/// Function between the two products of a hidden layer.
enum class Activation : uint8_t {
  silu,          ///< gate * sigmoid(gate) * up
  gelu_tanh,     ///< gate * GELU by its form with tanh, times up
  limited_silu,  ///< limits of gate and up, then gate * sigmoid(1.702 gate) * (1 + up)
};

struct LanguageModel {
  uint64_t width = 0, vocabulary = 0;
  bool tied = false;  ///< the output layer shares the weights of the embedding
  std::variant<GroupedAttention, LatentAttention> attention;
  uint64_t hidden = 0;  ///< of layers without experts
  Experts experts;
  std::vector<bool> has_experts;  ///< for each layer
  Reach reach_kind = Reach::window;
  uint64_t reach = 0;         ///< tokens of the window or chunk
  std::vector<bool> is_near;  ///< for each layer: limited by `reach`
  uint64_t norms = 2;         ///< of the width, in each layer
  uint64_t rope_layers = 0;   ///< layers that rotate queries and keys
  Activation activation = Activation::silu;
  uint64_t predictors = 0;        ///< layers that predict further tokens (MTP)
  std::string expert_tensors;     ///< name of the experts' part in a checkpoint
  bool has_known_tensors = true;  ///< the names of tensors in a checkpoint are known

  uint64_t layers() const { return has_experts.size(); }
  uint64_t expert_layers() const;
  uint64_t near_layers() const;
};

/// Numbers of weights in matrices: norms, biases and sinks, less than 0.1 %, are not counted.
struct Parameters {
  double embedding = 0, output = 0;      ///< output: 0 if tied
  double layers = 0, active_layers = 0;  ///< active: of the experts that one token uses
  double predictors = 0,
         active_predictors = 0;  ///< without the embedding and output that they share

  double total() const { return embedding + output + layers; }
  /// Multiplied for one token: the output layer counts, the look-up in the embedding does not.
  double active() const { return active_layers + embedding; }
};
Parameters parameters_of(const LanguageModel& model);

/// Elements of keys and values that a token adds to the cache.
struct CacheElements {
  double all = 0;   ///< in all layers
  double near = 0;  ///< in layers that need only the tokens within their reach
};
CacheElements cache_elements_of(const LanguageModel& model);

/// The products of one run. `sequence` only: a prompt. `context` only: one new token per sequence.
/// Both: the last `sequence` tokens of a prompt of `context` tokens. The output layer has one row
/// per sequence.
///
/// Grouped attention: query heads that share keys are one product. Latent attention is `expanded`
/// (keys and values of each head are computed) or `absorbed` (queries are multiplied into the
/// latent's space, so all heads share the latent); the default is expanded for prompts, absorbed
/// for new tokens. Limited reach: the tokens of a prompt are in blocks of a window or chunk, and
/// each block is a product with the keys that any of its tokens attends to. Throws Error if both
/// sizes are missing, `context` is below `sequence`, or a size is too large.
Workload language_workload(const LanguageModel& model, const RunSize& run, const std::string& name);

}  // namespace mxe::explore
