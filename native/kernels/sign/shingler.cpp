#include "sign/shingler.hpp"

#include <algorithm>
#include <array>

#include "base/hash.hpp"
#include "base/sort.hpp"
#include "sign/rabin.hpp"
#include "text/encoding.hpp"
#include "text/soundex.hpp"

namespace nearkin {

std::size_t Shingler::count(std::string_view text, std::size_t most) const {
  const std::size_t reach = most > ~std::size_t{0} - window_ ? ~std::size_t{0} : most + window_ - 1;
  const std::size_t units = count_units(unit_, text, reach);
  return units < window_ ? units != 0 : units - window_ + 1;
}

void Shingler::all(std::string_view text, std::vector<std::uint64_t>& out) const {
  const std::size_t from = out.size();
  if (unit_ == Unit::byte) out.reserve(from + text.size());
  each(text, [&](std::uint64_t f, std::size_t, std::size_t) { out.push_back(f); });
  if (label_) {
    sort_features(out.data() + from, out.size() - from);
    label_sorted(out.data() + from, out.size() - from);
  }
  if (permutation_.identity() && bits_ == 64) return;
  for (std::size_t i = from; i < out.size(); ++i) out[i] = finish(out[i]);
}

std::vector<PlacedShingle> Shingler::placed(std::string_view text) const {
  std::vector<PlacedShingle> shingles;
  each(text, [&](std::uint64_t f, std::size_t offset, std::size_t bytes) { shingles.push_back({f, offset, bytes}); });
  const auto by_offset = [](const PlacedShingle& x, const PlacedShingle& y) { return x.offset < y.offset; };
  if (label_) {
    std::sort(shingles.begin(), shingles.end(), [&](const PlacedShingle& x, const PlacedShingle& y) {
      return x.fingerprint != y.fingerprint ? x.fingerprint < y.fingerprint : by_offset(x, y);
    });
    std::uint64_t before = 0, occurrence = 0;
    for (auto& shingle : shingles) {
      occurrence = occurrence != 0 && shingle.fingerprint == before ? occurrence + 1 : 1;
      before = shingle.fingerprint;
      shingle.fingerprint = labelled(before, occurrence);
    }
  }
  std::sort(shingles.begin(), shingles.end(), by_offset);
  for (auto& shingle : shingles) shingle.fingerprint = finish(shingle.fingerprint);
  return shingles;
}

void label_sorted(std::uint64_t* fingerprints, std::size_t count) {
  std::uint64_t before = 0, occurrence = 0;
  for (std::size_t i = 0; i < count; ++i) {
    occurrence = occurrence != 0 && fingerprints[i] == before ? occurrence + 1 : 1;
    before = fingerprints[i];
    fingerprints[i] = labelled(before, occurrence);
  }
}

namespace {

constexpr std::uint64_t kBadByte = 0x110000;  // beyond the last code point

constexpr bool is_space(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }
constexpr bool ends_line(char c) { return c == '\n' || c == '\r'; }

struct Value {
  std::uint64_t value;
  bool none = false;
};

Value of_name(std::string_view run) { return {mix(fingerprint(run))}; }

Value of_sound(std::string_view word) {
  const auto code = soundex(word);
  if (!code) return {0, true};
  std::uint64_t value = 0;
  for (const char c : *code) value = value << 8 | static_cast<unsigned char>(c);
  return {value};
}

}  // namespace

// Reads maximal runs of bytes that do not separate.
template <class Separates, class ValueOf>
std::size_t Units::read_runs(PlacedUnit* out, std::size_t most, Separates&& separates, ValueOf&& value_of) {
  std::size_t count = 0;
  while (count < most) {
    while (at_ < text_.size() && separates(text_[at_])) ++at_;
    if (at_ == text_.size()) break;
    const std::size_t begin = at_;
    while (at_ < text_.size() && !separates(text_[at_])) ++at_;
    const Value value = value_of(text_.substr(begin, at_ - begin));
    if (!value.none) out[count++] = {value.value, begin, at_};
  }
  return count;
}

std::size_t Units::read_characters(PlacedUnit* out, std::size_t most) {
  std::size_t count = 0;
  for (; count < most && at_ < text_.size(); ++count) {
    const auto [code, length] = decode_one(text_.data() + at_, text_.data() + text_.size());
    const std::size_t bytes = length == 0 ? 1 : length;
    const std::uint64_t bad = kBadByte + static_cast<unsigned char>(text_[at_]);
    out[count] = {length == 0 ? bad : static_cast<std::uint64_t>(code), at_, at_ + bytes};
    at_ += bytes;
  }
  return count;
}

std::size_t Units::read(PlacedUnit* out, std::size_t most) {
  switch (unit_) {
    case Unit::byte: {
      const std::size_t count = std::min(most, text_.size() - at_);
      for (std::size_t i = 0; i < count; ++i, ++at_) out[i] = {static_cast<unsigned char>(text_[at_]), at_, at_ + 1};
      return count;
    }
    case Unit::character: return read_characters(out, most);
    case Unit::word: return read_runs(out, most, is_space, of_name);
    case Unit::line: return read_runs(out, most, ends_line, of_name);
    case Unit::soundex: return read_runs(out, most, is_space, of_sound);
  }
  return 0;
}

std::size_t count_units(Unit unit, std::string_view text, std::size_t most) {
  if (unit == Unit::byte) return std::min(most, text.size());
  Units units(unit, text);
  std::array<PlacedUnit, 256> buffer;
  std::size_t count = 0;
  while (count < most) {
    const std::size_t got = units.read(buffer.data(), std::min(buffer.size(), most - count));
    if (got == 0) break;
    count += got;
  }
  return count;
}

}  // namespace nearkin
