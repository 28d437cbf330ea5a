import { Readable } from 'node:stream';
import { domainToASCII } from 'node:url';
import type SMTPConnection from 'nodemailer/lib/smtp-connection';
import type { SMTPEnvelope } from 'nodemailer/lib/smtp-connection';
import * as z from 'zod';
import { MailError, type Start } from '../../core/ports/mail.ts';
import type { Outgoing } from '../../core/ports/mail-sending.ts';
import { underLimit } from '../remote/time-limit.ts';
import { smtpStep } from './connection.ts';
import { isFinalRefusal, smtpFailure } from './failure.ts';

/** How long the server may leave us waiting for a reply, or stop taking bytes, before the message is handed over. */
const PATIENCE_MS = 60_000;
/** RFC 5321, 4.5.3.2.6: what the server may take after the final dot. */
const FINAL_REPLY_MS = 10 * 60_000;
const CHUNK_BYTES = 64 * 1024;

/**
 * Sends one message over a connection that is signed in, and knows afterwards whether the server may have taken it:
 * nodemailer asks for the body only after 354, and writes the final dot only when the body has come to its end. The
 * connection is closed by every failure.
 * @throws MailError as `transmit` of the Mail port says
 */
export async function transmitOver(
  connection: SMTPConnection,
  message: Outgoing,
  start: Start,
  limit: AbortSignal,
): Promise<void> {
  const { bytes } = message;
  const envelope: SMTPEnvelope = {
    from: asciiDomain(message.envelope.from),
    to: message.envelope.to.map(asciiDomain),
    size: bytes.length,
    use8BitMime: bytes.some((byte) => byte > 0x7f),
  };
  let handedOver = false;
  let stopped: MailError | undefined;

  async function* body(restart: (ms: number) => void): AsyncGenerator<Uint8Array> {
    // When that is not certain nothing is sent either.
    if (!allAccepted(envelope)) throw new Error('A recipient was not accepted');
    stopped = await refusalToStart(start);
    if (stopped !== undefined) throw new Error('The send was not started');
    for (let offset = 0; offset < bytes.length; offset += CHUNK_BYTES) {
      restart(PATIENCE_MS);
      yield bytes.subarray(offset, offset + CHUNK_BYTES);
    }
    // From here on the dot may go out at any time.
    handedOver = true;
    restart(FINAL_REPLY_MS);
  }

  try {
    await underLimit({ signal: limit, ms: PATIENCE_MS }, (silence, restart) =>
      smtpStep(connection, silence, (done) =>
        connection.send(envelope, Readable.from(body(restart), { objectMode: false }), done),
      ),
    );
    if (!handedOver) throw new Error('The server answered before it had the message');
  } catch (error) {
    connection.close();
    if (stopped !== undefined) throw stopped;
    if (!handedOver) throw refusalOfRecipients(envelope) ?? smtpFailure(error);
    if (isFinalRefusal(error)) {
      throw new MailError('refused', 'the SMTP server refused the message at its end', { cause: error });
    }
    throw new MailError(
      'outcome_unknown',
      'the SMTP server had the message and never said whether it took it',
      {
        cause: error,
      },
    );
  }
}

/** What nodemailer notes in the envelope while it works on it. */
const noted = z.object({
  accepted: z.array(z.string()),
  rejectedErrors: z.array(z.object({ responseCode: z.number().optional().catch(undefined) })),
});

/**
 * One refused recipient is enough: the others would get what the owner had approved for all of them.
 * @returns undefined where none was refused, as far as is known
 */
function refusalOfRecipients(envelope: SMTPEnvelope): MailError | undefined {
  const { rejectedErrors = [] } = noted.safeParse(envelope).data ?? {};
  if (rejectedErrors.length === 0) return undefined;
  return rejectedErrors.every(({ responseCode = 0 }) => responseCode >= 400 && responseCode < 500)
    ? new MailError('unavailable', 'the SMTP server puts off a recipient, so nobody was sent the message')
    : new MailError('refused', 'the SMTP server refused a recipient, so nobody was sent the message');
}

function allAccepted(envelope: SMTPEnvelope): boolean {
  const { accepted = [] } = noted.safeParse(envelope).data ?? {};
  return accepted.length === [envelope.to].flat().length;
}

async function refusalToStart(start: Start): Promise<MailError | undefined> {
  try {
    return (await start())
      ? undefined
      : new MailError('not_started', 'the send was called off before it began');
  } catch (error) {
    return new MailError('not_started', 'the start of the send could not be recorded', { cause: error });
  }
}

/** SMTPUTF8, which not every server has, is only needed for what stands before the @. */
function asciiDomain(address: string): string {
  const at = address.lastIndexOf('@');
  const domain = domainToASCII(address.slice(at + 1));
  return domain === '' ? address : `${address.slice(0, at + 1)}${domain}`;
}
