#include "passages/following.hpp"

#include <algorithm>
#include <optional>
#include <utility>

namespace nearkin {
namespace {

// Where a window may begin: with a word, or with any letter of scripts that may write without spaces.
bool begins(std::string_view text, std::uint64_t at, Characters characters) {
  if (characters.reading == Reading::bytes || at == 0) return true;
  const auto byte = static_cast<unsigned char>(text[at]);
  return byte >= 0xC0 || (byte < 0x80 && byte != ' ' && text[at - 1] == ' ');
}

// Where the windows of B stand, by what is in them.
class Windows {
 public:
  Windows(std::string_view text, std::size_t wide, Characters characters) : text_(text), wide_(wide) {
    for (std::uint64_t at = 0; at + wide <= text.size(); ++at)
      if (begins(text, at, characters)) places_.push_back({mark(text.substr(at, wide)), static_cast<std::uint32_t>(at)});
    std::sort(places_.begin(), places_.end());
  }

  // The first place from here on.
  std::optional<std::uint64_t> next(std::string_view window, std::uint64_t from) const {
    const std::uint32_t wanted = mark(window);
    auto found = std::lower_bound(places_.begin(), places_.end(), std::pair{wanted, static_cast<std::uint32_t>(from)});
    for (int i = 0; i < kOther && found != places_.end() && found->first == wanted; ++found, ++i)
      if (text_.substr(found->second, wide_) == window) return found->second;
    return {};
  }

 private:
  static constexpr int kOther = 8;  // windows of the same mark that are none

  static std::uint32_t mark(std::string_view window) {
    std::uint64_t hash = 14695981039346656037u;
    for (const char c : window) hash = (hash ^ static_cast<unsigned char>(c)) * 1099511628211u;
    return static_cast<std::uint32_t>(hash ^ (hash >> 32));
  }

  std::string_view text_;
  std::size_t wide_;
  std::vector<std::pair<std::uint32_t, std::uint32_t>> places_;
};

constexpr std::uint64_t kLook = 5;  // times as many bytes surely hold so many characters and a space at either end

std::uint64_t same(std::string_view a, std::string_view b) {
  return static_cast<std::uint64_t>(std::mismatch(a.begin(), a.end(), b.begin(), b.end()).first - a.begin());
}

}  // namespace

std::vector<Passage> followed(std::string_view a, std::string_view b, std::uint64_t least, Reading reading) {
  const Characters characters{reading};
  std::vector<Passage> found;
  if (std::min(a.size(), b.size()) < least) return found;
  const Windows windows(b, least, characters);
  std::uint64_t at_a = 0, at_b = 0;
  while (at_a + least <= a.size() && at_b + least <= b.size()) {
    std::optional<std::pair<std::uint64_t, std::uint64_t>> best;
    std::uint64_t skipped = a.size() + b.size();
    for (std::uint64_t i = at_a; i + least <= a.size() && i - at_a < skipped; ++i) {
      if (!begins(a, i, characters) && i != at_a) continue;
      const auto there = windows.next(a.substr(i, least), at_b);
      if (!there || (i - at_a) + (*there - at_b) >= skipped) continue;
      const Stretch run = characters.trimmed(a, {i, i + same(a.substr(i, kLook * least), b.substr(*there, kLook * least))});
      if (characters.count(a, run.start, run.end, least) < least) continue;
      best = {i, *there};
      skipped = (i - at_a) + (*there - at_b);
    }
    if (!best) break;
    const auto [start_a, start_b] = *best;
    const Stretch run = characters.trimmed(a, {start_a, start_a + same(a.substr(start_a), b.substr(start_b))});
    found.push_back({run.start, run.end, start_b + (run.start - start_a), start_b + (run.end - start_a)});
    at_a = found.back().a_end, at_b = found.back().b_end;
  }
  return found;
}

}  // namespace nearkin
