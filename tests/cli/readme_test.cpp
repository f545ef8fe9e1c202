// SPDX-License-Identifier: Apache-2.0
// README.md and the guides stay true: what it tells users to type is typed.

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "tests/cli/run_mxe.h"

namespace mxe::test {
namespace {

class Readme : public CliTest, public ::testing::WithParamInterface<const char*> {
 protected:
  /// The commands of every ```sh block that runs the program, one block after the other.
  static std::string commands() {
    std::ifstream file(std::string(MXE_SOURCE_DIR "/") + GetParam());
    std::string all, block, line;
    bool inside = false;
    while (std::getline(file, line)) {
      if (line == "```sh") {
        inside = true;
        block.clear();
      } else if (inside && line == "```") {
        inside = false;
        if (block.find("build/mxe") != std::string::npos) all += block;
      } else if (inside) {
        block += line + "\n";
      }
    }
    return all;
  }
};

TEST_P(Readme, CommandsRunAsWritten) {
  const std::string script = commands();
  ASSERT_NE(script.find("build/mxe quantize"), std::string::npos)
      << GetParam() << " lost its commands";
  // A directory that looks like the project's root, so that nothing is written there.
  std::filesystem::create_directory(path("build"));
  std::filesystem::create_symlink(MXE_PROGRAM, path("build/mxe"));
  for (const char* name : {"sw", "tests", "scripts", "docs"}) {
    std::filesystem::create_symlink(std::string(MXE_SOURCE_DIR "/") + name, path(name));
  }
  write_text("commands.sh", "set -eux\ncd '" + path("") + "'\n" + script);
  const std::string run =
      "bash '" + path("commands.sh") + "' >'" + path("log") + "' 2>&1 </dev/null";
  EXPECT_EQ(std::system(run.c_str()), 0) << read_text("log");
}

INSTANTIATE_TEST_SUITE_P(Documents, Readme, ::testing::Values("README.md", "docs/numerics.md"),
                         [](const auto& document) {
                           return document.index == 0 ? "Readme" : "Numerics";
                         });

}  // namespace
}  // namespace mxe::test
