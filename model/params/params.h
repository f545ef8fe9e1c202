#pragma once

#include <array>
#include <string>
#include <string_view>

namespace mxe {

/// The parameters of one MXE configuration: a value. The textual names (NUM_PE, ROWS, ...) are
/// those of the SystemVerilog module mxe_top, of the registers and of configuration files alike. A
/// default-constructed value is the configuration `base`.
struct Params {
  unsigned num_pe = 8;        ///< processing elements = columns of C computed at a time
  unsigned rows = 32;         ///< rows of C whose accumulators one column tile keeps
  unsigned acc_tiles = 4;     ///< column tiles accumulated before the next chunk of A
  unsigned tree_w = 70;       ///< bits of the exact 32-product sum; limits the format pairs
  unsigned fp4_dual = 1;      ///< 1 = two blocks a cycle when both operands are 4-bit
  unsigned a_slab_k = 1024;   ///< elements along K of one resident chunk of A
  unsigned b_buf_k = 256;     ///< elements along K of one B buffer
  unsigned mem_w = 256;       ///< width of the memory port in bits
  unsigned queue_depth = 16;  ///< largest number of ring entries
  unsigned max_burst = 16;    ///< largest AXI burst in beats

  /// The configuration `small`, `base` or `large`. Throws mx::Error naming the allowed ones.
  static Params named(std::string_view name);
  /// Parses YAML: a map of parameter names to numbers, optionally `config: NAME` to start from
  /// (default base). Unknown keys, wrong types and illegal values throw mx::Error, which starts
  /// with `origin`.
  static Params from_yaml(const std::string& text, const std::string& origin);
  /// Reads `path` as from_yaml does.
  static Params from_file(const std::string& path);
  /// `name_or_file` as a command line gives it: a named configuration, else a YAML file.
  static Params load(const std::string& name_or_file);

  /// Applies one `NAME=VALUE`. Only the text is checked: several assignments may be needed to reach
  /// a legal set, so call validate() after the last.
  void set(std::string_view assignment);
  /// Throws mx::Error with one line about the first parameter that is out of its limits.
  void validate() const;

  /// "small", "base" or "large" if the values are exactly those, else "custom".
  std::string config_name() const;
  /// "NUM_PE=8 ROWS=32 ...", in the order of parameter_table(). set() reads each word back.
  std::string to_string() const;

  unsigned mem_bytes() const { return mem_w / 8; }  ///< bytes of one beat of the memory port
};

bool operator==(const Params& a, const Params& b);
inline bool operator!=(const Params& a, const Params& b) { return !(a == b); }

/// One parameter: its name, its place in Params, its limits.
struct ParameterInfo {
  const char* name;
  unsigned Params::*field;
  unsigned min, max;
  bool power_of_two;
  const char* help;
};

inline constexpr std::size_t kParameterCount = 10;
/// Every parameter, in the order of the SystemVerilog parameter list.
const std::array<ParameterInfo, kParameterCount>& parameter_table();
/// The names Params::named accepts.
const std::array<const char*, 3>& config_names();

}  // namespace mxe
