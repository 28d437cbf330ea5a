"""Writes the documents of the corpus: documents.py FOLDER SHARE. Beside each is NAME.words, the text that was put into it.
Only each SHARE-th document of a kind.

Debian: python3-docx python3-openpyxl python3-xlwt python3-odf python3-reportlab python3-ebooklib python3-pil python3-uno groff
libreoffice-writer-nogui libreoffice-calc-nogui libreoffice-impress-nogui libreoffice-draw-nogui fonts-dejavu-core
"""
import csv
import datetime
import html
import io
import os
import subprocess
import sys
import tempfile
import struct
import time
import zipfile

import docx
import openpyxl
import uno
import xlwt
from com.sun.star.beans import PropertyValue
from com.sun.star.connection import NoConnectException
from com.sun.star.lang import DisposedException
from ebooklib import epub
from odf import draw, opendocument, style, table, text as odftext
from PIL import Image
from reportlab.lib import styles as pdf_styles
from reportlab.pdfbase import pdfmetrics
from reportlab.pdfbase.cidfonts import UnicodeCIDFont
from reportlab.pdfbase.ttfonts import TTFont
from reportlab.pdfgen import canvas
from reportlab import platypus

from compound import compound
from texts import BEYOND, CYRILLIC, EUROPEAN, EVERY, GREEK, LATIN, RUSSIAN, WESTERN, Texts

FOLDER = sys.argv[1]
SHARE = int(sys.argv[2])
FONT = "/usr/share/fonts/truetype/dejavu/DejaVuSans.ttf"


def path(name):
    return os.path.join(FOLDER, name)


def expect(name, words):
    with open(path(f"{name}.words"), "w", encoding="utf-8") as file:
        file.write("\n".join(words))


def copy_words(source, target):
    with open(path(f"{source}.words"), encoding="utf-8") as file:
        expect(target, [file.read()])


def write(name, content):
    with open(path(name), "wb") as file:
        file.write(content)


def word(name, texts, around=True):
    """@param around whether it has a header and a footer: some formats have none"""
    document = docx.Document()
    words = []

    def put(text):
        words.append(text)
        return text

    if around:
        document.sections[0].header.paragraphs[0].text = put(texts.title())
        document.sections[0].footer.paragraphs[0].text = put(texts.title())
    document.add_heading(put(texts.title()), 0)
    for _ in range(texts.random.randint(2, 6)):
        document.add_heading(put(texts.title()), texts.random.randint(1, 3))
        for _ in range(texts.random.randint(1, 4)):
            paragraph = document.add_paragraph()
            whole = put(texts.paragraph())
            # A word may be of several runs.
            cut = texts.random.randint(0, len(whole))
            paragraph.add_run(whole[:cut]).bold = True
            paragraph.add_run(whole[cut:]).italic = texts.random.random() < 0.3
        for _ in range(texts.random.randint(0, 3)):
            document.add_paragraph(put(texts.sentence()), style="List Bullet")
        if texts.random.random() < 0.5:
            rows, columns = texts.random.randint(1, 5), texts.random.randint(1, 4)
            grid = document.add_table(rows=rows, cols=columns)
            for row in range(rows):
                for column in range(columns):
                    grid.cell(row, column).text = put(texts.random.choice([texts.title(), str(texts.number())]))
        if texts.random.random() < 0.2:
            document.add_page_break()
    document.save(path(name))
    expect(name, words)


def cell(texts):
    """A value, and how a reader shows it."""
    kind = texts.random.randint(0, 9)
    if kind < 5:
        value = texts.title()
        return value, value
    if kind < 8:
        value = texts.number()
        return value, str(value).removesuffix(".0")
    if kind == 8:
        value = datetime.date(2020, 1, 1) + datetime.timedelta(days=texts.random.randint(0, 3000))
        return value, value.isoformat()
    value = texts.random.random() < 0.5
    return value, str(value).upper()


def grid(texts):
    return [[cell(texts) for _ in range(texts.random.randint(1, 7))] for _ in range(texts.random.randint(1, 40))]


def workbook(name, texts):
    book = openpyxl.Workbook()
    words = []
    for at in range(texts.random.randint(1, 3)):
        sheet = book.active if at == 0 else book.create_sheet()
        sheet.title = f"Sheet {at} {texts.random.choice(['Übersicht', 'Заказы', '売上'])}"
        words.append(sheet.title)
        for row in grid(texts):
            sheet.append([value for value, _ in row])
            words.extend(shown for _, shown in row)
    book.save(path(name))
    expect(name, words)


def old_workbook(name, texts):
    book = xlwt.Workbook()
    words = []
    date = xlwt.easyxf(num_format_str="YYYY-MM-DD")
    for at in range(texts.random.randint(1, 3)):
        sheet = book.add_sheet(f"Sheet {at}")
        words.append(f"Sheet {at}")
        for row, cells in enumerate(grid(texts)):
            for column, (value, shown) in enumerate(cells):
                sheet.write(row, column, value, *([date] if isinstance(value, datetime.date) else []))
                words.append(shown)
    book.save(path(name))
    expect(name, words)


def open_text(name, texts):
    document = opendocument.OpenDocumentText()
    words = []
    for _ in range(texts.random.randint(2, 6)):
        title, *paragraphs = texts.title(), *texts.many(1, 4, texts.paragraph)
        document.text.addElement(odftext.H(outlinelevel=1, text=title))
        for one in paragraphs:
            paragraph = odftext.P(text=one)
            paragraph.addElement(odftext.S(c=2))
            note = odftext.Note(noteclass="footnote")
            note.addElement(odftext.NoteCitation(text="1"))
            body = odftext.NoteBody()
            remark = texts.title()
            body.addElement(odftext.P(text=remark))
            note.addElement(body)
            paragraph.addElement(note)
            document.text.addElement(paragraph)
            words.append(remark)
        words.extend([title, *paragraphs])
    document.save(path(name))
    expect(name, words)


def open_sheet(name, texts):
    document = opendocument.OpenDocumentSpreadsheet()
    words = []
    sheet = table.Table(name="Prices")
    words.append("Prices")
    for cells in grid(texts):
        row = table.TableRow()
        for _, shown in cells:
            one = table.TableCell(valuetype="string")
            one.addElement(odftext.P(text=shown))
            row.addElement(one)
            words.append(shown)
        sheet.addElement(row)
    document.spreadsheet.addElement(sheet)
    document.save(path(name))
    expect(name, words)


def slides(name, texts):
    document = opendocument.OpenDocumentPresentation()
    layout = style.PageLayout(name="Layout")
    layout.addElement(style.PageLayoutProperties(pagewidth="28cm", pageheight="21cm", printorientation="landscape"))
    document.automaticstyles.addElement(layout)
    master = style.MasterPage(name="Master", pagelayoutname=layout)
    document.masterstyles.addElement(master)
    words = []
    for _ in range(texts.random.randint(1, 6)):
        page = draw.Page(masterpagename=master)
        for at, one in enumerate([texts.title(), *texts.many(1, 3, texts.sentence)]):
            frame = draw.Frame(width="24cm", height="3cm", x="2cm", y=f"{1 + 4 * at}cm")
            box = draw.TextBox()
            box.addElement(odftext.P(text=one))
            frame.addElement(box)
            page.addElement(frame)
            words.append(one)
        document.presentation.addElement(page)
    document.save(path(name))
    expect(name, words)


def book(name, texts):
    one = epub.EpubBook()
    one.set_identifier(name)
    one.set_title(texts.title())
    words = []
    chapters = []
    for at in range(texts.random.randint(1, 5)):
        chapter = epub.EpubHtml(title=f"Chapter {at}", file_name=f"chapter_{at}.xhtml")
        paragraphs = texts.many(1, 5, texts.paragraph)
        chapter.content = f"<h1>Chapter {at}</h1>" + "".join(f"<p>{html.escape(p)}</p>" for p in paragraphs)
        words.extend([f"Chapter {at}", *paragraphs])
        one.add_item(chapter)
        chapters.append(chapter)
    one.spine = chapters
    one.add_item(epub.EpubNcx())
    epub.write_epub(path(name), one)
    expect(name, words)


def flowing_pdf(name, texts):
    """Paragraphs and tables that are laid out by ReportLab."""
    body = pdf_styles.ParagraphStyle("body", fontName="DejaVu", fontSize=10, leading=13)
    story = []
    words = []
    for _ in range(texts.random.randint(2, 8)):
        paragraphs = texts.many(1, 3, texts.paragraph)
        story.extend(platypus.Paragraph(html.escape(p), body) for p in paragraphs)
        words.extend(paragraphs)
        rows = [[str(texts.number()) for _ in range(4)] for _ in range(texts.random.randint(1, 5))]
        story.append(platypus.Table(rows, style=[("FONT", (0, 0), (-1, -1), "DejaVu", 9)]))
        words.extend(value for row in rows for value in row)
    platypus.SimpleDocTemplate(path(name)).build(story)
    expect(name, words)


def drawn_pdf(name, texts):
    """Words that are placed one by one, with a standard font: many programs write so."""
    page = canvas.Canvas(path(name))
    words = []
    for _ in range(texts.random.randint(1, 3)):
        page.setFont("Helvetica", 11)
        y = 780
        while y > 80:
            x = 60
            for one in "The total of the order is due within thirty days of its date".split():
                if texts.random.random() < 0.3:
                    one = f"{one}{texts.random.randint(10, 99)}"
                page.drawString(x, y, one)
                x += page.stringWidth(one) + texts.random.choice([3, 4, 20])
                words.append(one)
            y -= texts.random.choice([13, 14, 40])
        page.showPage()
    page.save()
    expect(name, words)


def cjk_pdf(name, texts, font):
    """Text in a font that the file only names, by one of the encodings that readers know."""
    page = canvas.Canvas(path(name))
    page.setFont(font, 12)
    words = []
    for at in range(20):
        one = texts.sentence()
        page.drawString(60, 780 - 30 * at, one)
        words.append(one)
    page.save()
    expect(name, words)


def form_pdf(name, texts):
    page = canvas.Canvas(path(name))
    words = []
    for at in range(8):
        label, value = texts.title().split()[0], texts.title()[:40]
        page.drawString(60, 760 - 60 * at, label)
        page.acroForm.textfield(name=f"field{at}", value=value, x=200, y=750 - 60 * at, width=300, height=24)
        words.extend([label, value])
    page.save()
    expect(name, words)


def roff_pdf(name, texts):
    words = []
    lines = [f".TH REPORT 1\n"]
    for _ in range(texts.random.randint(2, 6)):
        title = f"Section {texts.random.randint(1, 999)}"
        paragraphs = [f"The files of office {texts.random.randint(1, 99)} are sufficient for the first draft." for _ in range(9)]
        lines.append(f'.SH "{title}"\n' + "\n.PP\n".join(paragraphs) + "\n")
        words.extend([title, *paragraphs])
    source = "".join(lines).encode()
    write(name, subprocess.run(["groff", "-Tpdf", "-man"], input=source, capture_output=True, check=True).stdout)
    expect(name, words)


def page_of_html(name, texts, charset):
    words = texts.many(3, 12, texts.paragraph)
    title = texts.title()
    body = "".join(
        texts.random.choice(["<p>{}</p>", "<div><b>{}</b></div>", "<ul><li>{}</ul>", "<table><tr><td>{}</table>"]).format(
            html.escape(one)
        )
        for one in words
    )
    page = f'<!doctype html><html><head><meta charset="{charset}"><title>{html.escape(title)}</title></head><body>{body}</body></html>'
    write(name, page.encode(charset, "xmlcharrefreplace"))
    expect(name, words)


def plain(name, texts, charset):
    words = texts.many(3, 20, texts.paragraph)
    write(name, "\r\n".join(words).encode(charset))
    expect(name, words)


def table_of_text(name, texts):
    out = io.StringIO()
    rows = [[shown for _, shown in row] for row in grid(texts)]
    csv.writer(out, delimiter=texts.random.choice(",;\t")).writerows(rows)
    write(name, out.getvalue().encode("utf-8-sig"))
    expect(name, [value for row in rows for value in row])


class LibreOffice:
    """Opens documents and writes them again in other formats, as NAME-BEFORE.AFTER."""

    def __enter__(self):
        pipe = f"countersign-corpus-{os.getpid()}"
        options = ["--headless", "--norestore", "--nologo", "--nodefault", f"--accept=pipe,name={pipe};urp;"]
        self.profile = tempfile.TemporaryDirectory()
        self.process = subprocess.Popen(["soffice", f"-env:UserInstallation=file://{self.profile.name}", *options])
        local = uno.getComponentContext()
        resolver = local.ServiceManager.createInstanceWithContext("com.sun.star.bridge.UnoUrlResolver", local)
        for _ in range(600):
            try:
                context = resolver.resolve(f"uno:pipe,name={pipe};urp;StarOffice.ComponentContext")
                break
            except NoConnectException:
                if self.process.poll() is not None:
                    raise
                time.sleep(0.1)
        self.desktop = context.ServiceManager.createInstanceWithContext("com.sun.star.frame.Desktop", context)
        return self

    def __exit__(self, *_):
        try:
            self.desktop.terminate()
        except DisposedException:
            # It ended before it could answer.
            pass
        self.process.wait(60)
        self.profile.cleanup()

    def convert(self, names, formats):
        """@param formats the name of LibreOffice's filter by the ending of the new file"""
        for name in names:
            stem, before = name.rsplit(".", 1)
            document = self.desktop.loadComponentFromURL(f"file://{path(name)}", "_blank", 0, (option("Hidden", True),))
            for after, filter_name in formats.items():
                target = f"{stem}-{before}.{after}"
                chosen = [option("FilterName", filter_name)]
                if after == "txt":
                    chosen.append(option("FilterOptions", "UTF8"))
                document.storeToURL(f"file://{path(target)}", tuple(chosen))
                copy_words(name, target)
            document.close(True)


def option(name, value):
    one = PropertyValue()
    one.Name, one.Value = name, value
    return one


def all_of(stem, extension, count, make, sentences=EVERY, begin=0):
    names = []
    for at in range(begin, begin + count, SHARE):
        name = f"{stem}{at}.{extension}"
        make(name, Texts(f"{stem}{at}", sentences))
        names.append(name)
    return names


def main():
    pdfmetrics.registerFont(TTFont("DejaVu", FONT))
    words = all_of("word", "docx", 14, word)
    essays = all_of("essay", "docx", 8, lambda name, one: word(name, one, around=False))
    letters = all_of("letter", "docx", 14, word, EUROPEAN)
    sheets = all_of("book", "xlsx", 14, workbook)
    all_of("oldbook", "xls", 12, old_workbook)
    texts = all_of("open", "odt", 12, open_text)
    tables = all_of("prices", "ods", 12, open_sheet)
    talks = all_of("talk", "odp", 12, slides)
    lectures = all_of("lecture", "odp", 8, slides, EUROPEAN)
    all_of("novel", "epub", 12, book)
    all_of("flow", "pdf", 14, flowing_pdf, EUROPEAN)
    all_of("drawn", "pdf", 14, drawn_pdf)
    all_of("form", "pdf", 10, form_pdf, WESTERN)
    all_of("roff", "pdf", 10, roff_pdf)
    for font, sentence in CJK_FONTS.items():
        pdfmetrics.registerFont(UnicodeCIDFont(font))
        all_of(font, "pdf", 2, lambda name, one: cjk_pdf(name, one, font), [BEYOND[sentence]])
    all_of("web", "html", 12, lambda name, one: page_of_html(name, one, "utf-8"))
    all_of("umlaut", "html", 5, lambda name, one: page_of_html(name, one, "iso-8859-1"), WESTERN)
    for charset, sentences in CHARSETS.items():
        all_of(f"plain-{charset}-", "txt", 2, lambda name, one: plain(name, one, charset), sentences)
    all_of("list", "csv", 12, table_of_text)
    all_of("cyrillic", "doc", 6, lambda name, one: eight_bit_word(name, one, "cp1251", 204), RUSSIAN)
    all_of("czech", "doc", 6, lambda name, one: eight_bit_word(name, one, "cp1250", 238), [one for one in LATIN if "ů" in one])
    all_of("ansi", "doc", 6, lambda name, one: eight_bit_word(name, one, "cp1252", 204), WESTERN)
    all_of("inline", "xlsx", 6, sheet_without_strings)
    all_of("noted", "rtf", 6, noted_rtf)
    pictures()
    with LibreOffice() as office:
        office.convert(words, {"doc": "MS Word 97", "odt": "writer8", "rtf": "Rich Text Format", "docx": "MS Word 2007 XML"})
        office.convert(essays, {"epub": "EPUB", "html": "HTML (StarWriter)", "txt": "Text (encoded)"})
        office.convert(letters, {"pdf": "writer_pdf_Export"})
        office.convert(texts, {"doc": "MS Word 97"})
        office.convert(sheets, {"xls": "MS Excel 97", "ods": "calc8"})
        office.convert(tables, {"xlsx": "Calc MS Excel 2007 XML", "xls": "MS Excel 97"})
        office.convert(talks, {"ppt": "MS PowerPoint 97", "pptx": "Impress MS PowerPoint 2007 XML"})
        office.convert(lectures, {"pdf": "impress_pdf_Export"})


def eight_bit_word(name, texts, charset, font):
    """Word 97 with one byte per character, in the code page of its fonts."""
    paragraphs = texts.many(3, 8, texts.paragraph)
    text = "\r".join(paragraphs).encode(charset)
    start = 0x600
    fonts = struct.pack("<HH", 2, 0) + b"".join(bytes([9, 0, 0, 0, one, 0]) + b"Ari\0" for one in [0, font])
    pieces = struct.pack("<II", 0, len(text)) + struct.pack("<HIH", 0, 2 * start | 0x40000000, 0)
    clx = b"\x02" + struct.pack("<I", len(pieces)) + pieces
    document = bytearray(start) + text
    struct.pack_into("<HHHH", document, 0, 0xA5EC, 193, 0, 0x409)
    struct.pack_into("<II", document, 274, 0, len(fonts))
    struct.pack_into("<II", document, 418, len(fonts), len(clx))
    with open(path(name), "wb") as file:
        file.write(compound({"WordDocument": bytes(document), "0Table": fonts + clx}))
    expect(name, paragraphs)


def sheet_without_strings(name, texts):
    """A workbook that names shared strings, has none, and needs none."""
    rows = [[texts.sentence(), str(texts.random.randint(1, 9999))] for _ in range(20)]
    book = openpyxl.Workbook()
    book.active.title = "One"
    buffer = io.BytesIO()
    book.save(buffer)
    cells = "".join(
        f'<row r="{at}"><c r="A{at}" t="inlineStr"><is><t>{html.escape(text)}</t></is></c><c r="B{at}"><v>{number}</v></c></row>'
        for at, (text, number) in enumerate(rows, 1)
    )
    with zipfile.ZipFile(buffer) as whole, zipfile.ZipFile(path(name), "w", zipfile.ZIP_DEFLATED) as file:
        for part in whole.namelist():
            if part.endswith("sharedStrings.xml"):
                continue
            content = whole.read(part).decode()
            if part.endswith("sheet1.xml"):
                content = content.replace('ref="A1:A1"', 'ref="A1:B20"').replace('ref="A1"', 'ref="A1:B20"')
                begin, end = content.index("<sheetData"), content.index("</worksheet>")
                content = f"{content[:begin]}<sheetData>{cells}</sheetData>{content[end:]}"
            if part.endswith("workbook.xml.rels") and "sharedStrings" not in content:
                kind = "http://schemas.openxmlformats.org/officeDocument/2006/relationships/sharedStrings"
                named = f'<Relationship Id="rId99" Type="{kind}" Target="sharedStrings.xml"/></Relationships>'
                content = content.replace("</Relationships>", named)
            file.writestr(part, content)
    expect(name, [word for row in rows for word in row])


def rtf_text(text):
    return "".join(one if " " <= one < "\x7f" and one not in "\\{}" else "".join(
        f"\\u{unit - 65536 if unit > 32767 else unit}?" for unit in struct.unpack(f"<{len(one.encode('utf-16-le')) // 2}H", one.encode("utf-16-le"))
    ) for one in text)


def noted_rtf(name, texts):
    """Comments inside words, bullets in a font of symbols, and a table in a table with its fallback."""
    shown, body = [], "{\\rtf1\\ansi\\ansicpg936{\\fonttbl{\\f0 Arial;}{\\f1\\fcharset2 Symbol;}}"
    for _ in range(6):
        one, note, inner = texts.sentence(), texts.title(), texts.title()
        middle = len(one) // 2
        body += "{\\pntext\\f1\\'b7\\tab}" + rtf_text(one[:middle]) + "{\\*\\annotation " + rtf_text(note) + "}" + rtf_text(one[middle:])
        body += "\\par\\trowd\\intbl x \\itap2 " + rtf_text(inner) + "\\nestcell{\\nonesttables fallback\\par}\\cell\\row\\pard "
        shown += [one, note, inner]
    with open(path(name), "w", encoding="ascii") as file:
        file.write(body + "}")
    expect(name, shown)


CJK_FONTS = {"HeiseiMin-W3": 0, "STSong-Light": 1, "MSung-Light": 1, "HYSMyeongJo-Medium": 2}
CHARSETS = {
    "utf-8": EVERY,
    "utf-8-sig": EVERY,
    "utf-16": EVERY,
    "windows-1251": CYRILLIC,
    "windows-1253": GREEK,
    "koi8-r": RUSSIAN,
    "shift_jis": BEYOND[:1],
    "euc-kr": BEYOND[2:3],
    "gb18030": BEYOND[1:2],
}


def pictures():
    """Beside each is NAME.size: its format, width and height."""
    formats = {"png": "PNG", "jpg": "JPEG", "gif": "GIF", "webp": "WebP", "bmp": "BMP", "tiff": "TIFF"}
    for extension, format_name in formats.items():
        for at, size in enumerate([(1, 1), (320, 240), (1233, 7)]):
            name = f"picture{at}.{extension}"
            Image.new("RGB", size, (20, 40, 60)).save(path(name))
            with open(path(f"{name}.size"), "w", encoding="utf-8") as file:
                file.write(f"{format_name} {size[0]} {size[1]}")


main()
