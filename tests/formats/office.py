"""Word, PowerPoint and OpenDocument files with a known sentence in every place that a reader sees."""

import io
import zipfile

RELS = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
TYPES = "application/vnd.openxmlformats-officedocument"
CORE = (
    '<cp:coreProperties xmlns:cp="p" xmlns:dc="d" xmlns:dcterms="t"><dc:title>The title</dc:title>'
    "<dc:creator>Ann Author</dc:creator><dcterms:created>2024-01-02T03:04:05Z</dcterms:created>"
    "<dcterms:modified>2025-01-02T03:04:05Z</dcterms:modified></cp:coreProperties>"
)
OFFICE_PROPERTIES = {
    "title": "The title",
    "author": "Ann Author",
    "created": "2024-01-02T03:04:05Z",
    "modified": "2025-01-02T03:04:05Z",
}


def say(place: str) -> str:
    return f"The sentence of the {place} stands here."


def zipped(parts: dict[str, str | bytes], *, method: int = zipfile.ZIP_DEFLATED) -> bytes:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", method) as archive:
        for name, data in parts.items():
            archive.writestr(zipfile.ZipInfo(name, (2024, 1, 2, 3, 4, 6)), data, method)
    return file.getvalue()


def related(**targets: str) -> str:
    """Relations named by their ids; the type is the id without digits."""
    rows = "".join(
        f'<Relationship Id="{key}" Type="{RELS}/{key.rstrip("0123456789").replace("_", "-")}" Target="{target}"/>'
        for key, target in targets.items()
    )
    return f"<Relationships>{rows}</Relationships>"


def types(main: str) -> str:
    return f'<Types><Override PartName="/x" ContentType="{TYPES}.{main}.main+xml"/></Types>'


def paragraph(text: str) -> str:
    return f"<w:p><w:r><w:t>{text}</w:t></w:r></w:p>"


def drawn(text: str) -> str:
    return f"<a:p><a:r><a:t>{text}</a:t></a:r></a:p>"


def alternatives(*choices: str) -> str:
    """The last is the fallback."""
    inside = "".join(f'<mc:Choice Requires="x">{choice}</mc:Choice>' for choice in choices[:-1])
    return f"<mc:AlternateContent>{inside}<mc:Fallback>{choices[-1]}</mc:Fallback></mc:AlternateContent>"


def cached(text: str) -> str:
    return f"<c:f>Deleted!A1</c:f><c:strCache><c:ptCount val='1'/><c:pt idx='0'><c:v>{text}</c:v></c:pt></c:strCache>"


SERIES = (
    f"<c:ser><c:tx><c:strRef>{cached(say('series'))}</c:strRef></c:tx><c:cat><c:strRef>{cached(say('category'))}"
    "</c:strRef></c:cat><c:val><c:numRef><c:f>Deleted</c:f><c:numCache><c:pt><c:v>7</c:v></c:pt></c:numCache></c:numRef>"
    "</c:val></c:ser>"
)
LABELS = SERIES + SERIES  # of every series the same
NEW_LABELS = (
    f"<cx:strDim xmlns:cx='cx'><cx:f>Deleted</cx:f><cx:lvl><cx:pt>{say('category')}</cx:pt></cx:lvl></cx:strDim>"
    f"<cx:tx xmlns:cx='cx'><cx:txData><cx:f>Deleted</cx:f><cx:v>{say('series')}</cx:v></cx:txData></cx:tx>"
)

WORD_PLACES = (
    "body", "split run", "insertion", "moved to", "table cell", "text box", "link", "field result", "alt text",
    "control", "footnote", "endnote", "comment", "first header", "second header", "footer", "chart", "diagram",
    "fallback", "second choice", "inner choice", "old alt text", "word art", "category", "series",
    "old group", "old rectangle",
)  # fmt: skip


def docx(body: str = "") -> bytes:
    inside = (
        paragraph(say("body"))
        + "<w:p><w:r><w:t>The sentence of the </w:t></w:r><w:r><w:rPr><w:tabs><w:tab w:pos='1'/></w:tabs></w:rPr>"
        + "<w:t>spl</w:t></w:r><w:r><w:t>it run stands here.</w:t></w:r></w:p>"
        + f"<w:p><w:ins><w:r><w:t>{say('insertion')}</w:t></w:r></w:ins></w:p>"
        + "<w:p><w:del><w:r><w:delText>Deleted words.</w:delText></w:r></w:del></w:p>"
        + f"<w:p><w:moveFrom><w:r><w:t>Deleted {say('moved to')}</w:t></w:r></w:moveFrom></w:p>"
        + f"<w:p><w:moveTo><w:r><w:t>{say('moved to')}</w:t></w:r></w:moveTo></w:p>"
        + f"<w:tbl><w:tr><w:tc>{paragraph(say('table cell'))}</w:tc></w:tr></w:tbl>"
        + "<w:p><w:r><mc:AlternateContent><mc:Choice><w:drawing><wp:docPr id='1' descr='"
        + f"{say('alt text')}'/><wps:txbx><w:txbxContent>{paragraph(say('text box'))}</w:txbxContent></wps:txbx>"
        + f"</w:drawing></mc:Choice><mc:Fallback><w:pict>{paragraph('Deleted twice.')}</w:pict></mc:Fallback>"
        + f"</mc:AlternateContent></w:r></w:p><w:p><w:hyperlink><w:r><w:t>{say('link')}</w:t></w:r></w:hyperlink></w:p>"
        + "<w:p><w:r><w:instrText>Deleted field code</w:instrText></w:r>"
        + f"<w:r><w:t>{say('field result')}</w:t></w:r></w:p>"
        + f"<w:sdt><w:sdtContent>{paragraph(say('control'))}</w:sdtContent></w:sdt>"
        + alternatives("", paragraph(say("fallback")))
        + alternatives("", paragraph(say("second choice")), paragraph("Deleted fallback."))
        + alternatives(
            alternatives("<w:r/>", "Deleted") + paragraph(say("inner choice")),
            paragraph("Deleted choice."),
            paragraph("Deleted."),
        )
        + f'<w:p><w:pict><v:shape alt="{say("old alt text")}"><v:textpath string="{say("word art")}"/></v:shape>'
        + f'</w:pict></w:p><w:p><w:pict><v:group alt="{say("old group")}"><v:rect alt="{say("old rectangle")}"/>'
        + "</v:group></w:pict></w:p>"
    )
    names = 'xmlns:w="w" xmlns:mc="mc" xmlns:wp="wp" xmlns:wps="wps" xmlns:a="a" xmlns:c="c" xmlns:dgm="d" xmlns:v="v"'
    return zipped(
        {
            "[Content_Types].xml": types("wordprocessingml.document"),
            "_rels/.rels": related(officeDocument="word/document.xml", core_properties="docProps/core.xml"),
            "docProps/core.xml": CORE,
            "word/document.xml": f"<w:document {names}><w:body>{body or inside}</w:body></w:document>",
            "word/_rels/document.xml.rels": related(
                footnotes="footnotes.xml",
                endnotes="endnotes.xml",
                comments="comments.xml",
                header1="header1.xml",
                header2="/word/header2.xml",
                footer="footer1.xml",
                chart="charts/chart1.xml",
                diagramData="diagrams/data1.xml",
            ),
            "word/footnotes.xml": f"<w:notes {names}><w:footnote>{paragraph(say('footnote'))}</w:footnote></w:notes>",
            "word/endnotes.xml": f"<w:notes {names}><w:endnote>{paragraph(say('endnote'))}</w:endnote></w:notes>",
            "word/comments.xml": f"<w:notes {names}><w:comment>{paragraph(say('comment'))}</w:comment></w:notes>",
            "word/header1.xml": f"<w:hdr {names}>{paragraph(say('first header'))}</w:hdr>",
            "word/header2.xml": f"<w:hdr {names}>{paragraph(say('second header'))}</w:hdr>",
            "word/footer1.xml": f"<w:ftr {names}>{paragraph(say('footer'))}</w:ftr>",
            "word/charts/chart1.xml": f"<c:chart {names}><c:title>{drawn(say('chart'))}</c:title>{LABELS}</c:chart>",
            "word/diagrams/data1.xml": f"<dgm:dataModel {names}><dgm:t>{drawn(say('diagram'))}</dgm:t></dgm:dataModel>",
        }
    )


SLIDE_PLACES = (
    "title", "table cell", "alt text", "notes", "old comment", "new comment", "second slide", "layout", "master",
    "chart", "category", "series", "fallback",
)  # fmt: skip


def shape(text: str, *, placeholder: bool = False, alt: str = "") -> str:
    mark = "<p:nvPr><p:ph/></p:nvPr>" if placeholder else ""
    about = f'<p:nvSpPr><p:cNvPr id="1" name="no text" descr="{alt}"/>{mark}</p:nvSpPr>'
    return f"<p:sp>{about}<p:txBody>{drawn(text)}</p:txBody></p:sp>"


def pptx() -> bytes:
    names = 'xmlns:p="p" xmlns:a="a" xmlns:r="r" xmlns:c="c" xmlns:mc="mc"'
    table = f"<p:graphicFrame><a:tbl><a:tr><a:tc>{drawn(say('table cell'))}</a:tc></a:tr></a:tbl></p:graphicFrame>"
    number = '<p:sp><p:txBody><a:p><a:fld type="slidenum"><a:t>Deleted 7</a:t></a:fld></a:p></p:txBody></p:sp>'
    first = shape(say("title"), placeholder=True) + table + number + shape("x", alt=say("alt text"))
    first += alternatives("", shape(say("fallback"))) + alternatives(shape("x"), shape("Deleted"))
    static = alternatives(shape("x"), shape("Deleted")) + shape("Deleted: click to edit", placeholder=True)
    return zipped(
        {
            "[Content_Types].xml": types("presentationml.presentation"),
            "_rels/.rels": related(officeDocument="ppt/presentation.xml", core_properties="docProps/core.xml"),
            "docProps/core.xml": CORE,
            "ppt/presentation.xml": f'<p:presentation {names}><p:sldIdLst><p:sldId id="256" r:id="slide2"/>'
            '<p:sldId r:id="slide1" id="257"/></p:sldIdLst></p:presentation>',
            "ppt/_rels/presentation.xml.rels": related(slide1="slides/slide1.xml", slide2="slides/slide2.xml"),
            "ppt/slides/slide2.xml": f"<p:sld {names}>{first}</p:sld>",
            "ppt/slides/slide1.xml": f"<p:sld {names}>{shape(say('second slide'))}</p:sld>",
            "ppt/slides/_rels/slide2.xml.rels": related(
                slideLayout="../slideLayouts/layout1.xml",
                notesSlide="../notesSlides/notes1.xml",
                comments1="../comments/comment1.xml",
                comments2="../comments/modern1.xml",
                chart="../charts/chart1.xml",
            ),
            "ppt/notesSlides/notes1.xml": f"<p:notes {names}>{shape(say('notes'), placeholder=True)}</p:notes>",
            "ppt/comments/comment1.xml": f"<p:list {names}><p:cm><p:text>{say('old comment')}</p:text></p:cm></p:list>",
            "ppt/comments/modern1.xml": f"<p:cmLst {names}><p:txBody>{drawn(say('new comment'))}</p:txBody></p:cmLst>",
            "ppt/charts/chart1.xml": f"<c:chart {names}>{drawn(say('chart'))}{NEW_LABELS}</c:chart>",
            "ppt/slideLayouts/layout1.xml": f"<p:sldLayout {names}>{static}{shape(say('layout'))}</p:sldLayout>",
            "ppt/slideLayouts/_rels/layout1.xml.rels": related(slideMaster="../slideMasters/master1.xml"),
            "ppt/slideMasters/master1.xml": f"<p:sldMaster {names}>{static}{shape(say('master'))}</p:sldMaster>",
        }
    )


ODT_PLACES = (
    "heading", "span", "table cell", "footnote", "endnote", "comment", "text box", "alt title", "alt text", "header",
    "footer", "chart",
)  # fmt: skip
ODP_PLACES = ("slide", "notes", "alt text", "header")
NAMES = " ".join(
    f'xmlns:{name}="{name}"' for name in ("office", "text", "table", "draw", "svg", "style", "dc", "meta", "xlink")
)
META = (
    f"<office:document-meta {NAMES}><office:meta><meta:initial-creator>Ann Author</meta:initial-creator>"
    "<dc:creator>Someone Later</dc:creator><dc:title>The title</dc:title><dc:date>2025-01-02T03:04:05Z</dc:date>"
    "<meta:creation-date>2024-01-02T03:04:05Z</meta:creation-date></office:meta></office:document-meta>"
)


def line(text: str) -> str:
    return f"<text:p>{text}</text:p>"


def opened(kind: str, body: str, styles: str, **more: str) -> bytes:
    parts: dict[str, str | bytes] = {
        "mimetype": f"application/vnd.oasis.opendocument.{kind}",
        "content.xml": f"<office:document-content {NAMES}><office:body>{body}</office:body></office:document-content>",
        "styles.xml": f"<office:document-styles {NAMES}>{styles}</office:document-styles>",
        "meta.xml": META,
        "META-INF/manifest.xml": "<manifest/>",
    }
    return zipped(parts | {name.replace("__", "/").replace("_", " "): data for name, data in more.items()})


def odt() -> bytes:
    body = (
        f"<text:tracked-changes><text:deletion>{line('Deleted words.')}</text:deletion></text:tracked-changes>"
        f"<text:h>{say('heading')}</text:h>"
        f"<text:p>The sentence<text:s/>of the <text:span>span<text:s text:c='1'/></text:span>stands here."
        f"<text:note><text:note-citation>Deleted1</text:note-citation><text:note-body>{line(say('footnote'))}"
        f"</text:note-body></text:note></text:p>"
        f"<text:p>x<text:note><text:note-body>{line(say('endnote'))}</text:note-body></text:note>"
        f"<office:annotation><dc:creator>Deleted</dc:creator>{line(say('comment'))}</office:annotation></text:p>"
        f"<table:table><table:table-row><table:table-cell>{line(say('table cell'))}</table:table-cell>"
        f"</table:table-row></table:table><text:p><draw:frame><draw:text-box>{line(say('text box'))}</draw:text-box>"
        f"<svg:title>{say('alt title')}</svg:title><svg:desc>{say('alt text')}</svg:desc></draw:frame></text:p>"
    )
    styles = f"<style:header>{line(say('header'))}</style:header><style:footer>{line(say('footer'))}</style:footer>"
    chart = f"<x {NAMES}>{line(say('chart'))}<table:table>{line('Deleted data')}</table:table></x>"
    return opened("text", f"<office:text>{body}</office:text>", styles, **{"Object_1__content.xml": chart})


def odp() -> bytes:
    body = (
        f"<draw:page><draw:frame><draw:text-box>{line(say('slide'))}</draw:text-box>"
        f"<svg:desc>{say('alt text')}</svg:desc></draw:frame>"
        f"<presentation:notes xmlns:presentation='x'>{line(say('notes'))}</presentation:notes></draw:page>"
    )
    return opened("presentation", f"<office:presentation>{body}</office:presentation>", line(say("header")))


ODS_PLACES = ("sheet name", "cell", "comment", "text box", "header")


def ods() -> bytes:
    calc = "urn:oasis:names:tc:opendocument:xmlns"
    spaces = f'xmlns:office="{calc}:office:1.0" xmlns:table="{calc}:table:1.0" xmlns:text="{calc}:text:1.0"'
    spaces += ' xmlns:calcext="calcext"'
    cell = (
        f'<table:table-cell office:value-type="string"><office:annotation>{line(say("comment"))}</office:annotation>'
        f"{line(say('cell'))}</table:table-cell>"
        '<table:table-cell table:formula="of:=A1&gt;1" office:value-type="float" office:value="0" '
        f'calcext:value-type="error">{line("#DIV/0!")}</table:table-cell>'
        '<table:table-cell office:value-type="string" office:string-value="" calcext:value-type="error">'
        f'{line("#N/A")}</table:table-cell><table:table-cell calcext:value-type="float" office:value-type="float" '
        f'office:value="2.5">{line("2,50")}</table:table-cell>'
    )
    shapes = f"<table:shapes><draw:frame xmlns:draw='d'>{line(say('text box'))}</draw:frame></table:shapes>"
    sheet = (
        f'<table:table table:name="{say("sheet name")}">{shapes}<table:table-row>{cell}</table:table-row></table:table>'
    )
    content = (
        f"<office:document-content {spaces}><office:body><office:spreadsheet>{sheet}</office:spreadsheet></office:body>"
        "</office:document-content>"
    )
    return opened("spreadsheet", "", line(say("header")), **{"content.xml": content})
