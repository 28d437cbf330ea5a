import {
  addAuthenticatorApp,
  removeAuthenticatorApp,
  renewRecoveryCodes,
  setUpAuthenticatorApp,
} from './pages/second-step-settings.tsx';
import type { OwnerForm } from './visit.ts';

/** The forms of the settings, by path. */
export const SETTINGS_FORMS: readonly (readonly [path: string, form: OwnerForm])[] = [
  [
    '/settings/authenticator',
    { does: 'Set up an authenticator app', demand: 'grant', act: setUpAuthenticatorApp },
  ],
  [
    '/settings/authenticator/add',
    { does: 'Add the authenticator app', demand: 'grant', act: addAuthenticatorApp },
  ],
  [
    '/settings/authenticator/remove',
    { does: 'Remove the authenticator app', demand: 'grant', act: removeAuthenticatorApp },
  ],
  [
    '/settings/recovery-codes',
    { does: 'Create new recovery codes', demand: 'grant', act: renewRecoveryCodes },
  ],
];
