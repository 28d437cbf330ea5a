import { describe, expect, it } from 'vitest';
import type { EventFacts } from '../../../core/calendar/event.ts';
import { isOwnEvent, noticesOf, ownerTest, participantsOf } from '../../../core/calendar/notices.ts';

// Who is the owner of an event, and who is notified of a change to it.

const EMAIL = 'ada@example.org';
const ALIAS = 'ada.byron@example.org';
const PRINCIPAL = '/principals/ada/';
const MAYA = 'maya@example.net';

const person = (address: string) => ({ address, isMail: address.includes('@'), name: '' });
const eventBy = (organizer: string | null): EventFacts => ({
  uid: 'u',
  recurrenceId: null,
  title: 'Planning',
  start: new Date('2027-03-01T09:00:00Z'),
  end: new Date('2027-03-01T10:00:00Z'),
  allDay: false,
  status: 'confirmed',
  recurring: false,
  sequence: 0,
  location: '',
  description: '',
  organizer: organizer === null ? null : person(organizer),
  attendees: [EMAIL, ALIAS, PRINCIPAL, MAYA].map((address) => ({
    ...person(address),
    agent: 'server' as const,
    answer: 'ACCEPTED' as const,
    role: 'REQ-PARTICIPANT' as const,
  })),
});
const owner = (schedules: boolean, answersOrganizers = schedules) => ({
  email: EMAIL,
  calendar: { schedules, answersOrganizers, ownAddresses: [ALIAS, PRINCIPAL] },
});

describe('the owner of a calendar', () => {
  it.each([EMAIL, 'ADA@Example.org', ALIAS, PRINCIPAL, '/principals/ada', '/Principals/Ada/'])(
    'is %s',
    (address) => {
      expect(ownerTest(owner(false))(address)).toBe(true);
      expect(isOwnEvent(eventBy(address), owner(false))).toBe(true);
    },
  );

  it.each([MAYA, '', '/principals/adam/', 'ada@example.com', 'da.byron@example.org'])(
    'is not %s',
    (address) => {
      expect(ownerTest(owner(false))(address)).toBe(false);
      expect(isOwnEvent(eventBy(address), owner(false))).toBe(false);
    },
  );

  it('has only the address of the account if the server names no others', () => {
    const alone = { email: EMAIL, calendar: { schedules: false, answersOrganizers: false } };
    expect([EMAIL, ALIAS, PRINCIPAL].map(ownerTest(alone))).toEqual([true, false, false]);
  });

  it('is not a participant, and is not notified', () => {
    expect(participantsOf(eventBy(ALIAS), owner(true))).toEqual([MAYA]);
    expect(noticesOf(eventBy(ALIAS), owner(true))).toMatchObject({ byServer: [MAYA], byMail: [] });
  });
});

describe('the attendees', () => {
  it.each([
    ['the account', EMAIL, owner(true, true), 'byServer'],
    ['nobody', null, owner(true, true), 'byServer'],
    ['the account, whose address it does not know', EMAIL, owner(false, true), 'byMail'],
    ['another address of the owner', ALIAS, owner(false, true), 'byServer'],
    ['the principal', PRINCIPAL, owner(false, true), 'byServer'],
    ['another address of the owner, and it notifies nobody', ALIAS, owner(false, false), 'byMail'],
  ] as const)('are notified once if the organizer is %s', (_what, organizer, of, way) => {
    expect(noticesOf(eventBy(organizer), of)[way]).toEqual([MAYA]);
  });
});
