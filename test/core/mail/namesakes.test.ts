import { Buffer } from 'node:buffer';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type MessageRow, messageRow } from '../../../core/mail/message-row.ts';
import { withoutNamesakes } from '../../../core/mail/namesakes.ts';

interface Sent {
  readonly id?: string;
  readonly subject: string;
  readonly date?: string;
}

function conversation(sent: readonly Sent[]): MessageRow[] {
  return sent.map(({ id, subject, date }, at) => {
    const fields = [
      ...(id === undefined ? [] : [`Message-ID: <${id}@x.example>`]),
      ...(date === undefined ? [] : [`Date: ${date}`]),
      `Subject: ${subject}`,
    ];
    return messageRow({
      place: { path: 'INBOX', uidValidity: '1', uid: at + 1 },
      stableId: null,
      header: Buffer.from(`${fields.join('\n')}\n\n`),
      internalDate: new Date(0),
      sizeBytes: 100 + at,
      flags: new Set(),
    });
  });
}

/** Returns the subjects that stay, asked from the message at the index. */
function staying(sent: readonly Sent[], asked = 0): string[] {
  const rows = conversation(sent);
  const row = rows[asked];
  if (row === undefined) throw new Error('there is no such message');
  return withoutNamesakes(rows, row.place).map(({ subject }) => subject);
}

describe('of messages that share a Message-ID', () => {
  const invoice = { id: 'noreply', subject: 'Invoice 7', date: 'Mon, 3 Nov 2025 10:00:00 +0000' };
  const welcome = { id: 'noreply', subject: 'Welcome', date: 'Tue, 4 Nov 2025 10:00:00 +0000' };

  it('another with a different subject and date is not in the conversation', () => {
    expect(staying([invoice, welcome])).toEqual(['Invoice 7']);
    expect(staying([invoice, welcome], 1)).toEqual(['Welcome']);
  });

  it('the one that an answer is about is found by its subject', () => {
    const answer = { id: 'answer', subject: 'AW: Re: invoice  7' };
    expect(staying([answer, invoice, welcome])).toEqual(['AW: Re: invoice  7', 'Invoice 7']);
  });

  it.each(['Re: Invoice 7', 'WG: Invoice 7', 'Re[2]: INVOICE 7', 'RE：Invoice 7', '[billing] Re: Invoice 7'])(
    '%s belongs to it',
    (subject) => {
      expect(staying([invoice, { id: 'noreply', subject }])).toEqual(['Invoice 7', subject]);
    },
  );

  it('the copy of a list stays, whatever the list made of the subject', () => {
    const copy = { ...invoice, subject: 'Invoice 7 (billing list)' };
    expect(staying([invoice, copy, welcome])).toEqual(['Invoice 7', 'Invoice 7 (billing list)']);
    expect(staying([{ id: 'answer', subject: 'Re: Invoice 7' }, invoice, copy])).toHaveLength(3);
  });

  it('all stay if nothing tells which one is meant', () => {
    expect(staying([{ id: 'answer', subject: 'Something else' }, invoice, welcome])).toHaveLength(3);
  });

  it('two without a Date field are not joined by that', () => {
    expect(
      staying([
        { id: 'noreply', subject: 'One' },
        { id: 'noreply', subject: 'Two' },
      ]),
    ).toEqual(['One']);
  });
});

it('the asked message stays, and so does whatever shares its Message-ID with no other', () => {
  const sent = fc.record(
    {
      id: fc.constantFrom('a', 'b', 'c', 'd', 'e'),
      subject: fc.constantFrom('Plan', 'Re: Plan', 'Other', '[list] Plan', ''),
      date: fc.constantFrom('Mon, 3 Nov 2025 10:00:00 +0000', 'Tue, 4 Nov 2025 10:00:00 +0000'),
    },
    { requiredKeys: ['subject'] },
  );
  const some = fc
    .array(sent, { minLength: 1, maxLength: 12 })
    .chain((all) => fc.record({ rows: fc.constant(conversation(all)), at: fc.nat({ max: all.length - 1 }) }));
  fc.assert(
    fc.property(some, ({ rows, at }) => {
      const asked = rows[at];
      if (asked === undefined) throw new Error('there is no such message');
      const kept = withoutNamesakes(rows, asked.place);
      expect(kept).toContain(asked);
      for (const row of rows) {
        const namesakes = rows.filter(({ messageId }) => messageId === row.messageId);
        const isAlone = row.messageId === null || namesakes.length === 1;
        if (isAlone) expect(kept).toContain(row);
        // No id is left without any message.
        else expect(namesakes.some((namesake) => kept.includes(namesake))).toBe(true);
      }
      expect(withoutNamesakes(kept, asked.place)).toEqual(kept);
    }),
  );
});
