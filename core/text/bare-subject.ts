/** What mail programs put before the subject of an answer or a forward, in some languages. */
const PREFIXES =
  /^(?:\s{0,9}(?:re|aw|antw|sv|vs|ref|rif|r|odp|ynt|res|fwd?|wg|tr|rv|enc|vl|vb|pd|i|doorst)(?:\[\d{1,3}\])?\s{0,9}:)+/iu;

/** The subject of the conversation. */
export function bareSubject(subject: string): string {
  return subject.replace(PREFIXES, '').trim();
}

/** Whether somebody answers or forwards a message with this subject: then its words may be another person's. */
export function isAnswerSubject(subject: string): boolean {
  return PREFIXES.test(subject);
}
