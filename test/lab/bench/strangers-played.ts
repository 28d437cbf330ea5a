import { setTimeout as sleep } from 'node:timers/promises';
import * as z from 'zod';
import { HOSTILE_MAILS, HOSTILE_TEXTS, WRITTEN_CHARS } from './hostile-mail.ts';
import { KNOWN, type StrangersScene } from './strangers-scene.ts';

/** How calls ended, by what was played. */
export type Ended = ReadonlyMap<string, ReadonlyMap<string, number>>;

const answered = z.looseObject({
  status: z.string().optional(),
  error: z.unknown().optional(),
  approval: z.looseObject({ id: z.string() }).optional(),
  result: z.looseObject({ messages: z.array(z.looseObject({ id: z.string() })).optional() }).optional(),
});

type Answer = z.infer<typeof answered>;

/** Between two calls to the same odd server, and two pages. */
const BETWEEN_MS = 200;
/** A machine that has not played everything by then measures what it has played. */
const PLAY_MS = 240_000;

/** Plays everything at once: each hostile thing once, and the lists and the odd servers until that is done. */
export async function playStrangers(
  { baseUrl, dashboardUrl }: { readonly baseUrl: string; readonly dashboardUrl: string },
  scene: StrangersScene,
): Promise<Ended> {
  const ended = new Map<string, Map<string, number>>();
  let isOver = false;
  function note(kind: string, end: string): void {
    const ends = ended.get(kind) ?? new Map<string, number>();
    ended.set(kind, ends.set(end, (ends.get(end) ?? 0) + 1));
  }

  async function call(kind: string, apiKey: string, tool: string, args: object = {}): Promise<Answer> {
    try {
      const response = await fetch(`${baseUrl}/v1/tools/${tool}`, {
        method: 'POST',
        headers: { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' },
        body: JSON.stringify({ arguments: args }),
      });
      const answer = answered.parse(await response.json());
      note(kind, response.ok ? String(answer.status) : String(answer.error));
      return answer;
    } catch (error) {
      // A server whose loop stands still refuses connections and cuts them off: that is a result, too.
      if (!(error instanceof TypeError)) throw error;
      note(kind, 'no answer');
      return {};
    }
  }

  const ids = async (apiKey: string) => {
    const { result } = await call('lists', apiKey, 'summarize_inbox', { limit: 50 });
    return (result?.messages ?? []).map(({ id }) => id);
  };
  const all = await ids(scene.mail);
  const shapes = all.slice(0, Object.keys(HOSTILE_MAILS).length);
  const texts = all.slice(shapes.length);
  /** Requests whose pages the owner opens. */
  const waiting: string[] = [];

  async function readMails(): Promise<void> {
    for (const id of shapes) {
      if (isOver) return;
      await call('mails', scene.mail, 'get_email', { id });
      await call('mails', scene.mail, 'list_attachments', { id });
      await call('mails', scene.mail, 'get_thread', { id });
    }
  }

  async function answerMails(): Promise<void> {
    const makes = Object.entries(HOSTILE_TEXTS).toReversed();
    for (const [index, id] of texts.entries()) {
      if (isOver) return;
      const [name, make] = makes[index] ?? ['', () => ''];
      const to = ['new@other.example'];
      await call('mails', scene.mail, 'get_email', { id });
      const reply = await call('answers', scene.mail, 'send_reply', { id, body: `Yes, ${name}.` });
      if (reply.approval) {
        await call('answers', scene.mail, 'cancel_approval', { approval_id: reply.approval.id });
      }
      const body = make(WRITTEN_CHARS);
      const written = await call('answers', scene.mail, 'send_email', { to, subject: name, body });
      const forward = await call('answers', scene.mail, 'forward_email', { id, to });
      for (const { approval } of [written, forward]) if (approval) waiting.push(approval.id);
    }
  }

  async function readDocuments(): Promise<void> {
    for (const id of await ids(scene.documents)) {
      if (isOver) return;
      await call('documents', scene.documents, 'read_attachment', { id, index: 0 });
    }
  }

  async function listCalendars(): Promise<void> {
    for (const apiKey of scene.calendars) {
      for (const range of [{ days: 7 }, { days: 365, past_days: 365 }]) {
        if (isOver) return;
        await call('calendars', apiKey, 'list_events', range);
      }
    }
  }

  async function again(work: () => Promise<unknown>): Promise<void> {
    while (!isOver) {
      await work();
      await sleep(BETWEEN_MS);
    }
  }

  async function listMails(): Promise<void> {
    await ids(scene.mail);
    await call('lists', scene.mail, 'list_unread', { limit: 50 });
    await call('lists', scene.mail, 'search_inbox', { q: 'text' });
  }

  async function openPages(): Promise<void> {
    for (const path of ['', ...waiting.slice(-20).map((id) => `/${id}`)]) {
      const headers = { cookie: scene.cookie };
      const response = await fetch(`${dashboardUrl}/approvals${path}`, { headers }).catch(() => undefined);
      await response?.text();
      note('pages', String(response?.status ?? 'no answer'));
      await sleep(BETWEEN_MS);
    }
  }

  let sent = 0;
  const send = (apiKey: string) => {
    sent += 1;
    const message = { to: [KNOWN], subject: `Letter ${sent}`, body: `This is letter ${sent}.` };
    return call('odd SMTP', apiKey, 'send_email', message);
  };
  const visit = async (apiKey: string) => {
    await call('odd IMAP', apiKey, 'summarize_inbox');
    await call('odd IMAP', apiKey, 'list_folders');
    await call('odd IMAP', apiKey, 'search_inbox', { q: 'text' });
  };

  const once = [readMails(), answerMails(), readDocuments(), listCalendars()];
  const repeated = [
    again(listMails),
    again(openPages),
    ...scene.oddImap.map((apiKey) => again(() => visit(apiKey))),
    ...scene.oddSmtp.map((apiKey) => again(() => send(apiKey))),
    ...scene.oddCaldav.map((apiKey) => again(() => call('odd CalDAV', apiKey, 'list_events'))),
  ];
  const late = setTimeout(() => {
    isOver = true;
  }, PLAY_MS);
  try {
    await Promise.race([Promise.all(once), Promise.all(repeated)]);
  } finally {
    isOver = true;
    clearTimeout(late);
  }
  await Promise.all(repeated);
  return ended;
}
