import { describe, expect, it } from 'vitest';
import { readEvent } from '../../../core/ical/event-facts.ts';
import { calendarOf, event, ZURICH } from '../../contracts/calendar/scene.ts';

// The contents of an object besides what the owner's page shows of an event.

function alongside(...components: readonly (readonly string[])[]): string[] {
  const ics = calendarOf(...components).replace(/PRODID.*\r\n/, '');
  const says = readEvent(ics, { uid: 'one', recurrenceId: null }, 'Europe/Zurich');
  if (says.kind !== 'event') throw new Error('the event is not there');
  return says.alongside === '' ? [] : says.alongside.split('\n');
}

const START = 'DTSTART;TZID=Europe/Zurich:20260310T090000';

describe('an event', () => {
  it('that the page shows completely has no other contents', () => {
    const shown = event(
      'one',
      START,
      'DURATION:PT1H',
      'RECURRENCE-ID;VALUE=DATE:20260310',
      'LOCATION:Room 4',
      'DESCRIPTION:Agenda',
      'STATUS:CONFIRMED',
      'SEQUENCE:4',
      'TRANSP:OPAQUE',
      'CLASS:PRIVATE',
      'ORGANIZER;CN=Ada:mailto:ada@example.org',
      'ATTENDEE;CN="Okafor, Maya";PARTSTAT=ACCEPTED;ROLE=OPT-PARTICIPANT;RSVP=TRUE;CUTYPE=INDIVIDUAL;SCHEDULE-AGENT=CLIENT:mailto:maya@atlas.example',
    ).filter((line) => !line.startsWith('RECURRENCE-ID'));
    expect(alongside(ZURICH, shown)).toEqual([]);
  });

  it.each([
    'SUMMARY;ALTREP="http://a.example":Title',
    'LOCATION;X-A=b:Room 4',
    'DTSTART;X-A=b:20260310T090000Z',
    'DTEND:20260310T100000Zand more',
    'DTEND;TZID=Hello there:20260310T100000',
    'ORGANIZER;SENT-BY="mailto:b@b.example":mailto:ada@example.org',
    'ORGANIZER;DIR="http://a.example":mailto:ada@example.org',
    'ATTENDEE;X-A=b:mailto:maya@atlas.example',
    'ATTENDEE;PARTSTAT=HELLO:mailto:maya@atlas.example',
    'ATTENDEE;CUTYPE=HELLO:mailto:maya@atlas.example',
    'ATTENDEE;MEMBER="mailto:b@b.example":mailto:maya@atlas.example',
    'X-ALT-DESC;FMTTYPE=text/html:<p>Hello</p>',
    'ATTACH:http://a.example',
    'CATEGORIES:one',
    'COMMENT:Hello',
    'URL:http://a.example',
    'SEQUENCE;X-A=b:1',
    'STATUS;X-A=b:CONFIRMED',
    'TRANSP:HELLO',
  ])('has %s as other content', (line) => {
    const start = line.startsWith('DTSTART') ? [] : ['DTSTART:20260310T090000Z'];
    const summary = line.startsWith('SUMMARY') ? [] : ['SUMMARY:x'];
    const lines = ['BEGIN:VEVENT', 'UID:one', ...start, ...summary, line, 'END:VEVENT'];
    expect(alongside(lines)).toEqual([line]);
  });

  it('has the second of two equal properties as other content: the page shows the first', () => {
    expect(
      alongside(event('one', START, 'SUMMARY:Shown', 'SUMMARY:Not shown', 'LOCATION:a', 'LOCATION:b')),
    ).toEqual(['SUMMARY:Not shown', 'LOCATION:b']);
  });

  it('has folded lines as other content, without their folds', () => {
    expect(alongside(event('one', START, 'COMMENT:Hel\r\n lo'))).toEqual(['COMMENT:Hello']);
  });

  it('has its alarms, other events of its object, and properties of the calendar as other content', () => {
    const other = event('one', 'RECURRENCE-ID:20260317T080000Z', 'DTSTART:20260317T100000Z', 'SUMMARY:Other');
    const alarm = ['BEGIN:VALARM', 'ACTION:DISPLAY', 'END:VALARM'];
    const whole = event('one', START, 'RRULE:FREQ=WEEKLY', ...alarm);
    expect(alongside(['X-WR-CALNAME:Hello'], whole, other)).toEqual([
      'X-WR-CALNAME:Hello',
      'RRULE:FREQ=WEEKLY',
      'BEGIN:VALARM',
      'ACTION:DISPLAY',
      'END:VALARM',
      'BEGIN:VEVENT',
      'SUMMARY:Other',
      'END:VEVENT',
    ]);
  });

  it.each(['COMMENT:Hello', 'TZURL:http://a.example', 'X-A:b', 'TZNAME:Hello there', 'TZNAME;X-A=b:CET'])(
    'has whatever else a zone contains as other content: %s',
    (line) => {
      const zone = ZURICH.toSpliced(2, 0, line);
      expect(alongside(zone, event('one', START))).toEqual(['BEGIN:VTIMEZONE', line, 'END:VTIMEZONE']);
    },
  );

  it('has a zone with a free-text name as other content', () => {
    const zone = ZURICH.map((line) => line.replace('Europe/Zurich', 'Hello there'));
    expect(alongside(zone, event('one', START))).toContain('TZID:Hello there');
  });
});
