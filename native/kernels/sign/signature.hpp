// Signatures: the 64-bit features that a scheme derives from a text, each with a weight.
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
  std::uint64_t modulus = 1;            // 1: the signature is complete
};

// A feature and its place in the text, for people who want to see the signature.
struct PlacedFeature {
  std::uint64_t offset;
  std::uint64_t feature;
  std::uint32_t weight;
};

// Keeps the first place of each feature, in order of offset.
void keep_first_places(std::vector<PlacedFeature>& placed);

using Scheme = std::variant<Mod, Min, Sketch, Bsw, Tttd, Fuzzy, SimilarityIndex>;

// Each scheme's file defines its own two functions; `sign` and `place` only choose among them.
void sign_with(const Mod& scheme, std::string_view text, Signature& out);
void sign_with(const Min& scheme, std::string_view text, Signature& out);
void sign_with(const Sketch& scheme, std::string_view text, Signature& out);
void sign_with(const Bsw& scheme, std::string_view text, Signature& out);
void sign_with(const Tttd& scheme, std::string_view text, Signature& out);
void sign_with(const SimilarityIndex& scheme, std::string_view text, Signature& out);
void sign_with(const Fuzzy& scheme, std::string_view text, Signature& out);
std::vector<PlacedFeature> place_with(const Mod& scheme, std::string_view text);
std::vector<PlacedFeature> place_with(const Sketch& scheme, std::string_view text);
std::vector<PlacedFeature> place_with(const Bsw& scheme, std::string_view text);
std::vector<PlacedFeature> place_with(const Min& scheme, std::string_view text);
std::vector<PlacedFeature> place_with(const Tttd& scheme, std::string_view text);
std::vector<PlacedFeature> place_with(const SimilarityIndex& scheme, std::string_view text);
std::vector<PlacedFeature> place_with(const Fuzzy& scheme, std::string_view text);

inline void sign(const Scheme& scheme, std::string_view text, Signature& out) {
  out.features.clear();
  out.weights.clear();
  out.modulus = 1;
  std::visit([&](const auto& chosen) { sign_with(chosen, text, out); }, scheme);
}

inline std::vector<PlacedFeature> place(const Scheme& scheme, std::string_view text) {
  return std::visit([&](const auto& chosen) { return place_with(chosen, text); }, scheme);
}

}  // namespace nearkin
