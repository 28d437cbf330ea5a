import * as z from 'zod';
import type { ServerTrouble } from '../../core/ports/account-health.ts';
import { MailError, type MailErrorCode } from '../../core/ports/mail.ts';
import { connectionFailure, NO_STARTTLS } from '../remote/connection-failure.ts';
import { signInRefusal } from '../remote/sign-in-refusal.ts';

const reported = z.object({
  /** nodemailer's name for the phase: EAUTH, EENVELOPE, EMESSAGE, ETLS … */
  code: z.string().optional().catch(undefined),
  /** The server's reply code; nodemailer may set false. */
  responseCode: z.number().optional().catch(undefined),
  /** All lines of the reply. */
  response: z.string().optional().catch(undefined),
});

/** Reply codes for a missing or failed sign-in, RFC 4954. */
const AUTH_REPLIES = new Set([530, 534, 535, 538]);

/**
 * The MailError for a failure that happened before the message was handed over.
 * @param proof  what a sign-in would send
 */
export function smtpFailure(error: unknown, proof: 'pass' | 'token' = 'pass'): MailError {
  if (error instanceof MailError) return error;
  const { code, responseCode, response = '' } = reported.safeParse(error).data ?? {};
  const fail = (code: MailErrorCode, reason: string, trouble?: ServerTrouble) =>
    new MailError(code, reason, { cause: error, trouble });
  // If STARTTLS is required, nodemailer sends it even if the server does not offer it.
  if (code === 'ETLS' && responseCode !== undefined) {
    return fail('unavailable', `the SMTP server ${NO_STARTTLS}`, 'other');
  }
  if (responseCode !== undefined && responseCode >= 400 && responseCode < 500) {
    return fail('unavailable', 'the SMTP server asks to try again later');
  }
  if (code === 'EAUTH' || (responseCode !== undefined && AUTH_REPLIES.has(responseCode))) {
    const reply = response.replace(/\r?\n\d{3}[ -]/g, ' ');
    return signInRefusal('SMTP', proof, reply, error);
  }
  if (responseCode !== undefined && responseCode >= 500)
    return fail('refused', 'the SMTP server refused the message');
  // nodemailer's own refusals: an address that cannot appear in a command, a message beyond the server's SIZE.
  if (code === 'EENVELOPE') return fail('refused', 'this SMTP server cannot send to one of the addresses');
  return connectionFailure('SMTP', error);
}

/**
 * Whether a refused sign-in may mean its mechanism: some servers offer PLAIN and accept only LOGIN. Not if the server names
 * another reason (RFC 4954, 6).
 */
export function mayMeanMechanism(error: unknown): boolean {
  const { code, responseCode = 0, response = '' } = reported.safeParse(error).data ?? {};
  return code === 'EAUTH' && responseCode >= 500 && !/^\d{3}[ -]5\.7\.\d/.test(response);
}

/** Whether the server received the whole message and refused it. */
export function isFinalRefusal(error: unknown): boolean {
  const { code, responseCode } = reported.safeParse(error).data ?? {};
  return code === 'EMESSAGE' && responseCode !== undefined && responseCode >= 400;
}
