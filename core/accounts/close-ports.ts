import type { Ports } from '../ports/ports.ts';
import { withinLimit } from './within-limit.ts';

/** For each port. The process is about to end, and with it what is still open. */
const CLOSE_MS = 5000;

/** Closes what the ports hold open. Storage is last because the others may still write to it. */
export async function closePorts(ports: Ports): Promise<void> {
  const { clock, log, mailProviders = [], storage } = ports;
  const { mail, calendar, reader, attachmentText, webhookSender, noticeSender, documentSource } = ports;
  const named = {
    ...{ webhookSender, noticeSender, documentSource, mail },
    ...Object.fromEntries(mailProviders.map((provider) => [provider.id, provider])),
    ...{ calendar, reader, attachmentText, storage },
  };
  for (const [port, opened] of Object.entries(named)) {
    if (opened === undefined) continue;
    await withinLimit(
      clock,
      { ms: CLOSE_MS },
      () => opened.close(),
      () => log.warn('a port was not closed in time', { port }),
    );
  }
}
