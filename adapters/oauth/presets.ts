import { checkOptions } from '../../core/contract/options.ts';
import type { MailProvider } from '../../core/ports/mail-provider.ts';
import { oauthProvider } from './provider.ts';

/** Your client: https://console.cloud.google.com/auth/clients. docs/self-hosting.md says how to create one. */
export interface GoogleOptions {
  readonly clientId: string;
  readonly clientSecret: string;
}

/** Gmail and Google Workspace, with the calendar. */
export function googleProvider(options: GoogleOptions): MailProvider {
  checkOptions('googleProvider', options, {
    clientId: ['required', 'string'],
    clientSecret: ['required', 'string'],
  });
  return oauthProvider({
    ...options,
    id: 'google',
    name: 'Google',
    issuer: 'https://accounts.google.com',
    scopes: ['https://mail.google.com/', 'https://www.googleapis.com/auth/calendar'],
    otherScopes: ['openid', 'email'],
    // Google gives out a refresh token only for these.
    parameters: { access_type: 'offline', prompt: 'consent' },
    imap: { host: 'imap.gmail.com' },
    smtp: { host: 'smtp.gmail.com' },
    caldav: 'https://apidata.googleusercontent.com/caldav/v2/{email}/user',
    domains: ['gmail.com', 'googlemail.com'],
  });
}

/** Your app registration: https://entra.microsoft.com. docs/self-hosting.md says how to create one. */
export interface MicrosoftOptions {
  readonly clientId: string;
  /** Default: a public client, which has none. */
  readonly clientSecret?: string;
  /** `common`: personal and work accounts; `consumers`, `organizations`, or the id of one tenant. Default: `common`. */
  readonly tenant?: string;
}

const TENANT = '[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}';
const TENANT_ID = new RegExp(`^${TENANT}$`);
/** The tenant of all personal accounts. */
const PERSONAL_TENANT = '9188040d-6c67-4c5b-b112-36a304b66dad';
/** The issuers of ID tokens: every tenant is its own. */
const ISSUERS: ReadonlyMap<string, RegExp> = new Map([
  ['common', issuerOf(TENANT)],
  ['consumers', issuerOf(PERSONAL_TENANT)],
  ['organizations', issuerOf(`(?!${PERSONAL_TENANT})${TENANT}`)],
]);

/** @param tenant  a pattern */
function issuerOf(tenant: string): RegExp {
  return new RegExp(`^https://login\\.microsoftonline\\.com/${tenant}/v2\\.0$`);
}

const PERSONAL = /^(outlook|hotmail|live)\.[a-z.]+$|^(msn|windowslive|passport)\.com$/;

/** Outlook.com and Microsoft 365. They have no CalDAV, so there is no calendar. */
export function microsoftProvider(options: MicrosoftOptions): MailProvider {
  checkOptions('microsoftProvider', options, {
    clientId: ['required', 'string'],
    clientSecret: ['optional', 'string'],
    tenant: ['optional', 'string'],
  });
  const { tenant: given = 'common', ...client } = options;
  const tenant = given.toLowerCase();
  const tokenIssuers = ISSUERS.get(tenant);
  if (tokenIssuers === undefined && !TENANT_ID.test(tenant))
    throw new Error(
      'microsoftProvider: tenant must be common, consumers, organizations, or the id of a tenant.',
    );
  const base = `https://login.microsoftonline.com/${tenant}`;
  const provider = (smtpHost: string) =>
    oauthProvider({
      ...client,
      id: 'microsoft',
      name: 'Microsoft',
      issuer: `${base}/v2.0`,
      ...(tokenIssuers === undefined ? {} : { tokenIssuers }),
      endpoints: {
        authorization: `${base}/oauth2/v2.0/authorize`,
        token: `${base}/oauth2/v2.0/token`,
        deviceAuthorization: `${base}/oauth2/v2.0/devicecode`,
      },
      scopes: ['https://outlook.office.com/IMAP.AccessAsUser.All', 'https://outlook.office.com/SMTP.Send'],
      otherScopes: ['openid', 'email', 'profile', 'offline_access'],
      // `consent` would ask people whose administrator has consented for everyone.
      parameters: { prompt: 'select_account' },
      addressClaims: ['email', 'preferred_username'],
      imap: { host: 'outlook.office365.com' },
      smtp: { host: smtpHost, security: 'starttls' },
      domains: ['outlook.com', 'hotmail.com', 'live.com', 'msn.com', 'onmicrosoft.com'],
    });
  const work = provider('smtp.office365.com');
  const personal = provider('smtp-mail.outlook.com');
  return {
    ...work,
    settingsFor: (email) =>
      (PERSONAL.test(email.slice(email.lastIndexOf('@') + 1).toLowerCase()) ? personal : work).settingsFor(
        email,
      ),
  };
}
