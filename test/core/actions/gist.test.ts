import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  type ActionGist,
  eventGist,
  messageGist,
  storedGist,
  targetsGist,
  trackerGist,
} from '../../../core/actions/gist.ts';
import type { MessageTarget } from '../../../core/actions/message-target.ts';
import type { EventFacts } from '../../../core/calendar/event.ts';
import type { ApprovalSummary } from '../../../core/requests/approval-views.ts';
import { CATALOGUE } from '../../../core/tools/catalogue.ts';
import { isWrite } from '../../../core/tools/define-tool.ts';
import { anyCharacter } from '../../any-character.ts';
import { calendarOf, event } from '../../contracts/calendar/scene.ts';
import { numberOf, put, SECOND, SERIES } from '../calendar-scene.ts';
import { approvalOf, FRIEND, letter, OWN, openScene, type Scene, sendTo, shownOf } from '../scene.ts';

// The owner's list shows the gist of a request, its page the facts of the action: they must not contradict each other.

const MAYA = `Maya Okafor <${FRIEND}>`;
const LONG = 'long '.repeat(80).trim();
const CHARS_MAX = 300;

const ALL_DAY = calendarOf(
  event('all-day', `SUMMARY:${LONG}`, 'DTSTART;VALUE=DATE:20270310', 'DTEND;VALUE=DATE:20270312'),
);
const TENTATIVE = calendarOf(
  event(
    'tentative',
    'SUMMARY:Perhaps',
    'DTSTART:20270305T120000Z',
    'DTEND:20270305T130000Z',
    'STATUS:TENTATIVE',
    `ORGANIZER:mailto:${OWN}`,
    `ATTENDEE:mailto:${FRIEND}`,
  ),
);

interface Things {
  /** Of the messages in the inbox, the first of which has a long subject. */
  readonly ids: readonly string[];
  readonly ofSecondAccount: string;
  readonly series: number;
  readonly allDay: number;
  readonly tentative: number;
}

const TRACKER: ActionGist = { kind: 'tracker', title: 'Topic' };

function about(subject: string, more = 0, accountIds = [1]) {
  return { kind: 'targets', subject, from: MAYA, more, accountIds } as const;
}

/** @param hours from and to, in UTC */
function inMarch(day: number, [from, to]: readonly [number, number], title: string): ActionGist {
  const at = (hour: number) => Date.UTC(2027, 2, day) + hour * 3_600_000;
  return { kind: 'event', title, startMs: at(from), endMs: at(to), allDay: false };
}

const REQUESTS: [tool: string, args: (things: Things) => object, gist: ActionGist][] = [
  ['send_email', () => sendTo(FRIEND), { kind: 'message', to: [FRIEND], subject: 'Subject' }],
  [
    'forward_email',
    ({ ids: [, id] }) => ({ id, to: ['ada@example.net', 'cy@example.net'] }),
    { kind: 'message', to: ['ada@example.net', 'cy@example.net'], subject: 'Fwd: Subject 2' },
  ],
  [
    'send_reply',
    ({ ids: [, id] }) => ({ id, body: 'Text' }),
    {
      kind: 'message',
      to: [FRIEND],
      subject: 'Re: Subject 2',
      thread: expect.stringMatching(/^[0-9a-f]{16}$/),
    },
  ],
  ['archive_email', ({ ids: [id] }) => ({ id }), about(cut(LONG))],
  [
    'delete_email',
    ({ ids: [, id], ofSecondAccount }) => ({ ids: [id, ofSecondAccount] }),
    about('Subject 2', 1, [1, 2]),
  ],
  [
    'move_email',
    ({ ids: [, id] }) => ({ id, target_folder: 'Projects/Atlas' }),
    { ...about('Subject 2'), into: 'Projects/Atlas' },
  ],
  ['label_email', ({ ids: [, id] }) => ({ id, label: 'blue' }), { ...about('Subject 2'), into: 'blue' }],
  ['mark_read', ({ ids: [, id] }) => ({ id }), about('Subject 2')],
  ['mark_unread', ({ ids: [first, id] }) => ({ ids: [id, first] }), about('Subject 2', 1)],
  ['flag_email', ({ ids: [, id] }) => ({ id }), about('Subject 2')],
  [
    'create_event',
    () => ({ title: 'Planning', start: '2027-03-01T09:00', attendee: FRIEND }),
    inMarch(1, [8, 8.5], 'Planning'),
  ],
  [
    'propose_event',
    () => ({ title: 'Planning', start: '2027-03-01T09:00', duration_min: 60 }),
    inMarch(1, [8, 9], 'Planning'),
  ],
  [
    'update_event',
    ({ series }) => ({ event_id: series, title: 'Later', start: '2027-03-23T09:00' }),
    inMarch(23, [8, 9], 'Later'),
  ],
  ['confirm_event', ({ tentative }) => ({ event_id: tentative }), inMarch(5, [12, 13], 'Perhaps')],
  // One instance leaves its series: the document stays, and is changed.
  ['cancel_event', ({ series }) => ({ event_id: series }), inMarch(22, [8, 9], 'Weekly')],
  [
    'cancel_event',
    ({ allDay }) => ({ event_id: allDay }),
    { ...inMarch(10, [-1, 47], cut(LONG)), allDay: true } as ActionGist,
  ],
  ['create_tracker', () => ({ title: 'Atlas launch' }), { kind: 'tracker', title: 'Atlas launch' }],
  ['set_tracker_status', () => ({ tracker_id: 1, status: 'waiting' }), { ...TRACKER, status: 'waiting' }],
  ['add_tracker_note', () => ({ tracker_id: 1, note: 'Noted' }), TRACKER],
  [
    'link_to_tracker',
    ({ ids: [, id] }) => ({ tracker_id: 1, message_id: id }),
    { ...about('Subject 2'), into: 'Topic' },
  ],
  ['link_event_to_tracker', ({ allDay }) => ({ tracker_id: 1, event_id: allDay }), TRACKER],
  ['resolve_tracker', () => ({ tracker_id: 1 }), TRACKER],
];

function cut(text: string): string {
  return `${text.slice(0, CHARS_MAX - 1).trimEnd()}…`;
}

async function open(): Promise<{ scene: Scene; things: Things }> {
  const scene = await openScene({
    timezone: 'Europe/Zurich',
    samples: () => [letter('1', { subject: LONG, minutesAgo: 1 }), letter('2', { minutesAgo: 2 })],
  });
  const { service, ownerId } = scene;
  await service.accounts.connect({ ownerId, email: 'second@countersign.test', settings: {} });
  for (const [name, ics] of Object.entries({ 'a.ics': SERIES, 'b.ics': ALL_DAY, 'c.ics': TENTATIVE })) {
    await put(scene, name, ics);
  }
  const direct = await scene.addKey('full');
  await direct.call('create_tracker', { title: 'Topic' });
  const listed = await direct.call('summarize_inbox', { account_id: 2 });
  if (listed.status !== 'ok') throw new Error(listed.status);
  const [other] = listed.result.messages as { id: string }[];
  const mine = await direct.call('summarize_inbox', { account_id: 1 });
  if (mine.status !== 'ok') throw new Error(mine.status);
  return {
    scene,
    things: {
      ids: (mine.result.messages as { id: string }[]).map(({ id }) => id),
      ofSecondAccount: other?.id ?? '',
      series: await numberOf(scene, 'series', SECOND),
      allDay: await numberOf(scene, 'all-day'),
      tentative: await numberOf(scene, 'tentative'),
    },
  };
}

/** The one request of the list. */
async function listedIn({ service, ownerId }: Scene): Promise<ApprovalSummary> {
  const { approvals } = await service.approvals.list(ownerId, { state: 'all', limit: 5 });
  const [summary] = approvals;
  if (summary === undefined || approvals.length > 1)
    throw new Error(`${approvals.length} requests are listed`);
  return summary;
}

/** The gist as somebody would take it from the page of the request. */
async function gistOnPage(scene: Scene, tool: string, id: string): Promise<ActionGist> {
  const { event, message, targets, details } = await shownOf(scene, id);
  const facts = event?.after ?? event?.before;
  if (facts != null) return eventGist(facts);
  if (message !== undefined) {
    const { envelope, says } = message;
    return messageGist(envelope.to, says.subject, tool === 'send_reply' ? [says.inReplyTo ?? ''] : []);
  }
  const said = details.find(({ label }) => label === NOT_IN_THE_TITLE.get(tool))?.text;
  return targets.length > 0 ? targetsGist(targets, said) : trackerGist(details[0]?.text ?? '', said);
}

/** What the list says beside the title of the tool, by its label on the page. */
const NOT_IN_THE_TITLE: ReadonlyMap<string, string> = new Map([
  ['move_email', 'To folder'],
  ['label_email', 'Label'],
  ['link_to_tracker', 'Tracker'],
  ['set_tracker_status', 'New status'],
]);

const EVENT: EventFacts = {
  ...{ uid: 'u', recurrenceId: null, recurring: false, sequence: 0, status: 'confirmed' },
  ...{ title: '', start: new Date(0), end: new Date(0), allDay: false },
  ...{ location: '', description: '', organizer: null, attendees: [] },
};

const TARGET: MessageTarget = {
  ...{ id: 'm', account: { accountId: 1, email: OWN }, path: 'INBOX', uidValidity: '1', uid: 1 },
  ...{ stableId: null, fingerprint: 'f', from: '', subject: '', date: '', preview: '' },
  ...{ internalDateMs: 0, sizeBytes: 1, mark: 'k' },
};

describe('the gist of a request', () => {
  it.each(REQUESTS)('to %s says the same as its page', async (tool, argsFor, expected) => {
    const { scene, things } = await open();
    const asking = {
      'mail:organize': 'approval',
      'trackers:write': 'approval',
      'trackers:remove': 'approval',
    } as const;
    const key = await scene.addKey('full', asking);
    const { id } = approvalOf(await key.call(tool, argsFor(things)));
    const listed = await listedIn(scene);
    expect(listed.gist).toEqual(expected);
    expect(await gistOnPage(scene, tool, id)).toEqual(expected);
  });

  it('is checked for every tool that writes', () => {
    const tools = CATALOGUE.filter(isWrite).map(({ name }) => name);
    expect(new Set(REQUESTS.map(([tool]) => tool))).toEqual(new Set(tools));
  });

  it('is short, whatever other people wrote, and is read as it was filed', () => {
    const text = fc.string({ unit: anyCharacter, maxLength: 2 * CHARS_MAX });
    const instant = fc.date({ noInvalidDate: true });
    const anyGist = fc.oneof(
      text.map((title) => trackerGist(title)),
      fc.tuple(text, text).map((given) => trackerGist(...given)),
      fc
        .tuple(fc.array(text, { minLength: 1, maxLength: 5 }), text, fc.array(text, { maxLength: 3 }))
        .map((given) => messageGist(...given)),
      fc
        .record({ title: text, start: instant, end: instant, allDay: fc.boolean() })
        .map((said) => eventGist({ ...EVENT, ...said })),
      fc
        .tuple(fc.array(fc.record({ subject: text, from: text }), { minLength: 1, maxLength: 3 }), text)
        .map(([rows, into]) =>
          targetsGist(
            rows.map((row) => ({ ...TARGET, ...row })),
            into,
          ),
        ),
    );
    fc.assert(
      fc.property(anyGist, (one) => {
        expect(storedGist.parse(JSON.parse(JSON.stringify(one)))).toEqual(one);
        const { kind: _kind, ...facts } = one;
        for (const [name, value] of Object.entries(facts)) {
          if (typeof value === 'string')
            expect(Array.from(value).length, name).toBeLessThanOrEqual(CHARS_MAX);
        }
      }),
    );
  });
});
