// SPDX-License-Identifier: Apache-2.0
#include "tests/linux_driver/guest.h"

#include <fcntl.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <random>
#include <sstream>
#include <stdexcept>

namespace mxe::test {
namespace {

constexpr const char* kDriver = "/sys/bus/pci/drivers/mxe";
constexpr uint8_t kSpoilt = 0xa5;
constexpr int kWholeNumbers = 127 + 6;  // scale with which MXINT8 holds whole numbers
constexpr uint64_t kPage = 4096;

[[noreturn]] void fail(const std::string& what) {
  throw std::runtime_error(what + ": " + std::strerror(errno));
}

int ready_pipe = -1;

}  // namespace

void write_file(const std::string& path, const std::string& text) {
  const int fd = ::open(path.c_str(), O_WRONLY);
  if (fd < 0) fail(path);
  const ssize_t written = ::write(fd, text.data(), text.size());
  ::close(fd);
  if (written != static_cast<ssize_t>(text.size())) fail(path);
}

void set_parameter(const std::string& name, unsigned value) {
  write_file("/sys/module/mxe/parameters/" + name, std::to_string(value));
}

int insert_module() {
  const char* path = std::getenv("MXE_MODULE");
  const char* arguments = std::getenv("MXE_MODULE_ARGUMENTS");
  const int fd = ::open(path ? path : "", O_RDONLY | O_CLOEXEC);
  if (fd < 0) return errno;
  const long result = syscall(SYS_finit_module, fd, arguments ? arguments : "", 0);
  const int error = result == 0 ? 0 : errno;
  ::close(fd);
  return error;
}

int remove_module() { return syscall(SYS_delete_module, "mxe", O_NONBLOCK) == 0 ? 0 : errno; }

std::string pci_folder() {
  for (const auto& entry : std::filesystem::directory_iterator("/sys/bus/pci/devices")) {
    std::string vendor;
    std::ifstream(entry.path() / "vendor") >> vendor;
    if (vendor == "0x4d58") return entry.path();
  }
  throw std::runtime_error("there is no engine on the PCI bus");
}

static std::string pci_name() { return std::filesystem::path(pci_folder()).filename(); }

void bind() { write_file(std::string(kDriver) + "/bind", pci_name()); }
void unbind() { write_file(std::string(kDriver) + "/unbind", pci_name()); }

void change_command(uint16_t set, uint16_t clear) {
  const int fd = ::open((pci_folder() + "/config").c_str(), O_RDWR);
  uint16_t command = 0;
  if (fd < 0 || pread(fd, &command, 2, 4) != 2) fail("config space");
  command = static_cast<uint16_t>((command | set) & ~clear);
  if (pwrite(fd, &command, 2, 4) != 2) fail("config space");
  ::close(fd);
}

uint64_t interrupts() {
  std::ifstream file("/proc/interrupts");
  for (std::string line; std::getline(file, line);) {
    if (line.find(" mxe") == std::string::npos) continue;
    std::istringstream words(line);
    std::string number;
    uint64_t count = 0;
    words >> number >> count;
    return count;
  }
  return 0;
}

uint64_t now_ns() {
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);
  return static_cast<uint64_t>(now.tv_sec) * 1000000000u + static_cast<uint64_t>(now.tv_nsec);
}

void sleep_us(uint64_t us) {
  const timespec time{static_cast<time_t>(us / 1000000), static_cast<long>(us % 1000000 * 1000)};
  nanosleep(&time, nullptr);
}

/// While a file of a removed device is open, a new device has another number.
static std::string device() {
  for (const auto& entry : std::filesystem::directory_iterator(pci_folder() + "/accel")) {
    return "/dev/accel/" + entry.path().filename().string();
  }
  throw std::runtime_error("no driver has the engine");
}

File::File() : fd_(::open(device().c_str(), O_RDWR | O_CLOEXEC)) {
  if (fd_ < 0) fail(device());
}

File::~File() { close(); }

void File::close() {
  if (fd_ >= 0) ::close(fd_);
  fd_ = -1;
}

int File::call(unsigned long request, void* arguments) const {
  int result;
  do {
    result = ioctl(fd_, request, arguments);
  } while (result < 0 && errno == EINTR);
  return result < 0 ? errno : 0;
}

Object::Object(const File& file, uint64_t size) : file_(file), size_(size) {
  drm_mxe_create create{};
  create.size = size;
  errno = file.call(DRM_IOCTL_MXE_CREATE, &create);
  if (errno) fail("cannot create an object");
  handle_ = create.handle;
  void* data = mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_SHARED, file.fd(),
                    static_cast<off_t>(create.map_offset));
  if (data == MAP_FAILED) fail("cannot map an object");
  data_ = static_cast<uint8_t*>(data);
}

Object::~Object() {
  munmap(data_, size_);
  drm_gem_close close{};
  close.handle = handle_;
  file_.call(DRM_IOCTL_GEM_CLOSE, &close);
}

// D has an extra page, which must not change.
Product::Product(const File& file, uint32_t m, uint32_t n, uint32_t k, unsigned seed)
    : file_(file),
      m_(m),
      n_(n),
      k_(k),
      a_(file, uint64_t{m} * k),
      a_scales_(file, uint64_t{m} * ((k + 31) / 32)),
      b_(file, uint64_t{n} * k),
      b_scales_(file, uint64_t{n} * ((k + 31) / 32)),
      d_(file, uint64_t{m} * n * 4 + kPage) {
  std::mt19937 random(seed);
  for (uint64_t i = 0; i < uint64_t{m} * k; i++)
    a_.data()[i] = static_cast<uint8_t>(random() % 16 - 8);
  for (uint64_t i = 0; i < uint64_t{n} * k; i++)
    b_.data()[i] = static_cast<uint8_t>(random() % 16 - 8);
  std::memset(a_scales_.data(), kWholeNumbers, a_scales_.size());
  std::memset(b_scales_.data(), kWholeNumbers, b_scales_.size());
  spoil();
  const uint32_t blocks = (k + 31) / 32;
  job_.format_a = job_.format_b = MXE_FORMAT_MXINT8;
  job_.out_format = MXE_OUT_FP32;
  job_.m = m;
  job_.n = n;
  job_.k = k;
  job_.a = {a_.handle(), k, 0};
  job_.a_scales = {a_scales_.handle(), blocks, 0};
  job_.b = {b_.handle(), k, 0};
  job_.b_scales = {b_scales_.handle(), blocks, 0};
  job_.d = {d_.handle(), 4 * n, 0};
}

void Product::spoil() { std::memset(d_.data(), kSpoilt, d_.size()); }

int Product::submit() { return file_.call(DRM_IOCTL_MXE_SUBMIT, &job_); }

int Product::wait(drm_mxe_wait& result, int64_t timeout_ns) const {
  result = {};
  result.job = job_.job;
  result.timeout_ns = timeout_ns;
  return file_.call(DRM_IOCTL_MXE_WAIT, &result);
}

int Product::run() {
  drm_mxe_wait result{};
  int error = submit();
  if (error == 0) error = wait(result);
  return error != 0 ? -error : result.error;
}

bool Product::is_right() const {
  for (uint32_t row = 0; row < m_; row++) {
    for (uint32_t column = 0; column < n_; column++) {
      int sum = 0;
      for (uint32_t i = 0; i < k_; i++) {
        sum += static_cast<int8_t>(a_.data()[row * k_ + i]) *
               static_cast<int8_t>(b_.data()[column * k_ + i]);
      }
      float value = 0;
      std::memcpy(&value, d_.data() + (uint64_t{row} * n_ + column) * 4, 4);
      if (value != static_cast<float>(sum)) return false;
    }
  }
  for (uint64_t i = uint64_t{m_} * n_ * 4; i < d_.size(); i++) {
    if (d_.data()[i] != kSpoilt) return false;
  }
  return true;
}

Process::Process(const std::function<int()>& function) {
  if (pipe(pipe_) != 0) fail("pipe");
  pid_ = fork();
  if (pid_ < 0) fail("fork");
  if (pid_ != 0) {
    ::close(pipe_[1]);
    return;
  }
  ::close(pipe_[0]);
  ready_pipe = pipe_[1];
  int status = 1;
  try {
    status = function();
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
  }
  _exit(status);
}

void Process::ready() {
  if (::write(ready_pipe, "", 1) != 1) fail("pipe");
}

void Process::await_ready() {
  char byte;
  if (::read(pipe_[0], &byte, 1) != 1) throw std::runtime_error("the other process ended early");
}

void Process::kill() { ::kill(pid_, SIGKILL); }

int Process::wait() {
  int status = 0;
  if (waitpid(pid_, &status, 0) != pid_) fail("waitpid");
  ::close(pipe_[0]);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

}  // namespace mxe::test
