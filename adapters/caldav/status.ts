import { MailError } from '../../core/ports/mail.ts';

/** The server answered with a status that is not a success. */
export class StatusError extends MailError {
  readonly status: number;

  constructor(code: MailError['code'], message: string, status: number) {
    super(code, message);
    this.status = status;
  }
}

/** Whether the server failed on this request. For some, one object in it is enough (Radicale). */
export function hasFailed(error: unknown): error is StatusError {
  return error instanceof StatusError && error.status === 500;
}

/** Whether the server failed on this request, or refused it: it may answer a simpler one. */
export function mayAskSimpler(error: unknown): error is StatusError {
  return hasFailed(error) || (error instanceof StatusError && error.code === 'refused');
}

/** Whether the server asks to try again later. Exchange behind DavMail also says so to a search that it does not know. */
export function isUnavailable(error: unknown): error is StatusError {
  return error instanceof StatusError && error.status === 503;
}

/** Statuses with which a server says that it does not know the request. */
const UNKNOWN_REQUEST = new Set([501, 505]);

/** The MailError for a status with which nothing was done. */
export function failureOf(status: number): StatusError {
  switch (status) {
    case 404:
    case 410:
      return new StatusError('not_found', 'the calendar or object does not exist', status);
    case 412:
      return new StatusError('conflict', 'the object has changed on the server', status);
    case 423:
      return new StatusError('unavailable', 'the calendar server has locked the object', status);
    case 500:
      return new StatusError('unavailable', 'the calendar server failed on the request (500)', status);
    default:
      return status === 429 || (status >= 500 && !UNKNOWN_REQUEST.has(status))
        ? new StatusError('unavailable', `the calendar server asks to try again later (${status})`, status)
        : new StatusError('refused', `the calendar server refused the request (${status})`, status);
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
export function writeFailureOf(status: number): MailError | undefined {
  if (GATEWAY.has(status)) {
    return new MailError(
      'outcome_unknown',
      `the calendar server behind a gateway did not answer (${status})`,
    );
  }
  if (status >= 200 && status <= 299) return undefined;
  if (status === 500) return new FailedDuringChange();
  return failureOf(status);
}
