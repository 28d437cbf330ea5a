/** What a notice says to programs: a webhook, or the dashboard's service worker. */
export interface NoticeMessage {
  /** How many requests wait. */
  readonly waiting: number;
  /** The request that waits, if it is the only one. */
  readonly approval_id: string | null;
  /** How many accounts only the owner can mend. */
  readonly accounts_to_mend: number;
  /** Whether the way to sign in changed, and the owner has not confirmed it. */
  readonly access_changed: boolean;
}

export const TEST_NOTICE = 'This is a test. Notices of Countersign arrive here.';

/** A notice in words, in one line. */
export function waitingText(facts: {
  readonly waiting: number;
  readonly toMend: number;
  readonly hasAccessChanged: boolean;
}): string {
  const { waiting, toMend, hasAccessChanged } = facts;
  const requests = waiting === 1 ? '1 request waits' : `${waiting} requests wait`;
  const accounts = toMend === 1 ? '1 account does' : `${toMend} accounts do`;
  return [
    ...(hasAccessChanged ? ['How you sign in has changed. Check under Settings that it was you.'] : []),
    ...(waiting === 0 ? [] : [`${requests} for your decision.`]),
    ...(toMend === 0 ? [] : [`${accounts} not work until you mend ${toMend === 1 ? 'it' : 'them'}.`]),
  ].join(' ');
}
