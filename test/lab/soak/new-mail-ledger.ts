/** Compares what was delivered to the inbox with what was reported of it. Pure. */

export interface ReportedEvent {
  readonly eventId: string;
  /** The body of its first request. */
  readonly body: string;
  /** The subject of its message. Undefined: not read yet. */
  subject: string | undefined;
}

export interface Ledger {
  /** Accepted by the server. */
  readonly delivered: ReadonlySet<string>;
  /** The server gave no answer, so it may have saved them. */
  readonly uncertain: ReadonlySet<string>;
  readonly events: readonly ReportedEvent[];
  /** The ids of all events in storage. */
  readonly storedEventIds: readonly string[];
  /** The subjects of the messages that the tracker links to. */
  readonly linked: readonly string[];
}

export interface Comparison {
  /** Delivered, and not reported or not linked. This can still change. */
  readonly missing: readonly string[];
  /** Never right: reported or linked although it was not delivered, or linked twice. */
  readonly wrong: readonly string[];
  /** Messages that more than one event reports. */
  readonly reportedTwice: readonly string[];
}

export function compare({ delivered, uncertain, events, storedEventIds, linked }: Ledger): Comparison {
  const reported = events.flatMap(({ subject }) => (subject === undefined ? [] : [subject]));
  const exists = (subject: string) => delivered.has(subject) || uncertain.has(subject);
  const stored = new Set(storedEventIds);
  const received = new Set(events.map(({ eventId }) => eventId));
  const lines = (what: string, found: Iterable<string>) => [...found].map((one) => `${one}: ${what}`);
  return {
    missing: [
      ...lines('not reported', without(delivered, new Set(reported))),
      ...lines('not linked', without(delivered, new Set(linked))),
      ...lines('stored, but not posted', without(stored, received)),
      ...lines(
        'its message was not read',
        events.filter(({ subject }) => subject === undefined).map(({ eventId }) => eventId),
      ),
    ],
    wrong: [
      ...lines('reported, but not delivered', new Set(reported.filter((subject) => !exists(subject)))),
      ...lines('linked, but not delivered', new Set(linked.filter((subject) => !exists(subject)))),
      ...lines('linked twice', repeated(linked)),
      ...lines('posted, but not stored', without(received, stored)),
    ],
    reportedTwice: repeated(reported),
  };
}

function without(from: ReadonlySet<string>, removed: ReadonlySet<string>): string[] {
  return [...from].filter((one) => !removed.has(one));
}

function repeated(values: readonly string[]): string[] {
  return [...new Set(values.filter((value, index) => values.indexOf(value) !== index))];
}
