"""Writes messages as few mailers do: joined words in ISO-2022-JP, CP949, UTF-7, base64 with the footer of a mailing list,
S/MIME in one file (by OpenSSL), and messages that Outlook saved.
"""
import base64
import os
import struct
import subprocess
import tempfile

from compound import compound
from texts import BEYOND, EVERY, Texts

HANGUL = ["똠방각하와 펲시콜라를 찦차에 실었다.", "회의는 다음 주 목요일로 연기되었습니다."]
CHARSETS = [
    ("iso-2022-jp", "iso2022_jp", BEYOND[:1]),
    ("ks_c_5601-1987", "cp949", HANGUL),
    ("euc-kr", "cp949", HANGUL),
    ("x-windows-949", "cp949", HANGUL),
    ("unicode-1-1-utf-7", "utf-7", EVERY),
]
FOOTER = "_______________________________________________\r\nreaders mailing list\r\nhttps://example.org/readers"


def words(label, codec, text):
    """One encoded word for each few letters, so that they meet inside a text."""
    pieces = [text[at:at + 5] for at in range(0, len(text), 5)]
    return "\r\n ".join(f"=?{label}?B?{base64.b64encode(one.encode(codec)).decode()}?=" for one in pieces)


def eastern(one, at):
    label, codec, sentences = CHARSETS[at % len(CHARSETS)]
    texts = Texts(one["name"], sentences)
    # Python ends each line in ASCII; programs that do not know the line write escapes in a row.
    paragraph = texts.paragraph()
    body = b"".join(letter.encode(codec) for letter in paragraph) if codec == "iso2022_jp" else paragraph.encode(codec)
    one.update({"from": texts.title(), "to": "reader@example.org", "subject": texts.title(), "text": paragraph, "files": []})
    header = f"From: {words(label, codec, one['from'])} <a@example.org>\r\nTo: reader@example.org\r\n"
    header += f"Subject: {words(label, codec, one['subject'])}\r\nContent-Type: text/plain; charset={label}\r\n"
    return f"{header}Content-Transfer-Encoding: base64\r\n\r\n".encode() + base64.encodebytes(body).replace(b"\n", b"\r\n")


def from_list(one, at):
    one.update({"files": [], "to": "readers@example.org"})
    header = f"From: {words('utf-8', 'utf-8', one['from'])} <a@example.org>\r\nTo: readers@example.org\r\n"
    header += f"Subject: {words('utf-8', 'utf-8', one['subject'])}\r\nContent-Type: text/plain; charset=utf-8\r\n"
    text = base64.encodebytes(one["text"].encode()).replace(b"\n", b"\r\n")
    one["text"] += "\n" + FOOTER
    return f"{header}Content-Transfer-Encoding: base64\r\n\r\n".encode() + text + b"\r\n" * (at % 2) + FOOTER.encode()


def openssl(*arguments, given=b""):
    return subprocess.run(["openssl", *arguments], input=given, check=True, capture_output=True).stdout


class Smime:
    def __enter__(self):
        self.folder = tempfile.TemporaryDirectory()
        self.key, self.certificate = [os.path.join(self.folder.name, name) for name in ["key.pem", "certificate.pem"]]
        openssl("req", "-x509", "-newkey", "rsa:2048", "-nodes", "-subj", "/CN=Ada", "-keyout", self.key, "-out", self.certificate)
        return self

    def __exit__(self, *error):
        self.folder.cleanup()

    def signed(self, message, at):
        fields = ["Subject", "From", "To"]
        kept = {name: message[name] for name in fields}
        for name in [*fields, "Date"]:
            del message[name]
        way = [["smime"], ["cms"], ["cms", "-stream"]][at % 3]
        command, *options = way
        smime = openssl(command, "-sign", "-nodetach", *options, "-signer", self.certificate, "-inkey", self.key, given=message.as_bytes())
        return "".join(f"{name}: {value}\n" for name, value in kept.items()).encode() + smime

    def encrypted(self, text):
        return openssl("cms", "-encrypt", "-aes256", self.certificate, given=text.encode())


def stream(property, kind):
    return f"__substg1.0_{property:04X}{kind:04X}"


def fixed(header, *numbers):
    return bytes(header) + b"".join(struct.pack("<HHIQ", 3, property, 6, value) for property, value in numbers)


def texts_of(pairs, charset):
    if charset is None:
        return {stream(property, 0x1F): text.encode("utf-16-le") for property, text in pairs}
    return {stream(property, 0x1E): text.encode(charset) for property, text in pairs}


def saved_by_outlook(one, charset, inner=None):
    code_page = {"cp1251": 1251, "cp1250": 1250, "cp932": 932}.get(charset, 1252)
    root = {"__properties_version1.0": fixed(24 if inner == "inner" else 32, (0x3FFD, code_page), (0x3FDE, 65001))}
    root.update(texts_of([(0x37, one["subject"]), (0x0C1A, one["from"]), (0x1A, "IPM.Note")], charset))
    if one["kind"] == "html":
        root[stream(0x1013, 0x102)] = one["html"].encode()
    else:
        root.update(texts_of([(0x1000, one["text"].replace("\n", "\r\n"))], charset))
    root["__recip_version1.0_#00000000"] = {
        "__properties_version1.0": fixed(8, (0x0C15, 1)),
        **texts_of([(0x3001, one["to"]), (0x39FE, "reader@example.org")], charset),
    }
    for at, name in enumerate(one["files"]):
        root[f"__attach_version1.0_#{at:08X}"] = {
            "__properties_version1.0": fixed(8, (0x3705, 1)),
            stream(0x3707, 0x1F): name.encode("utf-16-le"),
            stream(0x3701, 0x102): b"a;b\n1;2\n",
        }
    if isinstance(inner, dict):
        root["__attach_version1.0_#000000FF"] = {"__properties_version1.0": fixed(8, (0x3705, 5)), stream(0x3701, 0x0D): inner}
    return root


def outlook(one, at, carried=None):
    charset = [None, None, "cp1251", "cp1250"][at % 4]
    if carried is None:
        return compound(saved_by_outlook(one, charset))
    return compound(saved_by_outlook(one, charset, saved_by_outlook(carried, None, "inner")))
