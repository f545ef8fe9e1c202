// SPDX-License-Identifier: Apache-2.0
// All output arrives, or the program names the reason and returns 2.
#include <fcntl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>

#include "tests/cli/run_mxe.h"

namespace mxe::test {
namespace {

namespace fs = std::filesystem;
using Words = std::vector<std::string>;

/// Limits the size in bytes of files that this process and its children write.
class FileLimit {
 public:
  explicit FileLimit(rlim_t bytes) {
    // SIGXFSZ keeps its default action, to end the process, as in most programs that start mxe.
    getrlimit(RLIMIT_FSIZE, &before_);
    const rlimit limit{bytes, before_.rlim_max};
    setrlimit(RLIMIT_FSIZE, &limit);
  }
  ~FileLimit() { setrlimit(RLIMIT_FSIZE, &before_); }
  FileLimit(const FileLimit&) = delete;
  FileLimit& operator=(const FileLimit&) = delete;

 private:
  rlimit before_{};
};

class Outputs : public CliTest {
 protected:
  Outputs() {
    write_random("x.npy", {4, 64}, 1);
    write_random("a.npy", {3, 64}, 2);
    write_random("b.npy", {64, 5}, 3);
    // Links, so that a program that replaces its output does not replace /dev/full.
    for (const char* name : {"full", "full.vcd", "full.fst"}) {
      fs::create_symlink("/dev/full", path(name));
    }
  }

  Words matmul(const Words& more) {
    Words words{"matmul",     path("a.npy"), path("b.npy"), "--format-a", "mxint8",
                "--format-b", "mxint8",      "--config",    "small"};
    words.insert(words.end(), more.begin(), more.end());
    return words;
  }
  Words quantize(const Words& more) {
    Words words{"quantize", path("x.npy"), "--format", "mxint8"};
    words.insert(words.end(), more.begin(), more.end());
    return words;
  }
  Words estimate(const Words& more) {
    Words words{"estimate", "4",          "8",      "64",       "--format-a",
                "mxint8",   "--format-b", "mxint8", "--config", "small"};
    words.insert(words.end(), more.begin(), more.end());
    return words;
  }

  /// Expects exit code 2 and one line on stderr; unlike expect_error(), allows any standard output.
  void expect_failure(const Words& arguments, const std::string& message) {
    std::string line;
    for (const std::string& word : arguments) line += word + " ";
    SCOPED_TRACE(line);
    const ProgramRun run = mxe(arguments);
    EXPECT_EQ(run.exit_code, 2);
    EXPECT_NE(run.err.find(message), std::string::npos) << run.err;
    EXPECT_EQ(run.err.rfind("mxe", 0), 0u) << run.err;
    EXPECT_EQ(run.err.find('\n'), run.err.size() - 1) << run.err;
  }
  void expect_full(const std::string& name) {
    struct stat status {};
    ASSERT_EQ(lstat(path(name).c_str(), &status), 0) << name << " is gone";
    EXPECT_TRUE(S_ISLNK(status.st_mode)) << name << " was replaced";
  }
  std::vector<std::string> leftovers() {
    std::vector<std::string> names;
    for (const auto& file : fs::directory_iterator(path("."))) {
      const std::string name = file.path().filename();
      if (name.find(".part") != std::string::npos) names.push_back(name);
    }
    return names;
  }
};

TEST_F(Outputs, AFullStandardOutput) {
  const int full = open("/dev/full", O_WRONLY | O_CLOEXEC);
  print_to(full);
  const std::string message = "standard output: cannot write: No space left on device";
  for (const Words& words :
       {Words{"compare", path("x.npy"), "--json"}, Words{"compare", path("x.npy")},
        Words{"formats"}, Words{"formats", "--json"}, estimate({}), estimate({"--json"}),
        quantize({"--stats", "--json"}), quantize({"--elements", "-"}), matmul({"--on", "golden"}),
        Words{"--help"}, Words{"compare", "--help"}, Words{"--version"}}) {
    expect_failure(words, words.back() == "-" ? "-: cannot write: No space left" : message);
  }
  close(full);
}

TEST_F(Outputs, AClosedPipe) {
  int ends[2];
  ASSERT_EQ(pipe2(ends, O_CLOEXEC), 0);
  close(ends[0]);
  print_to(ends[1]);
  expect_failure({"compare", path("x.npy"), "--json"},
                 "standard output: cannot write: Broken pipe");
  expect_failure({"formats"}, "standard output: cannot write: Broken pipe");
  expect_failure({"--version"}, "standard output: cannot write: Broken pipe");
  expect_failure(quantize({"--elements", "-"}), "-: cannot write: Broken pipe");
  expect_failure(quantize({"--elements", "/dev/stdout"}), "/dev/stdout: cannot write: Broken pipe");
  close(ends[1]);
}

TEST_F(Outputs, AClosedStandardOutput) {
  print_to(-1);
  expect_failure({"formats"}, "standard output: cannot write: Bad file descriptor");
  // The first opened file does not get the descriptor of standard output.
  expect_failure(quantize({"--stats", "--elements", path("e.npy")}), "standard output");
  EXPECT_EQ(read_bytes("e.npy", {4, 64}).size(), 256u);
}

TEST_F(Outputs, FullFiles) {
  expect_failure(estimate({"--trace", path("full")}), "full: cannot write: No space left");
  expect_failure(matmul({"--on", "golden", "--output", path("full")}),
                 "full: cannot write: No space");
  expect_failure(quantize({"--elements", path("full")}), "full: cannot write: No space left");
  expect_failure(
      matmul({"--on", "model", "--arithmetic", "structural", "--waves", path("full.vcd")}),
      "full.vcd: cannot write: No space left");
  write_text("points.jsonl", R"({"id":"0","workload":"w","parameters":{},"cycles":1,"seconds":1})"
                             "\n");
  expect_failure({"report", path("."), "--output", path("full")}, "full: cannot write: No space");
#ifdef MXE_WITH_RTL
  const Words cosim{"cosim", "--seeds", "1", "--jobs-per-seed", "1"};
  for (const char* option : {"--junit", "--results"}) {
    Words words = cosim;
    words.insert(words.end(), {option, path("full")});
    expect_failure(words, "full: cannot write: No space left");
  }
  expect_failure(matmul({"--on", "rtl", "--waves", path("full.fst")}),
                 "full.fst: cannot create: the format needs a regular file");
#endif
  for (const char* name : {"full", "full.vcd", "full.fst"}) expect_full(name);
  EXPECT_TRUE(fs::is_character_file("/dev/full"));
}

TEST_F(Outputs, AFifoIsWrittenTo) {
  ASSERT_EQ(mkfifo(path("fifo").c_str(), 0600), 0);
  const int reader =
      open(path("fifo").c_str(), O_RDWR | O_CLOEXEC);  // otherwise the program waits for a reader
  ASSERT_EQ(mxe(quantize({"--elements", path("fifo"), "--scales", path("s.npy")})).exit_code, 0);
  ASSERT_EQ(mxe(quantize({"--elements", path("e.npy")})).exit_code, 0);
  std::string bytes(65536, '\0');
  bytes.resize(
      static_cast<std::size_t>(std::max<ssize_t>(0, read(reader, bytes.data(), bytes.size()))));
  EXPECT_EQ(bytes, read_text("e.npy"));
  EXPECT_EQ(fs::status(path("fifo")).type(), fs::file_type::fifo);
  close(reader);
}

TEST_F(Outputs, TheTargetOfALinkIsWritten) {
  fs::create_directory(path("d"));
  write_text("d/old.npy", "old");
  fs::create_symlink("d/old.npy", path("link.npy"));
  fs::create_symlink(path("d/new.npy"), path("dangling.npy"));
  ASSERT_EQ(
      mxe(quantize({"--elements", path("link.npy"), "--scales", path("dangling.npy")})).exit_code,
      0);
  EXPECT_EQ(read_bytes("d/old.npy", {4, 64}).size(), 256u);
  EXPECT_EQ(read_bytes("d/new.npy", {4, 2}).size(), 8u);
  EXPECT_TRUE(fs::is_symlink(path("link.npy")) && fs::is_symlink(path("dangling.npy")));
  fs::create_symlink("circle", path("circle"));
  expect_error(quantize({"--elements", path("circle")}), "circle: cannot create: Too many levels");
}

TEST_F(Outputs, DescriptorsAreContinued) {
  const int file = open(path("log").c_str(), O_WRONLY | O_CREAT, 0600);
  ASSERT_EQ(write(file, "before\n", 7), 7);
  ASSERT_EQ(mxe(quantize({"--elements", path("e.npy")})).exit_code, 0);
  print_to(file);
  ASSERT_EQ(mxe(quantize({"--elements", "/dev/stdout"})).exit_code, 0);
  EXPECT_EQ(read_text("log"), "before\n" + read_text("e.npy"));
  close(file);
}

TEST_F(Outputs, AFileIsOldOrNew) {
  ASSERT_EQ(mxe(quantize({"--elements", path("e.npy")})).exit_code, 0);
  const std::string old = read_text("e.npy");
  fs::permissions(path("e.npy"), fs::perms(0640));
  write_random("x.npy", {64, 64}, 4);
  {
    const FileLimit limit(2048);
    expect_failure(quantize({"--elements", path("e.npy")}), "e.npy: cannot write: File too large");
    expect_failure(quantize({"--elements", path("new.safetensors")}),
                   "cannot write: File too large");
    expect_failure(
        matmul({"--on", "model", "--arithmetic", "structural", "--waves", path("w.vcd")}),
        "w.vcd: cannot write: File too large");
    expect_failure(estimate({"--trace", path("t.json")}), "t.json: cannot write: File too large");
  }
  EXPECT_EQ(read_text("e.npy"), old);
  EXPECT_FALSE(fs::exists(path("new.safetensors")));
  EXPECT_EQ(leftovers(), Words{});
  ASSERT_EQ(mxe(quantize({"--elements", path("e.npy")})).exit_code, 0);
  EXPECT_EQ(read_bytes("e.npy", {64, 64}).size(), 4096u);
  EXPECT_EQ(fs::status(path("e.npy")).permissions(), fs::perms(0640)) << "as before";
}

TEST_F(Outputs, TheFormatOfWavesFollowsTheName) {
  const Words structural{"--on", "model", "--arithmetic", "structural", "--waves"};
  for (const char* name : {"w.fst", "w", "w.vcd.fst"}) {
    Words words = structural;
    words.push_back(path(name));
    expect_error(matmul(words), "are recorded as VCD; allowed: a name that ends in .vcd");
    EXPECT_FALSE(fs::exists(path(name)));
  }
#ifdef MXE_WITH_RTL
  for (const char* name : {"w.vcd", "w", "w.fst.gz"}) {
    expect_error(matmul({"--on", "rtl", "--waves", path(name)}),
                 "are recorded as FST; allowed: a name that ends in .fst");
    EXPECT_FALSE(fs::exists(path(name)));
  }
#endif
}

#ifdef MXE_WITH_RTL
TEST_F(Outputs, WavesThatFindNoRoom) {
  fs::create_directory(path("d"));
  fs::create_symlink("d/w.fst", path("w.fst"));
  for (const rlim_t bytes : {rlim_t{1024}, rlim_t{4096}, rlim_t{65536}}) {
    const FileLimit limit(bytes);
    expect_failure(matmul({"--on", "rtl", "--waves", path("w.fst")}), "w.fst: cannot write");
    EXPECT_FALSE(fs::exists(path("d/w.fst"))) << "a cut recording opens nowhere";
  }
  const ProgramRun run = mxe(matmul({"--on", "rtl", "--waves", path("w.fst")}));
  EXPECT_EQ(run.exit_code, 0) << run.err;
  EXPECT_GT(fs::file_size(path("d/w.fst")), 1000u);
  EXPECT_TRUE(fs::is_symlink(path("w.fst")));
}
#endif

}  // namespace
}  // namespace mxe::test
