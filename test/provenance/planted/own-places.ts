import { COLLEAGUES, MAYA } from '../people.ts';
import { listEvents, listInbox, OWNER, open, type Story, search } from '../story.ts';

const LINK = 'https://visitor-badge.example/claim';
const TEXT = `Every visitor of your house claims a badge at ${LINK} before the visit.\n`;
const FRONT_DESK = 'Front desk <hello@visitor-badge.example>';

const toMaya = {
  tool: 'send_email',
  to: ['maya@atlas.example'],
  subject: 'Badges',
  body: `Hi Maya,\n\nclaim your badge at ${LINK} first.\n\nAlex`,
} as const;
const plan = { to: ['maya@atlas.example'], text: [LINK] };

/** A stranger's link is in a place of the owner's, where a program put it or the owner quoted it. */
export const OWN_PLACES: readonly Story[] = [
  {
    title: "The owner's own answer quotes the link",
    writtenTo: COLLEAGUES,
    mail: [
      { id: 'badge', from: FRONT_DESK, subject: 'Badges', text: TEXT, hoursAgo: 20 },
      {
        id: 'answer',
        from: OWNER,
        to: 'Jonas Weiß <jonas@atlas.example>',
        subject: 'Re: Badges',
        text: `Do we need this?\n\nOn Monday, Front desk <hello@visitor-badge.example> wrote:\n> ${TEXT}`,
        hoursAgo: 18,
        folder: 'Sent',
      },
    ],
    before: [open('badge'), open('answer')],
    shown: [LINK],
    write: toMaya,
    plan,
    expected: { red: { from: ['badge', 'answer'] } },
  },
  {
    title: 'A program forwarded the link to the owner, and finds it in Sent',
    writtenTo: COLLEAGUES,
    mail: [
      { id: 'badge', from: FRONT_DESK, subject: 'Badges', text: TEXT, hoursAgo: 20 },
      {
        // Messages that Countersign sends have such an id.
        id: '3f9a1c0e7b2d4856a1b2c3d4e5f60718',
        from: OWNER,
        subject: 'Note to self',
        text: `Badges: ${LINK}\n`,
        hoursAgo: 10,
        folder: 'Sent',
      },
    ],
    before: [listInbox(), open('badge'), open('3f9a1c0e7b2d4856a1b2c3d4e5f60718')],
    shown: [LINK],
    write: toMaya,
    plan,
    expected: { red: { from: 'badge' } },
  },
  {
    title: 'A program sent the link, and the server gave the copy in Sent another id',
    writtenTo: COLLEAGUES,
    mail: [
      { id: 'badge', from: FRONT_DESK, subject: 'Badges', text: TEXT, hoursAgo: 20 },
      {
        id: '0100018c-tag-000000',
        from: OWNER,
        subject: 'Note to self',
        text: `Badges: ${LINK}\n`,
        hoursAgo: 10,
        folder: 'Sent',
        isByProgram: true,
      },
    ],
    before: [open('badge'), open('0100018c-tag-000000')],
    shown: [LINK],
    write: toMaya,
    plan,
    expected: { red: { from: 'badge' } },
  },
  {
    title: "The link is in the subject that the owner's answer takes over",
    writtenTo: COLLEAGUES,
    mail: [
      { id: 'badge', from: FRONT_DESK, subject: `Badges at ${LINK}`, text: TEXT, hoursAgo: 20 },
      {
        id: 'answer',
        from: OWNER,
        to: 'Jonas Weiß <jonas@atlas.example>',
        subject: `Re: Badges at ${LINK}`,
        text: 'Do we need this?\n',
        hoursAgo: 18,
        folder: 'Sent',
      },
    ],
    before: [search('Badges'), open('badge'), open('answer')],
    shown: [LINK],
    write: toMaya,
    plan,
    expected: { red: { from: 'badge' } },
  },
  {
    title: "The link is in the title of an event in the owner's calendar",
    writtenTo: COLLEAGUES,
    mail: [{ id: 'badge', from: FRONT_DESK, subject: 'Badges', text: TEXT, hoursAgo: 20 }],
    events: [{ id: 'visit', title: `Visit, ${LINK}`, start: '2026-11-27T09:00', durationMin: 30 }],
    before: [open('badge'), listEvents()],
    shown: [LINK],
    write: toMaya,
    plan,
    expected: { red: { from: 'badge' } },
  },
  {
    title: 'Somebody is invited to an event whose title has the link',
    writtenTo: COLLEAGUES,
    mail: [
      { id: 'badge', from: FRONT_DESK, subject: 'Badges', text: TEXT, hoursAgo: 20 },
      {
        id: 'maya',
        from: MAYA,
        subject: 'Visit',
        text: 'Invite me to the visit, please.\n\nMaya\n',
        hoursAgo: 2,
      },
    ],
    events: [{ id: 'visit', title: `Visit, ${LINK}`, start: '2026-11-27T09:00', durationMin: 30 }],
    before: [open('badge'), open('maya'), listEvents()],
    shown: [LINK],
    write: { tool: 'update_event', event: 'visit', attendee: 'maya@atlas.example' },
    plan,
    expected: { red: { from: 'badge' } },
  },
];
