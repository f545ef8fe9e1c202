// SPDX-License-Identifier: Apache-2.0
// Designs of the RTL that are missing, out of date, or built from different sources, and --build.
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "tests/cli/run_mxe.h"

namespace mxe::test {
namespace {

namespace fs = std::filesystem;

class Designs : public CliTest {
 protected:
  const fs::path built = fs::path(built_program()).parent_path() / "rtl";
  const fs::path folder = path("rtl");

  Designs() { fs::create_directory(folder); }

  /// Copies a built design to another name, without its sources, as in an installation.
  void copy_design(const std::string& design, const std::string& name) {
    fs::copy_file(built / ("mxe_rtl_" + design + ".so"), folder / ("mxe_rtl_" + name + ".so"));
  }
  /// Also records a single source: `source`, with the contents `text`.
  void copy_design_of(const std::string& design, const fs::path& source, const std::string& text) {
    copy_design(design, design);
    const fs::path sources = folder / ("mxe_rtl_" + design + ".so.sources");
    fs::create_directory(sources);
    std::ofstream(sources / "list") << source.string() << "\n";
    std::ofstream(sources / "0") << text;
  }
  std::vector<std::string> cosim(const std::vector<std::string>& more = {}) {
    std::vector<std::string> words{"cosim", "--seeds", "1", "--jobs-per-seed", "1"};
    words.insert(words.end(), more.begin(), more.end());
    return words;
  }
  std::vector<std::string> matmul() {
    write_floats("a.npy", std::vector<float>(32, 1.0f), {1, 32});
    write_floats("b.npy", std::vector<float>(32, 1.0f), {32, 1});
    return {"matmul", path("a.npy"), path("b.npy"), "--format-a", "mxint8", "--format-b",
            "mxint8", "--on",        "rtl",         "--config",   "small"};
  }
};

TEST_F(Designs, AreBuiltWithTheirSources) {
  for (const char* design : {"small", "base"}) {
    const fs::path sources = built / (std::string("mxe_rtl_") + design + ".so.sources");
    std::ifstream list(sources / "list");
    std::size_t files = 0;
    bool assertions = false;
    for (std::string line; std::getline(list, line); files++) {
      EXPECT_TRUE(fs::exists(line)) << line;
      EXPECT_TRUE(fs::exists(sources / std::to_string(files)));
      assertions = assertions || fs::path(line).filename() == "mxe_assert.svh";
    }
    EXPECT_GT(files, 50u) << design;
    EXPECT_TRUE(assertions) << "files that are included count, too";
  }
}

TEST_F(Designs, OfTheRtlAsItIsRun) {
  write_text("edited.sv", "assign a = b;\n");
  copy_design_of("small", path("edited.sv"), "assign a = b;\n");
  const Variable place("MXE_RTL_PATH", folder.string());
  EXPECT_EQ(mxe(matmul()).exit_code, 0);
  EXPECT_EQ(mxe(cosim()).exit_code, 0);
}

TEST_F(Designs, AreRefusedAfterAnEdit) {
  const std::string design = (folder / "mxe_rtl_small.so").string();
  copy_design_of("small", path("edited.sv"), "assign a = b;\n");
  const Variable place("MXE_RTL_PATH", folder.string());
  const std::string message = "the design " + design + " was built before " + path("edited.sv") +
                              " was edited; `scripts/design ";
  write_text("edited.sv", "assign a = c;\n");
  expect_error(matmul(), message);
  expect_error(cosim(), message);
  write_text("edited.sv", "assign a = b;\n\n");
  expect_error(cosim(), message);
  fs::remove(path("edited.sv"));
  expect_error(matmul(), message);
}

TEST_F(Designs, OfDifferentRtlAreNotMixed) {
  copy_design("small", "small");
  copy_design("base", "small_fst");
  const Variable place("MXE_RTL_PATH", folder.string());
  expect_error(cosim({"--waves-on-failure", path("waves")}),
               "the designs mxe_rtl_small_fst and mxe_rtl_small were built from different RTL");
  EXPECT_EQ(mxe(cosim()).exit_code, 0);
}

TEST_F(Designs, EnginesOfOnesOwnAreRefusedAfterAnEdit) {
  copy_design_of("small", path("edited.sv"), "assign a = b;\n");
  write_text("edited.sv", "assign a = c;\n");
  const std::string library = (folder / "mxe_rtl_small.so").string();
  expect_error(cosim({"--rtl", library}), "'" + library + "' was built before " +
                                              path("edited.sv") + " was edited: build it again");
}

/// mxe-cosim is missing; a stub `cmake` can write it. Commands in the folder's name must not run.
class MissingProgram : public Designs {
 protected:
  const fs::path build = path("it's $(touch ran) `touch ran`; touch ran");

  MissingProgram() {
    fs::create_directories(build / "model/platform/rtl");
    std::ofstream(build / "CMakeCache.txt") << "\n";
    std::ofstream(build / "model/platform/rtl/rtl_library.inc") << "\n";
    fs::copy_file(built_program(), build / "mxe");
    // The stub fails while another stub runs.
    fs::create_directory(path("bin"));
    std::ofstream(path("bin/cmake")) << "#!/bin/sh\n"
                                        "mkdir \"$2/running\" || exit 1\n"
                                        "sleep 0.2\n"
                                        "echo \"$@\" >> \"$2/calls\"\n"
                                        "printf '#!/bin/sh\\necho cosim \"$@\"\\n' > \"$2/$4\"\n"
                                        "chmod +x \"$2/$4\"\n"
                                        "rmdir \"$2/running\"\n";
    fs::permissions(path("bin/cmake"), fs::perms::owner_all);
    run_program((build / "mxe").string());
  }
  ~MissingProgram() override { EXPECT_FALSE(fs::exists("ran")); }

  const Variable search{"PATH", path("bin") + ":" + std::getenv("PATH")};
};

TEST_F(MissingProgram, IsNamedWithItsCommand) {
  expect_error(cosim(), "mxe-cosim is not built: `cmake --build " + build.string() +
                            " --target mxe-cosim` builds it, and so does the option --build");
  EXPECT_FALSE(fs::exists(build / "calls"));
}

TEST_F(MissingProgram, IsBuiltIfAskedFor) {
  const ProgramRun run = mxe(cosim({"--build"}));
  EXPECT_EQ(run.exit_code, 0) << run.err;
  EXPECT_EQ(run.out, "cosim cosim --seeds 1 --jobs-per-seed 1 --build\n");
  EXPECT_EQ(run.err, "building mxe-cosim\n");
}

TEST_F(MissingProgram, IsBuiltByOneProcessAtATime) {
  const std::string program = "\"$MXE\" cosim --build >/dev/null 2>&1";
  const Variable mxe("MXE", (build / "mxe").string());
  const std::string command =
      program + " & first=$!; " + program + "; second=$?; wait $first && exit $second";
  EXPECT_EQ(std::system(command.c_str()), 0);
}

}  // namespace
}  // namespace mxe::test
