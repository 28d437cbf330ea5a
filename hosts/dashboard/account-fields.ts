import * as z from 'zod';

/** The servers of an account, as the form's checks leave them. */
export interface AccountServers {
  readonly imap: ServerFields;
  readonly smtp: ServerFields;
  /** Undefined: the account is connected without a calendar. */
  readonly caldav: CalendarFields | undefined;
  /** SHA-256 of the one certificate to be accepted, 64 hex digits; undefined: the usual authorities. */
  readonly fingerprint: string | undefined;
}

/** What the owner typed to connect an account. */
export interface AccountFields extends AccountServers {
  /** For all servers. */
  readonly password: string;
}

export interface CalendarFields {
  readonly url: string;
  readonly user: string;
  /** The calendar that new events are put into, by its path; absent until one was chosen. */
  readonly writeTo?: string;
}

export interface ServerFields {
  readonly host: string;
  readonly port: number;
  readonly security: Security;
  readonly user: string;
}

/** What was found about the servers of an address, by whoever looks for them. */
export type FoundServers =
  | {
      readonly kind: 'found';
      readonly imap: FoundServer;
      readonly smtp: FoundServer;
      readonly caldav: (Pick<CalendarFields, 'url' | 'user'> & { readonly source: string }) | undefined;
      /** What the owner should know, a sentence each. */
      readonly notes: readonly string[];
    }
  /** There is no way to connect a mailbox there. */
  | { readonly kind: 'unusable'; readonly reason: string }
  /** `tried`: what was looked at and what came of it, a sentence each. */
  | { readonly kind: 'nothing'; readonly tried: readonly string[] };

interface FoundServer extends ServerFields {
  /** Words that follow `from`. */
  readonly source: string;
}

export const SECURITY_TITLES = {
  tls: 'TLS',
  starttls: 'STARTTLS',
  none: 'none (this machine only)',
} as const;
type Security = keyof typeof SECURITY_TITLES;

const host = (server: string) =>
  z
    .string()
    .trim()
    .regex(/^[^\s/@]+$/, `${server} host: a host name is needed.`);
const port = (server: string) =>
  z
    .string()
    .trim()
    .regex(/^\d{1,5}$/, `${server} port: a number from 1 to 65535 is needed.`)
    .transform(Number)
    .refine(
      (number) => number >= 1 && number <= 65_535,
      `${server} port: a number from 1 to 65535 is needed.`,
    );
const security = (server: string) =>
  z.enum(['tls', 'starttls', 'none'], `${server} security: choose one of the list.`);

const addressForm = z.object({
  email: z
    .string()
    .trim()
    .regex(/^[^\s@]+@[^\s@]+$/, 'Email: the address of the mailbox is needed.'),
  label: z.string().trim().max(100, 'Label: at most 100 characters.'),
});

const accountForm = addressForm.extend({
  signature: z
    .string()
    .max(2000, 'Signature: at most 2000 characters.')
    .transform((text) => text.replace(/\r\n?/g, '\n').trimEnd()),
  imap_host: host('IMAP'),
  imap_port: port('IMAP'),
  imap_security: security('IMAP'),
  imap_user: z.string().trim(),
  smtp_host: host('SMTP'),
  smtp_port: port('SMTP'),
  smtp_security: security('SMTP'),
  smtp_user: z.string().trim(),
  caldav_url: z
    .string()
    .trim()
    .refine(
      (text) => text === '' || isCalendarAddress(text),
      'Calendar address: an address such as https://dav.example.org/ is needed, or none.',
    ),
  caldav_user: z.string().trim(),
  caldav_calendar: z.string(),
  fingerprint: z
    .string()
    .transform((text) => text.replace(/[\s:]/g, '').toLowerCase())
    .refine(
      (text) => text === '' || /^[0-9a-f]{64}$/.test(text),
      'Certificate fingerprint: 64 hexadecimal digits (SHA-256) are needed.',
    ),
});

/** Every field of an account but the password, which no page ever shows again. */
export const ACCOUNT_FIELD_NAMES: readonly string[] = Object.keys(accountForm.shape);

type Read<T> =
  | ({ readonly kind: 'read' } & T)
  | { readonly kind: 'wrong'; readonly problems: readonly string[] };

export function readAddress(form: URLSearchParams): Read<{ readonly email: string }> {
  const parsed = addressForm.safeParse(textsOf(form, Object.keys(addressForm.shape)));
  return parsed.success
    ? { kind: 'read', email: parsed.data.email }
    : { kind: 'wrong', problems: problemsIn(parsed.error) };
}

/** A user that is left empty is the address. */
export function readAccount(form: URLSearchParams): Read<{
  readonly email: string;
  readonly label: string;
  readonly signature: string;
  readonly servers: AccountServers;
}> {
  const parsed = accountForm.safeParse(textsOf(form, ACCOUNT_FIELD_NAMES));
  if (!parsed.success) return { kind: 'wrong', problems: problemsIn(parsed.error) };
  const { data } = parsed;
  const server = (which: 'imap' | 'smtp'): ServerFields => ({
    host: data[`${which}_host`],
    port: data[`${which}_port`],
    security: data[`${which}_security`],
    user: data[`${which}_user`] || data.email,
  });
  return {
    kind: 'read',
    email: data.email,
    label: data.label,
    signature: data.signature,
    servers: {
      imap: server('imap'),
      smtp: server('smtp'),
      caldav: data.caldav_url === '' ? undefined : calendarFields(data),
      fingerprint: data.fingerprint || undefined,
    },
  };
}

function calendarFields({
  email,
  caldav_url: url,
  caldav_user: user,
  caldav_calendar: calendar,
}: z.infer<typeof accountForm>): CalendarFields {
  return { url, user: user || email, ...(calendar === '' ? {} : { writeTo: calendar }) };
}

/** Whether it looks like one; what may be connected to is the adapter's to say. */
function isCalendarAddress(text: string): boolean {
  return URL.canParse(text) && /^https?:$/.test(new URL(text).protocol);
}

/** The fields of a form that shows these servers. */
export function serverTexts(which: 'imap' | 'smtp', server: ServerFields): readonly [string, string][] {
  const { host, port, security, user } = server;
  return [
    [`${which}_host`, host],
    [`${which}_port`, String(port)],
    [`${which}_security`, security],
    [`${which}_user`, user],
  ];
}

function textsOf(form: URLSearchParams, names: readonly string[]): Readonly<Record<string, string>> {
  return Object.fromEntries(names.map((name) => [name, form.get(name) ?? '']));
}

function problemsIn(error: z.ZodError): readonly string[] {
  return [...new Set(error.issues.map((issue) => issue.message))];
}
