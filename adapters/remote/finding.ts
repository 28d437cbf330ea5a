import type { MailError } from '../../core/ports/mail.ts';

/** One thing that was looked at. */
export interface Finding {
  /** What it was: `sign_in`, `move` … */
  readonly check: string;
  /** `lacking`: it works, in the way that the text says. */
  readonly state: 'good' | 'lacking' | 'broken';
  /** A sentence or two in plain words. */
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
export function brokenBy({ code, message }: MailError): Finding {
  const text = `${message.charAt(0).toUpperCase()}${message.slice(1)}.`;
  return broken(code === 'auth' ? 'sign_in' : 'connection', text);
}
