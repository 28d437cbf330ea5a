import { Readable } from 'node:stream';
import type SMTPConnection from 'nodemailer/lib/smtp-connection';
import type { SMTPEnvelope } from 'nodemailer/lib/smtp-connection';
import * as z from 'zod';
import { asciiDomain } from '../../core/mail/ascii-domain.ts';
import { MailError, type Start } from '../../core/ports/mail.ts';
import type { Outgoing } from '../../core/ports/mail-sending.ts';
import { withTimeLimit } from '../remote/time-limit.ts';
import { PATIENCE_MS, smtpStep } from './connection.ts';
import { isFinalRefusal, smtpFailure } from './failure.ts';

/** After the final dot. RFC 5321, 4.5.3.2.6. */
const FINAL_REPLY_MS = 10 * 60_000;
const CHUNK_BYTES = 64 * 1024;

/**
 * Sends one message over a signed-in connection, and knows afterwards whether the server may have accepted it: nodemailer
 * reads the body only after 354, and writes the final dot only when the body has ended. Any failure closes the connection.
 * @throws MailError as described by `transmit` of the Mail port
 */
export async function transmitOver(
  connection: SMTPConnection,
  message: Outgoing,
  start: Start,
  limit: AbortSignal,
): Promise<void> {
  const { bytes } = message;
  const envelope: SMTPEnvelope = {
    from: withAsciiDomain(message.envelope.from),
    to: message.envelope.to.map(withAsciiDomain),
    size: bytes.length,
    use8BitMime: bytes.some((byte) => byte > 0x7f),
  };
  let handedOver = false;
  let stopped: MailError | undefined;

  async function* body(restart: (ms: number) => void): AsyncGenerator<Uint8Array> {
    // Send nothing unless every recipient is known to be accepted.
    if (!allAccepted(envelope)) throw new Error('A recipient was not accepted');
    stopped = refusalToReceive(connection) ?? (await refusalToStart(start));
    if (stopped !== undefined) throw new Error('The send was not started');
    for (let offset = 0; offset < bytes.length; offset += CHUNK_BYTES) {
      restart(PATIENCE_MS);
      yield bytes.subarray(offset, offset + CHUNK_BYTES);
    }
    // From here on, the final dot may be sent at any time.
    handedOver = true;
    restart(FINAL_REPLY_MS);
  }

  try {
    await withTimeLimit({ signal: limit, ms: PATIENCE_MS }, (silence, restart) =>
      smtpStep(connection, silence, (done) =>
        connection.send(envelope, Readable.from(body(restart), { objectMode: false }), done),
      ),
    );
    if (!handedOver) throw new Error('The server answered before it had the message');
  } catch (error) {
    connection.close();
    if (stopped !== undefined) throw stopped;
    if (!handedOver)
      throw refusalOfSize(error, bytes.length) ?? refusalOfRecipients(envelope) ?? smtpFailure(error);
    if (isFinalRefusal(error)) {
      const refused = new MailError('refused', 'the SMTP server refused the message after receiving it', {
        cause: error,
      });
      throw refusalOfSize(error, bytes.length) ?? refused;
    }
    throw new MailError(
      'outcome_unknown',
      'the SMTP server received the message but never said whether it accepted it',
      { cause: error },
    );
  }
}

/** What nodemailer reports of a message that is too large by what the server said to EHLO. */
const BEYOND_SIZE = /^Message size larger than allowed (\d+)$/;
/** RFC 1870, 6.1. */
const TOO_LARGE = /^552[ -]5\.3\.4\b/;

/** @returns undefined if the message is not too large for the server */
function refusalOfSize(error: unknown, bytes: number): MailError | undefined {
  const { message, response } = refusal.safeParse(error).data ?? {};
  const most = BEYOND_SIZE.exec(message ?? '')?.[1];
  if (most === undefined && !TOO_LARGE.test(response ?? '')) return undefined;
  return new MailError('refused', 'the message is larger than the SMTP server takes', {
    cause: error,
    tooMuch: 'message_too_large',
    sizes: { bytes, limitBytes: most === undefined ? null : Number(most) },
  });
}

const refusal = z.object({
  message: z.string(),
  response: z.string().optional().catch(undefined),
});

/** What nodemailer records in the envelope while it sends. */
const recorded = z.object({
  accepted: z.array(z.string()),
  rejectedErrors: z.array(
    z.object({
      responseCode: z.number().optional().catch(undefined),
      response: z.string().optional().catch(undefined),
    }),
  ),
});

/**
 * One refused recipient stops the send: otherwise the others would get a message that the owner approved for all of them.
 * @returns undefined if no recipient is known to be refused
 */
function refusalOfRecipients(envelope: SMTPEnvelope): MailError | undefined {
  const { accepted = [], rejectedErrors = [] } = recorded.safeParse(envelope).data ?? {};
  if (rejectedErrors.length === 0) return undefined;
  // RFC 5321, 4.5.3.1.10; RFC 3463, 3.6. The rest could be sent by itself, but the owner approved one message to all.
  if (accepted.length > 0 && rejectedErrors.every(isOneTooMany))
    return new MailError(
      'refused',
      `the SMTP server takes at most ${accepted.length} recipients at once, so the message was sent to nobody`,
      { tooMuch: 'too_many_recipients' },
    );
  return rejectedErrors.every(({ responseCode = 0 }) => responseCode >= 400 && responseCode < 500)
    ? new MailError(
        'unavailable',
        'the SMTP server asks to try one recipient again later, so the message was sent to nobody',
      )
    : new MailError('refused', 'the SMTP server refused one recipient, so the message was sent to nobody');
}

function isOneTooMany({ response = '' }: z.infer<typeof recorded>['rejectedErrors'][number]): boolean {
  return /^(?:452|552)[ -](?:[45]\.5\.3\b|too many recipients)/i.test(response);
}

function allAccepted(envelope: SMTPEnvelope): boolean {
  const { accepted = [] } = recorded.safeParse(envelope).data ?? {};
  return accepted.length === [envelope.to].flat().length;
}

/**
 * nodemailer also sends the message after a 2xx. If the server sends more replies than it gets commands, that 2xx
 * belongs to an earlier command, and the next reply would pass for the acceptance of the message.
 */
function refusalToReceive({ lastServerResponse }: SMTPConnection): MailError | undefined {
  return /^3/.test(lastServerResponse || '')
    ? undefined
    : new MailError('unavailable', 'the SMTP server did not ask for the message');
}

async function refusalToStart(start: Start): Promise<MailError | undefined> {
  try {
    return (await start())
      ? undefined
      : new MailError('not_started', 'the send was cancelled before it started');
  } catch (error) {
    return new MailError('not_started', 'the start of the send could not be recorded', { cause: error });
  }
}

/** Only the part before the @ needs SMTPUTF8, which not every server supports. */
function withAsciiDomain(address: string): string {
  const at = address.lastIndexOf('@') + 1;
  const domain = address.slice(at);
  return `${address.slice(0, at)}${asciiDomain(domain) ?? domain}`;
}
