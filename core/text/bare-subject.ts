import { MAIL_WORDS } from './mail-words.ts';

const PREFIXES = new RegExp(`^(?:\\s{0,9}${MAIL_WORDS.answerPrefixes}(?:\\[\\d{1,3}\\])?\\s{0,9}:)+`, 'iu');

/** The subject of the conversation. */
export function bareSubject(subject: string): string {
  return subject.replace(PREFIXES, '').trim();
}

/** Whether somebody answers or forwards a message with this subject: then its words may be another person's. */
export function isAnswerSubject(subject: string): boolean {
  return PREFIXES.test(subject);
}
