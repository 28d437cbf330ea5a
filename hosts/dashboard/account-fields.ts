import * as z from 'zod';

/** What the owner typed to connect an account, as the form's checks leave it. */
export interface AccountFields {
  readonly imap: ServerFields;
  readonly smtp: ServerFields;
  /** For both servers. */
  readonly password: string;
  /** SHA-256 of the one certificate to be accepted, 64 hex digits; undefined: the usual authorities. */
  readonly fingerprint: string | undefined;
}

interface ServerFields {
  readonly host: string;
  readonly port: number;
  readonly security: Security;
  readonly user: string;
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

const accountForm = z.object({
  email: z
    .string()
    .trim()
    .regex(/^[^\s@]+@[^\s@]+$/, 'Email: the address of the mailbox is needed.'),
  label: z.string().trim().max(100, 'Label: at most 100 characters.'),
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
  password: z.string().min(1, 'Password: it is needed to sign in to both servers.'),
  fingerprint: z
    .string()
    .transform((text) => text.replace(/[\s:]/g, '').toLowerCase())
    .refine(
      (text) => text === '' || /^[0-9a-f]{64}$/.test(text),
      'Certificate fingerprint: 64 hexadecimal digits (SHA-256) are needed.',
    ),
});

export type AccountForm =
  | {
      readonly kind: 'read';
      readonly email: string;
      readonly label: string;
      readonly signature: string;
      readonly fields: AccountFields;
    }
  | { readonly kind: 'wrong'; readonly problems: readonly string[] };

/** A user that is left empty is the address. */
export function readAccountForm(form: URLSearchParams): AccountForm {
  const names = Object.keys(accountForm.shape);
  const parsed = accountForm.safeParse(Object.fromEntries(names.map((name) => [name, form.get(name) ?? ''])));
  if (!parsed.success) {
    return { kind: 'wrong', problems: [...new Set(parsed.error.issues.map((issue) => issue.message))] };
  }
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
    fields: {
      imap: server('imap'),
      smtp: server('smtp'),
      password: data.password,
      fingerprint: data.fingerprint || undefined,
    },
  };
}
