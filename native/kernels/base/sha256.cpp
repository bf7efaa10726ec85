#include "base/sha256.hpp"

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstring>
#include <numeric>
#include <optional>
#include <utility>

#if defined(__x86_64__)
#include <cpuid.h>
#include <immintrin.h>
#endif

namespace nearkin {
namespace {

alignas(16) constexpr std::uint32_t kRound[64] = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};

constexpr std::size_t kBlock = 64;
using State = std::array<std::uint32_t, 8>;
using Compress = void (*)(State&, const unsigned char*, std::size_t);

struct Compression {
  Compress one;
  // Takes the same number of blocks of two messages.
  void (*two)(State&, const unsigned char*, State&, const unsigned char*, std::size_t);
};

std::uint32_t big_endian(const unsigned char* at) {
  return static_cast<std::uint32_t>(at[0]) << 24 | static_cast<std::uint32_t>(at[1]) << 16 |
         static_cast<std::uint32_t>(at[2]) << 8 | at[3];
}

void compress_portable(State& state, const unsigned char* data, std::size_t blocks) {
  for (; blocks > 0; --blocks, data += kBlock) {
    std::array<std::uint32_t, 64> w;
    for (std::size_t i = 0; i < 16; ++i) w[i] = big_endian(data + 4 * i);
    for (std::size_t i = 16; i < 64; ++i) {
      const std::uint32_t s0 = std::rotr(w[i - 15], 7) ^ std::rotr(w[i - 15], 18) ^ (w[i - 15] >> 3);
      const std::uint32_t s1 = std::rotr(w[i - 2], 17) ^ std::rotr(w[i - 2], 19) ^ (w[i - 2] >> 10);
      w[i] = w[i - 16] + s0 + w[i - 7] + s1;
    }
    auto [a, b, c, d, e, f, g, h] = state;
    for (std::size_t i = 0; i < 64; ++i) {
      const std::uint32_t s1 = std::rotr(e, 6) ^ std::rotr(e, 11) ^ std::rotr(e, 25);
      const std::uint32_t t1 = h + s1 + ((e & f) ^ (~e & g)) + kRound[i] + w[i];
      const std::uint32_t s0 = std::rotr(a, 2) ^ std::rotr(a, 13) ^ std::rotr(a, 22);
      const std::uint32_t t2 = s0 + ((a & b) ^ (a & c) ^ (b & c));
      h = g, g = f, f = e, e = d + t1, d = c, c = b, b = a, a = t1 + t2;
    }
    const State added{a, b, c, d, e, f, g, h};
    for (std::size_t i = 0; i < 8; ++i) state[i] += added[i];
  }
}

void compress_two_portable(State& first, const unsigned char* first_data, State& second,
                           const unsigned char* second_data, std::size_t blocks) {
  compress_portable(first, first_data, blocks);
  compress_portable(second, second_data, blocks);
}

constexpr Compression kPortable{compress_portable, compress_two_portable};

#if defined(__x86_64__)

// A message's state and schedule in registers. The instructions keep the state as (A, B, E, F) and (C, D, G, H), do two
// rounds at a time, and extend the schedule by four words at once.
#define NEARKIN_SHA __attribute__((target("sha,sse4.1,ssse3"), always_inline)) inline
struct Registers {
  __m128i abef, cdgh, abef_before, cdgh_before, w[4];

  NEARKIN_SHA void load(const State& state) {
    const auto* words = reinterpret_cast<const __m128i*>(state.data());
    const __m128i low = _mm_shuffle_epi32(_mm_loadu_si128(words), 0xB1);       // C D A B
    const __m128i high = _mm_shuffle_epi32(_mm_loadu_si128(words + 1), 0x1B);  // E F G H
    abef = _mm_alignr_epi8(low, high, 8);
    cdgh = _mm_blend_epi16(high, low, 0xF0);
  }

  NEARKIN_SHA void save(State& state) const {
    const __m128i low = _mm_shuffle_epi32(abef, 0x1B);   // F E B A
    const __m128i high = _mm_shuffle_epi32(cdgh, 0xB1);  // D C H G
    auto* out = reinterpret_cast<__m128i*>(state.data());
    _mm_storeu_si128(out, _mm_blend_epi16(low, high, 0xF0));
    _mm_storeu_si128(out + 1, _mm_alignr_epi8(high, low, 8));
  }

  NEARKIN_SHA void begin(const unsigned char* block) {
    const __m128i swap = _mm_set_epi64x(0x0c0d0e0f08090a0bLL, 0x0405060700010203LL);
    abef_before = abef, cdgh_before = cdgh;
    for (int i = 0; i < 4; ++i)
      w[i] = _mm_shuffle_epi8(_mm_loadu_si128(reinterpret_cast<const __m128i*>(block) + i), swap);
  }

  NEARKIN_SHA void four_rounds(int i) {
    const __m128i keyed = _mm_add_epi32(w[i % 4], _mm_load_si128(reinterpret_cast<const __m128i*>(kRound) + i));
    cdgh = _mm_sha256rnds2_epu32(cdgh, abef, keyed);
    abef = _mm_sha256rnds2_epu32(abef, cdgh, _mm_shuffle_epi32(keyed, 0x0E));
    if (i < 12) {
      const __m128i middle = _mm_alignr_epi8(w[(i + 3) % 4], w[(i + 2) % 4], 4);
      const __m128i begun = _mm_add_epi32(_mm_sha256msg1_epu32(w[i % 4], w[(i + 1) % 4]), middle);
      w[i % 4] = _mm_sha256msg2_epu32(begun, w[(i + 3) % 4]);
    }
  }

  NEARKIN_SHA void end() {
    abef = _mm_add_epi32(abef, abef_before);
    cdgh = _mm_add_epi32(cdgh, cdgh_before);
  }
};
#undef NEARKIN_SHA

__attribute__((target("sha,sse4.1,ssse3"))) void compress_native(State& state, const unsigned char* data,
                                                                 std::size_t blocks) {
  Registers registers;
  registers.load(state);
  for (; blocks > 0; --blocks, data += kBlock) {
    registers.begin(data);
#pragma GCC unroll 16
    for (int i = 0; i < 16; ++i) registers.four_rounds(i);
    registers.end();
  }
  registers.save(state);
}

// Each round waits for the round before it, so the processor has time for a second message meanwhile.
__attribute__((target("sha,sse4.1,ssse3"))) void compress_two_native(State& first, const unsigned char* first_data,
                                                                     State& second, const unsigned char* second_data,
                                                                     std::size_t blocks) {
  Registers a, b;
  a.load(first);
  b.load(second);
  for (; blocks > 0; --blocks, first_data += kBlock, second_data += kBlock) {
    a.begin(first_data);
    b.begin(second_data);
#pragma GCC unroll 16
    for (int i = 0; i < 16; ++i) {
      a.four_rounds(i);
      b.four_rounds(i);
    }
    a.end();
    b.end();
  }
  a.save(first);
  b.save(second);
}

bool has_instructions() {
  unsigned a = 0, b = 0, c = 0, d = 0;
  if (!__get_cpuid(1, &a, &b, &c, &d) || !(c & bit_SSE4_1) || !(c & bit_SSSE3)) return false;
  return __get_cpuid_count(7, 0, &a, &b, &c, &d) && (b & bit_SHA);
}

Compression chosen() { return has_instructions() ? Compression{compress_native, compress_two_native} : kPortable; }

#else

Compression chosen() { return kPortable; }

#endif

// A message and how far it is digested: first its whole blocks, then its tail with a 1 bit, zeros and its length.
class Message {
 public:
  explicit Message(std::string_view data)
      : at_(reinterpret_cast<const unsigned char*>(data.data())), blocks_(data.size() / kBlock) {
    const std::size_t rest = data.size() % kBlock;
    if (rest > 0) std::memcpy(tail_.data(), at_ + blocks_ * kBlock, rest);
    tail_[rest] = 0x80;
    tail_blocks_ = rest + 9 <= kBlock ? 1 : 2;
    const std::uint64_t bits = static_cast<std::uint64_t>(data.size()) * 8;
    for (std::size_t i = 0; i < 8; ++i)
      tail_[tail_blocks_ * kBlock - 1 - i] = static_cast<unsigned char>(bits >> (8 * i));
    advance(0);
  }
  Message(const Message&) = delete;  // at_ may point into tail_
  Message& operator=(const Message&) = delete;

  std::size_t blocks() const { return blocks_; }  // that lie in a row; 0 at the end of the message
  const unsigned char* at() const { return at_; }
  State& state() { return state_; }

  // Passes over blocks that were compressed.
  void advance(std::size_t blocks) {
    at_ += blocks * kBlock;
    blocks_ -= blocks;
    if (blocks_ > 0 || tail_blocks_ == 0) return;
    at_ = tail_.data();
    blocks_ = std::exchange(tail_blocks_, 0);
  }

  Digest digest() const {
    Digest digest;
    for (std::size_t i = 0; i < digest.size(); ++i)
      digest[i] = static_cast<std::uint8_t>(state_[i / 4] >> (24 - 8 * (i % 4)));
    return digest;
  }

 private:
  State state_{0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
  const unsigned char* at_;
  std::size_t blocks_, tail_blocks_;
  std::array<unsigned char, 2 * kBlock> tail_{};
};

Digest finish(Compress compress, Message& message) {
  for (; message.blocks() > 0; message.advance(message.blocks()))
    compress(message.state(), message.at(), message.blocks());
  return message.digest();
}

Digest digest_with(const Compression& compression, std::string_view data) {
  Message message(data);
  return finish(compression.one, message);
}

const Compression& best() {
  static const Compression compression = chosen();
  return compression;
}

std::vector<Digest> digests_with(const Compression& compression, std::span<const std::string_view> data) {
  struct Lane {
    std::size_t number;
    std::optional<Message> message;
  };
  std::vector<Digest> digests(data.size());
  // The longest messages come first, so that little remains for a single lane at the end.
  std::vector<std::size_t> order(data.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return data[a].size() > data[b].size(); });
  std::array<Lane, 2> lanes{};
  auto next = order.begin();
  for (;;) {
    for (Lane& lane : lanes) {
      if (lane.message && lane.message->blocks() == 0) {
        digests[lane.number] = lane.message->digest();
        lane.message.reset();
      }
      if (!lane.message && next != order.end()) {
        lane.number = *next++;
        lane.message.emplace(data[lane.number]);
      }
    }
    if (!lanes[0].message || !lanes[1].message) break;
    Message &a = *lanes[0].message, &b = *lanes[1].message;
    const std::size_t blocks = std::min(a.blocks(), b.blocks());
    compression.two(a.state(), a.at(), b.state(), b.at(), blocks);
    a.advance(blocks);
    b.advance(blocks);
  }
  for (Lane& lane : lanes)
    if (lane.message) digests[lane.number] = finish(compression.one, *lane.message);
  return digests;
}

}  // namespace

Digest sha256(std::string_view data) { return digest_with(best(), data); }

std::vector<Digest> sha256_all(std::span<const std::string_view> data) { return digests_with(best(), data); }

Digest sha256_portable(std::string_view data) { return digest_with(kPortable, data); }

std::vector<Digest> sha256_all_portable(std::span<const std::string_view> data) {
  return digests_with(kPortable, data);
}

}  // namespace nearkin
