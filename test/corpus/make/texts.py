"""Texts of many languages, for the programs that write the corpus. The same number gives the same text."""
import random

LATIN = [
    "The invoice is due on the first of next month and comes to forty euros.",
    "Please confirm whether Thursday suits the whole team for the review.",
    "Die Straße nach München ist wegen Bauarbeiten bis Ende März gesperrt.",
    "Größere Änderungen müssen zunächst schriftlich bestätigt werden.",
    "L’été dernier, nous avons déjà réservé la même maison près de la forêt.",
    "Où êtes-vous allés après la réunion de l’équipe à Besançon ?",
    "El niño pequeño comió piña mientras su tío leía el periódico en Logroño.",
    "¿Cuándo llegará el envío que pedimos la semana pasada?",
    "Zażółć gęślą jaźń, powiedział wesoły święty Mikołaj do Łucji.",
    "Příliš žluťoučký kůň úpěl ďábelské ódy na okraji města.",
    "Árvíztűrő tükörfúrógép működik a műhely sarkában.",
    "İstanbul’da güneşli bir gün; çocuklar bahçede oynuyor.",
    "Blåbærsyltetøy på brødskiva smaker godt om høsten i Tromsø.",
    "Țara noastră își schimbă câteva legi în această săptămână.",
    "Os preços não subirão antes da próxima estação, disse João.",
    "Efficient offices find and file their affidavits first.",
]
RUSSIAN = [
    "Съешь же ещё этих мягких французских булок, да выпей чаю.",
    "Счёт должен быть оплачен до конца следующего месяца.",
    "Пожалуйста, подтвердите, что вся группа сможет прийти в четверг.",
    "Дорога в город закрыта из-за ремонта, поэтому выезжайте раньше.",
]
CYRILLIC = [
    *RUSSIAN,
    "Договір набуває чинності після підписання обома сторонами.",
    "Пројекат ће бити завршен до краја следеће године.",
]
GREEK = ["Η συνάντηση θα γίνει την Πέμπτη το πρωί στο γραφείο μας.", "Ξεσκεπάζω την ψυχοφθόρα βδελυγμία."]
BEYOND = [
    "東京都の会議は来週の木曜日に変更されました。",
    "请在星期五之前把合同发给我们的办公室。",
    "회의는 다음 주 목요일로 연기되었습니다.",
    "הפגישה נדחתה ליום חמישי בשבוע הבא.",
    "تأجل الاجتماع إلى يوم الخميس من الأسبوع القادم.",
    "बैठक अगले सप्ताह गुरुवार को होगी।",
    "การประชุมเลื่อนไปเป็นวันพฤหัสบดีหน้า",
    "Party 🎉 and code 👩‍💻 at the café ☕.",
]
WESTERN = [one for one in LATIN if all(ord(letter) < 256 for letter in one)]
EUROPEAN = LATIN + CYRILLIC + GREEK
EVERY = EUROPEAN + BEYOND


class Texts:
    def __init__(self, seed, sentences=EVERY):
        self.random = random.Random(seed)
        self.sentences = sentences

    def sentence(self):
        number = self.random.choice(["", "", f" {self.random.randint(1, 99999)}.", f" No. {self.random.randint(2, 99)}/B."])
        return self.random.choice(self.sentences) + number

    def paragraph(self):
        return " ".join(self.sentence() for _ in range(self.random.randint(1, 6)))

    def title(self):
        return self.random.choice(self.sentences).rstrip(".?!。").split(",")[0]

    def number(self):
        return self.random.choice([self.random.randint(-5000, 5_000_000), self.random.randint(1, 99999) / 100])

    def many(self, least, most, make):
        return [make() for _ in range(self.random.randint(least, most))]
