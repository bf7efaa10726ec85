"""Words of RTF (specification 1.9.1) that mean something for its text. All others format it."""

TEXTS = {
    b"par": "\n", b"line": "\n", b"sect": "\n", b"page": "\n", b"column": "\n", b"row": "\n", b"nestrow": "\n",
    b"softline": "\n", b"tab": "\t", b"cell": "\t", b"nestcell": "\t", b"emdash": "—", b"endash": "–",
    b"bullet": "•", b"lquote": "‘", b"rquote": "’", b"ldblquote": "“", b"rdblquote": "”", b"emspace": " ",
    b"enspace": " ", b"qmspace": " ",
}  # fmt: skip
SYMBOLS = {
    b"~": "\u00a0",
    b"_": "\u2011",
    b"-": "",
    b"{": "{",
    b"}": "}",
    b"\\": "\\",
    b"\n": "\n",
    b"\r": "\n",
    b"\t": "\t",
}
# Destinations that are no text, beside all those that are marked by \* and not among the few that are, and those that
# end in Pr: what an equation looks like.
HIDDEN = frozenset((
    b"colortbl", b"stylesheet", b"info", b"pict", b"filetbl", b"listtable", b"listoverridetable", b"rsidtbl",
    b"revtbl", b"themedata", b"colorschememapping", b"datastore", b"latentstyles", b"xmlnstbl", b"fldinst",
    b"generator", b"nonesttables", b"pnseclvl", b"template", b"bkmkstart", b"bkmkend",
    b"atnid", b"atnauthor", b"atnref", b"atntime", b"atndate", b"atnparent", b"atrfstart", b"atrfend",
    b"objclass", b"objname", b"objtime", b"objdata", b"objalias", b"objsect",
    b"tc", b"xe", b"ftnsep", b"ftnsepc", b"aftnsep", b"aftnsepc",
))  # fmt: skip
# Texts beside the text: each begins a line, and the text goes on in another.
APART = frozenset((
    b"header", b"headerl", b"headerr", b"headerf", b"footer", b"footerl", b"footerr", b"footerf", b"footnote",
    b"annotation", b"shptxt", b"dptxbxtext",
))  # fmt: skip
# The star lets old programs pass over what newer ones show. LibreOffice and pandoc put it before each note, too.
SHOWN_ANYWAY = APART | {
    b"shppict", b"shpinst", b"do", b"nesttableprops", b"moMath", b"moMathPara", b"fldrslt", b"result", b"listtext",
    b"pntext",
}  # fmt: skip
INFO = {b"title": "title", b"author": "author"}
TIMES = {b"creatim": "created", b"revtim": "modified"}
TIME_WORDS = frozenset((b"yr", b"mo", b"dy", b"hr", b"min"))
CHARSETS = {
    77: "mac-roman", 128: "cp932", 129: "cp949", 134: "gb18030", 136: "big5hkscs", 161: "cp1253", 162: "cp1254",
    163: "cp1258", 177: "cp1255", 178: "cp1256", 186: "cp1257", 204: "cp1251", 222: "cp874", 238: "cp1250",
    254: "cp437",
}  # fmt: skip
PAGES = {b"mac": "mac-roman", b"pc": "cp437", b"pca": "cp850"}
SHAPE_TEXTS = ("wzDescription", "gtextUNICODE")  # properties of shapes: alt text, WordArt
