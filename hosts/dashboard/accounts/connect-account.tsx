import { refuseConnected } from '../../../core/accounts/account-storage.ts';
import type { CalendarInfo } from '../../../core/ports/calendar.ts';
import { MailError } from '../../../core/ports/mail.ts';
import { orProblems } from '../forms/field-errors.ts';
import { pageAfterConnecting } from '../next-step.tsx';
import { notFoundPage } from '../problem.tsx';
import { type Connect, type OwnerVisit, type Reply, redirect } from '../visit.ts';
import { accountTexts, readAccount, readAddress } from './account-fields.ts';
import { passwordAccount } from './account-name.tsx';
import { accountsPage } from './accounts.tsx';
import { passwordPage } from './connect-password.tsx';
import { serversPage } from './connect-servers.tsx';
import { connectionProblems } from './connection-problems.ts';
import { offerPage, providerFor } from './provider-sign-in.tsx';
import { trustPage } from './trust-servers.tsx';

// An account is connected in three steps: its address; its servers, found or typed, which the owner confirms; and
// only then its password. Every step carries the input of the steps before it, except the password. If there are
// several calendars, the owner picks one and types the password again.

/** Looks for the servers of the address. */
export const findServers = whereOffered(async (visit, { discover }) => {
  const address = readAddress(visit.fields);
  if (address.kind === 'wrong') return accountsPage(visit, address.problems);
  const connected = await connectedAlready(visit, address.email);
  if (connected.length > 0) return accountsPage(visit, connected);
  const found = await discover?.(address.email);
  const provider = providerFor(visit, address.email, found);
  if (provider !== undefined) return offerPage(visit, provider, found?.kind === 'found');
  return found?.kind === 'unusable' ? accountsPage(visit, [found.reason]) : serversPage(visit, { found });
});

/** Shows the servers as they were typed so far, to be typed by hand. */
export const showServers = whereOffered(async (visit) => {
  const address = readAddress(visit.fields);
  if (address.kind === 'wrong') return accountsPage(visit, address.problems);
  const isNew = (visit.fields.get('account') ?? '') === '';
  const connected = isNew ? await connectedAlready(visit, address.email) : [];
  return connected.length > 0 ? accountsPage(visit, connected) : serversPage(visit, {});
});

/** What is wrong with an address that is connected already, before its owner types anything else. */
async function connectedAlready({ service, owner }: OwnerVisit, email: string): Promise<readonly string[]> {
  const accounts = await service.accounts.list(owner.ownerId);
  const checked = await orProblems(async () => refuseConnected(accounts, email), FIELD_NAMES);
  return 'problems' in checked ? checked.problems : [];
}

const FIELD_NAMES = new Map([['email', 'Email']]);

/** Asks for the password, once the owner has confirmed the servers, and they have shown certificates to be trusted. */
export const askPassword = whereOffered(async (visit, { probe }) => {
  const account = readAccount(visit.fields);
  if (account.kind === 'wrong') return serversPage(visit, { problems: account.problems });
  const probed = (await probe?.(account.servers)) ?? [];
  // A calendar may be connected later.
  const problems = probed.flatMap((one) =>
    one.kind === 'problem' && one.server !== 'caldav' ? [one.text] : [],
  );
  if (problems.length > 0) return serversPage(visit, { problems });
  const untrusted = probed.filter((one) => one.kind === 'untrusted');
  return untrusted.length > 0 ? trustPage(visit, account.servers, untrusted) : passwordPage(visit, {});
});

/** Connects the account, or asks again and says what is wrong. */
export const connectAccount = whereOffered(async (visit, connect) => {
  const { fields, service, owner } = visit;
  const account = readAccount(fields);
  if (account.kind === 'wrong') return serversPage(visit, { problems: account.problems });
  const { email, label, signature, servers, accountId } = account;
  const isOther = accountId !== undefined && !(await passwordAccount(service, owner, String(accountId)));
  if (isOther) return notFoundPage();
  const password = fields.get('password') ?? '';
  if (password === '') {
    return passwordPage(visit, { problems: ['Password: it is needed to sign in to the servers.'] });
  }
  try {
    const settings = connect.settings({ ...servers, password });
    if (servers.caldav !== undefined && servers.caldav.writeTo === undefined) {
      const calendars = await writableCalendars(visit, email, settings);
      if (calendars.length > 1) return passwordPage(visit, { calendars });
    }
    if (accountId !== undefined) {
      await service.accounts.changeSettings({ ownerId: owner.ownerId, accountId, settings });
      return redirect('/accounts?notice=servers_changed');
    }
    const connected = await service.accounts.connect({
      ownerId: owner.ownerId,
      email,
      ...(label === '' ? {} : { label }),
      ...(signature === '' ? {} : { signature }),
      settings,
    });
    return redirect(await pageAfterConnecting(visit, connected.accountId));
  } catch (error) {
    return passwordPage(visit, { problems: connectionProblems(error) });
  }
});

/** Empty if they cannot be listed: connecting the account finds out why. */
async function writableCalendars(
  { service, owner }: OwnerVisit,
  email: string,
  settings: unknown,
): Promise<readonly CalendarInfo[]> {
  try {
    const all = await service.accounts.calendars({ ownerId: owner.ownerId, email, settings });
    return all.filter(({ writable }) => writable);
  } catch (error) {
    if (error instanceof MailError) return [];
    throw error;
  }
}

/** Shows the servers of a connected account, to be changed. The next steps are those of a new account. */
export const changeServers = whereOffered(async (visit, { fieldsOf }) => {
  const { service, owner, param } = visit;
  const account = await passwordAccount(service, owner, param);
  if (account === undefined || fieldsOf === undefined) return notFoundPage();
  const settings = await service.accounts.settings(owner.ownerId, account.accountId);
  const fields = new URLSearchParams([
    ['account', String(account.accountId)],
    ['email', account.email],
    ...accountTexts(fieldsOf(settings)),
  ]);
  return serversPage({ ...visit, fields }, {});
});

/** If accounts cannot be connected here, the accounts page says so. */
function whereOffered(step: (visit: OwnerVisit, connect: Connect) => Promise<Reply>) {
  return async (visit: OwnerVisit): Promise<Reply> => {
    const { connect } = visit.options;
    if (connect === undefined) return { ...(await accountsPage(visit)), status: 403 };
    return step(visit, connect);
  };
}
