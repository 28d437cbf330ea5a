import type { CredentialUse } from '../../core/keys/key-storage.ts';
import type { Account } from '../../core/ports/account.ts';
import { healthOf } from '../../core/ports/account-health.ts';
import { Link } from './links.tsx';
import type { OwnerVisit } from './visit.ts';

/** What an owner has to do next until an agent works with a mailbox. */
export type NextStep = 'mailbox' | 'key' | 'first_call' | 'done';

export async function nextStep({ service, owner }: Pick<OwnerVisit, 'service' | 'owner'>): Promise<NextStep> {
  const { ownerId } = owner;
  const [accounts, use] = await Promise.all([service.accounts.list(ownerId), service.keys.use(ownerId)]);
  return stepAfter(accounts, use);
}

/** @param use  of each key */
export function stepAfter(accounts: readonly Account[], use: ReadonlyMap<string, CredentialUse>): NextStep {
  if (accounts.length === 0) return 'mailbox';
  if (use.size === 0) return 'key';
  return [...use.values()].some(({ lastCallAt }) => lastCallAt !== null) ? 'done' : 'first_call';
}

/** Where the owner goes after connecting a mailbox: on with the setup if there is no key yet. */
export async function pageAfterConnecting(visit: OwnerVisit, accountId: number): Promise<string> {
  const { service, owner } = visit;
  const calendar = healthOf(await service.accounts.health(owner.ownerId), accountId, 'calendar');
  const isLater = calendar !== undefined && calendar.state !== 'working';
  const notice = isLater ? 'calendar_later' : 'account_connected';
  return `${(await nextStep(visit)) === 'key' ? '/setup' : '/accounts'}?notice=${notice}`;
}

/** On an empty page: what to do so that it fills. Nothing once everything is set up. */
export function WhatNext({ step }: { step: NextStep }) {
  switch (step) {
    case 'mailbox':
      return (
        <p id="next">
          Next: <Link to="/setup">connect your mailbox</Link>.
        </p>
      );
    case 'key':
      return (
        <p id="next">
          Next: <Link to="/setup">give your agent a key</Link>.
        </p>
      );
    case 'first_call':
      return (
        <p id="next">
          Next: <Link to="/setup">let your agent make its first call</Link>.
        </p>
      );
    case 'done':
      return null;
  }
}
