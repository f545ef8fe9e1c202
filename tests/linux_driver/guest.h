// SPDX-License-Identifier: Apache-2.0
// What the tests of the kernel driver are made of. They run in Linux on an engine (mxe linux), as
// root.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "drm.h"
#include "mxe_driver.h"
#include "uapi/drm/mxe_accel.h"

namespace guest {

constexpr int64_t kForEver = INT64_MAX;

/// Parameters of the driver, as a file of /sys and when it is inserted.
void set_parameter(const std::string& name, unsigned value);
/// Inserts the driver (the environment's MXE_MODULE, with MXE_MODULE_ARGUMENTS). Returns 0 or an
/// errno.
int insert_module();
int remove_module();

/// The PCI function of the engine: its folder below /sys.
std::string pci_folder();
void bind();
void unbind();
/// Sets and clears bits of the function's command register, behind the driver's back.
void change_command(uint16_t set, uint16_t clear);
constexpr uint16_t kMemory = 1 << 1, kMaster = 1 << 2;

void write_file(const std::string& path, const std::string& text);
/// Interrupts of the engine so far.
uint64_t interrupts();
uint64_t now_ns();
void sleep_us(uint64_t us);

/// An open file of the device that a driver has now.
class File {
 public:
  File();
  ~File();
  File(const File&) = delete;
  File& operator=(const File&) = delete;

  /// 0 or an errno.
  int call(unsigned long request, void* arguments) const;
  int fd() const { return fd_; }
  void close();

 private:
  int fd_;
};

/// An object, mapped.
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

/// A product of small whole numbers, whose operands have an object each.
class Product {
 public:
  Product(const File& file, uint32_t m, uint32_t n, uint32_t k, unsigned seed = 1);

  const File& file() const { return file_; }
  drm_mxe_submit& job() { return job_; }
  Object& a() { return a_; }
  Object& d() { return d_; }

  /// 0 or an errno; the job's number is in job().job.
  int submit();
  /// 0 or an errno of WAIT.
  int wait(drm_mxe_wait& result, int64_t timeout_ns = kForEver) const;
  /// Submits and waits: how the job ended, 0 or a negative errno.
  int run();
  /// Whether D has the product, and the bytes behind it what they had.
  bool is_right() const;
  /// Results that no product has, so that one that is not computed is noticed.
  void spoil();

 private:
  const File& file_;
  uint32_t m_, n_, k_;
  Object a_, a_scales_, b_, b_scales_, d_;
  drm_mxe_submit job_{};
};

/// A long one, in clocks of the engine.
inline constexpr uint32_t kLong = 512;

/// Runs a function in another process. Its status is the function's, as a shell has it.
class Process {
 public:
  explicit Process(const std::function<int()>& function);
  int wait();
  void kill();
  /// Tells the process that made this one to go on; called in the other one.
  static void ready();
  /// Waits for the other process' ready().
  void await_ready();

 private:
  pid_t pid_;
  int pipe_[2];
};

}  // namespace guest
