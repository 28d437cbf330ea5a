"""Writes the messages of the corpus: messages.py FOLDER. Beside each is NAME.words, what it says.

plan.json says what the mailers of other languages write: messages.rb, messages.pl and messages.mjs.
Debian: python3 openssl ruby-mail libmime-tools-perl
"""
import email.message
import email.policy
import html
import json
import os
import subprocess
import sys

from texts import BEYOND, CYRILLIC, EVERY, GREEK, LATIN, RUSSIAN, WESTERN, Texts
from unusual import Smime, eastern, from_list, outlook

FOLDER = sys.argv[1]
HERE = os.path.dirname(os.path.abspath(__file__))
NAMES = ["Ada Lovelace", "Søren Kierkegaard", "Жанна Петрова", "山田 太郎", "O'Hara, Grace", "José (work) Núñez"]
FILES = ["report.csv", "Übersicht 2026.csv", "отчёт.csv", "報告書.csv", "a very long name " + "of a file " * 8 + ".csv"]


def expect(name, one):
    words = [one["from"], one["to"], one["subject"], one["text"], *one["files"]]
    with open(os.path.join(FOLDER, f"{name}.words"), "w", encoding="utf-8") as file:
        file.write("\n".join(words))


def plan(name, sentences=EVERY):
    texts = Texts(name, sentences)
    paragraphs = texts.many(1, 6, texts.paragraph)
    return {
        "name": name,
        "from": texts.random.choice(NAMES),
        "to": texts.random.choice(NAMES),
        "subject": texts.title(),
        "text": "\n\n".join(paragraphs),
        "html": "<html><body>" + "".join(f"<p>{html.escape(one)}</p>" for one in paragraphs) + "</body></html>",
        "kind": texts.random.choice(["plain", "plain", "alternative", "html"]),
        "files": texts.random.sample(FILES, texts.random.randint(0, 2)),
    }


def written_by_python(one, charset, encoding):
    message = email.message.EmailMessage(policy=email.policy.SMTP)
    message["From"] = email.utils.formataddr((one["from"], "sender@example.org"))
    message["To"] = email.utils.formataddr((one["to"], "reader@example.org"))
    message["Subject"] = one["subject"]
    message["Date"] = "Tue, 03 Mar 2026 12:00:00 +0100"
    how = {"charset": charset, "cte": encoding}
    if one["kind"] == "html":
        message.set_content(one["html"], subtype="html", **how)
    else:
        message.set_content(one["text"], **how)
    if one["kind"] == "alternative":
        message.add_alternative(one["html"], subtype="html", **how)
    for file in one["files"]:
        message.add_attachment(b"a;b\n1;2\n", maintype="text", subtype="csv", filename=file)
    return message


CHARSETS = [
    ("utf-8", EVERY),
    ("iso-8859-1", WESTERN),
    ("windows-1252", WESTERN),
    ("windows-1251", CYRILLIC),
    ("koi8-r", RUSSIAN),
    ("windows-1253", GREEK),
    ("iso-2022-jp", BEYOND[:1]),
    ("shift_jis", BEYOND[:1]),
    ("gb2312", BEYOND[1:2]),
    ("euc-kr", BEYOND[2:3]),
    ("windows-1255", BEYOND[3:4]),
    ("windows-1256", BEYOND[4:5]),
]


def write(name, one, content):
    with open(os.path.join(FOLDER, name), "wb") as file:
        file.write(content)
    expect(name, one)


CZECH = [one for one in LATIN if "ů" in one]


def unusual():
    for at in range(40):
        one = plan(f"eastern{at}.eml")
        write(one["name"], one, eastern(one, at))
        one = plan(f"list{at}.eml")
        write(one["name"], one, from_list(one, at))
    for at in range(40):
        one = plan(f"outlook{at}.msg", [EVERY, EVERY, RUSSIAN, CZECH][at % 4])
        if at % 4 > 1:
            one["from"], one["to"] = "Ada Lovelace", "O'Hara, Grace"
        carried = plan(f"carried{at}.msg") if at % 5 == 0 else None
        content = outlook(one, at, carried)
        for field in ["from", "to", "subject", "text"] if carried else []:
            one[field] = f"{one[field]} {carried[field]}"
        one["files"] += carried["files"] if carried else []
        write(one["name"], one, content)
    with Smime() as smime:
        for at in range(30):
            one = plan(f"smime{at}.eml")
            write(one["name"], one, smime.signed(written_by_python(one, "utf-8", "base64"), at))
        for at in range(5):
            one = {"from": "", "to": "", "subject": "", "text": "This message is encrypted", "files": []}
            write(f"encrypted{at}.eml", one, smime.encrypted(f"Secret {at}"))


def main():
    for at in range(120):
        charset, sentences = CHARSETS[at % len(CHARSETS)]
        name = f"python{at}.eml"
        one = plan(name, sentences)
        message = written_by_python(one, charset, ["base64", "quoted-printable", "8bit"][at // len(CHARSETS) % 3])
        if at % 10 == 9:
            # Forwarded as a whole.
            outer = plan(f"forward{at}.eml", WESTERN)
            outer["kind"], outer["files"] = "plain", []
            carrier = written_by_python(outer, "utf-8", "quoted-printable")
            carrier.add_attachment(message)
            message = carrier
            for field in ["from", "to", "subject", "text"]:
                one[field] = f"{one[field]} {outer[field]}"
        with open(os.path.join(FOLDER, name), "wb") as file:
            file.write(message.as_bytes())
        expect(name, one)
    unusual()
    plans = {program: [plan(f"{program}{at}.eml") for at in range(70)] for program in ["ruby", "perl", "node"]}
    for one in [one for many in plans.values() for one in many]:
        expect(one["name"], one)
    with open(os.path.join(FOLDER, "plan.json"), "w", encoding="utf-8") as file:
        json.dump(plans, file)
    for command in [["ruby", "messages.rb"], ["perl", "messages.pl"], [os.environ.get("NODE", "node"), "messages.mjs"]]:
        subprocess.run([*command, FOLDER], cwd=HERE, check=True)


main()
