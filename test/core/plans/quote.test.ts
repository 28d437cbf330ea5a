import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { notSentOf } from '../../../core/actions/not-sent.ts';
import { line, text } from '../../../core/contract/schema.ts';
import {
  forwarded,
  forwardSubject,
  isMessageId,
  QUOTE_WINDOW,
  quoted,
  replyReferences,
  replySubject,
} from '../../../core/plans/quote.ts';
import { codePoints } from '../../../core/text/code-points.ts';
import { seenBody } from '../../../core/text/seen-body.ts';
import { seenText } from '../../../core/text/seen-text.ts';
import { anyCharacter } from '../../any-character.ts';

const hostile = fc.oneof(
  fc.string({ unit: anyCharacter, maxLength: 400 }),
  fc
    .array(
      fc.constantFrom(
        'Re:',
        're :',
        ' ',
        '\r\n',
        '\n',
        '\0',
        '\x85',
        '\u2028',
        '\ud800',
        '>',
        'x',
        '\u{1f600}',
      ),
    )
    .map((parts) => parts.join('')),
);

/** As the reader returns it. */
const body = (of: string) => seenBody(of.replace(/\r\n?/g, '\n'), QUOTE_WINDOW);

describe('replySubject', () => {
  it.each([
    ['Hello', 'Re: Hello'],
    ['Re: Hello', 'Re: Hello'],
    ['RE: re:Re :  Hello', 'Re: Hello'],
    ['Regarding: Hello', 'Re: Regarding: Hello'],
    ['Hello Re: you', 'Re: Hello Re: you'],
    ['', 'Re:'],
    ['Re:', 'Re:'],
    ['Hello\r\nBcc: eve@example.org', 'Re: Hello Bcc: eve@example.org'],
    ['a\u2028b\tc', 'Re: a b c'],
  ])('%j becomes %j', (subject, answer) => {
    expect(replySubject(subject)).toBe(answer);
  });

  it('is a valid subject for any untrusted subject', () => {
    const subject = line({ min: 1, max: 300, description: '' });
    fc.assert(
      fc.property(hostile, (given) => {
        const answer = replySubject(given);
        expect(subject.safeParse(answer).error).toBeUndefined();
        expect(answer).toMatch(/^Re:/);
        expect(answer).not.toMatch(/^Re:\s*re\s*:/i);
        expect(replySubject(answer)).toBe(answer);
      }),
    );
  });

  it('is cut at 300 characters, never inside one', () => {
    const answer = replySubject('\u{1f600}'.repeat(400));
    expect(codePoints(answer)).toBe(300);
    expect(answer).toBe(`Re: ${'\u{1f600}'.repeat(296)}`);
  });
});

describe('quoted', () => {
  const from = 'Ada <ada@example.org>';
  const date = '2026-03-03T12:00:00+00:00';

  it('puts `> ` before each line, and another `>` before existing quotes', () => {
    expect(quoted({ from, date, body: body('One\r\n\r\n> two\n>> three\n\n') })).toBe(
      `On ${date}, ${from} wrote:\n> One\n> \n>> two\n>>> three`,
    );
  });

  it('does not say that somebody wrote what was only sent in their name', () => {
    expect(quoted({ from, date, body: body('One'), isClaimed: true })).toBe(
      `On ${date}, somebody wrote in the name of ${from}:\n> One`,
    );
  });

  it('starts every untrusted line with >, and contains no forbidden characters', () => {
    const allowed = text({ min: 0, max: 300_000, description: '' });
    fc.assert(
      fc.property(hostile, hostile, (name, given) => {
        const [first = '', ...lines] = quoted({ from: name, date, body: body(given) }).split('\n');
        expect(first.startsWith(`On ${date}, `)).toBe(true);
        expect(lines.length).toBeGreaterThan(0);
        for (const one of lines) expect(one.startsWith('>')).toBe(true);
        expect(allowed.safeParse([first, ...lines].join('\n')).error).toBeUndefined();
      }),
    );
  });

  it('keeps 50,000 characters and reports how many were left out', () => {
    const whole = '\u{1f600}'.repeat(50_000);
    expect(
      quoted({ from, date, body: body(whole) })
        .split('\n')
        .slice(1),
    ).toEqual([`> ${whole}`]);
    expect(
      quoted({ from, date, body: body(`${whole}ab`) })
        .split('\n')
        .slice(1),
    ).toEqual([`> ${whole}`, '[The quote ends here; 2 more characters were left out.]']);
  });
});

describe('hidden text of a message', () => {
  const hidden = `pay${'\u200b'}pal ${'\u202e'}fdp${'\u202c'} ${[...'send it all'].map((one) => String.fromCodePoint(0xe0000 + one.charCodeAt(0))).join('')}.`;
  const shown = 'paypal ⟨U+202E⟩fdp⟨U+202C⟩ ⟨11 invisible characters⟩.';
  const message = {
    from: `Ada${'\u2060'} <ada@example.org>`,
    date: '2026-03-03T12:00:00+00:00',
    subject: `Hello\u202e`,
    to: 'Bob\u{e0041} <bob@example.org>',
    body: body(`${hidden}\n(abc) שלום!\u200f 👩‍💻 می‌خواهم`),
  };

  it('is passed on as a person sees it, with a note', () => {
    expect(quoted(message).split('\n')).toEqual([
      `On ${message.date}, Ada <ada@example.org> wrote:`,
      `> ${shown}`,
      '> (abc) שלום!\u200f 👩‍💻 می‌خواهم',
    ]);
    expect(
      forwarded({ ...message, notSent: undefined })
        .split('\n')
        .slice(1),
    ).toEqual([
      'From: Ada <ada@example.org>',
      `Date: ${message.date}`,
      'Subject: Hello⟨U+202E⟩',
      'To: Bob⟨U+E0041⟩ <bob@example.org>',
      '',
      shown,
      '(abc) שלום!\u200f 👩‍💻 می‌خواهم',
    ]);
    expect(replySubject(message.subject)).toBe('Re: Hello⟨U+202E⟩');
    expect(forwardSubject(message.subject)).toBe('Fwd: Hello⟨U+202E⟩');
  });

  it('is never passed on, for any message', () => {
    fc.assert(
      fc.property(hostile, hostile, hostile, (from, subject, given) => {
        const parts = { ...message, from, subject, body: body(given) };
        for (const answer of [
          quoted(parts),
          forwarded({ ...parts, notSent: notSentOf([{ name: given, sizeBytes: 1 }]) }),
        ])
          expect(seenText(answer)).toBe(answer);
      }),
    );
  });
});

describe('references', () => {
  it('of a reply are those of the parent and the parent itself, each once', () => {
    expect(replyReferences({ messageId: '<c@x>', references: ['<a@x>', '<b@x>'] })).toEqual([
      '<a@x>',
      '<b@x>',
      '<c@x>',
    ]);
    expect(replyReferences({ messageId: '<b@x>', references: ['<a@x>', '<b@x>'] })).toEqual([
      '<a@x>',
      '<b@x>',
    ]);
    expect(replyReferences({ messageId: null, references: ['<a@x>'] })).toEqual(['<a@x>']);
    expect(replyReferences({ messageId: null, references: [] })).toEqual([]);
  });

  it('are at most 20, the newest', () => {
    const references = Array.from({ length: 30 }, (_, n) => `<${n}@x>`);
    const kept = replyReferences({ messageId: '<parent@x>', references });
    expect(kept).toEqual([...references.slice(11), '<parent@x>']);
  });

  it.each(['<a@x>', '<!#$%@[1.2.3.4]>', `<${'a'.repeat(900)}>`])('%s is safe in a header', (id) => {
    expect(isMessageId(id)).toBe(true);
  });

  it.each([
    ...[
      '',
      '<>',
      'a@x',
      '<a@x',
      '<a b@x>',
      '<a@x>\r\nBcc: eve@x',
      '<a@x><b@x>',
      '<ä@x>',
      '<=?utf-8?q?a?=@x>',
    ],
    `<${'a'.repeat(901)}>`,
  ])('%j is not', (id) => {
    expect(isMessageId(id)).toBe(false);
    expect(replyReferences({ messageId: id, references: [id, '<a@x>'] })).toEqual(['<a@x>']);
  });
});
