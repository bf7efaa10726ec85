#include "text/encoding.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstring>
#include <iterator>

namespace nearkin {
namespace {

constexpr std::uint64_t kTopBits = 0x8080808080808080;

std::uint64_t word_at(const char* at) {
  std::uint64_t word;
  std::memcpy(&word, at, sizeof word);
  return word;
}

}  // namespace

bool valid_utf8(std::string_view bytes) {
  const char* at = bytes.data();
  const char* const end = at + bytes.size();
  while (at != end) {
    if (static_cast<unsigned char>(*at) < 0x80) {
      while (end - at >= 32) {
        const std::uint64_t all = word_at(at) | word_at(at + 8) | word_at(at + 16) | word_at(at + 24);
        if ((all & kTopBits) != 0) break;
        at += 32;
      }
      while (at != end && static_cast<unsigned char>(*at) < 0x80) ++at;
      continue;
    }
    const unsigned length = decode_one(at, end).length;
    if (length == 0) return false;
    at += length;
  }
  return true;
}

std::size_t count_code_points(std::string_view utf8) {
  std::size_t count = 0;  // a plain loop: the compiler vectorises it
  for (const char byte : utf8) count += static_cast<signed char>(byte) >= -64 ? 1 : 0;
  return count;
}

namespace {

constexpr std::size_t kLatinSample = 512, kSample = 4096;  // bytes
constexpr std::size_t kFewest = 4;                         // characters of the shortest text that is recognised
constexpr std::size_t kWithoutStop = 100;                  // characters for each space, line end or stop, at most

enum Script : std::uint8_t { none, latin, common, east_asian, hangul, others };

struct Block {
  char32_t first, last;
  std::uint8_t script;
};

// The scripts in use by their blocks (Unicode 16, Blocks.txt), ascending. Code points between the blocks have none.
constexpr Block kBlocks[] = {
    {0x09, 0x0A, latin},       {0x0C, 0x0D, latin},         {0x20, 0x7E, latin},        {0xA0, 0x2AF, latin},
    {0x2B0, 0x36F, common},    {0x370, 0x3FF, others},      {0x400, 0x52F, others + 1}, {0x530, 0x58F, others + 2},
    {0x590, 0x5FF, others + 3}, {0x600, 0x6FF, others + 4}, {0x700, 0x74F, others + 5}, {0x750, 0x77F, others + 4},
    {0x8A0, 0x8FF, others + 4}, {0x900, 0x97F, others + 6}, {0x980, 0x9FF, others + 7}, {0xA00, 0xA7F, others + 8},
    {0xA80, 0xAFF, others + 9}, {0xB00, 0xB7F, others + 10}, {0xB80, 0xBFF, others + 11}, {0xC00, 0xC7F, others + 12},
    {0xC80, 0xCFF, others + 13}, {0xD00, 0xD7F, others + 14}, {0xD80, 0xDFF, others + 15}, {0xE00, 0xE7F, others + 16},
    {0xE80, 0xEFF, others + 17}, {0xF00, 0xFFF, others + 18}, {0x1000, 0x109F, others + 19},
    {0x10A0, 0x10FF, others + 20}, {0x1100, 0x11FF, hangul}, {0x1200, 0x139F, others + 21},
    {0x1780, 0x17FF, others + 22}, {0x1800, 0x18AF, others + 23}, {0x1E00, 0x1EFF, latin}, {0x1F00, 0x1FFF, others},
    {0x2000, 0x27BF, common},  {0x3000, 0x303F, common},    {0x3040, 0x312F, east_asian}, {0x3130, 0x318F, hangul},
    {0x3190, 0x9FFF, east_asian}, {0xAC00, 0xD7A3, hangul}, {0xF900, 0xFAFF, east_asian}, {0xFB50, 0xFDCF, others + 4},
    {0xFE00, 0xFE0F, common},  {0xFE30, 0xFE4F, east_asian}, {0xFE70, 0xFEFC, others + 4}, {0xFEFF, 0xFEFF, common},
    {0xFF01, 0xFFE6, common},  {0x1D400, 0x1D7FF, common},  {0x1F000, 0x1FAFF, common}, {0x20000, 0x323AF, east_asian},
};
constexpr std::size_t kScripts = others + 24;

std::uint8_t script_of(char32_t c) {
  const Block* const at = std::lower_bound(std::begin(kBlocks), std::end(kBlocks), c,
                                           [](const Block& block, char32_t sought) { return block.last < sought; });
  return at != std::end(kBlocks) && at->first <= c ? at->script : std::uint8_t{none};
}

// Recognises a space, a line end, or a stop or comma of Chinese and Japanese.
bool is_stop(char32_t c) {
  return c == ' ' || c == '\n' || (c >= 0x3000 && c <= 0x3002) || c == 0xFF0C || c == 0xFF0E;
}

struct Seen {
  std::size_t characters = 0, ascii = 0, stops = 0;
  std::array<std::size_t, kScripts> of{};

  void add(char32_t c) {
    ++characters;
    ascii += c < 0x80 && script_of(c) == latin;
    stops += is_stop(c);
    ++of[script_of(c)];
  }
  // The characters of the main script, of Latin, and of what all scripts share.
  std::size_t plausible() const {
    return of[latin] + of[common] + *std::max_element(of.begin() + east_asian, of.end());
  }
  bool is_text() const {
    return characters >= kFewest && 100 * of[none] <= characters && 100 * plausible() >= 97 * characters &&
           kWithoutStop * stops >= characters;
  }
};

unsigned byte(std::string_view bytes, std::size_t at) { return static_cast<unsigned char>(bytes[at]); }

template <bool big>
char32_t unit16(std::string_view bytes, std::size_t at) {
  return big ? byte(bytes, at) << 8 | byte(bytes, at + 1) : byte(bytes, at + 1) << 8 | byte(bytes, at);
}

template <bool big>
Seen seen16(std::string_view bytes) {
  Seen seen;
  for (std::size_t at = 0; at + 2 <= bytes.size(); at += 2) {
    char32_t c = unit16<big>(bytes, at);
    if (c >= 0xD800 && c < 0xDC00) {
      if (at + 4 > bytes.size()) break;
      const char32_t low = unit16<big>(bytes, at + 2);
      if (low >= 0xDC00 && low < 0xE000) c = 0x10000 + ((c - 0xD800) << 10) + (low - 0xDC00), at += 2;
    }
    seen.add(c);
  }
  return seen;
}

template <bool big>
Seen seen32(std::string_view bytes) {
  Seen seen;
  for (std::size_t at = 0; at + 4 <= bytes.size(); at += 4) {
    seen.add(big ? unit16<true>(bytes, at) << 16 | unit16<true>(bytes, at + 2)
                 : unit16<false>(bytes, at + 2) << 16 | unit16<false>(bytes, at));
  }
  return seen;
}

Wide latin_in_utf16(std::string_view bytes) {
  const std::size_t pairs = std::min(bytes.size(), kLatinSample) / 2;
  if (pairs < 2) return Wide::none;
  std::size_t nul[2] = {0, 0};
  for (std::size_t i = 0; i < 2 * pairs; ++i) nul[i % 2] += bytes[i] == '\0';
  const auto most = [pairs](std::size_t n) { return 10 * n >= 9 * pairs; };
  const auto few = [pairs](std::size_t n) { return 10 * n <= pairs; };
  if (most(nul[1]) && few(nul[0])) return Wide::utf16_le;
  return most(nul[0]) && few(nul[1]) ? Wide::utf16_be : Wide::none;
}

// Tells whether the bytes are text in this order and not in the other, which lacks the ASCII or mixes many scripts.
bool is_the_order(const Seen& seen, const Seen& swapped) {
  const bool by_ascii = 50 * seen.ascii >= seen.characters && seen.ascii > 4 * swapped.ascii;
  return seen.is_text() && (by_ascii || 10 * swapped.plausible() <= 9 * swapped.characters);
}

// Two ASCII letters make a Chinese character. In text of any script at most about half of the bytes look like ASCII.
bool looks_like_ascii(std::string_view bytes) {
  const auto printable = std::count_if(bytes.begin(), bytes.end(), [](char c) { return c >= ' ' && c <= '~'; });
  return 4 * static_cast<std::size_t>(printable) > 3 * bytes.size();
}

}  // namespace

Wide detect_wide(std::string_view bytes) {
  const std::string_view sample = bytes.substr(0, kSample);
  if (const Wide encoding = latin_in_utf16(bytes); encoding != Wide::none) {
    const Seen seen = encoding == Wide::utf16_le ? seen16<false>(sample) : seen16<true>(sample);
    return 20 * seen.of[none] <= seen.characters ? encoding : Wide::none;  // else the bytes are small numbers
  }
  if (seen32<false>(sample).is_text()) return Wide::utf32_le;
  if (seen32<true>(sample).is_text()) return Wide::utf32_be;
  if (looks_like_ascii(sample)) return Wide::none;
  const Seen little = seen16<false>(sample), big = seen16<true>(sample);
  if (is_the_order(little, big)) return Wide::utf16_le;
  return is_the_order(big, little) ? Wide::utf16_be : Wide::none;
}

}  // namespace nearkin
