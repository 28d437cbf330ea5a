import * as z from 'zod';

/**
 * A finding: what the owner should know about a request before deciding it, with its evidence. Findings are computed once,
 * when a request is filed, and frozen in its plan. The agent does not see them.
 */

/**
 * `info`: worth a line. `amber`: unusual; the request waits even if its key may act directly. `red`: high risk; approving
 * takes a second confirmation as well.
 */
const severity = z.enum(['info', 'amber', 'red']);
export type Severity = z.infer<typeof severity>;

const offset = z.int().min(0);

/**
 * The place of the evidence in what the agent wrote: UTF-16 offsets into the subject, or the title of an event, or into
 * the text of the message as it is sent.
 */
const mark = z.strictObject({ in: z.enum(['subject', 'text']), from: offset, to: offset });
export type Mark = z.infer<typeof mark>;

/** What a call showed before the request was filed. Strangers wrote the title, and chose the author. */
export const findingSource = z.strictObject({
  kind: z.enum(['message', 'event', 'tracker']),
  /** Countersign's id of a message, `event:12` or `tracker:3`. */
  id: z.string(),
  title: z.string(),
  /** An address. Empty: it is not known. */
  author: z.string(),
  /** Whom the passage quotes. Empty: it does not say. Null: the author's own words. */
  quoting: z.string().nullable(),
  /** The domain that the author's, or that of the person quoted, looks like. */
  imitates: z.string().exactOptional(),
});
export type FindingSource = z.infer<typeof findingSource>;

const common = { severity, marks: z.array(mark) };
/** The source is absent if nothing that was read has the value. */
const sourced = { ...common, source: findingSource.optional() };

/** The title of the rule says everything: there is no further evidence. */
const bare = z.strictObject({
  ...common,
  rule: z.enum([
    'account_or_card_number',
    'answers_automatic_mail',
    'answers_not_all',
    'calendar_access_unknown',
    'domains_not_compared',
    'into_sent_or_drafts',
    'invisible_characters',
    'own_markers',
    'reads_not_compared',
    'recipient_lookup_failed',
    'secret',
    'server_may_write',
    'several_messages',
    'shared_calendar',
    'text_not_checked',
  ]),
});

/** Who or what has the domain that a finding is about. */
const domainRole = z.enum(['recipient', 'sender', 'link']);
export type DomainRole = z.infer<typeof domainRole>;

/** A finding as a plan stores it. Strangers wrote most of the evidence. */
export const storedFinding = z.discriminatedUnion('rule', [
  bare,
  z.strictObject({
    ...common,
    rule: z.literal('first_time_recipient'),
    addresses: z.array(z.string()).min(1),
  }),
  z.strictObject({ ...common, rule: z.literal('many_outsiders'), addresses: z.array(z.string()).min(1) }),
  z.strictObject({
    ...sourced,
    rule: z.literal('near_copy_domain'),
    role: domainRole,
    domain: z.string(),
    imitated: z.string(),
    /** How often the owner wrote to the imitated domain. Null: it is the owner's own. */
    times: z.int().min(1).nullable(),
  }),
  z.strictObject({
    ...sourced,
    rule: z.literal('hidden_host'),
    role: domainRole,
    /** The actual host, and the name that a reader takes for it. */
    host: z.string(),
    hidden: z.string(),
  }),
  z.strictObject({ ...sourced, rule: z.literal('misleading_link'), shown: z.string(), actual: z.string() }),
  z.strictObject({ ...sourced, rule: z.literal('reply_elsewhere'), address: z.string(), sender: z.string() }),
  z.strictObject({ ...common, rule: z.literal('differing_time'), theirs: z.string(), given: z.string() }),
  z.strictObject({ ...common, rule: z.literal('differing_amount'), theirs: z.string(), given: z.string() }),
  /** A value of the request comes from somebody to whom the owner has never written, or from a message that is not proven. */
  z.strictObject({
    ...common,
    rule: z.literal('from_stranger'),
    what: z.enum(['recipient', 'link', 'address', 'account_number']),
    value: z.string(),
    /** Only the domain of a recipient is in the source. */
    isInPieces: z.boolean(),
    source: findingSource,
    /** The owner knows the author, and nothing proves that the message is theirs. */
    isUnproven: z.literal(true).exactOptional(),
  }),
  z.strictObject({
    ...common,
    rule: z.literal('differing_account'),
    value: z.string(),
    source: findingSource,
    /** The same person, proven, in the same conversation. */
    isCorrection: z.literal(true).exactOptional(),
  }),
  /**
   * The message that is answered or forwarded is not proven to be its sender's. Amber: the checks of the receiving server have
   * failed. Info: it has proven nothing.
   */
  z.strictObject({ ...common, rule: z.literal('sender_not_proven'), sender: z.string() }),
  /** A code or a password that one person wrote goes to another, to whom the owner has never written. */
  z.strictObject({ ...common, rule: z.literal('passes_secret'), source: findingSource }),
  /** The request puts out of sight what the owner has to see. */
  z.strictObject({
    ...common,
    rule: z.literal('removes_notice'),
    what: z.enum(['security', 'payment']),
    source: findingSource,
  }),
]);
export type Finding = z.infer<typeof storedFinding>;

/** A finding without its evidence, as a list shows it. */
export const namedFinding = z.strictObject({ rule: z.string(), severity });
export type NamedFinding = z.infer<typeof namedFinding>;

/** Names each rule once, with its highest severity. */
export function namesOf(findings: readonly NamedFinding[]): NamedFinding[] {
  const names = new Map<string, NamedFinding>();
  for (const { rule, severity } of bySeverity(findings)) {
    if (!names.has(rule)) names.set(rule, { rule, severity });
  }
  return [...names.values()];
}

/** The rules whose findings have no evidence of their own. */
export type BareRule = z.infer<typeof bare>['rule'];

/** A finding that only says that the rule applies. */
export function bareFinding(rule: BareRule): Finding {
  return { rule, severity: 'amber', marks: [] };
}

/** The names of the rules that make a request wait. Each once. */
export function holdsOf(findings: readonly Finding[]): Finding['rule'][] {
  return [...new Set(findings.filter((one) => one.severity !== 'info').map(({ rule }) => rule))];
}

/** Without the line about new recipients if red lines name them all. */
export function withoutRepeats(findings: readonly Finding[]): Finding[] {
  const red = new Set(
    findings.flatMap((one) => (one.rule === 'from_stranger' && one.what === 'recipient' ? [one.value] : [])),
  );
  return findings.filter(
    (one) => one.rule !== 'first_time_recipient' || !one.addresses.every((address) => red.has(address)),
  );
}

const ORDER: readonly Severity[] = ['red', 'amber', 'info'];

/** The most severe first. */
export function bySeverity<F extends { readonly severity: Severity }>(findings: readonly F[]): F[] {
  return findings.toSorted((a, b) => ORDER.indexOf(a.severity) - ORDER.indexOf(b.severity));
}
