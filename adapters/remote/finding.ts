import type { MailError } from '../../core/ports/mail.ts';

/** The result of one check. */
export interface Finding {
  /** The name of the check: `sign_in`, `move` … */
  readonly check: string;
  /** `lacking`: works with the limitation that the text describes. */
  readonly state: 'good' | 'lacking' | 'broken';
  /** One or two plain sentences. */
  readonly text: string;
}

export function good(check: string, text: string): Finding {
  return { check, state: 'good', text };
}

export function lacking(check: string, text: string): Finding {
  return { check, state: 'lacking', text };
}

export function broken(check: string, text: string): Finding {
  return { check, state: 'broken', text };
}

/** Why a server cannot be used. */
export function brokenFinding({ code, forOwner }: MailError): Finding {
  return broken(code === 'auth' ? 'sign_in' : 'connection', forOwner);
}
