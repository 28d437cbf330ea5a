import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { imapMail } from '../../../adapters/imap/mail.ts';
import { messageRow } from '../../../core/mail/message-row.ts';
import type { Mail } from '../../../core/ports/ports.ts';
import { type Dovecot, startDovecot } from '../../servers/dovecot.ts';
import { missingServers, titled } from '../../servers/missing-servers.ts';
import { callOn, searchFor } from './mailbox-on.ts';

const MESSAGES = 5;
const FIELD_BYTES = 2 * 1024 * 1024;
/** Of all fields of one row. */
const MOST_BYTES = 512 * 1024;

/** A header whose long field is folded as servers want it. */
function withLong(name: string, n: number): string {
  const id = `<${'x'.repeat(60)}@example.org>`;
  const long = `\r\n ${id}`.repeat(FIELD_BYTES / (id.length + 3));
  const from = 'From: Ines <ines@example.org>';
  return `${from}\r\n${name}:${long}\r\nSubject: Offer ${n}\r\nMessage-ID: <${n}@example.org>\r\n\r\nthe offer\r\n`;
}

describe.skipIf(missingServers().length > 0)(titled('headers that are megabytes long'), () => {
  let dovecot: Dovecot;
  let mail: Mail;
  beforeAll(async () => {
    dovecot = await startDovecot();
    mail = imapMail({ allowPrivateServers: true });
  });
  afterEach(() => mail.close());
  afterAll(() => dovecot?.stop());

  it.each(['Subject', 'Date', 'X-Countersign-Request'])('are not held whole: %s', async (name) => {
    const user = dovecot.addUser();
    for (let n = 1; n <= MESSAGES; n++) await dovecot.deliver(user, withLong(name, n));
    const call = callOn(dovecot.port, user);
    const query = { path: 'INBOX', unread: false, after: undefined, limit: 20 } as const;
    const { rows } = await mail.list(call, { ...query, order: 'uid' });
    const byDate = await mail.list(call, { ...query, order: 'date' });
    const found = await mail.search(call, searchFor('offer'));
    const place = rows[0]?.place;
    const thread = place && (await mail.thread(call, place));
    const conversation = thread && 'rows' in thread ? thread.rows : (thread ?? []);
    for (const row of [...rows, ...byDate.rows, ...found.rows, ...conversation]) {
      expect(row.header.buffer.byteLength).toBeLessThan(MOST_BYTES);
      expect(messageRow(row).from).toBe('Ines <ines@example.org>');
    }
    expect(rows).toHaveLength(MESSAGES);
    expect(byDate.rows).toHaveLength(MESSAGES);
    expect(found.rows).toHaveLength(MESSAGES);
    expect(conversation.length).toBeGreaterThan(0);
  });
});
