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
LABELS = (
    SERIES
    * 2  # of every series the same
    + f"<c:ser><c:tx><c:v>{say('literal series')}</c:v></c:tx><c:dLbls>"
    "<a:p><a:fld type='CELLRANGE'><a:t>[Deleted]</a:t></a:fld></a:p></c:dLbls><c15:datalabelsRange xmlns:c15='c15'>"
    f"<c15:f>Deleted</c15:f><c15:dlblRangeCache><c:pt><c:v>{say('label from cells')}</c:v></c:pt></c15:dlblRangeCache>"
    "</c15:datalabelsRange></c:ser>"
)
NEW_LABELS = (
    f"<cx:strDim xmlns:cx='cx'><cx:f>Deleted</cx:f><cx:lvl><cx:pt>{say('category')}</cx:pt></cx:lvl></cx:strDim>"
    f"<cx:tx xmlns:cx='cx'><cx:txData><cx:f>Deleted</cx:f><cx:v>{say('series')}</cx:v></cx:txData></cx:tx>"
)

WORD_PLACES = (
    "body", "split run", "insertion", "moved to", "table cell", "text box", "link", "field result", "alt text",
    "control", "footnote", "endnote", "comment", "first header", "second header", "footer", "chart", "diagram",
    "fallback", "second choice", "inner choice", "old alt text", "word art", "category", "series", "literal series",
    "label from cells", "box in a chart", "alt text of a table", "old group", "old rectangle",
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
        + f'<w:tbl><w:tblPr><w:tblDescription w:val="{say("alt text of a table")}"/></w:tblPr>'
        + f"<w:tr><w:tc>{paragraph(say('table cell'))}</w:tc></w:tr></w:tbl>"
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
            "word/charts/_rels/chart1.xml.rels": related(chartUserShapes="../drawings/drawing1.xml"),
            "word/drawings/drawing1.xml": f"<c:userShapes {names}>{drawn(say('box in a chart'))}</c:userShapes>",
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
    "footer", "chart", "series", "category", "formula", "lone formula",
)  # fmt: skip
ODP_PLACES = (
    "slide", "notes", "alt text", "header", "master footer", "footer of slides", "header of notes", "fixed date",
    "series",
)  # fmt: skip
NAMES = " ".join(
    f'xmlns:{name}="{name}"' for name in (
        "office", "text", "table", "draw", "svg", "style", "dc", "meta", "xlink", "presentation", "chart", "math",
        "calcext",
    )
)  # fmt: skip
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


def flat(kind: str, body: str, styles: str) -> bytes:
    """All in one file, with what would be no text in it."""
    settings = "<office:settings><config>Deleted setting</config></office:settings>"
    return (
        f'<?xml version="1.0"?><office:document {NAMES} office:mimetype="application/vnd.oasis.opendocument.{kind}">'
        f"{META[META.index('<office:meta>') : META.index('</office:document-meta>')]}{settings}"
        f"<office:master-styles>{styles}</office:master-styles><office:body>{body}</office:body></office:document>"
    ).encode()


ODF_CHART = (
    f"<office:chart><chart:chart><chart:title>{line(say('chart'))}</chart:title><chart:plot-area><chart:axis>"
    "<chart:categories/></chart:axis></chart:plot-area><table:table><table:table-header-rows><table:table-row>"
    f"<table:table-cell>{line('')}</table:table-cell><table:table-cell office:value-type='string'>{line(say('series'))}"
    "</table:table-cell></table:table-row></table:table-header-rows><table:table-rows><table:table-row>"
    f"<table:table-cell office:value-type='string'>{line(say('category'))}</table:table-cell>"
    f"<table:table-cell office:value-type='float'>{line('Deleted value')}</table:table-cell></table:table-row>"
    "<table:table-row><table:table-cell office:value-type='float' office:value='1871'>"
    f"{line('1871')}</table:table-cell></table:table-row></table:table-rows></table:table></chart:chart></office:chart>"
)


def formula(text: str) -> str:
    source = "<math:annotation encoding='StarMath 5.0'>Deleted source</math:annotation>"
    said = f"<math:mrow>\n <math:mi>E</math:mi><math:mo>=</math:mo><math:mtext>{text}</math:mtext></math:mrow>"
    return f"<math:math {NAMES}><math:semantics>{said}{source}</math:semantics></math:math>"


def odt(*, is_flat: bool = False) -> bytes:
    chart = f"<office:document-content {NAMES}><office:body>{ODF_CHART}</office:body></office:document-content>"
    inside = f"<office:document {NAMES}><office:body>{ODF_CHART}</office:body></office:document>"
    body = (
        f"<text:tracked-changes><text:changed-region text:id='c1'><text:deletion>{line('Deleted words.')}"
        "</text:deletion></text:changed-region></text:tracked-changes>"
        f"<text:h>{say('heading')}</text:h>"
        f"<text:p>The sentence<text:s/>of the <text:span>span<text:s text:c='1'/></text:span>stands here."
        f"<text:note><text:note-citation>Deleted1</text:note-citation><text:note-body>{line(say('footnote'))}"
        f"</text:note-body></text:note></text:p>"
        f"<text:p>x<text:note><text:note-body>{line(say('endnote'))}</text:note-body></text:note>"
        f"<office:annotation><dc:creator>Deleted</dc:creator>{line(say('comment'))}</office:annotation></text:p>"
        f"<text:p>Where <draw:frame><draw:object xlink:href='./Object 2'>{formula(say('formula')) if is_flat else ''}"
        "</draw:object><draw:image><office:binary-data>Deleted</office:binary-data></draw:image></draw:frame> is."
        f"</text:p><text:p><draw:frame><draw:object xlink:href='./Object 1'>{inside if is_flat else ''}</draw:object>"
        "</draw:frame></text:p>"
        f"<table:table><table:table-row><table:table-cell>{line(say('table cell'))}</table:table-cell>"
        f"</table:table-row></table:table><text:p><draw:frame><draw:text-box>{line(say('text box'))}</draw:text-box>"
        f"<svg:title>{say('alt title')}</svg:title><svg:desc>{say('alt text')}</svg:desc></draw:frame></text:p>"
    )
    styles = f"<style:header>{line(say('header'))}</style:header><style:footer>{line(say('footer'))}</style:footer>"
    if is_flat:
        # As LibreOffice writes them: what was deleted is where it was.
        marked = "<text:change-{} text:change-id='c1'/>"
        body += line(f"kept{marked.format('start')}Deleted{marked.format('end')} too") + formula(say("lone formula"))
        return flat("text", f"<office:text>{body}</office:text>", styles)
    objects = {
        "Object_1__content.xml": chart,
        "Object_2__content.xml": formula(say("formula")),
        "Formula-7__content.xml": formula(say("lone formula")),
        "Object_3__content.xml": f"<office:x {NAMES}><table:table>{line('Deleted sheet')}</table:table></office:x>",
    }
    return opened("text", f"<office:text>{body}</office:text>", styles, **objects)


def odp(*, is_flat: bool = False) -> bytes:
    inside = f"<office:document {NAMES}><office:body>{ODF_CHART}</office:body></office:document>"
    body = (
        f"<presentation:footer-decl presentation:name='f1'>{say('footer of slides')}</presentation:footer-decl>"
        f"<presentation:header-decl presentation:name='f1'>{say('header of notes')}</presentation:header-decl>"
        "<presentation:footer-decl presentation:name='f2'>Deleted: not shown</presentation:footer-decl>"
        f"<presentation:date-time-decl presentation:name='d1'>{say('fixed date')}</presentation:date-time-decl>"
        "<draw:page presentation:use-footer-name='f1' presentation:use-date-time-name='d1'>"
        f"<draw:frame presentation:class='title'><draw:text-box>{line(say('slide'))}</draw:text-box>"
        f"<svg:desc>{say('alt text')}</svg:desc></draw:frame><draw:frame presentation:placeholder='true'>"
        f"<draw:text-box>{line('Deleted: click to add')}</draw:text-box></draw:frame>"
        f"<draw:frame>{line('x<text:page-number>Deleted number</text:page-number>')}</draw:frame>"
        f"<draw:frame><draw:object>{inside if is_flat else ''}</draw:object></draw:frame>"
        f"<presentation:notes presentation:use-header-name='f1'>{line(say('notes'))}"
        "</presentation:notes></draw:page><draw:page presentation:use-footer-name='f1'/>"
    )
    styles = (
        f"<style:master-page><draw:frame presentation:class='outline'><draw:text-box>{line('Deleted: click to edit')}"
        f"</draw:text-box></draw:frame><draw:frame presentation:class='footer'>{line(say('master footer'))}"
        f"{line('<presentation:footer>Deleted stand-in</presentation:footer>')}</draw:frame>"
        f"{line(say('header'))}</style:master-page>"
    )
    body = f"<office:presentation>{body}</office:presentation>"
    if is_flat:
        return flat("presentation", body, styles)
    return opened("presentation", body, styles, **{"Object_1__content.xml": inside})


ODS_PLACES = (
    "sheet name", "cell", "comment", "text box", "header", "cell without a type", "cell with a box", "box in a cell",
    "box in an empty cell", "chart", "footer",
)  # fmt: skip


def ods(*, is_flat: bool = False) -> bytes:
    cell = (
        f'<table:table-cell office:value-type="string"><office:annotation>{line(say("comment"))}</office:annotation>'
        f"{line(say('cell'))}</table:table-cell>"
        '<table:table-cell table:formula="of:=A1&gt;1" office:value-type="float" office:value="0" '
        f'calcext:value-type="error">{line("#DIV/0!")}</table:table-cell>'
        '<table:table-cell office:value-type="string" office:string-value="" calcext:value-type="error">'
        f'{line("#N/A")}</table:table-cell><table:table-cell calcext:value-type="float" office:value-type="float" '
        f'office:value="2.5">{line("2,50")}</table:table-cell>'
    )
    box = "<draw:frame><draw:text-box>{}</draw:text-box></draw:frame>"
    others = (
        f"<table:table-cell>{line(say('cell without a type'))}</table:table-cell><table:table-cell/>"
        f'<table:table-cell office:value-type="string">{line(say("cell with a box"))}'
        f"{box.format(line(say('box in a cell')))}</table:table-cell>"
        f"<table:table-cell>{box.format(line(say('box in an empty cell')))}</table:table-cell>"
    )
    shapes = f"<table:shapes>{box.format(line(say('text box')))}</table:shapes>"
    sheet = (
        f'<table:table table:name="{say("sheet name")}">{shapes}<table:table-row>{cell}</table:table-row>'
        f"<table:table-row>{others}</table:table-row></table:table>"
    )
    chart = ODF_CHART.replace(say("series"), "Deleted series").replace(say("category"), "Deleted category")
    body = f"<office:spreadsheet>{sheet}</office:spreadsheet>"
    styles = (
        f"<style:header>{line(say('header') + '<text:sheet-name>Deleted</text:sheet-name>')}</style:header>"
        f"<style:header-left style:display='false'>{line('Deleted: not shown')}</style:header-left>"
        f"<style:footer>{line('<text:page-number>Deleted</text:page-number>' + say('footer'))}</style:footer>"
    )
    if is_flat:
        return flat("spreadsheet", body, styles)
    drawn = f"<office:document-content {NAMES}><office:body>{chart}</office:body></office:document-content>"
    return opened("spreadsheet", body, styles, **{"Object_1__content.xml": drawn})
