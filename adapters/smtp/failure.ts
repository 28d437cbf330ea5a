import * as z from 'zod';
import { MailError } from '../../core/ports/mail.ts';
import { connectionFailure, NO_STARTTLS } from '../remote/connection-failure.ts';

const told = z.object({
  /** nodemailer's word for the phase: EAUTH, EENVELOPE, EMESSAGE, ETLS … */
  code: z.string().optional().catch(undefined),
  /** The server's reply; nodemailer may set false. */
  responseCode: z.number().optional().catch(undefined),
});

/** Replies that say that signing in is missing or went wrong, RFC 4954. */
const AUTH_REPLIES = new Set([530, 534, 535, 538]);

/** Makes a MailError out of what a connection failed with while the message was certainly not handed over. */
export function smtpFailure(error: unknown): MailError {
  if (error instanceof MailError) return error;
  const { code, responseCode } = told.safeParse(error).data ?? {};
  const fail = (...[code, reason]: ConstructorParameters<typeof MailError>) =>
    new MailError(code, reason, { cause: error });
  // nodemailer asks for STARTTLS where it is demanded, whether it is offered or not.
  if (code === 'ETLS' && responseCode !== undefined) {
    return fail('unavailable', `the SMTP server ${NO_STARTTLS}`);
  }
  if (responseCode !== undefined && responseCode >= 400 && responseCode < 500) {
    return fail('unavailable', 'the SMTP server puts us off for now');
  }
  if (code === 'EAUTH' || (responseCode !== undefined && AUTH_REPLIES.has(responseCode))) {
    return fail('auth', 'the SMTP server does not accept the user name and password');
  }
  if (responseCode !== undefined && responseCode >= 500)
    return fail('refused', 'the SMTP server refused the message');
  // nodemailer's own refusals: an address that cannot stand in a command, a message beyond the server's SIZE.
  if (code === 'EENVELOPE') return fail('refused', 'an address cannot be used with this SMTP server');
  if (code === 'EMESSAGE') return fail('refused', 'the message is larger than the SMTP server accepts');
  return connectionFailure('SMTP', error);
}

/** Whether this is the server's own last word on a message that it had wholly received: not accepted. */
export function isFinalRefusal(error: unknown): boolean {
  const { code, responseCode } = told.safeParse(error).data ?? {};
  return code === 'EMESSAGE' && responseCode !== undefined && responseCode >= 400;
}
