#include "search/covariance.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace dissensus::search {

namespace {
constexpr double kVarianceMin = 1e-24;

/// Rotates rows and columns p, q of a symmetric matrix so that entry (p, q) becomes 0.
void rotate(std::vector<double>& a, std::vector<double>& vectors, std::size_t n, std::size_t p,
            std::size_t q) {
  const double apq = a[p * n + q];
  const double theta = (a[q * n + q] - a[p * n + p]) / (2 * apq);
  const double t = (theta >= 0 ? 1 : -1) / (std::fabs(theta) + std::sqrt(theta * theta + 1));
  const double c = 1 / std::sqrt(t * t + 1);
  const double s = t * c;
  for (std::size_t k = 0; k < n; ++k) {
    const double akp = a[k * n + p];
    const double akq = a[k * n + q];
    a[k * n + p] = c * akp - s * akq;
    a[k * n + q] = s * akp + c * akq;
  }
  for (std::size_t k = 0; k < n; ++k) {
    const double apk = a[p * n + k];
    const double aqk = a[q * n + k];
    a[p * n + k] = c * apk - s * aqk;
    a[q * n + k] = s * apk + c * aqk;
    const double vkp = vectors[k * n + p];
    const double vkq = vectors[k * n + q];
    vectors[k * n + p] = c * vkp - s * vkq;
    vectors[k * n + q] = s * vkp + c * vkq;
  }
}
}  // namespace

SymmetricEigen symmetric_eigen(std::vector<double> matrix, std::size_t size) {
  SymmetricEigen result;
  result.vectors.assign(size * size, 0);
  for (std::size_t i = 0; i < size; ++i) result.vectors[i * size + i] = 1;
  constexpr int kSweepsMax = 50;
  for (int sweep = 0; sweep < kSweepsMax; ++sweep) {
    double off = 0;
    double on = 0;
    for (std::size_t i = 0; i < size; ++i) {
      on += matrix[i * size + i] * matrix[i * size + i];
      for (std::size_t j = i + 1; j < size; ++j) off += matrix[i * size + j] * matrix[i * size + j];
    }
    if (off <= 1e-24 * on) break;
    for (std::size_t p = 0; p < size; ++p) {
      for (std::size_t q = p + 1; q < size; ++q) {
        if (matrix[p * size + q] != 0) rotate(matrix, result.vectors, size, p, q);
      }
    }
  }
  for (std::size_t i = 0; i < size; ++i) result.values.push_back(matrix[i * size + i]);
  return result;
}

Covariance::Covariance(std::size_t size, bool full)
    : size_(size), full_(full), deviations_(size, 1) {
  if (!full) {
    matrix_.assign(size, 1);
    return;
  }
  matrix_.assign(size * size, 0);
  for (std::size_t i = 0; i < size; ++i) matrix_[i * size + i] = 1;
  axes_ = matrix_;
}

void Covariance::shape(std::span<const double> in, std::span<double> out) const {
  if (!full_) {
    for (std::size_t i = 0; i < size_; ++i) out[i] = deviations_[i] * in[i];
    return;
  }
  for (std::size_t i = 0; i < size_; ++i) {
    double sum = 0;
    for (std::size_t k = 0; k < size_; ++k) sum += axes_[i * size_ + k] * deviations_[k] * in[k];
    out[i] = sum;
  }
}

void Covariance::whiten(std::span<const double> in, std::span<double> out) const {
  if (!full_) {
    for (std::size_t i = 0; i < size_; ++i) out[i] = in[i] / deviations_[i];
    return;
  }
  std::vector<double> along(size_, 0);
  for (std::size_t i = 0; i < size_; ++i) {
    for (std::size_t k = 0; k < size_; ++k) along[k] += axes_[i * size_ + k] * in[i];
  }
  for (std::size_t i = 0; i < size_; ++i) {
    double sum = 0;
    for (std::size_t k = 0; k < size_; ++k) sum += axes_[i * size_ + k] * along[k] / deviations_[k];
    out[i] = sum;
  }
}

void Covariance::update(double keep, double path_rate, std::span<const double> path,
                        std::span<const double> weights,
                        const std::vector<std::vector<double>>& steps) {
  const std::size_t rows = full_ ? size_ : 1;
  for (double& entry : matrix_) entry *= keep;
  const auto add = [&](double rate, std::span<const double> vector) {
    if (!full_) {
      for (std::size_t i = 0; i < size_; ++i) matrix_[i] += rate * vector[i] * vector[i];
      return;
    }
    for (std::size_t i = 0; i < rows; ++i) {
      const double factor = rate * vector[i];
      for (std::size_t k = 0; k < size_; ++k) matrix_[i * size_ + k] += factor * vector[k];
    }
  };
  add(path_rate, path);
  for (std::size_t i = 0; i < weights.size(); ++i) add(weights[i], steps[i]);
}

void Covariance::refresh() {
  if (!full_) {
    for (std::size_t i = 0; i < size_; ++i) {
      deviations_[i] = std::sqrt(std::max(matrix_[i], kVarianceMin));
    }
    return;
  }
  SymmetricEigen eigen = symmetric_eigen(matrix_, size_);
  for (std::size_t i = 0; i < size_; ++i) {
    deviations_[i] = std::sqrt(std::max(eigen.values[i], kVarianceMin));
  }
  axes_ = std::move(eigen.vectors);
}

double Covariance::deviation_max() const {
  return *std::max_element(deviations_.begin(), deviations_.end());
}

}  // namespace dissensus::search
