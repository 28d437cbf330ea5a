import type { Account } from '../ports/account.ts';
import { type MailAccount, type MailCall, MailError } from '../ports/mail.ts';
import type { Keyring } from '../secrets/keyring.ts';
import { STORED } from '../secrets/stored-purposes.ts';
import { accessTokens, type TokenPorts } from './access-token.ts';

/** An account, and a call to its mailbox. */
export interface Mailbox {
  readonly account: Account;
  readonly call: MailCall;
}

/** The settings of an account are sealed with its owner and id. They are opened only for a connection. */

export function sealSettings(
  keyring: Keyring,
  ownerId: string,
  accountId: number,
  settings: unknown,
): string {
  return keyring.seal(STORED.accountSettings, `${ownerId}\n${accountId}`, JSON.stringify(settings));
}

/** @throws Error if they were sealed with another key, or are damaged */
export function openSettings(
  keyring: Keyring,
  { ownerId, accountId, sealedSettings }: Pick<Account, 'ownerId' | 'accountId' | 'sealedSettings'>,
): unknown {
  return JSON.parse(keyring.open(STORED.accountSettings, `${ownerId}\n${accountId}`, sealedSettings));
}

export function mailAccount(ports: TokenPorts, keyring: Keyring, account: Account): MailAccount {
  const { ownerId, accountId, email, revision, isIndexed } = account;
  return {
    ownerId,
    accountId,
    email,
    revision,
    isIndexed,
    settings: async () => openSettings(keyring, account),
    accessToken: account.grant === null ? undefined : accessTokens(ports, keyring, account),
  };
}

export function mailCall(
  ports: TokenPorts,
  keyring: Keyring,
  account: Account,
  signal: AbortSignal,
  deadlineMs: number,
): MailCall {
  return { account: mailAccount(ports, keyring, account), signal, deadlineMs };
}

/** Returns undefined if the mailbox reports `not_found`. */
export async function undefinedIfNotFound<T>(answer: Promise<T>): Promise<T | undefined> {
  try {
    return await answer;
  } catch (error) {
    if (error instanceof MailError && error.code === 'not_found') return undefined;
    throw error;
  }
}
