import type { ServerRole } from '../ports/account-health.ts';
import type { Calendar } from '../ports/calendar.ts';
import { type MailCall, MailError, type Start, timedOut } from '../ports/mail.ts';
import type { InboxVisit } from '../ports/mail-watching.ts';
import type { Mail, Ports } from '../ports/ports.ts';
import { type Limit, type Pause, WAIT_MS, withinLimit } from '../work/within-limit.ts';
import { healthReports } from './health-reports.ts';
import { limitedDocuments } from './limited-ports.ts';

/**
 * The ports of mailboxes and calendars as the service uses them: every call ends at its limit, whatever the adapter does,
 * and the health of the accounts is recorded.
 */
export interface AccountPorts {
  readonly mail: Mail;
  readonly calendar: Calendar | undefined;
  /** Resolves when everything is recorded that was observed so far. */
  healthStored(): Promise<void>;
}

type Parts = Pick<Ports, 'storage' | 'clock' | 'log'>;

export function accountPorts({
  mail,
  calendar,
  ...parts
}: Parts & Pick<Ports, 'mail' | 'calendar'>): AccountPorts {
  const { report, settled } = healthReports(parts);
  const { clock } = parts;

  async function observed<T>(
    server: ServerRole,
    call: MailCall,
    use: (pause: Pause) => Promise<T>,
    { proves = () => true, limit = limitOf(call), over = outOfTime }: Observing<T> = {},
  ): Promise<T> {
    try {
      const answer = await withinLimit(clock, limit, use, over);
      if (proves(answer)) report(call.account, server, 'working', null);
      return answer;
    } catch (error) {
      if (error instanceof MailError && error.trouble !== undefined) {
        report(call.account, server, error.trouble, error.message);
      }
      throw error;
    }
  }

  /** The visit is core's own work. What it reads is the adapter's, within its own limit. */
  function visiting(call: MailCall, visit: InboxVisit, pause: Pause): InboxVisit {
    return async ({ uidValidity, uidNext, arrivals }) => {
      const goOn = pause();
      report(call.account, 'reading', 'working', null);
      try {
        await visit({
          uidValidity,
          uidNext,
          arrivals: (uid, limit) => withinLimit(clock, limitOf(call), () => arrivals(uid, limit), outOfTime),
        });
      } finally {
        goOn();
      }
    };
  }

  return {
    mail: observedMail(mail, parts, observed, visiting),
    calendar: calendar && observedCalendar(calendar, parts, observed),
    healthStored: settled,
  };
}

type Observed = <T>(
  server: ServerRole,
  call: MailCall,
  use: (pause: Pause) => Promise<T>,
  observing?: Observing<T>,
) => Promise<T>;

interface Observing<T> {
  /** Whether the answer shows that the server works. Default: every answer does. */
  readonly proves?: (answer: T) => boolean;
  /** Default: that of the call. */
  readonly limit?: Limit;
  /** The answer at the limit. Default: MailError `unavailable` is thrown. */
  readonly over?: () => T;
}

type Visiting = (call: MailCall, visit: InboxVisit, pause: Pause) => InboxVisit;

function observedMail(mail: Mail, parts: Parts, observed: Observed, visiting: Visiting): Mail {
  const read = <T>(call: MailCall, use: () => Promise<T>) => observed('reading', call, use);
  const change = <T>(call: MailCall, start: Start, use: (start: Start) => Promise<T>) =>
    changed(observed, 'reading', call, start, use);
  return {
    verify: (call, server) =>
      server === undefined
        ? withinLimit(parts.clock, limitOf(call), () => mail.verify(call), outOfTime)
        : observed(server, call, () => mail.verify(call, server)),
    forget: forgetting(mail, parts),
    close: () => mail.close(),
    folders: (call, options) => read(call, () => mail.folders(call, options)),
    list: (call, query) => read(call, () => mail.list(call, query)),
    row: (call, place) => read(call, () => mail.row(call, place)),
    read: (call, place) => read(call, () => mail.read(call, place)),
    readAll: (call, places) => read(call, () => mail.readAll(call, places)),
    readTexts: (call, places) => read(call, () => mail.readTexts(call, places)),
    rows: (call, places) => read(call, () => mail.rows(call, places)),
    states: (call) => read(call, () => mail.states(call)),
    uids: (call, query) => read(call, () => mail.uids(call, query)),
    attachment: (call, place, index, maxBytes) =>
      read(call, () => mail.attachment(call, place, index, maxBytes)),
    counts: (call) => read(call, () => mail.counts(call)),
    find: (call, message) => read(call, () => mail.find(call, message)),
    search: (call, query) => read(call, () => mail.search(call, query)),
    thread: (call, place) => read(call, () => mail.thread(call, place)),
    sentCopies: (call, path, addresses) => read(call, () => mail.sentCopies(call, path, addresses)),
    messageWithId: (call, path, messageId) => read(call, () => mail.messageWithId(call, path, messageId)),
    setFlag: (call, place, flag, on, start) =>
      change(call, start, (inTime) => mail.setFlag(call, place, flag, on, inTime)),
    createFolder: (call, name) => read(call, () => mail.createFolder(call, name)),
    move: (call, place, to, start) => change(call, start, (inTime) => mail.move(call, place, to, inTime)),
    label: (call, place, label, start) =>
      change(call, start, (inTime) => mail.label(call, place, label, inTime)),
    saveSent: (call, path, message) => read(call, () => mail.saveSent(call, path, message)),
    transmit: (call, message, start) =>
      changed(observed, 'sending', call, start, (inTime) => mail.transmit(call, message, inTime)),
    watchInbox(call, visit) {
      let isOpen = false;
      const limit: Limit = {
        signal: call.signal,
        get ms() {
          return isOpen ? Number.POSITIVE_INFINITY : call.deadlineMs;
        },
      };
      return observed(
        'reading',
        call,
        (pause) =>
          mail.watchInbox(
            call,
            visiting(call, visit, () => {
              isOpen = true;
              return pause();
            }),
          ),
        {
          limit,
          over: () => (isOpen ? 'aborted' : outOfTime()),
          proves: (end) => end !== 'aborted',
        },
      );
    },
    visitInbox: (call, visit) =>
      observed('reading', call, (pause) => mail.visitInbox(call, visiting(call, visit, pause))),
  };
}

/** An account without a calendar server answers with nothing, which does not show that a server works. */
function observedCalendar(calendar: Calendar, parts: Parts, observed: Observed): Calendar {
  return {
    documents: limitedDocuments(calendar.documents, parts.clock),
    calendars: (call) =>
      observed('calendar', call, () => calendar.calendars(call), { proves: (all) => all.length > 0 }),
    unusable: (call) =>
      observed('calendar', call, async () => (await calendar.unusable?.(call)) ?? [], {
        proves: () => false,
      }),
    target: (call) =>
      observed('calendar', call, () => calendar.target(call), { proves: (one) => one !== undefined }),
    list: (call, query) =>
      observed('calendar', call, () => calendar.list(call, query), {
        proves: ({ events }) => events.length > 0,
      }),
    read: (call, key, timezone) =>
      observed('calendar', call, () => calendar.read(call, key, timezone), {
        proves: (event) => event !== undefined,
      }),
    write: (call, document, start) =>
      changed(observed, 'calendar', call, start, (inTime) => calendar.write(call, document, inTime)),
    remove: (call, document, start) =>
      changed(observed, 'calendar', call, start, (inTime) => calendar.remove(call, document, inTime)),
    forget: forgetting(calendar, parts),
    close: () => calendar.close(),
  };
}

function limitOf({ signal, deadlineMs }: MailCall): Limit {
  return { signal, ms: deadlineMs };
}

function outOfTime(): never {
  throw timedOut();
}

/**
 * A change that cannot start after its limit.
 * @throws MailError `outcome_unknown` at its limit if it may have started
 */
function changed<T>(
  observed: Observed,
  server: ServerRole,
  call: MailCall,
  start: Start,
  change: (start: Start) => Promise<T>,
): Promise<T> {
  let isOver = false;
  let mayHaveStarted = false;
  async function startInTime(): Promise<boolean> {
    if (isOver) return false;
    mayHaveStarted = true;
    mayHaveStarted = await start();
    return mayHaveStarted && !isOver;
  }
  return observed(server, call, () => change(startInTime), {
    over() {
      isOver = true;
      throw timedOut(mayHaveStarted ? 'outcome_unknown' : 'unavailable');
    },
  });
}

/** A change or removal of an account does not fail if its connections cannot be closed. */
function forgetting(port: Pick<Mail, 'forget'>, { clock, log }: Parts): Mail['forget'] {
  return (ownerId, accountId) =>
    withinLimit(
      clock,
      { ms: WAIT_MS },
      () => port.forget(ownerId, accountId),
      () => log.warn('the connections of an account could not be closed in time', { account: accountId }),
    );
}
