// SPDX-License-Identifier: Apache-2.0
#include "sw/explore/language_model.h"

#include <fmt/format.h>

#include <algorithm>

#include "model/numerics/base/error.h"
#include "sw/explore/routing.h"

namespace mxe::explore {
namespace {

// Multiplies sizes of at most kMostElements. Throws Error if the product exceeds kMostElements.
uint64_t times(std::initializer_list<uint64_t> sizes, const char* what, const std::string& name) {
  uint64_t product = 1;
  for (const uint64_t size : sizes) {
    product *= size;
    if (product > kMostElements) {
      throw Error(fmt::format("{}: {} would be more than {}", name, what, kMostElements));
    }
  }
  return product;
}

/// Consecutive tokens of a sequence, and the keys that the product of their queries covers.
struct Span {
  uint64_t tokens = 0, keys = 0, count = 1;
};

// Blocks of `reach` tokens; a block also covers the reach - 1 tokens before it. Example: 300
// tokens, reach 128: 128 tokens with 128 keys, 128 with 255, 44 with 171.
std::vector<Span> window_spans(uint64_t tokens, uint64_t past, uint64_t reach) {
  const uint64_t first = std::min(tokens, reach), rest = tokens - first;
  return {{first, std::min(past - rest, first + reach - 1)},
          {reach, 2 * reach - 1, rest / reach},
          {rest % reach, rest % reach + reach - 1, rest % reach == 0 ? 0u : 1u}};
}

// Example: the last 300 of 500 tokens, chunks of 256: 56 tokens with 256 keys, 244 with 244.
std::vector<Span> chunk_spans(uint64_t tokens, uint64_t past, uint64_t reach) {
  const uint64_t before = (past - tokens) % reach;
  const uint64_t first = std::min(tokens, reach - before), rest = tokens - first;
  return {{first, before + first},
          {reach, reach, rest / reach},
          {rest % reach, rest % reach, rest % reach == 0 ? 0u : 1u}};
}

double as_double(uint64_t value) { return static_cast<double>(value); }

class Products {
 public:
  Products(const LanguageModel& model, const RunSize& run, const std::string& name)
      : model_(model),
        name_(name),
        batch_(run.batch.value_or(1)),
        tokens_(run.sequence.value_or(1)),
        past_(run.context.value_or(tokens_)),
        rows_(size({batch_, tokens_})) {
    workload_.name = name;
    workload_.items = rows_;
    workload_.item_name = "tokens";
  }

  Workload take() { return std::move(workload_); }
  void note(std::string text) { workload_.notes.push_back(std::move(text)); }

  void add(const GroupedAttention& attention) {
    const uint64_t queries = size({attention.heads, attention.head_width});
    const uint64_t keys = size({2, attention.key_heads, attention.head_width});
    add_with_new_a("q_proj", rows_, queries, model_.width, model_.layers());
    add("kv_proj", rows_, keys, model_.width, model_.layers());
    const uint64_t heads = attention.heads + attention.key_heads;
    const double head_norms = as_double(attention.head_norm_layers);
    add_norms(head_norms * as_double(rows_ * heads), attention.head_width,
              attention.has_norm_weights ? 2 * head_norms : 0);
    add_rotary(heads, attention.rope_width);
    add_attention({attention.heads / attention.key_heads, attention.key_heads, attention.head_width,
                   attention.head_width, StoredB::kv_cache});
    add_with_new_a("out_proj", rows_, model_.width, queries, model_.layers());
  }

  void add(const LatentAttention& attention, bool absorbed) {
    const uint64_t layers = model_.layers(), heads = attention.heads;
    const uint64_t query_width = attention.plain_width + attention.rope_width;
    const uint64_t queries = size({heads, query_width});
    if (attention.query_rank != 0) {
      add_with_new_a("q_a_proj", rows_, attention.query_rank, model_.width, layers);
      add_with_new_a("q_b_proj", rows_, queries, attention.query_rank, layers);
      add_norms_of_layers(attention.query_rank);
    } else {
      add_with_new_a("q_proj", rows_, queries, model_.width, layers);
    }
    const uint64_t latent = attention.rank + attention.rope_width;
    add("kv_a_proj", rows_, latent, model_.width, layers);
    add_norms_of_layers(attention.rank);
    add_rotary(heads + 1, attention.rope_width);
    if (absorbed) {
      add_with_new_a("q_absorb", rows_, attention.rank, attention.plain_width,
                     count({layers, heads}));
      add_attention({heads, 1, latent, attention.rank, StoredB::kv_cache});
      add_with_new_a("v_absorb", rows_, attention.value_width, attention.rank,
                     count({layers, heads}));
    } else {
      // Also the tokens of the context that earlier runs have cached as latents.
      add("kv_b_proj", size({batch_, past_}),
          size({heads, attention.plain_width + attention.value_width}), attention.rank, layers);
      quantize(RestKind::quantize, false, as_double(layers * rows_), 0, attention.rank);
      add_attention({1, heads, query_width, attention.value_width, StoredB::activations});
    }
    add_with_new_a("out_proj", rows_, model_.width, size({heads, attention.value_width}), layers);
  }

  void add_hidden_layers(const Routing& routing) {
    const uint64_t with_experts = model_.expert_layers();
    add_network("", rows_, model_.hidden, model_.layers() - with_experts);
    if (with_experts == 0) return;
    const Experts& experts = model_.experts;
    add_with_new_a("router", rows_, experts.count, model_.width, with_experts);
    add_routing(with_experts);
    size({rows_, experts.per_token});
    const ExpertRows chosen = routing.rows(rows_, experts.count, experts.per_token);
    uint64_t used = 0;
    for (const auto& [rows, number] : chosen) {
      used += number;
      add("expert_gate_up_m" + std::to_string(rows), rows, size({2, experts.hidden}), model_.width,
          count({with_experts, number}));
      add_with_new_a("expert_down_m" + std::to_string(rows), rows, model_.width, experts.hidden,
                     count({with_experts, number}));
    }
    add_activation(rows_ * experts.per_token, experts.hidden, with_experts);
    if (experts.shared_hidden != 0) {
      add_network("shared_", rows_, experts.shared_hidden, with_experts);
      add_residuals(with_experts);
    }
    const uint64_t least = chosen.begin()->first, most = chosen.rbegin()->first;
    note(fmt::format("experts: routing {}; used in each layer: {} of {}; rows of each: {}",
                     routing.text(), used, experts.count,
                     least == most ? std::to_string(most) : fmt::format("{} to {}", least, most)));
  }

  /// The output layer, and the parts of the rest that all models have.
  void add_output() {
    add_with_new_a("lm_head", batch_, model_.vocabulary, model_.width, 1);
    workload_.rest.add(RestKind::embedding, 0, 2 * as_double(rows_) * as_double(model_.width));
    for (uint64_t norm = 0; norm < model_.norms; norm++) add_norms_of_layers(model_.width);
    add_norms(as_double(batch_), model_.width, 1);
    add_residuals(2 * model_.layers());
    const double logits = as_double(batch_) * as_double(model_.vocabulary);
    workload_.rest.add(RestKind::sampling, Operations::kLogit * logits, 4 * logits);
  }

 private:
  /// A layer's products of queries and keys, and of probabilities and values.
  struct Attention {
    uint64_t sharing, groups;  ///< heads with the same keys; groups of such heads
    uint64_t key_width, value_width;
    StoredB stored;
  };

  uint64_t size(std::initializer_list<uint64_t> sizes) const {
    return times(sizes, "a size", name_);
  }
  uint64_t count(std::initializer_list<uint64_t> counts) const {
    return times(counts, "a count", name_);
  }

  void add(std::string label, uint64_t m, uint64_t n, uint64_t k, uint64_t times_a_run,
           StoredB b = StoredB::weights) {
    if (times_a_run == 0) return;
    Layer layer;
    layer.name = std::move(label);
    layer.m = size({m});
    layer.n = size({n});
    layer.k = size({k});
    layer.count = times_a_run;
    layer.b = b;
    workload_.layers.push_back(std::move(layer));
  }

  // As add(), and A is quantised for this product.
  void add_with_new_a(std::string label, uint64_t m, uint64_t n, uint64_t k, uint64_t times_a_run) {
    if (times_a_run == 0) return;
    add(std::move(label), m, n, k, times_a_run);
    quantize(RestKind::quantize, false, as_double(m) * as_double(times_a_run), 0, k);
  }

  // Quantises rows of an operand of the product added last.
  void quantize(RestKind kind, bool is_b, double rows, uint64_t begin, uint64_t end) {
    workload_.rest.quantized.push_back({kind, workload_.layers.size() - 1, is_b, rows, begin, end});
  }

  // The shared experts and the router have the same A.
  void add_network(const std::string& prefix, uint64_t rows, uint64_t hidden, uint64_t layers) {
    if (layers == 0) return;
    const uint64_t both = size({2, hidden});
    if (prefix.empty()) {
      add_with_new_a("gate_up_proj", rows, both, model_.width, layers);
    } else {
      add(prefix + "gate_up_proj", rows, both, model_.width, layers);
    }
    add_with_new_a(prefix + "down_proj", rows, model_.width, hidden, layers);
    add_activation(rows, hidden, layers);
  }

  // `weights`: rows of weights, which are read once.
  void add_norms(double rows, uint64_t width, double weights) {
    const double elements = as_double(width);
    workload_.rest.add(RestKind::norms,
                       rows * (Operations::kNormElement * elements + Operations::kNormRow),
                       (2 * rows + weights) * elements);
  }
  void add_norms_of_layers(uint64_t width) {
    const double layers = as_double(model_.layers());
    add_norms(layers * as_double(rows_), width, layers);
  }

  // Each token has a row of cosines and sines, as wide as a head's rotated part.
  void add_rotary(uint64_t heads, uint64_t width) {
    const double row = as_double(model_.rope_layers) * as_double(rows_) * as_double(width);
    workload_.rest.add(RestKind::rotary, Operations::kRotaryElement * as_double(heads) * row,
                       (2 * as_double(heads) + 1) * row);
  }

  void add_residuals(uint64_t additions) {
    const double elements = as_double(additions) * as_double(rows_) * as_double(model_.width);
    workload_.rest.add(RestKind::residual, elements, 3 * elements);
  }

  void add_activation(uint64_t rows, uint64_t hidden, uint64_t layers) {
    const double each = model_.activation == Activation::silu        ? Operations::kSilu
                        : model_.activation == Activation::gelu_tanh ? Operations::kGeluTanh
                                                                     : Operations::kLimitedSilu;
    const double elements = as_double(rows) * as_double(hidden) * as_double(layers);
    workload_.rest.add(RestKind::activation, each * elements, 3 * elements);
  }

  // Probabilities of all experts, the largest ones by one scan for each chosen expert, and the
  // weighted sum of their results.
  void add_routing(uint64_t layers) {
    const double tokens = as_double(layers) * as_double(rows_);
    const double experts = as_double(model_.experts.count);
    const double chosen = as_double(model_.experts.per_token), width = as_double(model_.width);
    workload_.rest.add(RestKind::router,
                       tokens * ((Operations::kExpertScore + chosen) * experts +
                                 Operations::kScoreRow + 2 * chosen * width),
                       tokens * (experts + 2 * chosen + (chosen + 1) * width));
  }

  void add_attention(const Attention& attention) {
    const uint64_t near = past_ > model_.reach ? model_.near_layers() : 0;
    add_spans("", {{tokens_, past_}}, model_.layers() - near, attention);
    if (near == 0) return;
    const bool window = model_.reach_kind == Reach::window;
    add_spans(window ? "_window" : "_chunk",
              window ? window_spans(tokens_, past_, model_.reach)
                     : chunk_spans(tokens_, past_, model_.reach),
              near, attention);
  }

  // Names of limited products have their tokens and keys: attn_scores_window_1x128.
  void add_spans(const std::string& suffix, const std::vector<Span>& spans, uint64_t layers,
                 const Attention& attention) {
    bool is_first = true;
    for (const Span& span : spans) {
      const std::string name =
          suffix.empty() ? "" : fmt::format("{}_{}x{}", suffix, span.tokens, span.keys);
      const uint64_t rows = size({attention.sharing, span.tokens});
      const uint64_t number = count({layers, attention.groups, batch_, span.count});
      if (number == 0) continue;
      add("attn_scores" + name, rows, span.keys, attention.key_width, number, attention.stored);
      const double all_rows = as_double(rows) * as_double(number);
      quantize(RestKind::quantize, false, all_rows, 0, attention.key_width);
      if (is_first) quantize_keys(layers, attention);
      add("attn_context" + name, rows, attention.value_width, span.keys, number, attention.stored);
      quantize(RestKind::quantize, false, all_rows, 0, span.keys);
      if (is_first) quantize_values(layers, attention);
      is_first = false;
      const double scores = all_rows * as_double(span.keys);
      workload_.rest.add(RestKind::softmax,
                         Operations::kScore * scores + Operations::kScoreRow * all_rows,
                         2 * scores);
    }
  }

  // Keys have blocks along their width; values along the tokens, so the block that the cache ends
  // with is written again. Expanded latents are quantised for this run only, and the latents
  // themselves are written as absorbed attention reads them.
  void quantize_keys(uint64_t layers, const Attention& attention) {
    const double groups = as_double(layers) * as_double(attention.groups) * as_double(batch_);
    const double sequences = as_double(layers) * as_double(batch_);
    if (attention.stored == StoredB::kv_cache) {
      quantize(RestKind::kv_write, true, groups * as_double(tokens_), 0, attention.key_width);
      return;
    }
    const auto& latent = std::get<LatentAttention>(model_.attention);
    quantize(RestKind::quantize, true, groups * as_double(past_), 0, attention.key_width);
    quantize(RestKind::kv_write, true, sequences * as_double(tokens_), 0,
             latent.rank + latent.rope_width);
  }
  void quantize_values(uint64_t layers, const Attention& attention) {
    const double sequences = as_double(layers) * as_double(batch_);
    const double columns = sequences * as_double(attention.groups * attention.value_width);
    if (attention.stored == StoredB::kv_cache) {
      quantize(RestKind::kv_write, true, columns, past_ - tokens_, past_);
      return;
    }
    const auto& latent = std::get<LatentAttention>(model_.attention);
    quantize(RestKind::quantize, true, columns, 0, past_);
    quantize(RestKind::kv_write, true, sequences * as_double(latent.rank), past_ - tokens_, past_);
  }

  const LanguageModel& model_;
  const std::string& name_;
  uint64_t batch_, tokens_, past_, rows_;
  Workload workload_;
};

bool is_absorbed(const RunSize& run) {
  if (!run.latent) return !run.sequence;
  if (*run.latent == "absorbed" || *run.latent == "expanded") return *run.latent == "absorbed";
  throw Error(fmt::format("--latent is '{}'; allowed: absorbed, expanded", *run.latent));
}

double in_billions(double parameters) { return parameters / 1e9; }

void note_parameters(const LanguageModel& model, Products& products) {
  const Parameters parameters = parameters_of(model);
  std::string text = fmt::format("{:.4g} billion parameters, {:.4g} billion used for a token",
                                 in_billions(parameters.total()), in_billions(parameters.active()));
  if (model.predictors != 0) {
    text += fmt::format("; predictors of further tokens: {}, not run, {:.4g} billion",
                        model.predictors, in_billions(parameters.predictors));
  }
  products.note(text);
  const CacheElements cache = cache_elements_of(model);
  constexpr double kBf16 = 2, kMxfp8 = 1 + 1.0 / 32, kKilo = 1000;
  text = fmt::format("keys and values of a token: {:.1f} kB in BF16, {:.1f} kB in MXFP8",
                     kBf16 * cache.all / kKilo, kMxfp8 * cache.all / kKilo);
  if (cache.near != 0) {
    text += fmt::format("; {:.0f} % of them only for {} {} tokens", 100 * cache.near / cache.all,
                        model.reach_kind == Reach::window ? "the last" : "a chunk of", model.reach);
  }
  products.note(text);
}

double attention_parameters(const LanguageModel& model) {
  const auto width = static_cast<double>(model.width);
  if (const auto* grouped = std::get_if<GroupedAttention>(&model.attention)) {
    const auto heads = static_cast<double>(2 * grouped->heads + 2 * grouped->key_heads);
    return heads * static_cast<double>(grouped->head_width) * width;
  }
  const auto& latent = std::get<LatentAttention>(model.attention);
  const auto heads = static_cast<double>(latent.heads);
  const auto plain = static_cast<double>(latent.plain_width);
  const auto rope = static_cast<double>(latent.rope_width);
  const auto value = static_cast<double>(latent.value_width);
  const auto rank = static_cast<double>(latent.rank);
  const auto query_rank = static_cast<double>(latent.query_rank);
  const double queries = latent.query_rank != 0 ? query_rank * (width + heads * (plain + rope))
                                                : width * heads * (plain + rope);
  return queries + width * (rank + rope) + rank * heads * (plain + value) + heads * value * width;
}

}  // namespace

uint64_t LanguageModel::expert_layers() const {
  return static_cast<uint64_t>(std::count(has_experts.begin(), has_experts.end(), true));
}

uint64_t LanguageModel::near_layers() const {
  return static_cast<uint64_t>(std::count(is_near.begin(), is_near.end(), true));
}

Parameters parameters_of(const LanguageModel& model) {
  const auto width = static_cast<double>(model.width);
  const auto network = [&](uint64_t hidden) { return 3 * width * static_cast<double>(hidden); };
  const Experts& experts = model.experts;
  const double attention = attention_parameters(model);
  const double fixed = width * static_cast<double>(experts.count) + network(experts.shared_hidden);
  const double all = fixed + static_cast<double>(experts.count) * network(experts.hidden);
  const double used = fixed + static_cast<double>(experts.per_token) * network(experts.hidden);
  const auto with = static_cast<double>(model.expert_layers());
  const double common = static_cast<double>(model.layers()) * attention +
                        (static_cast<double>(model.layers()) - with) * network(model.hidden);
  Parameters parameters;
  parameters.embedding = width * static_cast<double>(model.vocabulary);
  parameters.output = model.tied ? 0 : parameters.embedding;
  parameters.layers = common + with * all;
  parameters.active_layers = common + with * used;
  // A predictor is a layer like the last one, after a projection of two vectors to one.
  const auto predictors = static_cast<double>(model.predictors);
  const bool sparse = !model.has_experts.empty() && model.has_experts.back();
  const double around = 2 * width * width + attention;
  parameters.predictors = predictors * (around + (sparse ? all : network(model.hidden)));
  parameters.active_predictors = predictors * (around + (sparse ? used : network(model.hidden)));
  return parameters;
}

CacheElements cache_elements_of(const LanguageModel& model) {
  double layer = 0;
  if (const auto* grouped = std::get_if<GroupedAttention>(&model.attention)) {
    layer = 2 * static_cast<double>(grouped->key_heads) * static_cast<double>(grouped->head_width);
  } else {
    const auto& latent = std::get<LatentAttention>(model.attention);
    layer = static_cast<double>(latent.rank + latent.rope_width);
  }
  return {layer * static_cast<double>(model.layers()),
          layer * static_cast<double>(model.near_layers())};
}

Workload language_workload(const LanguageModel& model, const RunSize& run,
                           const std::string& name) {
  if (!run.sequence && !run.context) {
    throw Error(fmt::format(
        "{}: needs --sequence N, the tokens of a prompt, or --context N, the tokens that the next "
        "token attends to",
        name));
  }
  if (run.sequence && run.context && *run.context < *run.sequence) {
    throw Error(fmt::format("--context is {}, but must be at least --sequence, which is {}",
                            *run.context, *run.sequence));
  }
  const auto* latent = std::get_if<LatentAttention>(&model.attention);
  if (run.latent && !latent) {
    throw Error(fmt::format("{}: has no latent attention, so --latent is not for it", name));
  }
  if ((run.routing || run.routing_seed) && model.expert_layers() == 0) {
    throw Error(fmt::format("{}: has no experts, so --routing is not for it", name));
  }
  const Routing routing =
      Routing::parse(run.routing.value_or("uniform"), run.routing_seed.value_or(1));
  Products products(model, run, name);
  note_parameters(model, products);
  if (latent) {
    const bool absorbed = is_absorbed(run);
    products.add(*latent, absorbed);
    products.note(absorbed ? "latent attention: absorbed, all heads share the cached latents"
                           : "latent attention: expanded to keys and values of each head");
  } else {
    products.add(std::get<GroupedAttention>(model.attention));
  }
  products.add_hidden_layers(routing);
  products.add_output();
  return products.take();
}

}  // namespace mxe::explore
