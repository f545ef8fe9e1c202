// SPDX-License-Identifier: Apache-2.0

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <filesystem>
#include <memory>
#include <string>

#include "model/numerics/files/files.h"
#include "sw/mxe/command.h"
#include "sw/report/page.h"

namespace mxe::cli {
namespace {

struct ReportOptions {
  std::string folder, output;
};

int run(const ReportOptions& options) {
  namespace fs = std::filesystem;
  report::Exploration exploration = report::read_exploration(options.folder);
  const std::size_t points = exploration.points.size() - exploration.combined;
  const std::size_t cut_line = exploration.cut_line;
  const fs::path path =
      options.output.empty() ? fs::path(options.folder) / "report.html" : fs::path(options.output);
  numerics::write_file(path, report::make_page(std::move(exploration)));
  fmt::print("{}: {} points\n", path.string(), points);
  if (cut_line != 0) {
    fmt::print(stderr,
               "mxe report: line {} of points.jsonl is incomplete and skipped: mxe explore was "
               "interrupted; start it again to continue\n",
               cut_line);
  }
  return kAgreed;
}

}  // namespace

Command add_report(CLI::App& app) {
  CLI::App* command = app.add_subcommand(
      "report", "Write the points of an exploration as one HTML page that needs no network");
  const auto options = std::make_shared<ReportOptions>();
  command->add_option("DIR", options->folder, "Folder with points.jsonl, which mxe explore writes")
      ->required();
  command->add_option("--output", options->output, "The page (default: report.html in DIR)");
  return {command, [options] { return run(*options); }};
}

}  // namespace mxe::cli
