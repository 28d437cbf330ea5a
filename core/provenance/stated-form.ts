import { unicodeDomain } from '../safety/punycode.ts';
import { normalForm } from '../text/normal-form.ts';

/** The form in which addresses and hosts are compared. */

/** An address in the form of `StatedValues`. */
export function statedAddress(address: string): string {
  const at = address.lastIndexOf('@');
  return `${normalForm(address.slice(0, at), 'NFKC').toLowerCase()}@${unicodeDomain(address.slice(at + 1))}`;
}

/** A host in the form of `StatedValues`. */
export function statedHost(host: string): string {
  return unicodeDomain(host.replace(/\.$/, '')).replace(/^www\./, '');
}
