// Folders, as Python sees them. It converts, releases the GIL and raises; nothing else.
#include "bindings/convert.hpp"
#include "ingest/files.hpp"
#include "text/sniff.hpp"

using namespace nearkin;

namespace nearkin::bindings {
namespace {

constexpr int kFolder = -1, kWatched = -2;  // where an error number would be positive

// Paths are made here at once: names that Python puts together with their folder's are each made twice.
nb::tuple py_list_folder(const nb::bytes& folder, const nb::bytes& prefix, bool hidden,
                         const std::vector<std::uint64_t>& watched, const std::vector<nb::bytes>& hints, bool ask) {
  const std::vector<std::string> ends = strings(hints);
  const FolderLook how{hidden, watched, ends, ask};
  const Folder found = from_system(folder.c_str(), [&] { return look_into(folder.c_str(), how); });
  nb::list paths, apart;
  const auto before = view(prefix);
  std::string path(before);
  for (const auto& entry : found.entries) {
    if (entry.kind != Entry::Kind::file) {
      const int what = entry.kind == Entry::Kind::folder    ? kFolder
                       : entry.kind == Entry::Kind::watched ? kWatched
                                                            : entry.error;
      apart.append(nb::make_tuple(nb::len(paths), what));
    }
    path.resize(before.size());
    path += found.name(entry);
    paths.append(to_bytes(path));
  }
  return nb::make_tuple(std::move(paths), std::move(apart), nb::make_tuple(found.links, found.special));
}

}  // namespace

void register_folder(nb::module_& m) {
  m.attr("FOLDER") = kFolder;
  m.attr("WATCHED") = kWatched;
  m.def("list_folder", py_list_folder, "folder"_a, "prefix"_a, nb::kw_only(), "hidden"_a, "watched"_a, "hints"_a = nb::list(),
        "ask"_a = false);
  m.attr("STORE_HEADER") = kStoreHeader;
  m.def("is_store_header", [](const nb::bytes& bytes) { return is_store_header(view(bytes)); }, "bytes"_a);
}

}  // namespace nearkin::bindings
