import { asciiDomain } from '../../core/mail/ascii-domain.ts';

/** RFC 5321, 4.1.3. */
const LITERAL = '[127.0.0.1]';

/**
 * How this machine introduces itself to an SMTP server (RFC 5321, 4.1.1.1). Many servers refuse a name without a dot, and
 * the name of a machine at home is one.
 *
 * @param configured  what the operator chose
 * @param address  of the account
 * @returns the domain of the address if nothing is configured; an address literal if it has none
 */
export function ehloName(configured: string | undefined, address = ''): string {
  if (configured !== undefined) return configured;
  const at = address.lastIndexOf('@');
  return (at < 0 ? undefined : asciiDomain(address.slice(at + 1))) ?? LITERAL;
}
