import { asciiDomain } from './ascii-domain.ts';

/** An address as strangers write it, for a reply to it. */

const ATOM = "[\\w!#$%&'*+/=?^`{|}~-]";
/** Dots at its ends or side by side are against RFC 5322 and in use. */
const DOTTED = `(?:${ATOM}|\\.)+`;
const QUOTED = '"(?:[ !#-;=?-\\[\\]-~]|\\\\[ -;=?-~])+"';
const LOCAL_PART = new RegExp(`^(?:${DOTTED}|${QUOTED})$`);
/** A quoted local part in which nothing needs the quotes (RFC 5321 4.1.2). */
const NEEDLESS = new RegExp(`^"(${ATOM}+(?:\\.${ATOM}+)*)"$`);
const DOMAIN = /^[A-Za-z0-9-]+(?:\.[A-Za-z0-9-]+)+$/;
const ADDRESS_CHARS = 254;

/**
 * Returns the address as every server takes it, with its domain in ASCII. Undefined: no server takes it, or only one with
 * SMTPUTF8.
 */
export function replyAddress(address: string): string | undefined {
  const [local, domain] = partsOf(address);
  if (!LOCAL_PART.test(local)) return undefined;
  const ascii = DOMAIN.test(domain) ? domain : asciiDomain(domain);
  const whole = `${local.replace(NEEDLESS, '$1')}@${ascii}`;
  // A reader would decode `=?`.
  const isSendable = ascii !== undefined && whole.length <= ADDRESS_CHARS && !whole.includes('=?');
  return isSendable ? whole : undefined;
}

/** Whether only the part before the at sign keeps servers without SMTPUTF8 from it. */
export function needsUtf8(address: string): boolean {
  const [local, domain] = partsOf(address);
  return /[^\0-\x7f]/.test(local) && replyAddress(`x@${domain}`) !== undefined;
}

function partsOf(address: string): [local: string, domain: string] {
  const at = address.lastIndexOf('@');
  return [address.slice(0, Math.max(at, 0)), address.slice(at + 1)];
}
