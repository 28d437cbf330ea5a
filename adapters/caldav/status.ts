import { MailError } from '../../core/ports/mail.ts';

/** The server failed on a request. A different one may work. */
export class FailedOnRequest extends MailError {
  constructor() {
    super('unavailable', 'the calendar server failed on the request (500)');
  }
}

/** The MailError for a status with which nothing was done. */
export function failureOf(status: number): MailError {
  switch (status) {
    case 404:
    case 410:
      return new MailError('not_found', 'the calendar or object does not exist');
    case 412:
      return new MailError('conflict', 'the object has changed on the server');
    case 423:
      return new MailError('unavailable', 'the calendar server has locked the object');
    case 500:
      return new FailedOnRequest();
    default:
      return status === 429 || status >= 500
        ? new MailError('unavailable', `the calendar server asks to try again later (${status})`)
        : new MailError('refused', `the calendar server refused the request (${status})`);
  }
}

/** The server failed during a change. It may have made the change first (Radicale, if its hook fails afterwards). */
export class FailedDuringChange extends MailError {
  constructor() {
    super('outcome_unknown', 'the calendar server failed during a change (500)');
  }
}

/** Gateways return these for a server behind them, which may have received the request. */
const GATEWAY = new Set([502, 504]);

/** The failure of a PUT or DELETE. Undefined: it was done. */
export function writeFailureOf(status: number, body: string): MailError | undefined {
  if (GATEWAY.has(status)) {
    return new MailError(
      'outcome_unknown',
      `the calendar server behind a gateway did not answer (${status})`,
    );
  }
  // Xandikos answers 207 and puts the actual status inside.
  const actual = status === 207 ? Number(/\bHTTP\/\d(?:\.\d)? (\d{3})\b/.exec(body)?.[1] ?? 0) : status;
  if (actual >= 200 && actual <= 299) return undefined;
  if (actual === 500) return new FailedDuringChange();
  return failureOf(actual);
}
