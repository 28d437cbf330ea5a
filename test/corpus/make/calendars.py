"""Writes the calendars of the corpus: calendars.py FOLDER. Beside each is NAME.events: its events, in UTC.

plan.json says what the programs of other languages write: calendars.rb and calendars.pl.
Debian: python3-icalendar ruby-icalendar libdata-ical-perl tzdata
"""
import datetime
import json
import os
import subprocess
import sys
from zoneinfo import ZoneInfo

import icalendar
import pytz

from texts import EVERY, Texts

FOLDER = sys.argv[1]
HERE = os.path.dirname(os.path.abspath(__file__))
ZONES = ["UTC", "Europe/Berlin", "America/New_York", "Asia/Tokyo", "Australia/Sydney", "America/Sao_Paulo"]


def plan(name):
    texts = Texts(name, EVERY)
    events = []
    for at in range(texts.random.randint(1, 5)):
        start = datetime.datetime(2026, texts.random.randint(1, 12), texts.random.randint(1, 28), texts.random.randint(4, 20), 30)
        events.append(
            {
                "uid": f"{name}-{at}@example.org",
                "title": texts.title(),
                "place": texts.title(),
                "text": texts.paragraph(),
                "start": start.isoformat(),
                "minutes": texts.random.choice([15, 60, 90, 600]),
                "zone": texts.random.choice(ZONES),
                "whole_day": texts.random.random() < 0.2,
            }
        )
    return {"name": name, "events": events}


def expect(name, events):
    expected = []
    for one in events:
        start = datetime.datetime.fromisoformat(one["start"])
        if one["whole_day"]:
            start = start.replace(hour=0, minute=0, tzinfo=datetime.timezone.utc)
            end = start + datetime.timedelta(days=1)
        else:
            start = start.replace(tzinfo=ZoneInfo(one["zone"])).astimezone(datetime.timezone.utc)
            end = start + datetime.timedelta(minutes=one["minutes"])
        times = {"start": start.strftime("%Y-%m-%dT%H:%M:%S.000Z"), "end": end.strftime("%Y-%m-%dT%H:%M:%S.000Z")}
        expected.append({**times, "title": one["title"], "words": f"{one['title']} {one['place']} {one['text']}"})
    with open(os.path.join(FOLDER, f"{name}.events"), "w", encoding="utf-8") as file:
        json.dump(sorted(expected, key=lambda one: (one["start"], one["title"])), file)


def written_by_python(name, events):
    calendar = icalendar.Calendar()
    calendar.add("prodid", "-//corpus//")
    calendar.add("version", "2.0")
    for one in events:
        event = icalendar.Event()
        start = datetime.datetime.fromisoformat(one["start"])
        event.add("uid", one["uid"])
        event.add("summary", one["title"])
        event.add("location", one["place"])
        event.add("description", one["text"])
        event.add("dtstamp", datetime.datetime(2026, 1, 1, tzinfo=datetime.timezone.utc))
        if one["whole_day"]:
            event.add("dtstart", start.date())
            event.add("dtend", start.date() + datetime.timedelta(days=1))
        else:
            # This version of icalendar writes the names of pytz's zones only.
            event.add("dtstart", pytz.timezone(one["zone"]).localize(start))
            event.add("duration", datetime.timedelta(minutes=one["minutes"]))
        calendar.add_component(event)
    with open(os.path.join(FOLDER, name), "wb") as file:
        file.write(calendar.to_ical())


def main():
    for at in range(60):
        one = plan(f"python{at}.ics")
        written_by_python(**one)
        expect(**one)
    plans = {program: [plan(f"{program}{at}.ics") for at in range(30)] for program in ["ruby", "perl"]}
    for one in plans["perl"]:
        for event in one["events"]:
            # Data::ICal writes times as they are given to it.
            event["zone"] = "UTC"
    for many in plans.values():
        for one in many:
            expect(**one)
    with open(os.path.join(FOLDER, "plan.json"), "w", encoding="utf-8") as file:
        json.dump(plans, file)
    for command in [["ruby", "calendars.rb"], ["perl", "calendars.pl"]]:
        subprocess.run([*command, FOLDER], cwd=HERE, check=True)


main()
