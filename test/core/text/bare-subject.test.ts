import { describe, expect, it } from 'vitest';
import { bareSubject, isAnswerSubject } from '../../../core/text/bare-subject.ts';

describe('the subject of a conversation', () => {
  it.each([
    ['Re: Lunch', 'Lunch'],
    ['AW: Re: WG: Lunch', 'Lunch'],
    ['re[2]: Lunch', 'Lunch'],
    ['Fwd:Lunch', 'Lunch'],
    ['Antw : Lunch', 'Lunch'],
  ])('is without what an answer adds: %s', (subject, bare) => {
    expect([bareSubject(subject), isAnswerSubject(subject)]).toEqual([bare, true]);
  });

  it.each(['Lunch', 'Report: Lunch', 'Re Lunch', 'Regarding: Lunch', ''])(
    'is left as it is: %s',
    (subject) => {
      expect([bareSubject(subject), isAnswerSubject(subject)]).toEqual([subject, false]);
    },
  );
});
