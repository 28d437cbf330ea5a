import { ACCOUNT_NUMBERS } from './planted/account-numbers.ts';
import { DETOURS } from './planted/detours.ts';
import { DISGUISED_ADDRESSES } from './planted/disguised-addresses.ts';
import { FORGED_SENDERS } from './planted/forged-senders.ts';
import { LAYOUT } from './planted/layout.ts';
import { LINKS } from './planted/links.ts';
import { OTHER_ENDINGS } from './planted/other-endings.ts';
import { OTHER_PLACES } from './planted/other-places.ts';
import { OWN_PLACES } from './planted/own-places.ts';
import { QUIET_NOTICES } from './planted/quiet-notices.ts';
import { QUOTED_VALUES } from './planted/quoted-values.ts';
import { RECIPIENTS } from './planted/recipients.ts';
import { REMOVALS } from './planted/removals.ts';
import { SECRETS } from './planted/secrets.ts';
import { TOLD_CODES } from './planted/told-codes.ts';
import { WRITTEN_HOSTS } from './planted/written-hosts.ts';
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
  ...QUOTED_VALUES,
  ...WRITTEN_HOSTS,
  ...TOLD_CODES,
  ...QUIET_NOTICES,
  ...OTHER_ENDINGS,
  ...OTHER_PLACES,
];
