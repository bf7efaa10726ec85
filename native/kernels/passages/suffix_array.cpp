#include "passages/suffix_array.hpp"

#include <algorithm>

namespace nearkin {
namespace {

using Index = std::int32_t;
constexpr Index kNone = -1;
constexpr Index kAhead = 24;

template <class Symbol>
class Sorter {
 public:
  Sorter(const Symbol* text, Index* array, Index length, Index alphabet)
      : text_(text),
        array_(array),
        length_(length),
        buckets_(static_cast<std::size_t>(alphabet)),
        counts_(static_cast<std::size_t>(alphabet)),
        rises_(static_cast<std::size_t>(length)) {
    for (Index i = 0; i < length; ++i) ++counts_[text[i]];
    // A suffix rises where it is smaller than the next one.
    rises_[length - 1] = true;
    for (Index i = length - 2; i >= 0; --i)
      rises_[i] = text[i] < text[i + 1] || (text[i] == text[i + 1] && rises_[i + 1]);
  }

  void run() {
    if (length_ == 1) {
      array_[0] = 0;
      return;
    }
    std::fill_n(array_, length_, kNone);
    find_ends();
    for (Index i = 1; i < length_; ++i)
      if (begins_descent(i)) array_[--buckets_[text_[i]]] = i;
    induce();
    const Index pieces = gather();
    const Index names = name(pieces);
    order(pieces, names);
    spread(pieces);
    induce();
  }

 private:
  bool begins_descent(Index i) const { return i > 0 && rises_[i] && !rises_[i - 1]; }

  void find_starts() {
    Index sum = 0;
    for (std::size_t symbol = 0; symbol < buckets_.size(); ++symbol) {
      buckets_[symbol] = sum;
      sum += counts_[symbol];
    }
  }
  void find_ends() {
    Index sum = 0;
    for (std::size_t symbol = 0; symbol < buckets_.size(); ++symbol) buckets_[symbol] = sum += counts_[symbol];
  }

  // The symbols of a suffix may be anywhere in memory: prefetched in time, they are there when they are needed.
  void fetch(Index i) const {
    if (i >= 0 && i < length_) __builtin_prefetch(text_ + std::max(array_[i] - 1, 0));
  }

  // Whether the suffix before one falls or rises follows from the two symbols, and where they are equal from the suffix
  // itself: in the first sweep it falls, or begins a descent after which none is equal; in the second sweep the
  // suffixes that rise are those already placed. So the text is read only where it is needed anyway.
  void induce() {
    find_starts();
    for (Index i = 0; i < length_; ++i) {
      fetch(i + kAhead);
      const Index at = array_[i];
      if (at > 0 && text_[at - 1] >= text_[at]) array_[buckets_[text_[at - 1]]++] = at - 1;
    }
    find_ends();
    for (Index i = length_ - 1; i >= 0; --i) {
      fetch(i - kAhead);
      const Index at = array_[i];
      if (at <= 0) continue;
      const Symbol symbol = text_[at - 1], next = text_[at];
      if (symbol < next || (symbol == next && i >= buckets_[next])) array_[--buckets_[symbol]] = at - 1;
    }
  }

  // Moves the pieces between descents, sorted by now, to the front.
  Index gather() {
    Index pieces = 0;
    for (Index i = 0; i < length_; ++i)
      if (begins_descent(array_[i])) array_[pieces++] = array_[i];
    return pieces;
  }

  bool alike(Index a, Index b) const {
    for (Index i = 0;; ++i) {
      if (a + i >= length_ || b + i >= length_ || text_[a + i] != text_[b + i] || rises_[a + i] != rises_[b + i])
        return false;
      if (i > 0 && (begins_descent(a + i) || begins_descent(b + i)))
        return begins_descent(a + i) && begins_descent(b + i);
    }
  }

  // Gives equal pieces one name. No two pieces begin next to each other, so half their places are room enough.
  Index name(Index pieces) {
    std::fill(array_ + pieces, array_ + length_, kNone);
    Index names = 0, before = kNone;
    for (Index i = 0; i < pieces; ++i) {
      const Index at = array_[i];
      if (before == kNone || !alike(before, at)) ++names;
      before = at;
      array_[pieces + at / 2] = names - 1;
    }
    for (Index from = length_ - 1, to = length_ - 1; from >= pieces; --from)
      if (array_[from] != kNone) array_[to--] = array_[from];
    return names;
  }

  void order(Index pieces, Index names) {
    Index* const reduced = array_ + length_ - pieces;
    if (names < pieces) {
      Sorter<Index>(reduced, array_, pieces, names).run();
    } else {
      for (Index i = 0; i < pieces; ++i) array_[reduced[i]] = i;
    }
    for (Index i = 1, piece = 0; i < length_; ++i)
      if (begins_descent(i)) reduced[piece++] = i;
    for (Index i = 0; i < pieces; ++i) array_[i] = reduced[array_[i]];
  }

  // Moves them back from the front to the ends of their buckets.
  void spread(Index pieces) {
    std::fill(array_ + pieces, array_ + length_, kNone);
    find_ends();
    for (Index i = pieces - 1; i >= 0; --i) {
      const Index at = array_[i];
      array_[i] = kNone;
      array_[--buckets_[text_[at]]] = at;
    }
  }

  const Symbol* text_;
  Index* array_;
  Index length_;
  std::vector<Index> buckets_, counts_;
  std::vector<bool> rises_;
};

template <class Symbol>
std::vector<Index> sorted(std::span<const Symbol> text, Index alphabet) {
  std::vector<Index> array(text.size());
  if (!text.empty()) Sorter<Symbol>(text.data(), array.data(), static_cast<Index>(text.size()), alphabet).run();
  return array;
}

}  // namespace

std::vector<Index> suffix_array(std::span<const std::uint8_t> text, Index alphabet) { return sorted(text, alphabet); }
std::vector<Index> suffix_array(std::span<const std::uint16_t> text, Index alphabet) { return sorted(text, alphabet); }

}  // namespace nearkin
