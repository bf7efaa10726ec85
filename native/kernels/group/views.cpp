#include "group/views.hpp"

#include <algorithm>
#include <bit>
#include <numeric>

#include "base/parallel.hpp"
#include "base/uncleared.hpp"

namespace nearkin {
namespace {

// Strengths are spread between the least and 1, and few are equal: dealt into as many parts as there are links, hardly any
// need comparing. First into pieces, which are then dealt and sorted each near a core.
constexpr std::size_t kMostParts = std::size_t{1} << 20;
constexpr std::size_t kPieces = 64;

// In the order of all: what is small comes first.
struct Ranked {
  std::uint64_t weakness, nodes;
  std::uint32_t part, at;
};

class Order {
 public:
  Order(const Links& links, std::span<const double> more)
      : links_(links), more_(more), parts_(std::min(links.size(), kMostParts)), in_piece_(parts_ / kPieces + 1) {
    double least = 1.0;
    for (const double strength : links.strength) least = std::min(least, strength);
    scale_ = static_cast<double>(parts_) / (least < 1.0 ? 1.0 - least : 1.0);
  }

  std::vector<std::uint32_t> by_strength(unsigned threads) const {
    std::vector<std::size_t> ends(kPieces + 1, 0);  // where a piece begins, and once it is dealt where it ends
    for (const double strength : links_.strength) ++ends[part_of(strength) / in_piece_ + 1];
    std::partial_sum(ends.begin(), ends.end(), ends.begin());
    Uncleared<Ranked> dealt(links_.size());
    for (std::size_t i = 0; i < dealt.size(); ++i) {
      const std::size_t part = part_of(links_.strength[i]);
      dealt[ends[part / in_piece_]++] = ranked(i, part);
    }
    std::vector<std::uint32_t> order(links_.size());
    parallel_blocks(kPieces, 1, threads, [&](unsigned, std::size_t piece, std::size_t) {
      const std::size_t from = piece == 0 ? 0 : ends[piece - 1];
      sort(std::span(dealt).subspan(from, ends[piece] - from), piece * in_piece_, order.data() + from);
    });
    return order;
  }

 private:
  std::size_t part_of(double strength) const {
    const double weakness = (1.0 - strength) * scale_;
    return weakness <= 0.0 ? std::size_t{0} : std::min(parts_ - 1, static_cast<std::size_t>(weakness));
  }

  Ranked ranked(std::size_t at, std::size_t part) const {
    const std::uint64_t low = std::min(links_.a[at], links_.b[at]), high = std::max(links_.a[at], links_.b[at]);
    // Doubles that are not negative are in the order of their bits; + 0.0 makes one zero of both.
    return {~std::bit_cast<std::uint64_t>(links_.strength[at] + 0.0), low << 32 | high, static_cast<std::uint32_t>(part),
            static_cast<std::uint32_t>(at)};
  }

  void sort(std::span<const Ranked> piece, std::size_t first_part, std::uint32_t* to) const {
    std::vector<std::uint32_t> ends(in_piece_ + 1, 0);
    for (const Ranked& one : piece) ++ends[one.part - first_part + 1];
    std::partial_sum(ends.begin(), ends.end(), ends.begin());
    Uncleared<Ranked> sorted(piece.size());
    for (const Ranked& one : piece) sorted[ends[one.part - first_part]++] = one;
    for (std::size_t part = 0, from = 0; part < in_piece_; from = ends[part++])
      if (ends[part] - from > 1)
        std::sort(sorted.begin() + static_cast<std::ptrdiff_t>(from), sorted.begin() + ends[part],
                  [this](const Ranked& x, const Ranked& y) { return comes_first(x, y); });
    std::transform(sorted.begin(), sorted.end(), to, [](const Ranked& one) { return one.at; });
  }

  bool comes_first(const Ranked& x, const Ranked& y) const {
    if (x.weakness != y.weakness) return x.weakness < y.weakness;
    if (!more_.empty() && more_[x.at] != more_[y.at]) return more_[x.at] > more_[y.at];
    return x.nodes < y.nodes;
  }

  const Links& links_;
  std::span<const double> more_;
  std::size_t parts_, in_piece_;
  double scale_;
};

}  // namespace

std::vector<std::uint32_t> strongest_first(const Links& links, std::span<const double> more, unsigned threads) {
  return Order(links, more).by_strength(threads);
}

}  // namespace nearkin
