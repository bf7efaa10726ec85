// Writes visible text: collapses white space, and holds separators back until there is a word to separate.
#pragma once

#include <bit>
#include <cstdint>
#include <cstring>
#include <string_view>
#if defined(__SSE2__)
#include <emmintrin.h>
#endif

namespace nearkin {

enum class Gap : std::uint8_t { none, space, tab, line };  // the stronger wins

class TextWriter {
 public:
  // Copies 16 bytes at a time: `out` must have that much room beyond what is written.
  static constexpr std::size_t kSlack = 16;

  explicit TextWriter(char* out) : begin_(out), at_(out) {}

  std::size_t size() const { return static_cast<std::size_t>(at_ - begin_); }

  // What was written since there were so many bytes, without the white space it begins with.
  std::string_view since(std::size_t size) const {
    const char* from = begin_ + size;
    while (from != at_ && (*from == '\n' || *from == '\t' || *from == ' ')) ++from;
    return {from, static_cast<std::size_t>(at_ - from)};
  }

  void gap(Gap gap) {
    if (gap > gap_) gap_ = gap;
  }

  void put(const char* bytes, std::size_t length) {
    close_gap();
    std::memcpy(at_, bytes, length);
    at_ += length;
  }

  // Copies text up to the next '<', '&', control character or (when collapsing) second space in a row. The first byte
  // is taken whatever it is. A last single space is taken back and becomes a gap.
  template <bool collapse>
  const char* run(const char* p, const char* end) {
    close_gap();
    *at_++ = *p++;
#if defined(__SSE2__)
    unsigned space_before = 0;
    while (end - p >= 16) {
      const __m128i bytes = _mm_loadu_si128(reinterpret_cast<const __m128i*>(p));
      _mm_storeu_si128(reinterpret_cast<__m128i*>(at_), bytes);
      const __m128i control = _mm_cmpeq_epi8(_mm_min_epu8(bytes, _mm_set1_epi8(0x1F)), bytes);
      const __m128i mark_up =
          _mm_or_si128(_mm_cmpeq_epi8(bytes, _mm_set1_epi8('<')), _mm_cmpeq_epi8(bytes, _mm_set1_epi8('&')));
      unsigned stop = static_cast<unsigned>(_mm_movemask_epi8(_mm_or_si128(control, mark_up)));
      if constexpr (collapse) {
        const unsigned spaces = static_cast<unsigned>(_mm_movemask_epi8(_mm_cmpeq_epi8(bytes, _mm_set1_epi8(' '))));
        stop |= spaces & (spaces << 1 | space_before);
        space_before = spaces >> 15;
      }
      if (stop != 0) {
        const int taken = std::countr_zero(stop);
        at_ += taken;
        if (collapse) take_back_space();
        return p + taken;
      }
      p += 16, at_ += 16;
    }
#endif
    for (; p != end; ++p) {
      const auto byte = static_cast<unsigned char>(*p);
      if (byte < 0x20 || byte == '<' || byte == '&') break;
      if (collapse && byte == ' ' && at_[-1] == ' ') break;
      *at_++ = *p;
    }
    if (collapse) take_back_space();
    return p;
  }

 private:
  void take_back_space() {
    if (at_[-1] == ' ') --at_, gap(Gap::space);
  }

  void close_gap() {
    if (gap_ == Gap::none) return;
    static constexpr char kGaps[] = {0, ' ', '\t', '\n'};
    if (at_ != begin_ && at_[-1] != '\n') *at_++ = kGaps[static_cast<int>(gap_)];
    gap_ = Gap::none;
  }

  char* const begin_;
  char* at_;
  Gap gap_ = Gap::none;
};

}  // namespace nearkin
