import { ACCOUNT_NUMBERS } from './planted/account-numbers.ts';
import { DETOURS } from './planted/detours.ts';
import { DISGUISED_ADDRESSES } from './planted/disguised-addresses.ts';
import { FORGED_SENDERS } from './planted/forged-senders.ts';
import { LAYOUT } from './planted/layout.ts';
import { LINKS } from './planted/links.ts';
import { OWN_PLACES } from './planted/own-places.ts';
import { RECIPIENTS } from './planted/recipients.ts';
import { REMOVALS } from './planted/removals.ts';
import { SECRETS } from './planted/secrets.ts';
import type { Story } from './story.ts';

/** Every one of these must carry a red finding that names its source. */
export const PLANTED: readonly Story[] = [
  ...RECIPIENTS,
  ...DISGUISED_ADDRESSES,
  ...DETOURS,
  ...LINKS,
  ...ACCOUNT_NUMBERS,
  ...REMOVALS,
  ...LAYOUT,
  ...OWN_PLACES,
  ...SECRETS,
  ...FORGED_SENDERS,
];
