// SPDX-License-Identifier: Apache-2.0
#include "model/platform/linux/session.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <sstream>

#include "model/numerics/base/error.h"

namespace mxe::guest {

Session::Session() {
  const char* base = std::getenv("TMPDIR");
  folder_ = fmt::format("{}/mxe-linux-XXXXXX", base && *base ? base : "/tmp");
  if (!mkdtemp(folder_.data())) {
    throw Error(fmt::format("cannot make the folder {}: {}", folder_, std::strerror(errno)));
  }
  management_folder_ = fmt::format("{}/{}", folder_, kManagementName);
  for (const char* name : {"/device", "/time", "/session", "/status", "/input"})
    files_.push_back(folder_ + name);
  files_.push_back(management_socket());
  files_.push_back(management_folder_ + "/pid");
}

Session::~Session() { remove(); }

void Session::remove() const noexcept {
  for (const std::string& file : files_) unlink(file.c_str());
  rmdir(management_folder_.c_str());
  rmdir(folder_.c_str());
}

std::string Session::store_input() const {
  const std::string path = folder_ + "/input";
  std::ofstream file(path, std::ios::binary);
  char bytes[65536];
  for (ssize_t count; (count = read(STDIN_FILENO, bytes, sizeof bytes)) > 0;)
    file.write(bytes, count);
  if (!file.flush()) throw Error(fmt::format("cannot write into {}", folder_));
  return path;
}

void Session::write(const SessionPlan& plan) const {
  std::ofstream file(folder_ + "/session", std::ios::binary);
  const auto put = [&](const char* key, const std::string& value) {
    file << key << '=' << value << '\0';
  };
  put("directory", plan.directory);
  put("module", plan.module);
  put("input", plan.input);
  put("interactive", plan.interactive ? "1" : "0");
  put("rows", std::to_string(plan.rows));
  put("columns", std::to_string(plan.columns));
  for (const std::string& argument : plan.arguments) put("argument", argument);
  for (char** variable = environ; *variable; variable++) put("variable", *variable);
  if (!file.flush()) throw Error(fmt::format("cannot write into {}", folder_));
}

std::optional<SessionEnd> Session::end() const {
  std::ifstream file(folder_ + "/status");
  std::string what;
  if (!(file >> what)) return {};
  SessionEnd end;
  if (what == "failed") {
    end.what = SessionEnd::What::failed;
    std::getline(file >> std::ws, end.message);
    return end;
  }
  end.what = what == "signal" ? SessionEnd::What::killed : SessionEnd::What::exited;
  if (!(file >> end.number)) return {};
  return end;
}

}  // namespace mxe::guest
