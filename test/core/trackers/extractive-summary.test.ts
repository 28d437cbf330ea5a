import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { NEXT_ACTION_CHARS, SUMMARY_CHARS, type SummarySource } from '../../../core/ports/summarizer.ts';
import { codePoints } from '../../../core/text/code-points.ts';
import { seenText } from '../../../core/text/seen-text.ts';
import { excerptOf, extractiveSummary } from '../../../core/trackers/extractive-summary.ts';
import { anyCharacter } from '../../any-character.ts';

function message(subject: string, text: string, from = 'Maya <maya@atlas.example>'): SummarySource {
  return { from, subject, date: '2026-11-20T10:00:00+00:00', excerpt: excerptOf(text) };
}

describe('the summary', () => {
  it('contains the newest messages', () => {
    const { text } = extractiveSummary([
      message('Re: Atlas launch', 'Hi Alex,\nThe press text is ready. I attach it.'),
      message('Atlas launch', 'We launch on Friday.'),
      message('Older', 'An older one.'),
      message('Oldest', 'It is not shown.'),
    ]);
    expect(text).toBe(
      'Re: Atlas launch: The press text is ready. | Atlas launch: We launch on Friday. | Older: An older one.',
    );
  });

  it('works with only a subject, only a text, or neither', () => {
    expect(extractiveSummary([message('Subject', '')]).text).toBe('Subject');
    expect(extractiveSummary([message('', 'Only text.')]).text).toBe('Only text.');
    expect(extractiveSummary([message('', '')])).toEqual({ text: '', nextAction: '', importance: 'normal' });
  });
});

describe('the next action', () => {
  it.each([
    ['a question', ['All is well. Could we meet tomorrow? Bye.'], 'Could we meet tomorrow?'],
    ['a request', ['Thanks. Please send the offer. Bye.'], 'Please send the offer.'],
    [
      'the request with a day',
      ['Can you help? Please answer by 2026-12-01.'],
      'Please answer by 2026-12-01.',
    ],
    ['the newest that asks', ['All done.', 'Could you check?', 'Can you call?'], 'Could you check?'],
    ['a day where nobody asks', ['It is done.', 'The launch is on Friday.'], 'The launch is on Friday.'],
    ['in German', ['Danke. Bitte schicken Sie das Angebot.'], 'Bitte schicken Sie das Angebot.'],
    ['nothing', ['All is well.', 'Thank you for the cake.'], ''],
  ])('is %s', (_name, texts, expected) => {
    expect(extractiveSummary(texts.map((text) => message('Subject', text))).nextAction).toBe(expected);
  });
});

describe('the importance', () => {
  it.each([
    ['normal', [message('Lunch', 'At noon.')]],
    ['important', [message('URGENT: server', 'It is down.')]],
    ['important', [message('Server', 'The deadline is today.')]],
    ['normal', [message('Server', 'It is up.'), message('URGENT: server', 'It is down.')]],
    [
      'low',
      [message('News', 'Urgent offers! Unsubscribe here.'), message('More', 'Hi.', 'no-reply@shop.example')],
    ],
    ['normal', [message('Lunch', 'At noon.'), message('News', 'Unsubscribe here.')]],
  ] as const)('is %s', (importance, messages) => {
    expect(extractiveSummary(messages).importance).toBe(importance);
  });
});

describe('the excerpt of a text', () => {
  it('is the message’s own words on one line: no quotes, no signature, nothing hidden', () => {
    const text =
      'First\u202e line.\n\n  Second.\nOn Friday Ada wrote:\n> quoted\n> more\n\nThird.\n-- \nMaya\n';
    expect(excerptOf(text)).toBe('First⟨U+202E⟩ line. Second. Third.');
  });

  it('is short for any length of the text', () => {
    expect(codePoints(excerptOf('😀 '.repeat(1_000_000)))).toBeLessThanOrEqual(600);
    expect(excerptOf('> quoted\n'.repeat(1_000_000))).toBe('');
  });
});

describe('any messages', () => {
  it('give short, visible text on one line', () => {
    const source = fc.record({
      from: fc.string({ unit: anyCharacter }),
      subject: fc.string({ unit: anyCharacter, maxLength: 600 }),
      text: fc.string({ unit: anyCharacter, maxLength: 600 }),
    });
    fc.assert(
      fc.property(fc.array(source, { maxLength: 5 }), (sources) => {
        const made = extractiveSummary(
          sources.map(({ subject, text, from }) => message(subject, text, from)),
        );
        expect(codePoints(made.text)).toBeLessThanOrEqual(SUMMARY_CHARS);
        expect(codePoints(made.nextAction)).toBeLessThanOrEqual(NEXT_ACTION_CHARS);
        for (const one of [made.text, made.nextAction]) {
          expect(one).not.toMatch(/\n/);
          expect(seenText(one)).toBe(one);
        }
      }),
    );
  });
});
