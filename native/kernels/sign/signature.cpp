#include "sign/signature.hpp"

namespace nearkin {

void sign(const Scheme& scheme, std::string_view text, Signature& out) {
  out.features.clear();
  out.weights.clear();
  out.modulus = 1;
  std::visit([&](const auto& one) { sign_with(one, text, out); }, scheme);
}

std::vector<Placed> place(const Scheme& scheme, std::string_view text) {
  return std::visit([&](const auto& one) { return place_with(one, text); }, scheme);
}

}  // namespace nearkin
