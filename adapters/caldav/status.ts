import { MailError } from '../../core/ports/mail.ts';

/** The server failed over a question: it may be able to answer another. */
export class FailedOverQuestion extends MailError {
  constructor() {
    super('unavailable', 'the calendar server failed over the request (500)');
  }
}

/** Makes a MailError out of a status with which nothing was done. */
export function failureOf(status: number): MailError {
  switch (status) {
    case 401:
      return new MailError('auth', 'the calendar server does not accept the user name and password');
    case 404:
    case 410:
      return new MailError('not_found', 'there is no such calendar or object');
    case 412:
      return new MailError('conflict', 'the object has changed on the server');
    case 423:
      return new MailError('unavailable', 'the calendar server keeps the object locked');
    case 500:
      return new FailedOverQuestion();
    default:
      return status === 429 || status >= 500
        ? new MailError('unavailable', `the calendar server asks to try again later (${status})`)
        : new MailError('refused', `the calendar server refused the request (${status})`);
  }
}

/** The server failed while it changed something: it may have done so by then (Radicale, whose hook fails behind it). */
export class FailedWithin extends MailError {
  constructor() {
    super('outcome_unknown', 'the calendar server failed during a change (500)');
  }
}

/** A gateway says so of a server behind it, which may have got the request. */
const GATEWAY = new Set([502, 504]);

/** What came of a PUT or DELETE; undefined: it was done. */
export function writeFailureOf(status: number, body: string): MailError | undefined {
  if (GATEWAY.has(status)) {
    return new MailError(
      'outcome_unknown',
      `the calendar server behind a gateway did not answer (${status})`,
    );
  }
  // Xandikos answers 207, and says inside what came of it.
  const told = status === 207 ? Number(/\bHTTP\/\d(?:\.\d)? (\d{3})\b/.exec(body)?.[1] ?? 0) : status;
  if (told >= 200 && told <= 299) return undefined;
  if (told === 500) return new FailedWithin();
  return failureOf(told);
}
