import * as z from 'zod';
import { isLoopback } from '../remote/mail-server.ts';
import { isWithin } from './domain.ts';
import data from './providers.json' with { type: 'json' };

const server = z.tuple([z.string(), z.int(), z.enum(['tls', 'starttls'])]);

const note = z.union([
  z.string(),
  z
    .strictObject({ appPassword: z.string(), page: z.string() })
    .transform(
      ({ appPassword: name, page }) =>
        `${name} only accepts an app password, not your account password: ${page}`,
    ),
  z
    .strictObject({ switchOn: z.string() })
    .transform(
      ({ switchOn: name }) => `First turn on IMAP in the settings of your ${name} mailbox, on its website.`,
    ),
  z
    .strictObject({ ifTwoFactor: z.string() })
    .transform(
      ({ ifTwoFactor: name }) =>
        `If two-factor sign-in is on, ${name} only accepts an app password, not your account password.`,
    ),
]);

/** A mail provider whose settings ship with Countersign. Source: the providers' help pages, and Thunderbird's table (ISPDB). */
const provider = z.strictObject({
  name: z.string(),
  /** The domains of its email addresses. */
  domains: z.array(z.string()),
  /** A domain whose MX is under one of these is hosted by this provider, with the same settings. */
  mx: z.array(z.string()),
  /** The id of the sign-in that the operator may have set up for it. */
  signIn: z.enum(['google', 'microsoft']).exactOptional(),
  access: z.union([
    z.strictObject({
      imap: server,
      smtp: server,
      /** The IMAP user name, if it is not the address. */
      imapUser: z.literal('local_part').exactOptional(),
      /** CalDAV URL, for the same user and password as SMTP. */
      caldav: z.url().exactOptional(),
      notes: z.array(note),
    }),
    /** Why Countersign cannot connect it. */
    z.strictObject({ none: z.string() }),
  ]),
});

export type Provider = z.output<typeof provider>;

let known: readonly Provider[] | undefined;

function providers(): readonly Provider[] {
  known ??= z.array(provider).parse(data);
  return known;
}

/** @param domain  lower-case ASCII */
export function providerOfDomain(domain: string): Provider | undefined {
  return providers().find(({ domains }) => domains.includes(domain));
}

/** @param mx  a host that receives mail for the domain */
export function providerOfMx(mx: string): Provider | undefined {
  return providers().find((provider) => provider.mx.some((domain) => isWithin(mx, domain)));
}

/** The provider that a server belongs to. Its certificates always verify. @param host  lower-case ASCII */
export function providerOfHost(host: string): Provider | undefined {
  return providers().find(({ access, domains, mx }) => {
    if ([...domains, ...mx].some((domain) => isWithin(host, domain))) return true;
    if ('none' in access) return false;
    const { imap, smtp, caldav } = access;
    const hosts = [imap[0], smtp[0], ...(caldav === undefined ? [] : [new URL(caldav).hostname])];
    // Proton Mail Bridge runs on this machine.
    return hosts.includes(host) && !isLoopback(host);
  });
}
