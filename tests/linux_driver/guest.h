// SPDX-License-Identifier: Apache-2.0
// For the tests of the kernel driver, which run as root in Linux on an engine (mxe linux).
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "drm.h"
#include "mxe_driver.h"
#include "uapi/drm/mxe_accel.h"

namespace mxe::test {

constexpr int64_t kForEver = INT64_MAX;

/// Sets a parameter of the inserted driver through /sys.
void set_parameter(const std::string& name, unsigned value);
/// Inserts the driver (environment: MXE_MODULE, MXE_MODULE_ARGUMENTS). Returns 0 or an errno.
int insert_module();
int remove_module();

std::string pci_folder();
void bind();
void unbind();
/// Sets and clears bits of the function's command register without the driver.
void change_command(uint16_t set, uint16_t clear);
constexpr uint16_t kMemory = 1 << 1, kMaster = 1 << 2;

void write_file(const std::string& path, const std::string& text);
uint64_t interrupts();
uint64_t now_ns();
void sleep_us(uint64_t us);

class File {
 public:
  File();
  ~File();
  File(const File&) = delete;
  File& operator=(const File&) = delete;

  /// Returns 0 or an errno.
  int call(unsigned long request, void* arguments) const;
  int fd() const { return fd_; }
  void close();

 private:
  int fd_;
};

class Object {
 public:
  Object(const File& file, uint64_t size);
  ~Object();
  Object(const Object&) = delete;
  Object& operator=(const Object&) = delete;

  uint32_t handle() const { return handle_; }
  uint8_t* data() { return data_; }
  const uint8_t* data() const { return data_; }
  uint64_t size() const { return size_; }

 private:
  const File& file_;
  uint32_t handle_ = 0;
  uint8_t* data_ = nullptr;
  uint64_t size_;
};

/// A product of small whole numbers; each operand has its own object.
class Product {
 public:
  Product(const File& file, uint32_t m, uint32_t n, uint32_t k, unsigned seed = 1);

  const File& file() const { return file_; }
  drm_mxe_submit& job() { return job_; }
  Object& a() { return a_; }
  Object& d() { return d_; }

  /// submit() and wait() return 0 or an errno; submit() sets job().job to the job's number.
  int submit();
  int wait(drm_mxe_wait& result, int64_t timeout_ns = kForEver) const;
  /// Submits and waits; returns the job's error, 0 or a negative errno.
  int run();
  /// D is the product, and the bytes after it are unchanged.
  bool is_right() const;
  void spoil();

 private:
  const File& file_;
  uint32_t m_, n_, k_;
  Object a_, a_scales_, b_, b_scales_, d_;
  drm_mxe_submit job_{};
};

inline constexpr uint32_t kLong = 512;

/// Runs a function in another process, whose exit status is the function's result.
class Process {
 public:
  explicit Process(const std::function<int()>& function);
  int wait();
  void kill();
  /// Called in the other process; ends await_ready().
  static void ready();
  void await_ready();

 private:
  pid_t pid_;
  int pipe_[2];
};

}  // namespace mxe::test
