import { mailCall } from '../accounts/mail-call.ts';
import type { LookUpPorts } from '../accounts/tool-ports.ts';
import { targetName } from '../actions/message-target.ts';
import type { LookUpContext } from '../call/context.ts';
import { findReadMessage, nameAccountOnFailure, ROW_FIELD_CHARS, summariesOf } from '../call/mailbox.ts';
import type { MessageHandles } from '../call/message-handles.ts';
import { saysWord, searchWords } from '../call/search-words.ts';
import { notFound } from '../contract/not-found.ts';
import { NO_FENCES } from '../keys/fences.ts';
import { storedEvent } from '../plans/find-event.ts';
import type { Account } from '../ports/account.ts';
import type { Ports } from '../ports/ports.ts';
import type { Keyring } from '../secrets/keyring.ts';
import { shortened } from '../text/shortened.ts';
import { DAY_MS } from '../time/durations.ts';
import { forOwner } from '../work/for-owner.ts';
import { WAIT_MS } from '../work/within-limit.ts';
import { EXCERPT_WINDOW } from './extractive-summary.ts';
import type { TrackerLinks } from './linkable.ts';
import { linkedMessage } from './linked-message.ts';
import type { TrackerStorage } from './tracker-storage.ts';

const BEFORE_MS = 14 * DAY_MS;
const AHEAD_MS = 60 * DAY_MS;

export function createTrackerLinks(parts: {
  readonly ports: Ports;
  readonly lookUps: LookUpPorts;
  readonly keyring: Keyring;
  readonly handles: MessageHandles;
}): TrackerLinks {
  const { storage, clock } = parts.ports;

  /** Looks something up as the owner, who has no fences. @throws ServiceError */
  async function asOwner<T>(ownerId: string, look: (context: LookUpContext) => Promise<T>): Promise<T> {
    const [owner, accounts] = await Promise.all([storage.owner(ownerId), storage.accounts(ownerId)]);
    if (owner === undefined) throw notFound('owner');
    return forOwner(clock, (signal) =>
      look({
        owner,
        accounts,
        signal,
        ports: parts.lookUps,
        handles: parts.handles,
        fences: NO_FENCES,
        outsideFence: () => new Error('an owner has no fences'),
        mailCall: (account) => mailCall(parts.ports, parts.keyring, account, signal, WAIT_MS),
      }),
    );
  }

  async function add(link: Omit<Parameters<TrackerStorage['linkToTracker']>[0], 'addedBy' | 'now'>) {
    const added = await storage.linkToTracker({ ...link, addedBy: 'owner', now: clock.now() });
    if (added === undefined) throw notFound('tracker');
    return added;
  }

  return {
    findMessages: (ownerId, { accountId, words: text, limit }) =>
      asOwner(ownerId, async (context) => {
        const account = accountIn(context, accountId);
        const words = searchWords(text);
        const recently = new Date(clock.now().getTime() - BEFORE_MS).toISOString().slice(0, 10);
        const query = {
          words,
          from: undefined,
          since: words.length === 0 ? recently : undefined,
          unread: false,
          path: undefined,
          after: undefined,
          limit,
          contains: saysWord(context),
        };
        const found = parts.lookUps.mail.search(context.mailCall(account), query);
        const { rows } = await nameAccountOnFailure(account, 'folder', found);
        return summariesOf(
          context,
          rows.map((row) => ({ account, row })),
        );
      }),
    findEvents: (ownerId, accountId) =>
      asOwner(ownerId, async (context) => {
        const account = accountIn(context, accountId);
        const { calendar } = parts.lookUps;
        if (calendar === undefined) return [];
        const now = clock.now().getTime();
        const range = { from: new Date(now - BEFORE_MS), to: new Date(now + AHEAD_MS) };
        const { timezone } = context.owner;
        const found = calendar.list(context.mailCall(account), { ...range, timezone });
        const { events } = await nameAccountOnFailure(account, 'calendar', found);
        const numbers = await storage.eventNumbers(ownerId, accountId, events);
        return events
          .flatMap(({ title, start }, index) => {
            const eventId = numbers[index];
            return eventId === undefined
              ? []
              : [{ eventId, title: shortened(title, ROW_FIELD_CHARS), start }];
          })
          .toSorted((one, other) => one.start.getTime() - other.start.getTime());
      }),
    linkMessage: ({ ownerId, trackerId, messageId }) =>
      asOwner(ownerId, async (context) => {
        const { account, row, message } = await findReadMessage(context, messageId, EXCERPT_WINDOW);
        const linked = linkedMessage(account.accountId, row, message.body.text);
        const target = targetName(account.accountId, linked);
        return add({ ownerId, trackerId, target, content: { kind: 'mail', message: linked } });
      }),
    linkEvent: ({ ownerId, trackerId, eventId }) =>
      asOwner(ownerId, async (context) => {
        const { event } = (await storedEvent(context, eventId)).stored;
        const { start } = event;
        const title = shortened(event.title, ROW_FIELD_CHARS);
        const content = { kind: 'event', eventId, title, start } as const;
        return add({ ownerId, trackerId, target: `event:${eventId}`, content });
      }),
  };
}

/** @throws ServiceError not_found */
function accountIn({ accounts }: LookUpContext, accountId: number): Account {
  const account = accounts.find((one) => one.accountId === accountId);
  if (account === undefined) throw notFound('account');
  return account;
}
