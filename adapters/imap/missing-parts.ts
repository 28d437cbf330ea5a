import type { MailError } from '../../core/ports/mail.ts';
import type { MissingMail } from '../../core/ports/mail-reading.ts';

/** Collects what the server refuses for good during one call, while it answers the rest. */
export interface MissingParts {
  /** @param why  the refusal of the folder */
  refuse(path: string, why: MailError): void;
  /** @throws MailError a refusal, if the server refuses as many folders: then there is no rest */
  throwIfNothingElse(folders: number): void;
  all(): readonly MissingMail[];
}

export function missingParts(): MissingParts {
  const refused = new Map<string, MailError>();
  return {
    refuse(path, why) {
      refused.set(path, why);
    },
    throwIfNothingElse(folders) {
      const [why] = refused.values();
      if (why !== undefined && refused.size >= folders) throw why;
    },
    all: () => [...refused.keys()].map((path) => ({ path, reason: 'refused' })),
  };
}
