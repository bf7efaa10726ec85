#include "text/canon.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#if defined(__SSE2__)
#include <emmintrin.h>
#endif

#include "text/encoding.hpp"
#include "text/unicode.hpp"

namespace nearkin {
namespace {

using unicode::Changed;
using unicode::How;

enum class Act : std::uint8_t { separate, keep, keep_after, drop, cluster };

struct Rules {
  unsigned ignored;
  std::array<Act, 8> acts;      // for each unicode::Kind that stays as it is
  std::array<char, 128> ascii;  // the result for each character; a space where it separates
};

Rules make_rules(unsigned ignored) {
  const auto keep_unless = [ignored](unsigned what) { return (ignored & what) != 0 ? Act::separate : Act::keep; };
  Rules rules{ignored,
              {Act::separate, keep_unless(ignore::kPunctuation), Act::keep, keep_unless(ignore::kDigits),
               Act::keep_after, Act::drop, Act::cluster, Act::cluster},
              {}};
  for (int c = 0; c < 128; ++c) {
    const unicode::Kind kind = unicode::kind_of(unicode::entry_of(static_cast<char32_t>(c)));
    const bool fold = c >= 'A' && c <= 'Z' && (ignored & ignore::kCase) != 0;
    rules.ascii[c] = rules.acts[kind] != Act::keep ? ' ' : static_cast<char>(fold ? c + 32 : c);
  }
  return rules;
}

// The rules are made once: most texts are short, and 128 look-ups would be a third of their time.
const Rules& rules_for(unsigned ignored) {
  static const std::array<Rules, 16> all = [] {
    std::array<Rules, 16> rules{};
    for (unsigned i = 0; i < rules.size(); ++i) rules[i] = make_rules(i);
    return rules;
  }();
  return all[ignored % all.size()];
}

// The blocks Combining Diacritical Marks, Extended, Supplement, and for Symbols. Their marks with a class are
// nonspacing.
bool in_accent_block(char32_t c) {
  return (c >= 0x300 && c < 0x370) || (c >= 0x1AB0 && c < 0x1B00) || (c >= 0x1DC0 && c < 0x1E00) ||
         (c >= 0x20D0 && c < 0x2100);
}

template <bool mapping>
class Canonicaliser {
 public:
  Canonicaliser(std::string_view utf8, unsigned ignored, std::string& out, std::vector<std::uint64_t>* origin)
      : p_(utf8.data()),
        end_(p_ + utf8.size()),
        ignored_(rules_for(ignored).ignored),
        acts_(rules_for(ignored).acts),
        ascii_(rules_for(ignored).ascii),
        out_(out),
        origin_(origin) {
    make_room(utf8.size() + kSlack);
  }

  void run() {
    while (p_ != end_) {
      if (static_cast<signed char>(*p_) >= 0) {
        ascii();
      } else {
        beyond_ascii();
      }
    }
    if (size_ != 0 && !kept_before()) --size_;
    out_.resize(size_);
    if constexpr (mapping) origin_->resize(size_);
  }

 private:
  static constexpr std::size_t kSlack = 32;

  // Makes room for the rest of the input, should it all stay as it is, and for `more` bytes.
  void room_for(std::size_t more) {
    const std::size_t needed = size_ + static_cast<std::size_t>(end_ - p_) + more + kSlack;
    if (needed > out_.size()) make_room(needed + needed / 4);
  }

  void make_room(std::size_t bytes) {
    out_.resize(bytes);
    if constexpr (mapping) origin_->resize(bytes);
    base_ = out_.data();
  }

  bool kept_before() const { return size_ != 0 && base_[size_ - 1] != ' '; }
  bool ignores(unsigned what) const { return (ignored_ & what) != 0; }

  void stamp(std::size_t bytes, std::uint64_t index) {
    if constexpr (mapping) std::fill_n(origin_->data() + size_, bytes, index);
  }

  void put(char32_t c, std::uint64_t index) {
    const unsigned length = encode_one(c, base_ + size_);
    stamp(length, index);
    size_ += length;
  }

  void separate(std::uint64_t index) {
    if (!kept_before()) return;
    stamp(1, index);
    base_[size_++] = ' ';
  }

  void pass(unsigned bytes) { p_ += bytes, ++index_; }

  void copy(unsigned bytes, std::uint64_t index) {
    for (unsigned i = 0; i < bytes; ++i) base_[size_ + i] = p_[i];
    stamp(bytes, index);
    size_ += bytes;
    pass(bytes);
  }

  void ascii() {
#if defined(__SSE2__)
    constexpr unsigned kShape = ignore::kCase | ignore::kPunctuation | ignore::kDigits;
    if ((ignored_ & kShape) == ignore::kDefault) {
      ascii_by_16<true>();
    } else {
      ascii_by_16<false>();
    }
#endif
    ascii_by_1();
  }

  void ascii_by_1() {
    for (; p_ != end_ && static_cast<signed char>(*p_) >= 0; pass(1)) {
      const char c = ascii_[static_cast<unsigned char>(*p_)];
      if (c == ' ') {
        separate(index_);
      } else {
        stamp(1, index_);
        base_[size_++] = c;
      }
    }
  }

#if defined(__SSE2__)
  static __m128i in_range(__m128i bytes, char first, int count) {
    const __m128i shifted = _mm_add_epi8(bytes, _mm_set1_epi8(static_cast<char>(-128 - first)));
    return _mm_cmplt_epi8(shifted, _mm_set1_epi8(static_cast<char>(-128 + count)));
  }

  struct Block {
    __m128i kept, text;
  };

  // Returns which of 16 bytes stay, and the bytes as they are written: spaces where nothing stays.
  template <bool usual>
  Block block(__m128i bytes) const {
    const __m128i bit5 = _mm_set1_epi8(0x20);
    const __m128i letters = in_range(_mm_or_si128(bytes, bit5), 'a', 26);
    const __m128i digits = in_range(bytes, '0', 10);
    if constexpr (usual) {
      // Lower case and digits have bit 5 already, upper case gets it, and of all other bytes nothing but bit 5 remains.
      const __m128i kept = _mm_or_si128(letters, digits);
      return {kept, _mm_or_si128(_mm_and_si128(bytes, kept), bit5)};
    }
    const auto unless = [this](unsigned what) { return _mm_set1_epi8(ignores(what) ? 0 : -1); };
    const __m128i marks = _mm_andnot_si128(_mm_or_si128(letters, digits), in_range(bytes, '!', 94));
    const __m128i kept = _mm_or_si128(letters, _mm_or_si128(_mm_and_si128(digits, unless(ignore::kDigits)),
                                                            _mm_and_si128(marks, unless(ignore::kPunctuation))));
    const __m128i folded = _mm_and_si128(_mm_andnot_si128(unless(ignore::kCase), letters), bit5);
    const __m128i spaces = _mm_andnot_si128(kept, bit5);
    return {kept, _mm_or_si128(_mm_and_si128(bytes, kept), _mm_or_si128(folded, spaces))};
  }

  // Stops where two spaces would meet, at a byte beyond ASCII, and short of the end.
  template <bool usual>
  void ascii_by_16() {
    unsigned space_before = kept_before() ? 0 : 1;
    while (end_ - p_ >= 16) {
      const __m128i bytes = _mm_loadu_si128(reinterpret_cast<const __m128i*>(p_));
      const auto [kept, text] = block<usual>(bytes);
      _mm_storeu_si128(reinterpret_cast<__m128i*>(base_ + size_), text);
      const unsigned high = static_cast<unsigned>(_mm_movemask_epi8(bytes));
      const unsigned spaces = static_cast<unsigned>(_mm_movemask_epi8(kept)) ^ 0xFFFF;
      const unsigned stop = high | (spaces & (spaces << 1 | space_before));
      const unsigned taken = stop == 0 ? 16 : static_cast<unsigned>(std::countr_zero(stop));
      if constexpr (mapping) {
        for (unsigned i = 0; i < taken; ++i) (*origin_)[size_ + i] = index_ + i;
      }
      p_ += taken, size_ += taken, index_ += taken;
      space_before = spaces >> 15;
      if (stop == 0) continue;
      if ((high >> taken & 1) != 0) return;
      do pass(1);
      while (p_ != end_ && static_cast<signed char>(*p_) >= 0 && ascii_[static_cast<unsigned char>(*p_)] == ' ');
      space_before = 1;
    }
  }
#endif

  void beyond_ascii() {
    const auto [code, length] = decode_one(p_, end_);
    if (length == 0) return separate(index_), pass(1);
    const std::uint32_t entry = unicode::entry_of(code);
    if (entry >= unicode::kStrings) return change(entry, length);
    if (entry >= unicode::kAccent) return accent(entry, length);
    switch (acts_[entry]) {
      case Act::keep: return copy(length, index_);
      case Act::separate: return separate(index_), pass(length);
      case Act::keep_after:
        if (kept_before()) return copy(length, index_);
        return separate(index_), pass(length);
      case Act::drop:
        if (accent_end_ == p_) accent_end_ += length;
        return pass(length);
      case Act::cluster: return cluster(true);
    }
  }

  void change(std::uint32_t entry, unsigned length) {
    const Changed changed(entry);
    const bool simple = ignores(ignore::kCase) && !ignores(ignore::kAccents) &&
                        !(changed.has_number() && ignores(ignore::kDigits));
    switch (changed.how()) {
      case How::mapped_separator:
        if (!ignores(ignore::kPunctuation)) break;
        return separate(index_), pass(length);
      case How::mapped_mark:
        if (!kept_before()) break;
        [[fallthrough]];
      case How::mapped: {
        if (!simple) break;
        const Changed::Units composed = changed.composed();
        if (composed.length > 1) room_for(4 * composed.length);
        if (length < 3) room_for(4);
        unicode::each_code_point(composed, [this](char32_t c) { put(c, index_); });
        return pass(length);
      }
      case How::slow: break;
    }
    cluster(changed.joins());
  }

  // Writes a mark that cannot compose, provided that it is in canonical order.
  void accent(std::uint32_t entry, unsigned length) {
    if (entry >= unicode::kJoiningAccent || ignores(ignore::kAccents)) return cluster(true);
    if (!kept_before()) return pass(length);
    const std::uint8_t order = static_cast<std::uint8_t>(entry & 255);
    if (accent_end_ == p_ && accent_order_ > order) return cluster(true);
    std::uint64_t starter = 0;
    if constexpr (mapping) starter = (*origin_)[size_ - 1];
    copy(length, starter);
    accent_end_ = p_;
    accent_order_ = order;
  }

  // The slow path: decomposes a starter and the characters that may join it, orders and composes them, writes the rest.
  void cluster(bool joins) {
    if (joins && kept_before()) step_back();
    items_.clear();
    do {
      const auto [code, length] = decode_one(p_, end_);
      take_apart(code);
      pass(length);
    } while (more_joins());
    put_in_order(items_);
    compose_in_place(items_);
    room_for(4 * items_.size());
    for (const Item& item : items_) write(item);
  }

  // Goes back to the starter. It was written on the fast path, so it stayed, and so did every mark since.
  void step_back() {
    for (;;) {
      const char* const after = p_;
      do --p_;
      while ((static_cast<unsigned char>(*p_) & 0xC0) == 0x80);
      --index_;
      const char32_t code = decode_one(p_, after).value;
      const std::uint32_t entry = unicode::entry_of(code);
      if (entry == unicode::dropped) continue;
      if (entry < unicode::kStrings || code < 0x80) {
        size_ -= static_cast<std::size_t>(after - p_);
      } else {
        char scratch[4];
        unicode::each_code_point(Changed(entry).composed(), [&](char32_t c) { size_ -= encode_one(c, scratch); });
      }
      if (!unicode::joins(entry)) return;
    }
  }

  bool more_joins() const {
    if (p_ == end_ || static_cast<signed char>(*p_) >= 0) return false;
    const auto [code, length] = decode_one(p_, end_);
    if (length == 0) return false;
    const std::uint32_t entry = unicode::entry_of(code);
    return entry == unicode::dropped || unicode::joins(entry);
  }

  void take_apart(char32_t code) {
    if (unicode::hangul::is_syllable(code)) {
      using namespace unicode::hangul;
      const char32_t place = code - kFirst;
      items_.push_back({kLead + place / (kVowels * kTails), 0, index_});
      items_.push_back({kVowel + place / kTails % kVowels, 0, index_});
      if (place % kTails != 0) items_.push_back({kTail + place % kTails, 0, index_});
      return;
    }
    const std::uint32_t entry = unicode::entry_of(code);
    if (entry < unicode::kStrings) return add(code);
    const Changed changed(entry);
    const auto parts = ignores(ignore::kCase) ? changed.folded() : changed.plain();
    unicode::each_code_point(parts, [this](char32_t c) { add(c); });
  }

  void add(char32_t code) {
    const std::uint32_t entry = unicode::entry_of(code);
    const std::uint8_t order = unicode::order_of(code, entry);
    if (entry == unicode::dropped || (order != 0 && ignores(ignore::kAccents) && in_accent_block(code))) return;
    items_.push_back({code, order, index_});
  }

  void write(const Item& item) {
    const Act act = acts_[unicode::kind_of(unicode::entry_of(item.code))];
    if (act == Act::keep || (act == Act::keep_after && kept_before())) {
      put(item.code, item.origin);
    } else {
      separate(item.origin);
    }
  }

  const char* p_;
  const char* const end_;
  std::uint64_t index_ = 0;  // the index of *p_ in code points
  const unsigned ignored_;
  const std::array<Act, 8>& acts_;
  const std::array<char, 128>& ascii_;

  std::string& out_;
  std::vector<std::uint64_t>* const origin_;
  char* base_ = nullptr;
  std::size_t size_ = 0;

  const char* accent_end_ = nullptr;  // the end of the last mark written on the fast path, and its class
  std::uint8_t accent_order_ = 0;
  std::vector<Item> items_;
};

}  // namespace

void canonical(std::string_view utf8, unsigned ignored, std::string& out) {
  Canonicaliser<false>(utf8, ignored, out, nullptr).run();
}

void canonical_map(std::string_view utf8, unsigned ignored, std::string& out, std::vector<std::uint64_t>& origin) {
  Canonicaliser<true>(utf8, ignored, out, &origin).run();
}

namespace {

// Returns how many bytes a line end at `at` has; 0 where there is none.
std::size_t line_end(std::string_view text, std::size_t at) {
  const auto byte = [&](std::size_t i) { return at + i < text.size() ? static_cast<unsigned char>(text[at + i]) : 0; };
  const unsigned char first = static_cast<unsigned char>(text[at]);
  if (first == '\r') return byte(1) == '\n' ? 2 : 1;
  if (first >= '\n' && first < '\r') return 1;
  if (first == 0xC2 && byte(1) == 0x85) return 2;
  if (first == 0xE2 && byte(1) == 0x80 && (byte(2) == 0xA8 || byte(2) == 0xA9)) return 3;
  return 0;
}

// Calls visit(line, offset of its first byte) for every line, empty ones too.
template <class Visit>
void each_line(std::string_view text, Visit&& visit) {
  std::size_t begin = 0;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = line_end(text, at);
    if (end != 0) {
      visit(text.substr(begin, at - begin), begin);
      begin = at + end;
    }
    at += end == 0 ? 1 : end;
  }
  if (begin < text.size()) visit(text.substr(begin), begin);
}

// Counts characters as canonical_map does: a byte that is not UTF-8 is one.
std::uint64_t characters(std::string_view text) {
  std::uint64_t count = 0;
  for (const char *at = text.data(), *const end = at + text.size(); at != end; ++count) {
    const unsigned length = decode_one(at, end).length;
    at += length == 0 ? 1 : length;
  }
  return count;
}

}  // namespace

void canonical_lines(std::string_view utf8, unsigned ignored, std::string& out) {
  out.clear();
  std::string canonical_line;
  each_line(utf8, [&](std::string_view line, std::size_t) {
    canonical(line, ignored, canonical_line);
    if (canonical_line.empty()) return;
    if (!out.empty()) out += '\n';
    out += canonical_line;
  });
}

void canonical_lines_map(std::string_view utf8, unsigned ignored, std::string& out,
                         std::vector<std::uint64_t>& origin) {
  out.clear();
  origin.clear();
  std::string canonical_line;
  std::vector<std::uint64_t> from;
  std::uint64_t index = 0, ended = 0;  // the index of the line's first character, and of the end of the last line kept
  std::size_t counted = 0;             // the bytes that `index` counts
  each_line(utf8, [&](std::string_view line, std::size_t begin) {
    index += characters(utf8.substr(counted, begin - counted));
    counted = begin;
    canonical_map(line, ignored, canonical_line, from);
    if (canonical_line.empty()) return;
    if (!out.empty()) {
      out += '\n';
      origin.push_back(ended);
    }
    out += canonical_line;
    for (const auto at : from) origin.push_back(index + at);
    ended = index + characters(line);
  });
}

}  // namespace nearkin
