import { expect, it } from 'vitest';
import { calendarOf, event, ZURICH } from '../contracts/calendar/scene.ts';
import { approved, invitations, numberOf, openCalendar, put } from './calendar-scene.ts';
import { FRIEND, OWN } from './scene.ts';

/** An event of the owner with contents from somebody else that the owner's page does not show. */
const HIDING = calendarOf(
  ZURICH.flatMap((line) =>
    line.startsWith('TZID')
      ? [line, 'COMMENT:UNSEEN-1', 'X-LIC-LOCATION:UNSEEN-2', 'TZURL:http://UNSEEN-3']
      : [line],
  ).map((line) => (line.startsWith('RRULE') ? `TZNAME;X-A=UNSEEN-4:UNSEEN-5\r\n${line}` : line)),
  event(
    'hiding',
    'SUMMARY;ALTREP="http://UNSEEN-6.example";LANGUAGE=UNSEEN-7;X-A=UNSEEN-8:Planning\\, part 1',
    'DTSTART;TZID=Europe/Zurich;X-A=UNSEEN-9:20270315T090000',
    'DTEND;TZID=Europe/Zurich;X-B=UNSEEN-10:20270315T100000',
    'LOCATION;ALTREP="http://UNSEEN-11.example":Room 4',
    'DESCRIPTION;ALTREP="CID:UNSEEN-12":Agenda\\nand more',
    `ORGANIZER;CN="Ada ^'the^' Byron";SENT-BY="mailto:UNSEEN-13@b.example";DIR="http://UNSEEN-14.example":mailto:${OWN}`,
    `ATTENDEE;CN="Okafor, Maya";PARTSTAT=ACCEPTED;ROLE=OPT-PARTICIPANT;X-A=UNSEEN-15;MEMBER="mailto:UNSEEN-16@b.example":mailto:${FRIEND}`,
    'ATTENDEE;PARTSTAT=UNSEEN-17;ROLE=UNSEEN-18;CUTYPE=UNSEEN-19:mailto:zoe@atlas.example',
    'ATTENDEE;SCHEDULE-AGENT=NONE:mailto:UNSEEN-20@b.example',
    'X-UNSEEN-21:UNSEEN-22',
    'ATTACH:http://UNSEEN-23.example',
    'CATEGORIES:UNSEEN-24',
    'BEGIN:VALARM',
    'ACTION:DISPLAY',
    'DESCRIPTION:UNSEEN-25',
    'TRIGGER:-PT10M',
    'END:VALARM',
  ),
);

it.each([
  ['update_event', { title: 'Planning, part 2' }],
  ['cancel_event', {}],
])('%s sends nothing that the page does not show', async (tool, args) => {
  const scene = await openCalendar();
  await put(scene, 'hiding.ics', HIDING);
  const { state } = await approved(scene, tool, { event_id: await numberOf(scene, 'hiding'), ...args });
  expect(state).toBe('executed');
  const [sent] = await invitations(scene);
  expect(sent?.to).toEqual([FRIEND, 'zoe@atlas.example']);
  expect(`${sent?.subject}${sent?.text}${sent?.lines.join('\n')}`).not.toContain('UNSEEN');
  const names = new Set(sent?.lines.map((line) => /^[A-Z-]+/.exec(line)?.[0] ?? ''));
  expect(sent?.lines).toEqual(
    expect.arrayContaining([
      `SUMMARY:Planning\\, part ${tool === 'update_event' ? 2 : 1}`,
      'LOCATION:Room 4',
      'DESCRIPTION:Agenda\\nand more',
      'DTSTART;TZID=Europe/Zurich:20270315T090000',
      'DTEND;TZID=Europe/Zurich:20270315T100000',
      `ORGANIZER;CN="Ada ^'the^' Byron":mailto:${OWN}`,
      `ATTENDEE;CN="Okafor, Maya";ROLE=OPT-PARTICIPANT;PARTSTAT=ACCEPTED:mailto:${FRIEND}`,
      'ATTENDEE;ROLE=REQ-PARTICIPANT;PARTSTAT=NEEDS-ACTION;RSVP=TRUE:mailto:zoe@atlas.example',
    ]),
  );
  // No other line is included, whatever its name.
  const known = [
    'UID',
    'DTSTAMP',
    'SEQUENCE',
    'STATUS',
    'SUMMARY',
    'DTSTART',
    'DTEND',
    'LOCATION',
    'DESCRIPTION',
  ];
  const own = ['BEGIN', 'END', 'VERSION', 'PRODID', 'METHOD', 'ORGANIZER', 'ATTENDEE', ''];
  const ofZones = [
    'TZID',
    'LAST-MODIFIED',
    'TZURL',
    'X-LIC-LOCATION',
    'TZNAME',
    'TZOFFSETFROM',
    'TZOFFSETTO',
    'RRULE',
    'RDATE',
  ];
  expect([...names].filter((name) => ![...known, ...own, ...ofZones].includes(name))).toEqual([]);
});

it('characters that a line cannot contain are left out of a title, and attendees without an address are left out', async () => {
  const scene = await openCalendar();
  const ics = calendarOf(
    event(
      'odd',
      'SUMMARY:Bell \u0007 and more',
      'DTSTART:20270315T090000Z',
      `ORGANIZER:mailto:${OWN}`,
      `ATTENDEE;CN="Maya":mailto:${FRIEND}`,
      'ATTENDEE:urn:uuid:4711',
      'ATTENDEE:mailto:not an address',
    ),
  );
  await put(scene, 'odd.ics', ics);
  const { state } = await approved(scene, 'update_event', {
    event_id: await numberOf(scene, 'odd'),
    start: '2027-03-16T09:00',
  });
  expect(state).toBe('executed');
  const [sent] = await invitations(scene);
  expect(sent?.lines).toEqual(
    expect.arrayContaining([
      'SUMMARY:Bell   and more',
      `ATTENDEE;CN="Maya";ROLE=REQ-PARTICIPANT;PARTSTAT=NEEDS-ACTION;RSVP=TRUE:mailto:${FRIEND}`,
      'ATTENDEE;ROLE=REQ-PARTICIPANT;PARTSTAT=NEEDS-ACTION;RSVP=TRUE:urn:uuid:4711',
    ]),
  );
  expect(sent?.lines.join()).not.toContain('not an address');
});
