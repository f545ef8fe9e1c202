// SPDX-License-Identifier: Apache-2.0
// Every ioctl with each field at its limits, and with random contents.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "tests/linux_driver/guest.h"

namespace mxe::test {
namespace {

TEST(Limits, GetParam) {
  const File file;
  drm_mxe_get_param args{MXE_REG_ID, 0, 0};
  EXPECT_EQ(0, file.call(DRM_IOCTL_MXE_GET_PARAM, &args));
  EXPECT_EQ(MXE_ID_RESET, args.value);
  args.pad = 1;
  EXPECT_EQ(EINVAL, file.call(DRM_IOCTL_MXE_GET_PARAM, &args));
  args.pad = 0;
  for (const uint32_t param :
       {MXE_REG_CTRL, MXE_REG_STATUS, MXE_REG_RING_TAIL, MXE_REG_FAULT_ADDR_LO, UINT32_C(1),
        UINT32_C(0x7fffffff), UINT32_C(0x80000002), UINT32_MAX}) {
    args.param = param;
    EXPECT_EQ(EINVAL, file.call(DRM_IOCTL_MXE_GET_PARAM, &args)) << param;
  }
  EXPECT_EQ(EFAULT, file.call(DRM_IOCTL_MXE_GET_PARAM, nullptr));
}

constexpr uint64_t kMiB = 1 << 20;
constexpr uint64_t kSmall = 64 << 10;  // objects up to this size use free pages first

uint64_t largest_object(const File& file) {
  drm_mxe_get_param most{DRM_MXE_PARAM_MAX_OBJECT, 0, 0};
  return file.call(DRM_IOCTL_MXE_GET_PARAM, &most) == 0 ? most.value : 0;
}

int create(const File& file, uint64_t size) {
  drm_mxe_create args{};
  args.size = size;
  return file.call(DRM_IOCTL_MXE_CREATE, &args);
}

class Log {
 public:
  Log() : fd_(open("/dev/kmsg", O_RDONLY | O_NONBLOCK | O_CLOEXEC)) { lseek(fd_, 0, SEEK_END); }
  ~Log() { close(fd_); }
  Log(const Log&) = delete;
  Log& operator=(const Log&) = delete;

  std::string read() const {
    std::string text;
    char record[8192];
    for (ssize_t bytes; (bytes = ::read(fd_, record, sizeof record)) > 0;)
      text.append(record, static_cast<std::size_t>(bytes));
    return text;
  }

 private:
  int fd_;
};

TEST(Limits, Create) {
  const File file;
  const uint64_t most = largest_object(file);
  EXPECT_EQ(512 * kMiB, most);  // the default of mxe linux --object-memory
  EXPECT_EQ(EINVAL, create(file, 0));
  for (const uint64_t size :
       {most + 1, most + 4096, uint64_t{1} << 32, UINT64_MAX - 4095, UINT64_MAX}) {
    const Log log;
    EXPECT_EQ(E2BIG, create(file, size)) << size;
    EXPECT_NE(std::string::npos, log.read().find("an object of " + std::to_string(size) +
                                                 " bytes exceeds the limit of 536870912 bytes"));
  }
  for (const uint64_t size : {uint64_t{1}, uint64_t{4096}, uint64_t{4097}, kSmall, kSmall + 1,
                              4 * kMiB, 4 * kMiB + 1, 64 * kMiB, most}) {
    Object object(file, size);
    for (uint64_t i = 0; i < size; i += 4096) ASSERT_EQ(0, object.data()[i]) << size;
    object.data()[0] = object.data()[size - 1] = 1;  // must not be visible in the next object
  }
  drm_mxe_create args{};
  args.size = 1;
  args.pad = 1;
  EXPECT_EQ(EINVAL, file.call(DRM_IOCTL_MXE_CREATE, &args));
}

/// Objects; are_separate() writes a number to each of their pages, then reads all numbers.
class MarkedObjects {
 public:
  explicit MarkedObjects(const File& file) : file_(file) {}

  void add(uint64_t size) { objects_.push_back(std::make_unique<Object>(file_, size)); }
  bool are_separate() const {
    uint64_t number = 0;
    for_pages([&](uint64_t& page) { page = ++number; });
    bool right = true;
    number = 0;
    for_pages([&](const uint64_t& page) { right = right && page == ++number; });
    return right;
  }

 private:
  void for_pages(const std::function<void(uint64_t&)>& visit) const {
    for (const auto& object : objects_) {
      for (uint64_t at = 0; at < object->size(); at += 4096)
        visit(*reinterpret_cast<uint64_t*>(object->data() + at));
    }
  }

  const File& file_;
  std::vector<std::unique_ptr<Object>> objects_;
};

TEST(Limits, ObjectsOfALargeNetwork) {
  const File file;
  for (int i = 0; i < 2; i++) {  // twice: the first round must free everything
    MarkedObjects objects(file);
    for (int j = 0; j < 64; j++) objects.add(4 * kMiB);
    objects.add(64 * kMiB);
    for (int j = 0; j < 100; j++) objects.add(4096);
    EXPECT_TRUE(objects.are_separate());
  }
}

TEST(Limits, MemoryThatIsUsedUp) {
  const File file;
  const uint64_t most = largest_object(file);
  std::vector<std::unique_ptr<Object>> objects;
  const auto refused = [&](uint64_t size) {
    const Log log;
    return create(file, size) == ENOMEM &&
           log.read().find("no " + std::to_string(size) + " contiguous bytes are free") !=
               std::string::npos;
  };
  for (uint64_t i = 0; i < most / (128 * kMiB); i++)
    objects.push_back(std::make_unique<Object>(file, 128 * kMiB));
  EXPECT_TRUE(refused(64 * kMiB));
  EXPECT_TRUE(refused(4 * kMiB + 4096));
  { const Object from_free_pages(file, kMiB); }
  objects[1].reset();
  objects[2].reset();
  objects[1] = std::make_unique<Object>(file, 256 * kMiB);  // in both kinds of memory
  EXPECT_TRUE(refused(64 * kMiB));
  objects.clear();
  const Object whole(file, most);
}

TEST(Limits, Map) {
  const File file, other;
  drm_mxe_create args{};
  args.size = 8192;
  ASSERT_EQ(0, file.call(DRM_IOCTL_MXE_CREATE, &args));
  const auto map = [&](const File& of, uint64_t size, int flags, uint64_t offset) {
    void* data =
        mmap(nullptr, size, PROT_READ | PROT_WRITE, flags, of.fd(), static_cast<off_t>(offset));
    const int error = data == MAP_FAILED ? errno : 0;
    if (error == 0) munmap(data, size);
    return error;
  };
  EXPECT_EQ(0, map(file, 8192, MAP_SHARED, args.map_offset));
  EXPECT_EQ(EACCES, map(other, 8192, MAP_SHARED, args.map_offset));
  EXPECT_EQ(EINVAL, map(file, 8192, MAP_PRIVATE, args.map_offset));
  EXPECT_NE(0, map(file, 12288, MAP_SHARED, args.map_offset));
  EXPECT_EQ(0, map(file, 4096, MAP_SHARED, args.map_offset));
  EXPECT_NE(0, map(file, 4096, MAP_SHARED, 0));
}

TEST(Limits, WaitAndCancel) {
  const File file, other;
  Product product(file, 16, 16, 32);
  ASSERT_EQ(0, product.run());
  for (const uint32_t job :
       {UINT32_C(0), product.job().job + 1, product.job().job + 256, UINT32_MAX}) {
    drm_mxe_wait wait{};
    wait.job = job;
    EXPECT_EQ(ENOENT, file.call(DRM_IOCTL_MXE_WAIT, &wait)) << job;
    drm_mxe_cancel cancel{job, 0};
    EXPECT_EQ(job == 0 ? 0 : ENOENT, file.call(DRM_IOCTL_MXE_CANCEL, &cancel)) << job;
  }
  for (const int64_t timeout : {INT64_MIN, INT64_C(-1), INT64_C(0), INT64_C(1), INT64_MAX}) {
    drm_mxe_wait result;
    EXPECT_EQ(0, product.wait(result, timeout));
    EXPECT_EQ(timeout, result.timeout_ns);
  }
  drm_mxe_wait wait{};
  wait.job = product.job().job;
  EXPECT_EQ(ENOENT, other.call(DRM_IOCTL_MXE_WAIT, &wait));  // a job of another file
  wait.pad = 1;
  EXPECT_EQ(EINVAL, file.call(DRM_IOCTL_MXE_WAIT, &wait));
  drm_mxe_cancel cancel{0, 1};
  EXPECT_EQ(EINVAL, file.call(DRM_IOCTL_MXE_CANCEL, &cancel));
}

TEST(Limits, Counters) {
  const File file;
  drm_mxe_counters before{}, after{};
  Product product(file, 16, 16, 32);
  ASSERT_EQ(0, file.call(DRM_IOCTL_MXE_COUNTERS, &before));
  ASSERT_EQ(0, product.run());
  ASSERT_EQ(0, file.call(DRM_IOCTL_MXE_COUNTERS, &after));
  constexpr int kBlocks = (MXE_REG_BLOCKS_LO - MXE_REG_TOTAL_LO) / 8;
  EXPECT_EQ(16u * 16u, after.value[kBlocks] - before.value[kBlocks]);
  before.pad = 1;
  EXPECT_EQ(EINVAL, file.call(DRM_IOCTL_MXE_COUNTERS, &before));
}

struct Operand {
  const char* name;
  drm_mxe_operand drm_mxe_submit::*field;
  uint64_t bytes;
};

// 16 x 16 x 32, strides without gaps.
const Operand kOperands[] = {
    {"A", &drm_mxe_submit::a, 16 * 32},     {"scales of A", &drm_mxe_submit::a_scales, 16},
    {"B", &drm_mxe_submit::b, 16 * 32},     {"scales of B", &drm_mxe_submit::b_scales, 16},
    {"D", &drm_mxe_submit::d, 16 * 16 * 4},
};

TEST(Limits, AnOperandEndsWithItsObject) {
  const File file;
  for (const Operand& operand : kOperands) {
    Product product(file, 16, 16, 32);
    drm_mxe_operand& at = product.job().*operand.field;
    const uint64_t size = &at == &product.job().d ? 16 * 16 * 4 + 4096 : operand.bytes;
    const uint64_t whole = (size + 4095) / 4096 * 4096;
    at.offset = whole - operand.bytes;
    EXPECT_EQ(0, product.run()) << operand.name;
    for (const uint64_t offset :
         {whole - operand.bytes + 1, whole - 1, whole, whole + 1, uint64_t{1} << 32,
          uint64_t{1} << 63, UINT64_MAX - operand.bytes, UINT64_MAX}) {
      at.offset = offset;
      EXPECT_EQ(EINVAL, product.submit()) << operand.name << " at " << offset;
    }
    at.offset = 0;
    for (const uint32_t stride :
         {UINT32_C(4096), UINT32_C(0x7fffffff), UINT32_C(0x80000000), UINT32_MAX}) {
      at.stride = stride;
      EXPECT_EQ(EINVAL, product.submit()) << operand.name << " stride " << stride;
    }
  }
}

TEST(Limits, HandlesAndOperandsThatDoNotBelong) {
  const File file, other;
  Product product(file, 16, 16, 32), theirs(other, 16, 16, 32);
  for (const Operand& operand : kOperands) {
    const drm_mxe_operand right = product.job().*operand.field;
    for (const uint32_t handle : {UINT32_C(0), UINT32_C(1000), UINT32_MAX}) {
      (product.job().*operand.field).handle = handle;
      EXPECT_EQ(ENOENT, product.submit()) << operand.name;
    }
    product.job().*operand.field = right;
  }
  const uint32_t handle = product.a().handle();
  for (const drm_mxe_operand& extra : {drm_mxe_operand{handle, 0, 0}, {0, 1, 0}, {0, 0, 1}}) {
    product.job().c = extra;
    EXPECT_EQ(EINVAL, product.submit());
    product.job().c = {};
    product.job().d_scales = extra;
    EXPECT_EQ(EINVAL, product.submit());
    product.job().d_scales = {};
  }
  product.job().flags = DRM_MXE_JOB_BIAS;
  EXPECT_EQ(ENOENT, product.submit());
  product.job().flags = 0;
  product.job().out_format = MXE_OUT_MXFP8_E4M3;
  EXPECT_EQ(ENOENT, product.submit());
  product.job().out_format = MXE_OUT_FP32;
  product.job().d = product.job().a;  // results overwrite operands
  product.job().d.stride = 64;
  EXPECT_EQ(EINVAL, product.submit());
}

TEST(Limits, OtherFieldsOfAJob) {
  const File file;
  const auto submit = [&](const std::function<void(drm_mxe_submit&)>& change) {
    Product product(file, 16, 16, 32);
    change(product.job());
    const int error = product.submit();
    drm_mxe_wait result;
    if (error == 0) {
      EXPECT_EQ(0, product.wait(result));
    }
    return error;
  };
  EXPECT_EQ(EINVAL, submit([](auto& job) { job.flags = 16; }));
  EXPECT_EQ(EINVAL, submit([](auto& job) { job.flags = UINT32_MAX; }));
  EXPECT_EQ(EINVAL, submit([](auto& job) { job.batch = 65536; }));
  EXPECT_EQ(EINVAL, submit([](auto& job) { job.batch = UINT32_MAX; }));
  EXPECT_EQ(EINVAL, submit([](auto& job) { job.pad = 1; }));
  EXPECT_EQ(EINVAL, submit([](auto& job) { job.alpha = 1; }));  // without DRM_MXE_JOB_ALPHA
  EXPECT_EQ(0, submit([](auto& job) { job.flags = DRM_MXE_JOB_ALPHA; }));
  for (uint32_t drm_mxe_submit::*field : {&drm_mxe_submit::scale_a, &drm_mxe_submit::scale_b,
                                          &drm_mxe_submit::block_a, &drm_mxe_submit::block_b}) {
    for (const uint32_t value : {UINT32_C(2), UINT32_C(3), UINT32_C(4), UINT32_MAX}) {
      EXPECT_EQ(EINVAL, submit([&](auto& job) { job.*field = value; })) << value;
    }
  }
  for (const uint32_t value :
       {MXE_FORMAT_COUNT, UINT32_C(15), UINT32_C(16), UINT32_C(0x80000000), UINT32_MAX}) {
    EXPECT_EQ(EINVAL, submit([&](auto& job) { job.format_a = value; })) << value;
    EXPECT_EQ(EINVAL, submit([&](auto& job) { job.format_b = value; })) << value;
  }
  for (const uint32_t value : {MXE_OUT_MXFP4_E2M1 - 1, MXE_OUT_MXFP4_E2M1 + MXE_FORMAT_COUNT,
                               UINT32_C(16), UINT32_C(0x80000000), UINT32_MAX}) {
    EXPECT_NE(0, submit([&](auto& job) { job.out_format = value; })) << value;
  }
  EXPECT_EQ(0, submit([](auto& job) { job.out_rule = 3; }));
  EXPECT_EQ(EINVAL, submit([](auto& job) { job.out_rule = 4; }));
  EXPECT_EQ(EINVAL, submit([](auto& job) { job.out_rule = UINT32_MAX; }));
  for (const uint32_t value : {UINT32_C(0), UINT32_C(1) << 20, UINT32_C(0x80000000), UINT32_MAX}) {
    EXPECT_EQ(EINVAL, submit([&](auto& job) { job.m = value; })) << value;
    EXPECT_EQ(EINVAL, submit([&](auto& job) { job.n = value; })) << value;
    EXPECT_EQ(EINVAL, submit([&](auto& job) { job.k = value; })) << value;
  }
  EXPECT_EQ(ENOENT, submit([](auto& job) { job.out_sync = 1; }));
  EXPECT_EQ(ENOENT, submit([](auto& job) { job.out_sync = UINT32_MAX; }));
  EXPECT_EQ(EFAULT, submit([](auto& job) { job.in_sync_count = 1; }));
  EXPECT_EQ(EINVAL, submit([](auto& job) { job.in_sync_count = 65; }));
  EXPECT_EQ(EINVAL, submit([](auto& job) { job.in_sync_count = UINT32_MAX; }));
  const uint32_t no_sync = 77;
  EXPECT_EQ(ENOENT, submit([&](auto& job) {
              job.in_syncs = reinterpret_cast<uint64_t>(&no_sync);
              job.in_sync_count = 1;
            }));
  EXPECT_EQ(EFAULT, submit([](auto& job) {
              job.in_syncs = UINT64_MAX - 8;
              job.in_sync_count = 1;
            }));
}

/// Random words; three of four of any() are edge values.
class Words {
 public:
  explicit Words(unsigned seed) : random_(seed) {}
  uint32_t next() { return static_cast<uint32_t>(random_()); }
  uint64_t any() {
    static const uint64_t edges[] = {0,
                                     1,
                                     2,
                                     4,
                                     31,
                                     32,
                                     64,
                                     4095,
                                     4096,
                                     65535,
                                     0x7fffffff,
                                     0x80000000,
                                     0xffffffff,
                                     uint64_t{1} << 32,
                                     uint64_t{1} << 63,
                                     UINT64_MAX};
    return next() % 4 != 0 ? edges[next() % (sizeof edges / sizeof *edges)]
                           : next() | uint64_t{next()} << 32;
  }

 private:
  std::mt19937 random_;
};

/// A file that only receives random calls; objects are created, closed and mapped at random.
class RandomCaller {
 public:
  explicit RandomCaller(Words& words) : words_(words) {}

  void act() {
    switch (words_.next() % 4) {
      case 0:
        create();
        break;
      case 1:
        close();
        break;
      case 2:
        map();
        break;
      default:
        call();
    }
  }

 private:
  static constexpr std::size_t kMostObjects = 8;
  static constexpr unsigned kMostBytes = 16384;  // larger than the structure of any call

  void create() {
    if (objects_.size() == kMostObjects) close();
    drm_mxe_create args{};
    args.size = words_.next() % 2 ? words_.any() : words_.next() % 100'000;
    args.pad = words_.next() % 8 == 0;
    if (file_.call(DRM_IOCTL_MXE_CREATE, &args) == 0) objects_.push_back(args);
  }

  void close() {
    drm_gem_close args{};
    args.handle = static_cast<uint32_t>(words_.any());
    if (words_.next() % 2 && !objects_.empty()) {
      args.handle = objects_.back().handle;
      objects_.pop_back();
    }
    file_.call(DRM_IOCTL_GEM_CLOSE, &args);
  }

  void map() {
    uint64_t offset = words_.any(), size = words_.any() % (1u << 20);
    if (words_.next() % 2 && !objects_.empty()) offset = objects_.front().map_offset;
    void* data =
        mmap(nullptr, size, PROT_READ | PROT_WRITE, words_.next() % 4 ? MAP_SHARED : MAP_PRIVATE,
             file_.fd(), static_cast<off_t>(offset));
    if (data == MAP_FAILED) return;
    static_cast<volatile uint8_t*>(data)[words_.next() % size] = 1;
    munmap(data, size);
  }

  void call() {
    const unsigned number = words_.next() % 8;  // the driver has six
    for (uint32_t& word : arguments_) word = static_cast<uint32_t>(words_.any());
    if (number == DRM_MXE_WAIT) arguments_[0] = arguments_[1] = 0;
    file_.call(_IOC(words_.next() % 4, DRM_IOCTL_BASE, DRM_COMMAND_BASE + number,
                    words_.next() % 2 ? words_.next() % 512 : words_.next() % kMostBytes),
               arguments_.data());
  }

  Words& words_;
  const File file_;
  std::vector<drm_mxe_create> objects_;
  std::vector<uint32_t> arguments_ = std::vector<uint32_t>(kMostBytes / sizeof(uint32_t));
};

unsigned number(const char* variable, unsigned otherwise) {
  const char* text = std::getenv(variable);
  return text ? static_cast<unsigned>(std::strtoul(text, nullptr, 10)) : otherwise;
}

// Jobs with up to three words replaced, and random calls. The driver must still serve another file.
TEST(Limits, Anything) {
  const unsigned seed = number("MXE_LINUX_SEED", 1), calls = number("MXE_LINUX_CALLS", 3000);
  std::printf("MXE_LINUX_SEED=%u MXE_LINUX_CALLS=%u\n", seed, calls);
  Words words(seed);
  const File file, other;
  Product product(file, 16, 16, 32), good(other, 16, 16, 64);
  RandomCaller caller(words);
  unsigned accepted = 0;
  for (unsigned i = 0; i < calls; i++) {
    drm_mxe_submit job = product.job();
    auto* const place = reinterpret_cast<uint32_t*>(&job);
    for (unsigned changes = words.next() % 4; changes > 0; changes--) {
      place[words.next() % (sizeof job / 4)] = static_cast<uint32_t>(words.any());
    }
    job.deadline_ns = words.next() % 2 ? 0 : now_ns() + words.next() % 20000;
    if (file.call(DRM_IOCTL_MXE_SUBMIT, &job) == 0) accepted++;
    uint32_t arguments[16];
    for (uint32_t& word : arguments) word = static_cast<uint32_t>(words.any());
    static const unsigned long requests[] = {DRM_IOCTL_MXE_GET_PARAM, DRM_IOCTL_MXE_WAIT,
                                             DRM_IOCTL_MXE_CANCEL};
    const unsigned long request = requests[words.next() % 3];
    if (request == DRM_IOCTL_MXE_WAIT) std::memset(arguments, 0, 8);
    file.call(request, arguments);
    caller.act();
    if (i % 100 == 0) {
      good.spoil();
      ASSERT_EQ(0, good.run());
      ASSERT_TRUE(good.is_right());
    }
  }
  std::printf("%u of %u jobs accepted\n", accepted, calls);
  EXPECT_GT(accepted, calls / 20);
  EXPECT_LT(accepted, calls);
  drm_mxe_cancel all{0, 0};
  EXPECT_EQ(0, file.call(DRM_IOCTL_MXE_CANCEL, &all));
}

}  // namespace
}  // namespace mxe::test
