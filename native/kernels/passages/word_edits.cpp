#include "passages/word_edits.hpp"

#include <algorithm>
#include <cstdlib>
#include <unordered_map>

namespace nearkin {
namespace {

using Index = std::int32_t;
constexpr Index kUnreached = -0x40000000;

struct Words {
  std::vector<Index> ids;
  std::vector<std::uint64_t> starts;
  std::string_view text;

  Index size() const { return static_cast<Index>(ids.size()); }
  std::uint64_t start(Index word) const { return word < size() ? starts[word] : text.size(); }
  std::uint64_t end(Index word) const {  // the end of the word before this one
    return word == size() ? text.size() : starts[word] - 1;
  }
};

using Names = std::unordered_map<std::string_view, Index>;

Words words_of(std::string_view text, Names& names) {
  Words words{{}, {}, text};
  if (text.empty()) return words;
  for (std::size_t start = 0; start <= text.size();) {
    const std::size_t end = std::min(text.find(' ', start), text.size());
    const std::string_view word = text.substr(start, end - start);
    words.ids.push_back(names.try_emplace(word, static_cast<Index>(names.size())).first->second);
    words.starts.push_back(start);
    start = end + 1;
  }
  return words;
}

// fronts_[e][k + e] is how many words of A the diagonal k (word of B less word of A) gets past with e edits.
class Fronts {
 public:
  Fronts(const Words& a, const Words& b) : a_(a), b_(b) {}

  std::optional<std::uint64_t> run(std::uint32_t most) {
    const Index goal = b_.size() - a_.size();
    const auto limit = static_cast<Index>(std::min<std::uint64_t>(most, std::max(a_.size(), b_.size())));
    if (std::abs(goal) > limit) return {};
    for (Index edits = 0; edits <= limit; ++edits) {
      fronts_.emplace_back(2 * static_cast<std::size_t>(edits) + 1, kUnreached);
      for (Index k = -edits; k <= edits; ++k) fronts_.back()[k + edits] = slide(k, edits == 0 ? 0 : best(edits - 1, k));
      if (std::abs(goal) <= edits && reached(edits, goal) == a_.size()) return edits;
    }
    return {};
  }

  // Goes backwards from the end, one edit for each front.
  std::vector<Edit> edits() const {
    std::vector<Edit> result;
    Index k = b_.size() - a_.size();
    for (Index edits = static_cast<Index>(fronts_.size()) - 1; edits > 0; --edits) {
      const Index from = best(edits - 1, k);  // where the edit ended and the slide began
      Index before = k, at = from;
      if (reached(edits - 1, k) + 1 == from) {
        at = from - 1;
      } else if (reached(edits - 1, k + 1) + 1 == from) {
        before = k + 1, at = from - 1;
      } else {
        before = k - 1;
      }
      result.push_back(span(at, from, at + before, from + k));
      k = before;
    }
    std::reverse(result.begin(), result.end());
    return result;
  }

 private:
  Index reached(Index edits, Index k) const {
    return edits < 0 || std::abs(k) > edits ? kUnreached : fronts_[edits][k + edits];
  }

  // Returns how far one more edit gets: a replacement, a deletion from A or an insertion from B, not past an end.
  Index best(Index edits, Index k) const {
    Index farthest = kUnreached;
    for (const Index reach : {reached(edits, k) + 1, reached(edits, k + 1) + 1, reached(edits, k - 1)})
      if (reach <= a_.size() && reach + k <= b_.size()) farthest = std::max(farthest, reach);
    return farthest;
  }

  Index slide(Index k, Index x) const {
    if (x < 0 || x + k < 0) return kUnreached;
    while (x < a_.size() && x + k < b_.size() && a_.ids[x] == b_.ids[x + k]) ++x;
    return x;
  }

  Edit span(Index a, Index a_end, Index b, Index b_end) const {
    const auto bytes = [](const Words& words, Index from, Index to) {
      const std::uint64_t start = words.start(from);
      return std::pair{start, to > from ? words.end(to) : start};
    };
    const auto [a0, a1] = bytes(a_, a, a_end);
    const auto [b0, b1] = bytes(b_, b, b_end);
    return {a0, a1, b0, b1};
  }

  const Words& a_;
  const Words& b_;
  std::vector<std::vector<Index>> fronts_;
};

// Merges edits with nothing but a space between them.
std::vector<Edit> merged(const std::vector<Edit>& edits) {
  std::vector<Edit> result;
  const auto meets = [](std::uint64_t start, std::uint64_t end, std::uint64_t next) {
    return next == end + (end > start ? 1 : 0) || next == end;
  };
  for (const Edit& edit : edits) {
    if (!result.empty()) {
      Edit& last = result.back();
      if (meets(last.a_start, last.a_end, edit.a_start) && meets(last.b_start, last.b_end, edit.b_start)) {
        if (edit.a_end > edit.a_start) last.a_end = edit.a_end;
        if (edit.b_end > edit.b_start) last.b_end = edit.b_end;
        if (last.a_end == last.a_start) last.a_start = last.a_end = edit.a_start;
        if (last.b_end == last.b_start) last.b_start = last.b_end = edit.b_start;
        continue;
      }
    }
    result.push_back(edit);
  }
  return result;
}

}  // namespace

std::optional<WordEdits> word_edits(std::string_view a, std::string_view b, std::uint32_t most) {
  Names names;
  const Words first = words_of(a, names), second = words_of(b, names);
  Fronts fronts(first, second);
  const auto distance = fronts.run(most);
  if (!distance) return {};
  return WordEdits{*distance, merged(fronts.edits())};
}

}  // namespace nearkin
