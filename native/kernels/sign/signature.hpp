// What every scheme makes of a text: a list of 64-bit features, each with a weight.
#pragma once

#include <cstdint>
#include <string_view>
#include <variant>
#include <vector>

#include "sign/bsw.hpp"
#include "sign/fuzzy.hpp"
#include "sign/min.hpp"
#include "sign/mod.hpp"
#include "sign/similarity_index.hpp"
#include "sign/sketch.hpp"
#include "sign/tttd.hpp"

namespace nearkin {

struct Signature {
  std::vector<std::uint64_t> features;  // ascending; chunk schemes repeat a feature as often as it occurs
  std::vector<std::uint32_t> weights;   // bytes of each chunk; empty where every feature weighs `modulus` shingles
  std::uint64_t modulus = 1;            // 1: nothing was left out
};

// A feature where it stands in the text, for people who want to see the signature.
struct Placed {
  std::uint64_t offset;
  std::uint64_t feature;
  std::uint32_t weight;
};

// Of features that stand at several places keeps the first; in order of offset.
void keep_first_places(std::vector<Placed>& placed);

using Scheme = std::variant<Shingles, Smallest, Sketch, Bsw, Tttd, Fuzzy, SimilarityIndex>;

// Each scheme's file defines its own two; `sign` and `place` only choose among them.
void sign_with(const Shingles& scheme, std::string_view text, Signature& out);
void sign_with(const Smallest& scheme, std::string_view text, Signature& out);
void sign_with(const Sketch& scheme, std::string_view text, Signature& out);
void sign_with(const Bsw& scheme, std::string_view text, Signature& out);
void sign_with(const Tttd& scheme, std::string_view text, Signature& out);
void sign_with(const SimilarityIndex& scheme, std::string_view text, Signature& out);
void sign_with(const Fuzzy& scheme, std::string_view text, Signature& out);
std::vector<Placed> place_with(const Shingles& scheme, std::string_view text);
std::vector<Placed> place_with(const Sketch& scheme, std::string_view text);
std::vector<Placed> place_with(const Bsw& scheme, std::string_view text);
std::vector<Placed> place_with(const Smallest& scheme, std::string_view text);
std::vector<Placed> place_with(const Tttd& scheme, std::string_view text);
std::vector<Placed> place_with(const SimilarityIndex& scheme, std::string_view text);
std::vector<Placed> place_with(const Fuzzy& scheme, std::string_view text);

inline void sign(const Scheme& scheme, std::string_view text, Signature& out) {
  out.features.clear();
  out.weights.clear();
  out.modulus = 1;
  std::visit([&](const auto& one) { sign_with(one, text, out); }, scheme);
}

inline std::vector<Placed> place(const Scheme& scheme, std::string_view text) {
  return std::visit([&](const auto& one) { return place_with(one, text); }, scheme);
}

}  // namespace nearkin
