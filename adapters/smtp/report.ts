import type SMTPConnection from 'nodemailer/lib/smtp-connection';
import { sizeText } from '../../core/text/size-text.ts';
import type { Reach } from '../remote/connect.ts';
import { brokenFinding, type Finding, good, lacking } from '../remote/finding.ts';
import { type SignInServer, signedIn } from '../remote/sign-in.ts';
import { tlsReport } from '../remote/tls-report.ts';
import { openSmtp, type SendingServer, signIn, socketOf } from './connection.ts';
import { smtpFailure } from './failure.ts';

/** Connects, signs in, and reports what the server offers. Sends no message. */
export async function smtpReport(
  server: SendingServer & SignInServer,
  reach: Reach,
  limit: AbortSignal,
): Promise<readonly Finding[]> {
  let connection: SMTPConnection;
  try {
    connection = await openSmtp(server, reach, limit);
  } catch (error) {
    return [brokenFinding(smtpFailure(error))];
  }
  // Before the next command, the last response is the one to EHLO.
  const offered = offeredIn(connection.lastServerResponse || '');
  const findings = [...tlsReport(socketOf(connection), server), ...offerings(offered)];
  try {
    let isUsed = false;
    await signedIn(server, limit, async (proof) => {
      // A refused sign-in has closed the connection.
      if (isUsed) connection = await openSmtp(server, reach, limit);
      isUsed = true;
      await signIn(connection, server, proof, limit);
    });
    return [...findings, good('sign_in', 'Signed in.')];
  } catch (error) {
    return [...findings, brokenFinding(smtpFailure(error))];
  } finally {
    connection.close();
  }
}

/** The keywords of an EHLO response with their parameters. RFC 5321, 4.1.1.1. */
function offeredIn(reply: string): ReadonlyMap<string, string> {
  const lines = reply.split(/\r?\n/).slice(1);
  return new Map(
    lines.flatMap((line) => {
      const [, keyword = '', rest = ''] = /^250[ -](\S+)\s*(.*)$/.exec(line) ?? [];
      return keyword === '' ? [] : [[keyword.toUpperCase(), rest.trim()] as const];
    }),
  );
}

function offerings(offered: ReadonlyMap<string, string>): readonly Finding[] {
  const auth = offered.get('AUTH');
  // RFC 1870, 4: without a number it tells nothing, and 0 stands for no fixed limit.
  const size = /^\d+$/.exec(offered.get('SIZE') ?? '')?.[0];
  const signingIn = auth === undefined ? [] : [good('auth', `It offers these sign-in methods: ${auth}.`)];
  if (size === undefined) {
    return [...signingIn, lacking('size', 'It does not say how large a message may be.')];
  }
  const limit = Number(size) > 0 ? `up to ${sizeText(Number(size))}` : 'of any size';
  return [...signingIn, good('size', `It accepts messages ${limit}.`)];
}
