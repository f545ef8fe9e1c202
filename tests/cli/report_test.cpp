// SPDX-License-Identifier: Apache-2.0
#include <filesystem>
#include <string>

#include "tests/cli/run_mxe.h"

namespace mxe::test {
namespace {

constexpr const char* kPoint =
    R"({"id":"00000000000000a1","workload":"w","parameters":{"NUM_PE":8},"cycles":100,"seconds":1e-7})";

class Report : public CliTest {
 protected:
  Report() { std::filesystem::create_directory(path("dir")); }
  void write_points(const std::string& text) { write_text("dir/points.jsonl", text); }
  void expect_point_error(const std::string& point, const std::string& message) {
    write_points(std::string(kPoint) + "\n" + point + "\n");
    expect_error({"report", path("dir")}, "points.jsonl:2: " + message);
    EXPECT_FALSE(std::filesystem::exists(path("dir/report.html")));
  }
  static std::size_t count(const std::string& text, const std::string& part) {
    std::size_t found = 0;
    for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) {
      found++;
    }
    return found;
  }
};

TEST_F(Report, WritesOnePage) {
  write_points(std::string(kPoint) + "\n\n");
  const ProgramRun run = mxe({"report", path("dir")});
  EXPECT_EQ(run.exit_code, 0) << run.err;
  EXPECT_EQ(run.out, path("dir/report.html") + ": 1 points\n");
  const std::string page = read_text("dir/report.html");
  EXPECT_EQ(page.rfind("<!DOCTYPE html>", 0), 0u);
  EXPECT_EQ(count(page, "<script src"), 0u);
  EXPECT_EQ(count(page, "<link rel=\"stylesheet\""), 0u);
  EXPECT_EQ(count(page, "@import"), 0u);
  EXPECT_EQ(count(page, "Licensed to the Apache Software Foundation"), 1u);
}

TEST_F(Report, WritesElsewhereIfAsked) {
  write_points(kPoint);
  EXPECT_EQ(mxe({"report", path("dir"), "--output", path("mine.html")}).exit_code, 0);
  EXPECT_TRUE(std::filesystem::exists(path("mine.html")));
  EXPECT_FALSE(std::filesystem::exists(path("dir/report.html")));
  expect_error({"report", path("dir"), "--output", path("none/mine.html")},
               "none/mine.html: cannot create: No such file or directory");
}

TEST_F(Report, NamesCannotEndTheScript) {
  write_points(kPoint);
  mxe({"report", path("dir")});
  const std::size_t ends = count(read_text("dir/report.html"), "</script>");
  std::string nasty = kPoint;
  nasty.replace(nasty.find("\"w\""), 3, "\"</script><script>alert(1)</script><!--\"");
  write_points(nasty);
  write_text("dir/space.json", R"({"skipped":{"</script>":1}})");
  EXPECT_EQ(mxe({"report", path("dir")}).exit_code, 0);
  const std::string page = read_text("dir/report.html");
  EXPECT_EQ(count(page, "</script>"), ends);
  EXPECT_EQ(count(page, "<script>alert"), 0u);
  EXPECT_NE(page.find(R"(\u003c/script>\u003cscript>alert(1))"), std::string::npos);
}

TEST_F(Report, LettersBeyondAsciiAreKept) {
  write_points(kPoint);
  write_text("dir/space.json", "{\"skipped\":{\"\xC3\xA4\":1}}");
  EXPECT_EQ(mxe({"report", path("dir")}).exit_code, 0);
  EXPECT_NE(read_text("dir/report.html").find("\\u00e4"), std::string::npos);
}

TEST_F(Report, LinksTracesThatAreThere) {
  write_points(kPoint);
  mxe({"report", path("dir")});
  EXPECT_EQ(count(read_text("dir/report.html"), "traces/00000000000000a1"), 0u);
  std::filesystem::create_directory(path("dir/traces"));
  write_text("dir/traces/00000000000000a1.json", "{}");
  mxe({"report", path("dir")});
  EXPECT_EQ(count(read_text("dir/report.html"), R"([0,"traces/00000000000000a1.json"])"), 1u);
}

// Keys that the page does not use are dropped, because they could carry scripts.
TEST_F(Report, OtherKeysDoNotReachThePage) {
  std::string point = kPoint;
  point.insert(1, R"("trace":"javascript:surprise","href":"http://surprise","onclick":"surprise",)"
                  R"("layers":[{"name":"l","cycles":1,"trace":"surprise","html":"surprise"}],)");
  write_points(point);
  write_text("dir/space.json", R"({"skipped":{"a":1},"space":"surprise"})");
  write_text("dir/formats.jsonl",
             R"({"workload":"w","cycles":1,"seconds":1,"sqnr_db":1,"link":"surprise","layers":)"
             R"([{"name":"l","format_a":"a","format_b":"b","src":"surprise"}]})"
             "\n");
  EXPECT_EQ(mxe({"report", path("dir")}).exit_code, 0);
  EXPECT_EQ(count(read_text("dir/report.html"), "surprise"), 0u);
}

TEST_F(Report, MissingOrEmptyPoints) {
  expect_error({"report", path("dir")}, "points.jsonl: there is no such file");
  expect_error({"report", path("nowhere")}, "points.jsonl: there is no such file");
  write_points("\n");
  expect_error({"report", path("dir")}, "points.jsonl:1: no points");
}

TEST_F(Report, LeavesOutTheLineOfAnInterruptedRun) {
  const std::string whole = std::string(kPoint) + "\n";
  const std::string point = kPoint;
  for (std::size_t bytes = 1; bytes < point.size(); bytes += 9) {
    write_points(whole + point.substr(0, bytes));
    const ProgramRun run = mxe({"report", path("dir")});
    ASSERT_EQ(run.exit_code, 0) << run.err;
    ASSERT_EQ(run.out, path("dir/report.html") + ": 1 points\n");
    ASSERT_NE(run.err.find("line 2 of points.jsonl is incomplete"), std::string::npos);
  }
  write_points(whole + point);
  const ProgramRun run = mxe({"report", path("dir")});
  EXPECT_EQ(run.out, path("dir/report.html") + ": 2 points\n");
  EXPECT_EQ(run.err, "");
  write_points(point.substr(0, 9));
  expect_error({"report", path("dir")}, "points.jsonl:1: no points");
}

TEST_F(Report, MalformedPointsAreToldByLine) {
  expect_point_error(R"({"id":"00)", "not JSON");
  expect_point_error("[1]", "not a JSON object");
  expect_point_error(R"({"id":"a"})", "'workload' is missing");
  const auto with = [](const std::string& more) {
    return std::string(kPoint).substr(0, std::string(kPoint).size() - 1) + "," + more + "}";
  };
  expect_point_error(with(R"("sqnr_db":"high")"), "'sqnr_db' must be a number");
  expect_point_error(with(R"("area":7)"), "'area' must be an object");
  expect_point_error(with(R"("area":{"ge":"x"})"), "'ge' of 'area' must be a number");
  expect_point_error(with(R"("layers":[{"name":"l"}])"), "layers: 'cycles' is missing");
  expect_point_error(with(R"("layers":[{"name":"l","cycles":1,"m":"x"}])"), "layers: 'm' must be");
  expect_point_error(with(R"("item_name":{"toString":1})"), "'item_name' must be a text");
  expect_point_error(with(R"("compulsory_bytes":"x")"), "'compulsory_bytes' must be a number");
  std::string settings = kPoint;
  settings.replace(settings.find(":8}"), 3, R"(:{"toString":1}})");
  expect_point_error(settings, "'NUM_PE' of 'parameters' must be a number or a text");
  std::string none = kPoint;
  none.replace(none.find(":100,"), 5, ":0,");
  expect_point_error(none, "'cycles' must be a number above 0");
}

TEST_F(Report, AMalformedSpaceIsToldByLine) {
  write_points(kPoint);
  write_text("dir/space.json", "{\n \"a\": 1,\n oops\n}\n");
  expect_error({"report", path("dir")}, "space.json:3: not valid JSON");
  write_text("dir/space.json", "{\"skipped\":[1]}");
  expect_error({"report", path("dir")}, "space.json:1: 'skipped' must be an object");
  write_text("dir/space.json", "{\"skipped\":{\"a\":{\"count\":1}}}");
  expect_error({"report", path("dir")}, "space.json:1: 'a' of 'skipped' must be a number");
}

}  // namespace
}  // namespace mxe::test
