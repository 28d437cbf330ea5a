import { addCopyButtons } from './copy-buttons.ts';
import { fillFirstRun } from './first-run.ts';
import { signForms } from './form-signing.ts';
import { listenToKeys } from './keyboard.ts';
import { keepUpToDate } from './live-page.ts';
import { offerNotices } from './notices.ts';
import { usePasskeys } from './passkeys.ts';
import { ignoreEarlyPresses } from './second-tap.ts';

// The browser calls listeners in this order. Presses that come too early must be ignored before a key or a passkey acts.
signForms();
keepUpToDate();
ignoreEarlyPresses();
listenToKeys();
offerNotices();
fillFirstRun();
addCopyButtons();
usePasskeys();
