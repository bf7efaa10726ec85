#include "signature.hpp"

namespace nearkin {

// Each scheme's file defines its own two functions; this is where they meet.
void sign_shingles(const Shingles& scheme, std::string_view text, Signature& out);
std::vector<Placed> place_shingles(const Shingles& scheme, std::string_view text);
void sign_chunks(const Tttd& scheme, std::string_view text, Signature& out);
std::vector<Placed> place_chunks(const Tttd& scheme, std::string_view text);

void sign(const Scheme& scheme, std::string_view text, Signature& out) {
  out.features.clear();
  out.weights.clear();
  if (const auto* shingles = std::get_if<Shingles>(&scheme)) {
    sign_shingles(*shingles, text, out);
  } else {
    sign_chunks(std::get<Tttd>(scheme), text, out);
  }
}

std::vector<Placed> place(const Scheme& scheme, std::string_view text) {
  if (const auto* shingles = std::get_if<Shingles>(&scheme)) return place_shingles(*shingles, text);
  return place_chunks(std::get<Tttd>(scheme), text);
}

}  // namespace nearkin
