// SPDX-License-Identifier: Apache-2.0
#include "sw/explore/least_squares.h"

#include <cmath>

namespace mxe::explore {
namespace {

constexpr double kDependent = 1e-9;  ///< least independent share of a column's length

double product(const std::vector<double>& a, const std::vector<double>& b) {
  double sum = 0;
  for (std::size_t i = 0; i < a.size(); i++) sum += a[i] * b[i];
  return sum;
}

void subtract(std::vector<double>& a, double factor, const std::vector<double>& b) {
  for (std::size_t i = 0; i < a.size(); i++) a[i] -= factor * b[i];
}

}  // namespace

std::vector<double> least_squares(const std::vector<std::vector<double>>& features,
                                  const std::vector<double>& values, std::size_t left_out) {
  const std::size_t count = features.front().size();
  std::vector<double> rest;
  std::vector<std::vector<double>> columns(count);
  for (std::size_t row = 0; row < values.size(); row++) {
    if (row == left_out) continue;
    rest.push_back(values[row]);
    for (std::size_t i = 0; i < count; i++) columns[i].push_back(features[row][i]);
  }
  // Modified Gram-Schmidt: makes each column a unit vector perpendicular to the columns before it.
  std::vector<std::vector<double>> upper(count, std::vector<double>(count, 0));
  std::vector<double> along(count, 0), factors(count, 0);
  for (std::size_t i = 0; i < count; i++) {
    const double before = std::sqrt(product(columns[i], columns[i]));
    for (std::size_t j = 0; j < i; j++) {
      upper[j][i] = product(columns[j], columns[i]);
      subtract(columns[i], upper[j][i], columns[j]);
    }
    const double length = std::sqrt(product(columns[i], columns[i]));
    upper[i][i] = length > kDependent * before ? length : 0;
    for (double& x : columns[i]) x = upper[i][i] > 0 ? x / length : 0;
    along[i] = product(columns[i], rest);
    subtract(rest, along[i], columns[i]);
  }
  for (std::size_t i = count; i-- > 0;) {
    double value = along[i];
    for (std::size_t j = i + 1; j < count; j++) value -= upper[i][j] * factors[j];
    factors[i] = upper[i][i] > 0 ? value / upper[i][i] : 0;
  }
  return factors;
}

}  // namespace mxe::explore
