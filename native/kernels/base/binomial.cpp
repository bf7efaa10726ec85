#include "base/binomial.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace nearkin {
namespace {

// Evaluates the continued fraction of the incomplete beta function by Lentz's method.
double beta_fraction(double a, double b, double x) {
  constexpr double kTiny = 1e-300;
  double c = 1.0, d = 1.0 - (a + b) * x / (a + 1.0);
  d = 1.0 / (std::fabs(d) < kTiny ? kTiny : d);
  double result = d;
  for (int m = 1; m < 10000; ++m) {
    const double m2 = 2.0 * m;
    const auto step = [&](double numerator) {
      d = 1.0 + numerator * d;
      c = 1.0 + numerator / c;
      if (std::fabs(d) < kTiny) d = kTiny;
      if (std::fabs(c) < kTiny) c = kTiny;
      d = 1.0 / d;
      result *= d * c;
    };
    step(m * (b - m) * x / ((a + m2 - 1.0) * (a + m2)));
    step(-(a + m) * (a + b + m) * x / ((a + m2) * (a + m2 + 1.0)));
    if (std::fabs(d * c - 1.0) < 1e-15) break;
  }
  return result;
}

constexpr double kSmallSample = 1 << 14;
constexpr double kMargin = 1e-10;

class IncompleteBeta {
 public:
  IncompleteBeta(double a, double b)
      : a_(a), b_(b), scale_(std::lgamma(a + b) - std::lgamma(a) - std::lgamma(b)) {}

  double operator()(double x) const {
    if (x <= 0.0) return 0.0;
    if (x >= 1.0) return 1.0;
    const double front = std::exp(scale_ + a_ * std::log(x) + b_ * std::log1p(-x));
    if (x < (a_ + 1.0) / (a_ + b_ + 2.0)) return front * beta_fraction(a_, b_, x) / a_;
    return 1.0 - front * beta_fraction(b_, a_, 1.0 - x) / b_;
  }

  // The derivative of the function.
  double density(double x) const {
    return std::exp(scale_ + (a_ - 1.0) * std::log(x) + (b_ - 1.0) * std::log1p(-x));
  }

 private:
  double a_, b_;
  double scale_;  // the factor that does not depend on x
};

// Brackets the p-quantile by Newton's method: at the first number the function surely is below p, at the second surely
// not. Bisection then evaluates the function only between the two, 27 of 60 times, with the same result. For large
// samples rounding errors exceed the margin, so nothing is bracketed.
std::pair<double, double> around_quantile(const IncompleteBeta& beta, double a, double b, double p) {
  if (a + b > kSmallSample) return {0.0, 1.0};
  const double mean = a / (a + b), deviation = std::sqrt(mean * (1.0 - mean) / (a + b + 1.0));
  // Start from the quantile of a normal distribution, roughly.
  const double tail = std::sqrt(-2.0 * std::log(std::min(p, 1.0 - p))) - 0.7;
  double x = mean + (p < 0.5 ? -tail : tail) * deviation;
  double below = 0.0, above = 1.0;
  for (int i = 0; i < 12; ++i) {
    if (!(x > below && x < above)) x = 0.5 * (below + above);
    const double value = beta(x), step = (value - p) / beta.density(x);
    (value < p ? below : above) = x;
    x -= step;
    // The remaining error shrinks with the square of the step.
    if (std::fabs(step) < 1e-7 * std::min(x, 1.0 - x)) return {x - kMargin * x, x + kMargin * (1.0 - x)};
  }
  return {0.0, 1.0};
}

double beta_quantile(double a, double b, double p) {
  const IncompleteBeta beta(a, b);
  const auto [below, above] = around_quantile(beta, a, b, p);
  double low = 0.0, high = 1.0;
  for (int i = 0; i < 60; ++i) {
    const double middle = 0.5 * (low + high);
    if (middle == low || middle == high) break;  // there is no number between them
    const bool is_low = middle <= below || (middle < above && beta(middle) < p);
    (is_low ? low : high) = middle;
  }
  return 0.5 * (low + high);
}

constexpr double kSpread = 3.0;  // standard deviations: more than confidences up to 99.7 % ask for

}  // namespace

Interval clopper_pearson(std::uint64_t k, std::uint64_t n, double confidence) {
  const double tail = 0.5 * (1.0 - confidence);
  const auto hits = static_cast<double>(k), misses = static_cast<double>(n - k);
  return {k == 0 ? 0.0 : beta_quantile(hits, misses + 1.0, tail),
          k == n ? 1.0 : beta_quantile(hits + 1.0, misses, 1.0 - tail)};
}

double binomial_outside(std::uint64_t n, double p, std::uint64_t least, std::uint64_t most) {
  const auto size = static_cast<double>(n), first = static_cast<double>(least), last = static_cast<double>(most);
  // Both tails come from the incomplete beta function: a sum of the terms between would lose a small tail in rounding.
  const double below = least == 0 ? 0.0 : least > n ? 1.0 : IncompleteBeta(size - first + 1.0, first)(1.0 - p);
  const double above = most >= n ? 0.0 : IncompleteBeta(last + 1.0, size - last)(p);
  return std::min(1.0, below + above);
}

Fewest::Fewest(double threshold, double confidence, std::uint64_t largest) : threshold_(threshold) {
  // The upper bound of k of n reaches t exactly when P(X ≤ k | n, t) ≥ tail. Walk along n: going from n to n + 1
  // lowers P(X ≤ k) by t · P(X = k), and k follows by at most one step.
  const double tail = 0.5 * (1.0 - confidence);
  table_.resize(std::min(largest, kTabled) + 1, 0);
  double mass = 1.0, below = 1.0;  // P(X = k), P(X ≤ k) for n = 0, k = 0
  std::uint64_t k = 0;
  for (std::uint64_t n = 1; n < table_.size(); ++n) {
    if (threshold_ >= 1.0) {
      table_[n] = static_cast<std::uint32_t>(n);
      continue;
    }
    below -= threshold_ * mass;
    mass *= static_cast<double>(n) * (1.0 - threshold_) / static_cast<double>(n - k);
    while (below < tail && k < n) {
      mass *= static_cast<double>(n - k) / static_cast<double>(k + 1) * threshold_ / (1.0 - threshold_);
      below += mass;
      ++k;
    }
    table_[n] = static_cast<std::uint32_t>(k);
  }
  sum_table_.resize(table_.size(), 0);
  for (std::uint64_t sum = 1, fewest = 0; sum < sum_table_.size(); ++sum) {
    while (fewest < sum - fewest && fewest < table_[sum - fewest]) ++fewest;
    sum_table_[sum] = static_cast<std::uint32_t>(fewest);
  }
}

std::uint64_t Fewest::sampled(std::uint64_t n) const {
  if (n < table_.size()) return table_[n];
  const auto size = static_cast<double>(n);
  const double k = size * threshold_ - kSpread * std::sqrt(size * threshold_ * (1.0 - threshold_)) - 1.0;
  return k <= 0.0 ? 0 : static_cast<std::uint64_t>(k);
}

std::uint64_t Fewest::sampled_of_sum(std::uint64_t sum) const {
  if (sum < sum_table_.size()) return sum_table_[sum];
  // n is at least sum / (1 + t), and the slack grows with n: take the slack at the largest n.
  const auto size = static_cast<double>(sum);
  const double slack = kSpread * std::sqrt(size * threshold_ * (1.0 - threshold_)) + 2.0;
  const double k = (size * threshold_ - slack) / (1.0 + threshold_);
  return k <= 0.0 ? 0 : static_cast<std::uint64_t>(k);
}

std::uint64_t Fewest::exact_of_sum(std::uint64_t sum) const {
  return static_cast<std::uint64_t>(threshold_ / (1.0 + threshold_) * static_cast<double>(sum));
}

std::uint64_t Fewest::exact(std::uint64_t n) const {
  // The smallest k for which k / n, as a double, is at least the threshold, as a comparison of scores will decide.
  const auto size = static_cast<double>(n);
  auto k = static_cast<std::uint64_t>(threshold_ * size);
  while (k > 0 && static_cast<double>(k - 1) / size >= threshold_) --k;
  while (k < n && static_cast<double>(k) / size < threshold_) ++k;
  return k;
}

}  // namespace nearkin
