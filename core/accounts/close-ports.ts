import type { Ports } from '../ports/ports.ts';
import { withinLimit } from '../work/within-limit.ts';

/** For each port. What is still open then ends with the process. */
const CLOSE_MS = 5000;

/** Closes what the ports hold open. Storage is last because the others may still write to it. */
export async function closePorts(ports: Ports): Promise<void> {
  const { clock, log, mailProviders = [], storage } = ports;
  const { mail, calendar, reader, attachmentText, webhookSender, noticeSender, documentSource } = ports;
  const inOrder = [
    ...Object.entries({ webhookSender, noticeSender, documentSource, mail }),
    ...mailProviders.map((provider) => [provider.id, provider] as const),
    ...Object.entries({ calendar, reader, attachmentText, storage }),
  ];
  for (const [port, opened] of inOrder) {
    if (opened === undefined) continue;
    await withinLimit(
      clock,
      { ms: CLOSE_MS },
      () => opened.close(),
      () => log.warn('a port was not closed in time', { port }),
    );
  }
}
