import { monitorEventLoopDelay } from 'node:perf_hooks';
import type { Dovecot } from '../../servers/dovecot.ts';
import { addressOf } from '../../servers/mail-users.ts';
import { HOSTILE_MAILS, HOSTILE_TEXTS, mailOf, SHOWN_CHARS, WRITTEN_CHARS } from './hostile-mail.ts';
import { settingsOf } from './mail-settings.ts';
import { seedFolder } from './maildir.ts';
import { serviceFor } from './service-for.ts';
import type { Row } from './table.ts';

const RECEIVED_S = Date.parse('2026-11-20T12:00:00Z') / 1000;

/** The longest stall of the event loop while a hostile message is read through the service. */
export async function stalls(dovecot: Dovecot): Promise<Row[]> {
  const user = dovecot.addUser();
  const shapes = Object.entries(HOSTILE_MAILS);
  // Oldest first; a small message is the newest.
  const texts = Object.entries(HOSTILE_TEXTS);
  const mails = texts.map(([, make]) => mailOf(make(SHOWN_CHARS)));
  const raws = [
    // A message has one pending request at most: one is answered, the other forwarded.
    ...mails,
    ...mails,
    ...shapes.map(([, make]) => make()),
    Buffer.from('Subject: small\r\n\r\nA few words.\r\n'),
  ];
  const letters = raws.map((raw, index) => ({ raw, receivedS: RECEIVED_S + index, seen: false }));
  seedFolder(dovecot, user, 'INBOX', letters);
  const email = addressOf(user);
  const service = await serviceFor(email, settingsOf(email, dovecot.port));
  try {
    const [small, ...all] = await service.ids();
    const ids = all.slice(0, shapes.length);
    const textIds = all.slice(shapes.length);
    const read = (id: unknown) => service.call('get_email', { id });
    // Warm up what is slow only once: connections, processes, compiled code.
    await read(small);
    await read(ids.at(-1));
    const rows: Row[] = [];
    for (const [index, [name]] of shapes.entries()) {
      const reference = await worstDelayMs(() => read(small));
      let body = '';
      const ours = await worstDelayMs(async () => {
        body = String((await read(ids.at(-1 - index))).body);
      });
      const outcome = body.includes('cannot be shown') ? 'given up' : 'read';
      rows.push({
        name: `longest stall, 10 MB of ${name} (${outcome}); a small mail`,
        unit: 'ms',
        ours,
        reference,
        bound: { most: 100 },
      });
    }
    rows.push({
      name: 'longest stall, the list of them all',
      unit: 'ms',
      ours: await worstDelayMs(() => service.ids()),
      bound: { most: 100 },
    });
    for (const [index, [name, make]] of texts.entries()) {
      const id = textIds.at(-1 - index);
      const other = textIds.at(-1 - index - texts.length);
      const to = ['new@other.example'];
      const body = make(WRITTEN_CHARS);
      const works: Readonly<Record<string, () => Promise<unknown>>> = {
        'a mail': () => read(id),
        'the answer to a mail': () => service.call('send_reply', { id, body: `Yes, ${name}.` }),
        'a forwarded mail': () => service.call('forward_email', { id: other, to }),
        "a program's own text": () => service.call('send_email', { to, subject: 'Hello', body }),
      };
      for (const [what, work] of Object.entries(works)) {
        rows.push({
          name: `longest stall, ${what} of ${name}`,
          unit: 'ms',
          ours: await worstDelayMs(work),
          bound: { most: 100 },
        });
      }
    }
    return rows;
  } finally {
    await service.stop();
  }
}

/** The longest that the event loop stands still meanwhile. */
export async function worstDelayMs(work: () => Promise<unknown>): Promise<number> {
  const delays = monitorEventLoopDelay({ resolution: 1 });
  delays.enable();
  await work();
  // One more turn, so that the last stall is counted.
  await new Promise((resolve) => setTimeout(resolve, 5));
  delays.disable();
  return delays.max / 1e6;
}
