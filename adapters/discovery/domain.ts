import { domainToASCII } from 'node:url';

const NAME = /^(?=.{1,253}$)(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z](?:[a-z0-9-]{0,61}[a-z0-9])?$/;

/** Lower-case ASCII form of a DNS host name. Undefined for an IP address, a single label or anything else. */
export function hostName(text: string): string | undefined {
  const name = domainToASCII(text.replace(/\.$/, '')).toLowerCase();
  return NAME.test(name) ? name : undefined;
}

/** Whether the host is the domain or a subdomain of it. */
export function isWithin(host: string, domain: string): boolean {
  return host === domain || host.endsWith(`.${domain}`);
}
