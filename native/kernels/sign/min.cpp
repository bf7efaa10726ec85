#include "sign/min.hpp"

#include <algorithm>
#include <bit>

#include "base/hash.hpp"
#include "base/sort.hpp"
#include "sign/signature.hpp"

namespace nearkin {
namespace {

class Buffer {
 public:
  Buffer(std::size_t n, std::vector<std::uint64_t>& kept) : n_(n), full_(2 * n + 64), kept_(kept) {
    kept_.reserve(full_);
  }

  // The largest fingerprint that may still be among the n smallest.
  std::uint64_t bound() const { return bound_; }

  void add(std::uint64_t f) {
    kept_.push_back(f);
    if (kept_.size() == full_) cut();
  }

  void cut() {
    sort_features(kept_.data(), kept_.size(), static_cast<unsigned>(std::bit_width(bound_)));
    kept_.erase(std::unique(kept_.begin(), kept_.end()), kept_.end());
    if (kept_.size() < n_) return;
    kept_.resize(n_);
    bound_ = kept_.back();
  }

 private:
  std::size_t n_, full_;
  std::uint64_t bound_ = ~std::uint64_t{0};
  std::vector<std::uint64_t>& kept_;
};

template <class Test>
void collect(const Shingler& shingler, std::string_view text, Buffer& buffer, Test&& test) {
  const auto offer = [&](std::uint64_t f) {
    if (f <= buffer.bound() && test(f)) [[unlikely]] buffer.add(f);
  };
  if (shingler.plain()) {
    roll(shingler.roller(), text, [&](std::size_t, std::uint64_t f) { offer(f); });
  } else if (shingler.label()) {  // labels are known only when all shingles have been seen
    std::vector<std::uint64_t> all;
    shingler.all(text, all);
    for (const auto f : all) offer(f);
  } else {
    shingler.each(text, [&](std::uint64_t f, std::size_t, std::size_t) { offer(shingler.finish(f)); });
  }
}

}  // namespace

void sign_with(const Min& scheme, std::string_view text, Signature& out) {
  out.modulus = scheme.modulus;
  Buffer buffer(scheme.n, out.features);
  if (scheme.modulus == 1 || scheme.shingler.whole(text)) {  // a text compared whole must not be sampled away
    collect(scheme.shingler, text, buffer, [](std::uint64_t) { return true; });
  } else {
    const Divisor divisor(scheme.modulus);
    collect(scheme.shingler, text, buffer, [divisor](std::uint64_t f) { return divisor.divides(f); });
  }
  buffer.cut();
}

std::vector<PlacedFeature> place_with(const Min& scheme, std::string_view text) {
  Signature signature;
  sign_with(scheme, text, signature);
  std::vector<PlacedFeature> placed;
  for (const auto& [f, offset, bytes] : scheme.shingler.placed(text))
    if (std::binary_search(signature.features.begin(), signature.features.end(), f))
      placed.push_back({offset, f, static_cast<std::uint32_t>(scheme.modulus)});
  keep_first_places(placed);
  return placed;
}

}  // namespace nearkin
