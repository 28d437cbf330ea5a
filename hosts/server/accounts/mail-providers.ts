import * as z from 'zod';
import {
  googleProvider,
  type MailProvider,
  microsoftProvider,
  oauthProvider,
  type ProviderOptions,
} from '../../../adapters/oauth/providers.ts';

const text = z.string().min(1);
const server = z.strictObject({
  host: text,
  port: z.exactOptional(z.int().min(1).max(65_535)),
  security: z.exactOptional(z.enum(['tls', 'starttls'])),
  tlsFingerprint: z.exactOptional(text),
});
const other = z.strictObject({
  name: text,
  issuer: text,
  endpoints: z.exactOptional(
    z.strictObject({ authorization: text, token: text, deviceAuthorization: z.exactOptional(text) }),
  ),
  clientId: text,
  clientSecret: z.exactOptional(text),
  scopes: z.array(text).min(1),
  otherScopes: z.exactOptional(z.array(text)),
  parameters: z.exactOptional(z.record(z.string(), z.string())),
  device: z.exactOptional(z.boolean()),
  imap: server,
  smtp: server,
  caldav: z.exactOptional(text),
  domains: z.exactOptional(z.array(text)),
}) satisfies z.ZodType<Omit<ProviderOptions, 'id'>>;

/** Providers of mailboxes by id, as in the file. `google` and `microsoft` are known; others are described. */
export const mailProviderSettings = z
  .strictObject({
    google: z.exactOptional(z.strictObject({ clientId: text, clientSecret: text })),
    microsoft: z.exactOptional(
      z.strictObject({
        clientId: text,
        clientSecret: z.exactOptional(text),
        tenant: z.exactOptional(text),
      }),
    ),
  })
  .catchall(other)
  .transform((providers, context): readonly MailProvider[] => {
    const { google, microsoft, ...others } = providers;
    try {
      return [
        ...(google === undefined ? [] : [googleProvider(google)]),
        ...(microsoft === undefined ? [] : [microsoftProvider(microsoft)]),
        ...Object.entries(others).map(([id, described]) => oauthProvider({ ...described, id })),
      ];
    } catch (error) {
      context.addIssue({ code: 'custom', message: error instanceof Error ? error.message : 'not usable' });
      return z.NEVER;
    }
  });
