export type { MailProvider } from '../../core/ports/mail-provider.ts';
export { type GoogleOptions, googleProvider, type MicrosoftOptions, microsoftProvider } from './presets.ts';
export {
  oauthProvider,
  type ProviderEndpoints,
  type ProviderOptions,
  type ProviderServer,
} from './provider.ts';
