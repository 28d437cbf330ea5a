import type { OwnerForm } from '../visit.ts';
import { confirmAccessChanges } from './access-changes.tsx';
import { saveDateLanguage } from './date-language.tsx';
import { exportOwner } from './export-owner.ts';
import { addPasskey, removePasskey, renamePasskey } from './passkey-settings.tsx';
import { savePlansKept } from './plans-kept.tsx';
import { saveProofFor } from './proof-for.tsx';
import {
  addAuthenticatorApp,
  removeAuthenticatorApp,
  renewRecoveryCodes,
  setUpAuthenticatorApp,
} from './second-step-settings.tsx';
import { saveTimeZone } from './time-zone.tsx';

const PASSKEY = '([A-Za-z0-9_-]{1,1400})';

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
  ['/settings/time-zone', { does: 'Save the time zone', demand: 'change', act: saveTimeZone }],
  [
    '/settings/access-changes',
    { does: 'Confirm that it was you', demand: 'change', act: confirmAccessChanges },
  ],
  [
    '/settings/date-language',
    { does: 'Save the language of dates', demand: 'change', act: saveDateLanguage },
  ],
  ['/settings/proof-for', { does: 'Save when to ask who you are', demand: 'own', act: saveProofFor }],
  ['/settings/plans-kept', { does: 'Save how long requests are kept', demand: 'change', act: savePlansKept }],
  ['/settings/export', { does: 'Export everything', demand: 'grant', act: exportOwner }],
  ['/settings/passkeys', { does: 'Add a passkey', demand: 'grant', act: addPasskey }],
  [
    `/settings/passkeys/${PASSKEY}/rename`,
    { does: 'Rename the passkey', demand: 'change', act: renamePasskey },
  ],
  [
    `/settings/passkeys/${PASSKEY}/remove`,
    { does: 'Remove the passkey', demand: 'grant', act: removePasskey },
  ],
  [
    '/settings/recovery-codes',
    { does: 'Create new recovery codes', demand: 'grant', act: renewRecoveryCodes },
  ],
];
