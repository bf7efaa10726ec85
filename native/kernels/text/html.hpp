// The visible text of HTML, by a tokeniser and without a tree (docs/decisions/002-html-without-a-tree.md).
//
// The tokeniser follows the WHATWG standard §13.2.5. Visible text needs no tree: a few elements hide their content
// (script, style, template, iframe, noembed), blocks break lines, cells and controls separate words, and the rest is
// inline. The state is a handful of counters, so nesting costs nothing and time is linear in the input.
//
// Decisions:
// - White space collapses to one space, lines are trimmed and never empty, except within pre, textarea, xmp, listing
//   and plaintext, where it is kept. No-break spaces are text.
// - Control characters (NUL included) vanish, as html.unescape lets references to them vanish.
// - <![CDATA[…]]> is text anywhere (XHTML). In foreign content and in documents that begin with <?xml, elements such as
//   <script/> are complete. For XHTML that begins otherwise the caller sets `xml`.
// - At the end of the input: an open comment, script, style or tag is dropped, as the standard has it; an open title,
//   textarea or CDATA section is text.
// - Alt texts of img, area and input type=image stand where the picture does, as browsers and screen readers have it,
//   unless they only repeat the name of the picture's file.
// - Values of inputs are text, or else their placeholders, except for hidden inputs and passwords. So are labels of
//   optgroup, the page in an iframe's srcdoc, and templates that are shadow roots.
// - noscript, noframes, framesets, hidden attributes and fallbacks (object, canvas, video) are shown: too much text is
//   better than lost text.
#pragma once

#include <string>
#include <string_view>

namespace nearkin {

// Writes the visible text to `out`, whose capacity is reused. Appends the page's properties to `properties` in the
// page's order: title, author, created or modified, NUL, the value, NUL. Titles are written as they are shown, other
// values as they stand in the page, references undecoded: hardly any page has them.
void visible_text(std::string_view utf8, std::string& out, std::string* properties = nullptr,
                  bool xml = false);

}  // namespace nearkin
