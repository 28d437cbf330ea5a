import { writtenTo } from '../accounts/sent-evidence.ts';
import type { CallContext } from '../call/context.ts';
import type { Account } from '../ports/account.ts';
import { MailError } from '../ports/mail.ts';
import { domainOf } from '../safety/domain-of.ts';
import { bareFinding, type Finding } from '../safety/finding.ts';
import { chosenName } from '../safety/near-domain.ts';

/**
 * Finds the addresses (normalised) that the account has never written to: first among the known recipients, then in the
 * Sent folder. Recipients found there become known.
 * @returns `isCertain` is false if Sent could not be searched: then all that are not known count as new
 */
export async function newAmong(
  context: CallContext,
  account: Account,
  addresses: readonly string[],
): Promise<{ readonly addresses: ReadonlySet<string>; readonly isCertain: boolean }> {
  const { storage } = context.ports;
  const known = await storage.knownRecipients(context.owner.ownerId, account.accountId, addresses);
  return newInSent(
    context,
    account,
    addresses.filter((address) => !known.has(address)),
  );
}

/** The same for addresses that are not among the known recipients. */
export async function newInSent(
  context: CallContext,
  account: Account,
  unknown: readonly string[],
): ReturnType<typeof newAmong> {
  const { storage, log } = context.ports;
  if (unknown.length === 0) return { addresses: new Set(), isCertain: true };
  try {
    const written = await writtenTo(context.ports, { account, call: context.mailCall(account) }, unknown);
    if (written.length > 0)
      await storage.rememberRecipients(context.owner.ownerId, account.accountId, written, context.now);
    return { addresses: new Set(unknown.filter((address) => !written.includes(address))), isCertain: true };
  } catch (error) {
    if (!(error instanceof MailError)) throw error;
    log.warn('recipients could not be looked up', { account: account.accountId, code: error.code });
    return { addresses: new Set(unknown), isCertain: false };
  }
}

/**
 * Finds the domains in which the owner writes to somebody with the same mailbox name as one of these people, and those that
 * only differ from theirs in their ending: a message that imitates a domain mostly imitates the whole address, or the name.
 */
export async function namesakeDomains(
  context: CallContext,
  account: Account,
  addresses: readonly string[],
): Promise<ReadonlyMap<string, number>> {
  const { log } = context.ports;
  const names = new Set(addresses.map((address) => address.slice(0, address.lastIndexOf('@') + 1)));
  const chosen = new Set(addresses.map((address) => chosenName(domainOf(address))));
  const domains = new Map<string, number>();
  const looked = [
    ...[...names].filter((name) => name.length > 1).slice(0, NAMES_MAX),
    ...[...chosen].flatMap((name) => (name === undefined ? [] : [`@${name}.`])).slice(0, NAMES_MAX),
  ];
  if (looked.length === 0) return domains;
  try {
    const written = await writtenTo(context.ports, { account, call: context.mailCall(account) }, looked);
    for (const domain of written.map(domainOf)) domains.set(domain, (domains.get(domain) ?? 0) + 1);
  } catch (error) {
    if (!(error instanceof MailError)) throw error;
    log.warn('namesakes of people could not be looked up', { account: account.accountId, code: error.code });
  }
  return domains;
}

/** Each takes a search of Sent. */
const NAMES_MAX = 3;

/** The finding about recipients that are new, or may be. */
export function newRecipients({ addresses, isCertain }: Awaited<ReturnType<typeof newAmong>>): Finding[] {
  if (addresses.size === 0) return [];
  if (!isCertain) return [bareFinding('recipient_lookup_failed')];
  return [{ rule: 'first_time_recipient', severity: 'amber', marks: [], addresses: [...addresses] }];
}
