import type { MailError } from '../../core/ports/mail.ts';
import type { MissingMail } from '../../core/ports/mail-reading.ts';

/** Collects what the server refuses for good during one call, while it answers the rest. */
export interface MissingParts {
  /** @param why  the refusal of the folder */
  refuse(path: string, why: MailError): void;
  /** @param messages  of the folder, which the server cannot deliver, and which may belong to the answer */
  undelivered(path: string, messages: number): void;
  /** @throws MailError a refusal, if the server refuses as many folders: then there is no rest */
  throwIfNothingElse(folders: number): void;
  all(): readonly MissingMail[];
}

export function missingParts(): MissingParts {
  const refused = new Map<string, MailError>();
  const undelivered: MissingMail[] = [];
  return {
    refuse(path, why) {
      refused.set(path, why);
    },
    undelivered(path, messages) {
      undelivered.push({ path, reason: 'undeliverable', messages });
    },
    throwIfNothingElse(folders) {
      const [why] = refused.values();
      if (why !== undefined && refused.size >= folders) throw why;
    },
    all: () => [...[...refused.keys()].map((path) => ({ path, reason: 'refused' as const })), ...undelivered],
  };
}
