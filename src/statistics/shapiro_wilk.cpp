#include "statistics/shapiro_wilk.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numbers>
#include <vector>

#include <boost/math/distributions/normal.hpp>

namespace dissensus::statistics {
namespace {

/// Coefficients from the lowest power on.
template <std::size_t kSize>
double polynomial(const std::array<double, kSize>& coefficients, double x) {
  double result = 0;
  for (std::size_t i = kSize; i > 0; --i) result = result * x + coefficients[i - 1];
  return result;
}

// Royston's fits (1992 and 1995): corrections of the two largest weights, in 1 / sqrt(n), and the
// normalising transformation of 1 - W, in n up to 11 and in log n above.
constexpr std::array kLargestWeight{0.0, 0.221157, -0.147981, -2.07119, 4.434685, -2.706056};
constexpr std::array kSecondWeight{0.0, 0.042981, -0.293762, -1.752461, 5.682633, -3.582633};
constexpr std::array kSmallGamma{-2.273, 0.459};
constexpr std::array kSmallMean{0.5440, -0.39978, 0.025054, -6.714e-4};
constexpr std::array kSmallLogDeviation{1.3822, -0.77857, 0.062767, -0.0020322};
constexpr std::array kMean{-1.5861, -0.31082, -0.083751, 0.0038915};
constexpr std::array kLogDeviation{-0.4803, -0.082676, 0.0030302};
constexpr std::size_t kSmallSizeMax = 11;

/// The weights of the largest, second largest, ... value; the lower half has them negated.
std::vector<double> weights(std::size_t size) {
  if (size == 3) return {std::numbers::sqrt2 / 2};
  const auto n = static_cast<double>(size);
  const boost::math::normal normal;
  std::vector<double> score(size / 2);  // expected order statistics (Blom)
  double squares = 0;
  for (std::size_t i = 0; i < score.size(); ++i) {
    score[i] = -quantile(normal, (static_cast<double>(i) + 1 - 0.375) / (n + 0.25));
    squares += 2 * score[i] * score[i];
  }
  const double length = std::sqrt(squares);
  const double step = 1 / std::sqrt(n);
  std::vector<double> result = score;
  result[0] = polynomial(kLargestWeight, step) + score[0] / length;
  std::size_t fitted = 1;
  double scores_left = squares - 2 * score[0] * score[0];
  double weights_left = 1 - 2 * result[0] * result[0];
  if (size > 5) {
    result[1] = polynomial(kSecondWeight, step) + score[1] / length;
    fitted = 2;
    scores_left -= 2 * score[1] * score[1];
    weights_left -= 2 * result[1] * result[1];
  }
  const double factor = std::sqrt(scores_left / weights_left);
  for (std::size_t i = fitted; i < result.size(); ++i) result[i] = score[i] / factor;
  return result;
}

/// 1 - W without the loss of digits that computing W first would mean.
double complement_of_w(const std::vector<double>& sorted) {
  const std::size_t size = sorted.size();
  const std::vector<double> weight = weights(size);
  const double range = sorted.back() - sorted.front();
  const auto scaled = [&](std::size_t i) { return (sorted[i] - sorted[size / 2]) / range; };
  double centre = 0;
  for (std::size_t i = 0; i < size; ++i) centre += scaled(i);
  centre /= static_cast<double>(size);
  double square_weights = 0;
  double square_values = 0;
  double products = 0;
  for (std::size_t i = 0; i < size; ++i) {
    const std::size_t mirrored = size - 1 - i;
    double w = 0;
    if (i < weight.size()) w = -weight[i];
    if (mirrored < weight.size()) w = weight[mirrored];
    const double value = scaled(i) - centre;
    square_weights += w * w;
    square_values += value * value;
    products += w * value;
  }
  const double length = std::sqrt(square_weights * square_values);
  // Not below 0, where rounding may take a sample that follows its weights exactly.
  return std::max(0.0, length - products) * (length + products) / (square_weights * square_values);
}

double p_value_of(double complement, std::size_t size) {
  const auto n = static_cast<double>(size);
  if (size == 3) {  // exact
    const double p =
        6 / std::numbers::pi * (std::asin(std::sqrt(1 - complement)) - std::asin(std::sqrt(0.75)));
    return std::max(p, 0.0);
  }
  double y = std::log(complement);
  double mean = 0;
  double deviation = 1;
  if (size <= kSmallSizeMax) {
    const double gamma = polynomial(kSmallGamma, n);
    if (y >= gamma) return 1e-99;  // AS R94's "obviously not"
    y = -std::log(gamma - y);
    mean = polynomial(kSmallMean, n);
    deviation = std::exp(polynomial(kSmallLogDeviation, n));
  } else {
    mean = polynomial(kMean, std::log(n));
    deviation = std::exp(polynomial(kLogDeviation, std::log(n)));
  }
  return cdf(boost::math::complement(boost::math::normal(mean, deviation), y));
}

}  // namespace

ShapiroWilkResult shapiro_wilk(std::span<const double> sample) {
  constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
  if (sample.size() < kShapiroWilkSizeMin || sample.size() > kShapiroWilkSizeMax) {
    return {kNaN, kNaN};
  }
  std::vector<double> sorted(sample.begin(), sample.end());
  std::sort(sorted.begin(), sorted.end());
  if (!(sorted.back() > sorted.front())) return {kNaN, kNaN};
  const double complement = complement_of_w(sorted);
  return {1 - complement, p_value_of(complement, sorted.size())};
}

}  // namespace dissensus::statistics
