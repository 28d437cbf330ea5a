import type { ServerRole, ServerState } from '../ports/account-health.ts';
import type { Calendar } from '../ports/calendar.ts';
import { errorName } from '../ports/log.ts';
import { type MailAccount, type MailCall, MailError } from '../ports/mail.ts';
import type { InboxVisit } from '../ports/mail-watching.ts';
import type { Mail, Ports } from '../ports/ports.ts';
import { MINUTE_MS } from '../time/durations.ts';

/** The ports of mailboxes and calendars, with the health of the accounts recorded as they are used. */
export interface WatchedHealth {
  readonly mail: Mail;
  readonly calendar: Calendar | undefined;
  /** Resolves when everything is recorded that was observed so far. */
  settled(): Promise<void>;
}

/** How long a state that stays the same is not written again. */
const KEPT_MS = 5 * MINUTE_MS;

interface Written {
  readonly revision: number;
  readonly state: ServerState;
  readonly atMs: number;
}

export function watchHealth({
  mail,
  calendar,
  storage,
  clock,
  log,
}: Pick<Ports, 'mail' | 'calendar' | 'storage' | 'clock' | 'log'>): WatchedHealth {
  /** What this process wrote last. */
  const written = new Map<string, Written>();
  const writing = new Set<Promise<void>>();

  function report(account: MailAccount, server: ServerRole, state: ServerState, reason: string | null): void {
    const { ownerId, accountId, revision } = account;
    if (revision === undefined) return;
    const key = `${server} ${accountId} ${ownerId}`;
    const now = clock.now();
    const known = written.get(key);
    if (
      known?.revision === revision &&
      known.state === state &&
      Math.abs(now.getTime() - known.atMs) < KEPT_MS
    ) {
      return;
    }
    written.set(key, { revision, state, atMs: now.getTime() });
    const work = storage
      .reportServer({ ownerId, accountId, revision, server, state, reason, now })
      .catch((error: unknown) => {
        // Written again at the next use.
        written.delete(key);
        log.warn('the health of an account was not stored', { account: accountId, ...errorName(error) });
      })
      .finally(() => writing.delete(work));
    writing.add(work);
  }

  async function observed<T>(
    server: ServerRole,
    { account }: MailCall,
    use: () => Promise<T>,
    proves: (answer: T) => boolean = () => true,
  ): Promise<T> {
    try {
      const answer = await use();
      if (proves(answer)) report(account, server, 'working', null);
      return answer;
    } catch (error) {
      if (error instanceof MailError && error.trouble !== undefined) {
        report(account, server, error.trouble, error.message);
      }
      throw error;
    }
  }

  /** A watch lasts. What counts is that the inbox could be opened. */
  function visiting(call: MailCall, visit: InboxVisit): InboxVisit {
    return (inbox) => {
      report(call.account, 'reading', 'working', null);
      return visit(inbox);
    };
  }

  return {
    mail: watchedMail(mail, observed, visiting),
    calendar: calendar && watchedCalendar(calendar, observed),
    async settled() {
      await Promise.all(writing);
    },
  };
}

/** @param proves  whether the answer shows that the server works. Default: every answer does */
type Observed = <T>(
  server: ServerRole,
  call: MailCall,
  use: () => Promise<T>,
  proves?: (answer: T) => boolean,
) => Promise<T>;

function watchedMail(
  mail: Mail,
  observed: Observed,
  visiting: (call: MailCall, visit: InboxVisit) => InboxVisit,
): Mail {
  const read = <T>(call: MailCall, use: () => Promise<T>) => observed('reading', call, use);
  return {
    verify: (call, server) =>
      server === undefined ? mail.verify(call) : observed(server, call, () => mail.verify(call, server)),
    forget: (ownerId, accountId) => mail.forget(ownerId, accountId),
    close: () => mail.close(),
    folders: (call, options) => read(call, () => mail.folders(call, options)),
    list: (call, query) => read(call, () => mail.list(call, query)),
    row: (call, place) => read(call, () => mail.row(call, place)),
    read: (call, place) => read(call, () => mail.read(call, place)),
    readAll: (call, places) => read(call, () => mail.readAll(call, places)),
    attachment: (call, place, index, maxBytes) =>
      read(call, () => mail.attachment(call, place, index, maxBytes)),
    counts: (call) => read(call, () => mail.counts(call)),
    find: (call, message) => read(call, () => mail.find(call, message)),
    search: (call, query) => read(call, () => mail.search(call, query)),
    thread: (call, place) => read(call, () => mail.thread(call, place)),
    sentCopies: (call, path, addresses) => read(call, () => mail.sentCopies(call, path, addresses)),
    messageWithId: (call, path, messageId) => read(call, () => mail.messageWithId(call, path, messageId)),
    setFlag: (call, place, flag, on, start) => read(call, () => mail.setFlag(call, place, flag, on, start)),
    createFolder: (call, name) => read(call, () => mail.createFolder(call, name)),
    move: (call, place, to, start) => read(call, () => mail.move(call, place, to, start)),
    label: (call, place, label, start) => read(call, () => mail.label(call, place, label, start)),
    saveSent: (call, path, message) => read(call, () => mail.saveSent(call, path, message)),
    transmit: (call, message, start) => observed('sending', call, () => mail.transmit(call, message, start)),
    watchInbox: (call, visit) =>
      observed(
        'reading',
        call,
        () => mail.watchInbox(call, visiting(call, visit)),
        (end) => end !== 'aborted',
      ),
    visitInbox: (call, visit) => read(call, () => mail.visitInbox(call, visiting(call, visit))),
  };
}

/** An account without a calendar server answers with nothing, which does not show that a server works. */
function watchedCalendar(calendar: Calendar, observed: Observed): Calendar {
  return {
    documents: calendar.documents,
    calendars: (call) =>
      observed(
        'calendar',
        call,
        () => calendar.calendars(call),
        (all) => all.length > 0,
      ),
    unusable: async (call) => (await calendar.unusable?.(call)) ?? [],
    target: (call) =>
      observed(
        'calendar',
        call,
        () => calendar.target(call),
        (one) => one !== undefined,
      ),
    list: (call, query) =>
      observed(
        'calendar',
        call,
        () => calendar.list(call, query),
        ({ events }) => events.length > 0,
      ),
    read: (call, key, timezone) =>
      observed(
        'calendar',
        call,
        () => calendar.read(call, key, timezone),
        (event) => event !== undefined,
      ),
    write: (call, document, start) => observed('calendar', call, () => calendar.write(call, document, start)),
    remove: (call, document, start) =>
      observed('calendar', call, () => calendar.remove(call, document, start)),
    forget: (ownerId, accountId) => calendar.forget(ownerId, accountId),
    close: () => calendar.close(),
  };
}
