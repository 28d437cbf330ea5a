"""Writes the messages of the corpus: messages.py FOLDER. Beside each is NAME.words, what it says.

plan.json says what the mailers of other languages write: messages.rb, messages.pl and messages.mjs.
Debian: python3 ruby-mail libmime-tools-perl
"""
import email.message
import email.policy
import html
import json
import os
import subprocess
import sys

from texts import BEYOND, CYRILLIC, EVERY, GREEK, RUSSIAN, WESTERN, Texts

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
    plans = {program: [plan(f"{program}{at}.eml") for at in range(70)] for program in ["ruby", "perl", "node"]}
    for one in [one for many in plans.values() for one in many]:
        expect(one["name"], one)
    with open(os.path.join(FOLDER, "plan.json"), "w", encoding="utf-8") as file:
        json.dump(plans, file)
    for command in [["ruby", "messages.rb"], ["perl", "messages.pl"], [os.environ.get("NODE", "node"), "messages.mjs"]]:
        subprocess.run([*command, FOLDER], cwd=HERE, check=True)


main()
