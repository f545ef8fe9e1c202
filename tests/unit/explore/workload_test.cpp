// SPDX-License-Identifier: Apache-2.0
// Tables of layers in the forms that spreadsheets and SCALE-Sim write.
#include "sw/explore/workload.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <tuple>
#include <vector>

#include "model/numerics/base/error.h"

namespace mxe::explore {
namespace {

using Product = std::tuple<std::string, std::size_t, std::size_t, std::size_t, uint64_t>;

std::vector<Product> products(const std::string& text) {
  std::vector<Product> found;
  for (const Layer& layer : parse_workload(text, "net.csv").layers) {
    found.emplace_back(layer.name, layer.m, layer.n, layer.k, layer.count);
  }
  return found;
}

void expect_error(const std::string& text, const std::string& message) {
  SCOPED_TRACE(text);
  try {
    parse_workload(text, "net.csv");
    ADD_FAILURE() << "no error, but expected: " << message;
  } catch (const Error& error) {
    EXPECT_EQ(std::string(error.what()).substr(0, message.size()), message);
  }
}

constexpr const char* kConvolutions =
    "Layer name, IFMAP Height, IFMAP Width, Filter Height, Filter Width, Channels, Num Filter, "
    "Strides,";

std::string convolutions(const std::string& lines, const std::string& columns = "") {
  return kConvolutions + columns + "\n" + lines;
}

TEST(Workload, OneTableHoweverItIsWritten) {
  const std::vector<Product> expected{{"q", 128, 64, 256, 12}, {"k", 1, 2, 3, 4}};
  for (const char* text : {
           "layer,M,N,K,count\nq,128,64,256,12\nk,1,2,3,4\n",
           "\xEF\xBB\xBFlayer,M,N,K,count\nq,128,64,256,12\nk,1,2,3,4\n",
           "\xEF\xBB\xBF\"layer\",\"M\",\"N\",\"K\",\"count\"\r\n\"q\",\"128\",64,256,12\r\n\r\n"
           "k,1,2,3,4",
           "name,M,N,K,count\nq,128,64,256,12\nk,1,2,3,4\n",
           "Layer Name , m, n, k, COUNT\nq,128,64,256,12\nk,1,2,3,4\n",
           "count,K,N,M,layer\n12,256,64,128,q\n4,3,2,1,k\n",
           "\u00A0layer\u00A0,M,\u202FN,K\uFEFF,count\nq,\u00A0128,64\u00A0,256,12\nk,1,2,3,4\n",
           "# a net, by hand,,,\nlayer,M,N,K,count\nq,128,64,256,12\n,,,,\nk,1,2,3,4\n",
           "layer,M,N,K,count,\nq,128,64,256,12,\nk,1,2,3,4,,,\n",
           "layer,M,N,K,count\nq,128,64,256,12,# the queries\nk,1,2,3,4\n",
       }) {
    SCOPED_TRACE(text);
    EXPECT_EQ(products(text), expected);
  }
  EXPECT_EQ(products("layer,M,N,K\na,1,2,3\n"), (std::vector<Product>{{"a", 1, 2, 3, 1}}));
}

TEST(Workload, QuotedNames) {
  EXPECT_EQ(products("layer,M,N,K,count\n\"conv, 3x3\",64,2,3,4\n \"a \"\"b\"\"\" ,1,2,3,4\n"
                     "\" c \",1,2,3,4\n"),
            (std::vector<Product>{
                {"conv, 3x3", 64, 2, 3, 4}, {"a \"b\"", 1, 2, 3, 4}, {" c ", 1, 2, 3, 4}}));
  expect_error("layer,M,N,K,count\n\"a,1,2,3,4\n", "net.csv:2: a quote that is not closed");
  expect_error("layer,M,N,K,count\n\"a\"b,1,2,3,4\n", "net.csv:2: misplaced quotes at 'b'");
  expect_error("layer,M,N,K,count\na\"b,1,2,3,4\n", "net.csv:2: misplaced quotes at 'a\"b'");
  expect_error("layer,M,N,K,count\n\"a\nb\",1,2,3,4\n", "net.csv:2: a quote that is not closed");
}

TEST(Workload, CommentsInQuotes) {
  EXPECT_EQ(products("\"# of a, b\",,\nlayer,M,N,K\n\"#1\",1,2,3\n#2,1,2,3\n"),
            (std::vector<Product>{{"#1", 1, 2, 3, 1}}));
}

TEST(Workload, ColumnsAreRefusedByName) {
  expect_error("layer,M,N,K,repeat\nq,1,2,3,4\n",
               "net.csv:1: unknown column 'repeat'; allowed columns: layer, M, N, K, [count], [B], "
               "[Sparsity]");
  expect_error("layer,M,N,K,counts\nq,1,2,3,4\n", "net.csv:1: unknown column 'counts'");
  expect_error("layer,M,N,K,batch size\nq,1,2,3,4\n", "net.csv:1: unknown column 'batch size'");
  expect_error("layer,M,N,count\nq,1,2,3\n", "net.csv:1: column 'K' is missing");
  expect_error("M,N,K\n1,2,3\n", "net.csv:1: column 'layer' is missing");
  expect_error("layer,M,N,K,m\nq,1,2,3,4\n", "net.csv:1: column 'M' appears twice");
  expect_error("layer,M,,N,K\nq,1,2,3,4\n", "net.csv:1: column 3 has no name");
  expect_error("layer;M;N;K;count\nq;1;2;3;4\n", "net.csv:1: unknown column 'layer;M;N;K;count'");
  expect_error("1,2,3\n", "net.csv:1: the first line names no column of a workload; allowed: '");
  expect_error("layer,M,N,K,count\nq,1,2,3\n",
               "net.csv:2: 4 fields, but the first line names 5 columns: layer, M, N, K, count");
  expect_error("layer,M,N,K\nq,1,2,3,12\n", "net.csv:2: 5 fields, but the first line names 4");
  expect_error("layer,M,N,K,count\n ,1,2,3,4\n", "net.csv:2: the layer has no name");
  expect_error("\xFF\xFEl", "net.csv:1: not UTF-8; a spreadsheet saves it as 'CSV UTF-8'");
}

TEST(Workload, NumbersAndTheirLimits) {
  for (const char* number : {"0", "-1", "+1", "1.0", "1e3", "\"1,024\"", "1\u00A0024", "0x10", "",
                             "2147483649", "99999999999999999999999999"}) {
    expect_error("layer,M,N,K,count\nq,1," + std::string(number) + ",3,4\n",
                 "net.csv:2: N must be a whole number from 1 to 2147483648, not '");
  }
  EXPECT_EQ(products("layer,M,N,K,count\nq,2147483648,1,3,4\n")[0],
            (Product{"q", 2147483648u, 1, 3, 4}));
  std::string many = "layer,M,N,K\n";
  for (int i = 0; i < 100'000; i++) many += "a,1,1,1\n";
  EXPECT_EQ(products(many).size(), 100'000u);
  expect_error(many + "a,1,1,1\n", "net.csv:100002: more than 100000 layers");
}

TEST(Workload, ItemsOfARun) {
  const auto items = [](const std::string& comment) {
    const Workload net = parse_workload(comment + "\nlayer,M,N,K\na,1,1,1\n", "net.csv");
    return std::to_string(net.items) + net.item_name;
  };
  for (const char* comment :
       {"# items: 2048 tokens", "#items:2048 tokens", "# items: 2048 tokens,,,",
        "# Items:  2048  tokens ,", "\"# items: 2048 tokens\",,"}) {
    EXPECT_EQ(items(comment), "2048tokens") << comment;
  }
  EXPECT_EQ(items("# 2048 items"), "0");
  expect_error("# items: 2048\n", "net.csv:1: items need a number and a name");
  expect_error("# items: 1 a\n# items: 2 a\n", "net.csv:2: the number of items appears twice");
  expect_error("# items: 0 a\n", "net.csv:1: the number of items must be a whole number from 1");
}

// Expected numbers from scalesim 3.0.0's topology_utils.py; tests/peers has more.
TEST(Workload, ConvolutionsAreThoseOfScaleSim) {
  // A window crosses the edge: 224 - 11 is not a multiple of 4.
  EXPECT_EQ(products(convolutions("Conv1, 224, 224, 11, 11, 3, 96, 4,\n")),
            (std::vector<Product>{{"Conv1", 55 * 55, 96, 363, 1}}));
  EXPECT_EQ(products(convolutions("a, 10, 9, 3, 2, 4, 5, 2,\nb, 7, 7, 7, 7, 1, 1, 9")),
            (std::vector<Product>{{"a", 5 * 5, 5, 24, 1}, {"b", 1, 1, 49, 1}}));
  EXPECT_EQ(
      products(convolutions("Conv2 DP, 112, 112, 3, 3, 32, 1, 1,\nADPT, 5, 5, 1, 1, 4, 7, 2")),
      (std::vector<Product>{{"Conv2 DP", 110 * 110, 1, 9, 32}, {"ADPT", 3 * 3, 7, 1, 4}}));
  EXPECT_EQ(products(convolutions("c, 56, 56, 3, 3, 64, 64, 1, 8,\n", " Batch Size,")),
            (std::vector<Product>{{"c", 8 * 54 * 54, 64, 576, 1}}));
  EXPECT_EQ(products(convolutions("c, 56, 56, 3, 3, 64, 64, 1, 1:1,\n", " Sparsity,")),
            (std::vector<Product>{{"c", 54 * 54, 64, 576, 1}}));
  EXPECT_EQ(products("Layer, IFMAP Width, IFMAP Width, Filter Height, Filter Width, Channels, Num "
                     "Filter, Strides,\nc, 9, 7, 3, 2, 4, 5, 1, #dw\n"),
            (std::vector<Product>{{"c", 7 * 6, 5, 24, 1}}));
  EXPECT_EQ(products("\uFEFFLayer name,\u00A0IFMAP\u00A0Width,\u00A0IFMAP Height, Filter Height, "
                     "Filter Width, channel, num filters, Stride height, Stride width\n"
                     "c, 8, 9, 3, 2, 4, 5, 2, 3\n"),
            (std::vector<Product>{{"c", 4 * 3, 5, 24, 1}}));
  EXPECT_EQ(products("Layer, M, N, K, Sparsity,\nGEMM, 3, 5, 16, 1:1,\n"),
            (std::vector<Product>{{"GEMM", 3, 5, 16, 1}}));
}

TEST(Workload, RefusedTopologiesOfScaleSim) {
  expect_error("Layer, M, N, K, Sparsity,\nGEMM_1, 3, 5, 16, 3:4,\n",
               "net.csv:2: Sparsity is '3:4', but sparse products are not timed; allowed: 1:1");
  expect_error(convolutions("c, 5, 5, 3, 3, 2, 6, 1, 2:4,\n", " Sparsity,"),
               "net.csv:2: Sparsity is '2:4'");
  expect_error(convolutions("c, 5, 5, 3, 3, 2, 6, 1,\n", " Batch Size,"),
               "net.csv:2: 8 fields, but the first line names 9 columns: layer, IFMAP Height,");
  expect_error(convolutions("c, 5, 5, 3, 3, 2, 6, 1, 2,\n"),
               "net.csv:2: 9 fields, but the first line names 8 columns");
  expect_error(convolutions("c, 5, 5, 3, 3, 2, 6, 1, 2,\n", " Stride Width,"),
               "net.csv:1: a stride is needed once; allowed: the column 'Strides', or the");
  expect_error(convolutions("c, 5, 5, 3, 3, 2, 6, 1, 2,\n", " Dilation,"),
               "net.csv:1: unknown column 'Dilation'; allowed columns: layer, IFMAP Height,");
  expect_error(convolutions("c, 5, 5, 3, 3, 2, 6, 1, 2,,\n", ",, Eh,"),
               "net.csv:1: column 9 has no name");
  expect_error(convolutions("c, 2, 5, 3, 3, 2, 6, 1,\n"), "net.csv:2: a filter of 3 x 3 is larger");
  expect_error(convolutions("c, 65536, 65536, 1, 1, 2, 6, 1, 9\n", " Batch Size,"),
               "net.csv:2: the number of output pixels is more than 2147483648");
}

TEST(Workload, NoEndlessFiles) {
  try {
    read_workload("/dev/zero");
    ADD_FAILURE();
  } catch (const Error& error) {
    EXPECT_STREQ(error.what(), "/dev/zero: more than 67108864 bytes, the largest workload");
  }
}

}  // namespace
}  // namespace mxe::explore
