// The only file that knows both Python and the kernels. It converts, releases the GIL and raises; nothing else.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/pair.h>

#include "blake2b.hpp"
#include "canon.hpp"
#include "html.hpp"
#include "rabin.hpp"
#include "sniff.hpp"
#include "utf8.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace {

std::string_view view(const nb::bytes& data) { return {data.c_str(), data.size()}; }

nb::bytes to_bytes(std::string_view text) { return nb::bytes(text.data(), text.size()); }

nb::bytes blake2b(const nb::bytes& data) {
  nearkin::Digest digest;
  {
    nb::gil_scoped_release release;
    digest = nearkin::blake2b(view(data));
  }
  return nb::bytes(digest.data(), digest.size());
}

bool valid_utf8(const nb::bytes& data) {
  nb::gil_scoped_release release;
  return nearkin::valid_utf8(view(data));
}

std::size_t count_code_points(const nb::bytes& utf8) {
  nb::gil_scoped_release release;
  return nearkin::count_code_points(view(utf8));
}

int sniff(const nb::bytes& data, bool named_html) {
  nb::gil_scoped_release release;
  return static_cast<int>(nearkin::sniff(view(data), named_html));
}

nb::bytes visible_text(const nb::bytes& html) {
  std::string text;
  {
    nb::gil_scoped_release release;
    nearkin::visible_text(view(html), text);
  }
  return to_bytes(text);
}

// Hands a vector to Python without copying it.
template <class T>
nb::ndarray<nb::numpy, T, nb::ndim<1>> to_array(std::vector<T>&& values) {
  auto* const kept = new std::vector<T>(std::move(values));
  nb::capsule owner(kept, [](void* p) noexcept { delete static_cast<std::vector<T>*>(p); });
  return {kept->data(), {kept->size()}, owner};
}

void check_ignored(unsigned ignored) {
  if (ignored > 15) throw nb::value_error("ignore is a sum of the IGNORE_ constants, 0 to 15");
}

nb::bytes canonical(const nb::bytes& text, unsigned ignored) {
  check_ignored(ignored);
  std::string out;
  {
    nb::gil_scoped_release release;
    nearkin::canonical(view(text), ignored, out);
  }
  return to_bytes(out);
}

auto canonical_map(const nb::bytes& text, unsigned ignored) {
  check_ignored(ignored);
  std::string out;
  std::vector<std::uint64_t> origin;
  {
    nb::gil_scoped_release release;
    nearkin::canonical_map(view(text), ignored, out, origin);
  }
  return std::pair(to_bytes(out), to_array(std::move(origin)));
}

}  // namespace

NB_MODULE(_native, m) {
  m.attr("POLYNOMIAL") = nearkin::kPolynomial;
  m.def("fingerprint", [](const nb::bytes& text) { return nearkin::fingerprint(view(text)); }, "text"_a);
  m.def("blake2b", &blake2b, "data"_a);
  m.def("valid_utf8", &valid_utf8, "data"_a);
  m.def("count_code_points", &count_code_points, "utf8"_a);
  m.attr("EMPTY") = static_cast<int>(nearkin::Kind::empty);
  m.attr("TEXT") = static_cast<int>(nearkin::Kind::text);
  m.attr("HTML") = static_cast<int>(nearkin::Kind::html);
  m.attr("BINARY") = static_cast<int>(nearkin::Kind::binary);
  m.attr("OTHER") = static_cast<int>(nearkin::Kind::other);
  m.def("sniff", &sniff, "data"_a, "named_html"_a);
  m.def("visible_text", &visible_text, "html"_a);
  m.attr("IGNORE_CASE") = nearkin::ignore::kCase;
  m.attr("IGNORE_PUNCTUATION") = nearkin::ignore::kPunctuation;
  m.attr("IGNORE_DIGITS") = nearkin::ignore::kDigits;
  m.attr("IGNORE_ACCENTS") = nearkin::ignore::kAccents;
  m.def("canonical", &canonical, "text"_a, "ignore"_a);
  m.def("canonical_map", &canonical_map, "text"_a, "ignore"_a);
}
