import * as z from 'zod';

/** The servers of an account, validated by the form. */
export interface AccountServers {
  readonly imap: ServerFields;
  readonly smtp: ServerFields;
  /** Undefined for an account without a calendar. */
  readonly caldav: CalendarFields | undefined;
  /**
   * SHA-256 (64 hex digits) of the only accepted certificate, for mail servers without one of their own. Undefined: the
   * usual authorities are trusted.
   */
  readonly fingerprint: string | undefined;
}

/** What the owner entered to connect an account. */
export interface AccountFields extends AccountServers {
  /** For all servers. */
  readonly password: string;
}

export interface CalendarFields {
  readonly url: string;
  readonly user: string;
  /** SHA-256 of the only accepted certificate; absent: see `AccountServers`. */
  readonly fingerprint?: string;
  /** The path of the calendar for new events; absent until the owner picks one. */
  readonly writeTo?: string;
}

export interface ServerFields {
  readonly host: string;
  readonly port: number;
  readonly security: Security;
  readonly user: string;
  /** SHA-256 of the only accepted certificate; absent: see `AccountServers`. */
  readonly fingerprint?: string;
}

/** The result of looking for the servers of an address. */
export type FoundServers =
  | {
      readonly kind: 'found';
      readonly imap: FoundServer;
      readonly smtp: FoundServer;
      readonly caldav: (Pick<CalendarFields, 'url' | 'user'> & { readonly source: string }) | undefined;
      /** What the owner should know, one sentence each. */
      readonly notes: readonly string[];
      /** The id of the provider where its owners can sign in. */
      readonly signIn?: string | undefined;
    }
  /** Mailboxes of this provider cannot be connected. */
  | { readonly kind: 'unusable'; readonly reason: string; readonly signIn?: string | undefined }
  /** `tried`: what was tried and how it went, one sentence each. */
  | { readonly kind: 'nothing'; readonly tried: readonly string[] };

export interface FoundServer extends ServerFields {
  /** Phrased to follow `from`. */
  readonly source: string;
}

export const SECURITY_TITLES = {
  tls: 'TLS',
  starttls: 'STARTTLS',
  none: 'none (this machine only)',
} as const;
export type Security = keyof typeof SECURITY_TITLES;

const host = (server: string) =>
  z
    .string()
    .trim()
    .regex(/^[^\s/@]+$/, `${server} host: enter a host name.`);
const port = (server: string) =>
  z
    .string()
    .trim()
    .regex(/^\d{1,5}$/, `${server} port: enter a number from 1 to 65535.`)
    .transform(Number)
    .refine((number) => number >= 1 && number <= 65_535, `${server} port: enter a number from 1 to 65535.`);
const security = (server: string) =>
  z.enum(['tls', 'starttls', 'none'], `${server} security: choose one from the list.`);

const addressForm = z.object({
  email: z
    .string()
    .trim()
    .regex(/^[^\s@]+@[^\s@]+$/, 'Email: enter the address of the mailbox.'),
  label: z.string().trim().max(100, 'Label: at most 100 characters.'),
});

const fingerprint = z
  .string()
  .transform((text) => text.replace(/[\s:]/g, '').toLowerCase())
  .refine(
    (text) => text === '' || /^[0-9a-f]{64}$/.test(text),
    'Certificate fingerprint: enter 64 hexadecimal digits (SHA-256).',
  );

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
      'Calendar address: enter a URL such as https://dav.example.org/, or leave it empty.',
    ),
  caldav_user: z.string().trim(),
  caldav_calendar: z.string(),
  fingerprint,
  imap_fingerprint: fingerprint,
  smtp_fingerprint: fingerprint,
  caldav_fingerprint: fingerprint,
  /** The account whose servers are changed. Empty: a new one is connected. */
  account: z.string().regex(/^\d{0,9}$/, 'Account: choose one of your accounts.'),
});

/** All fields of an account except the password, which no page ever shows again. */
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

/** An empty user defaults to the address. */
export function readAccount(form: URLSearchParams): Read<{
  readonly email: string;
  readonly label: string;
  readonly signature: string;
  readonly servers: AccountServers;
  /** The account whose servers are changed. Undefined: a new one is connected. */
  readonly accountId: number | undefined;
}> {
  const parsed = accountForm.safeParse(textsOf(form, ACCOUNT_FIELD_NAMES));
  if (!parsed.success) return { kind: 'wrong', problems: problemsIn(parsed.error) };
  const { data } = parsed;
  const server = (which: 'imap' | 'smtp'): ServerFields => ({
    host: data[`${which}_host`],
    port: data[`${which}_port`],
    security: data[`${which}_security`],
    user: data[`${which}_user`] || data.email,
    ...pinned(data[`${which}_fingerprint`]),
  });
  return {
    kind: 'read',
    email: data.email,
    label: data.label,
    signature: data.signature,
    accountId: data.account === '' ? undefined : Number(data.account),
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
  caldav_fingerprint: pin,
}: z.infer<typeof accountForm>): CalendarFields {
  return { url, user: user || email, ...pinned(pin), ...(calendar === '' ? {} : { writeTo: calendar }) };
}

function pinned(fingerprint: string): { readonly fingerprint?: string } {
  return fingerprint === '' ? {} : { fingerprint };
}

/** Checks only the form of the URL; the adapter decides what may be connected to. */
function isCalendarAddress(text: string): boolean {
  return URL.canParse(text) && /^https?:$/.test(new URL(text).protocol);
}

/** The form fields that show this server. */
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

/** What a server shows before anybody signs in to it. */
export type ProbedServer = {
  readonly server: 'imap' | 'smtp' | 'caldav';
} & (
  | { readonly kind: 'good' }
  /**
   * Its certificate is not verified. `because` follows the word. `isKnown`: a provider that Countersign knows, whose
   * certificates always verify, so it must not be trusted.
   */
  | {
      readonly kind: 'untrusted';
      /** SHA-256, 64 hex digits. */
      readonly fingerprint: string;
      readonly because: string;
      readonly isKnown: boolean;
    }
  /** One sentence for the owner. */
  | { readonly kind: 'problem'; readonly text: string }
);

/** The form fields that show these servers. */
export function accountTexts({ imap, smtp, caldav }: AccountServers): readonly [string, string][] {
  return [
    ...serverTexts('imap', imap),
    ['imap_fingerprint', imap.fingerprint ?? ''],
    ...serverTexts('smtp', smtp),
    ['smtp_fingerprint', smtp.fingerprint ?? ''],
    ['caldav_url', caldav?.url ?? ''],
    ['caldav_user', caldav?.user ?? ''],
    ['caldav_calendar', caldav?.writeTo ?? ''],
    ['caldav_fingerprint', caldav?.fingerprint ?? ''],
  ];
}
