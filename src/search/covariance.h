// The covariance matrix of CMA-ES: full, or its diagonal alone.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace dissensus::search {

/// Eigenvectors (columns of `vectors`) and eigenvalues of a symmetric matrix, by Jacobi's method.
/// Matrices are row by row.
struct SymmetricEigen {
  std::vector<double> values;
  std::vector<double> vectors;
};
SymmetricEigen symmetric_eigen(std::vector<double> matrix, std::size_t size);

/// Begins as the identity.
class Covariance {
 public:
  Covariance(std::size_t size, bool full);

  /// `out` = C^(1/2) `in`, which has covariance C for standard normal `in`.
  void shape(std::span<const double> in, std::span<double> out) const;
  /// `out` = C^(-1/2) `in`.
  void whiten(std::span<const double> in, std::span<double> out) const;
  /// C = `keep` x C + `path_rate` x path path' + sum of weights[i] x steps[i] steps[i]'.
  void update(double keep, double path_rate, std::span<const double> path,
              std::span<const double> weights, const std::vector<std::vector<double>>& steps);
  /// Makes shape() and whiten() follow the updates; with a full matrix this is the costly part.
  void refresh();
  /// The longest axis, a standard deviation.
  double deviation_max() const;

 private:
  std::size_t size_;
  bool full_;
  std::vector<double> matrix_;      ///< diagonal, or row by row
  std::vector<double> deviations_;  ///< along the axes
  std::vector<double> axes_;        ///< full: columns are the axes
};

}  // namespace dissensus::search
