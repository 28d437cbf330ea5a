import { randomBytes } from 'node:crypto';
import { expect } from 'vitest';
import * as z from 'zod';
import { type SandboxCalendar, sandboxCalendar } from '../../adapters/sandbox/calendar.ts';
import { type SandboxMail, sandboxMail } from '../../adapters/sandbox/mail.ts';
import type { SampleMessage } from '../../adapters/sandbox/sample-message.ts';
import type { Action } from '../../core/actions/action.ts';
import type { StoredAction } from '../../core/actions/stored-action.ts';
import type { Outcome } from '../../core/call/outcome.ts';
import type { Result } from '../../core/contract/result.ts';
import { openAction } from '../../core/execution/sealed-plan.ts';
import type { Answer } from '../../core/gate/tool-call.ts';
import type { Calendar } from '../../core/ports/calendar.ts';
import type { MailAccount } from '../../core/ports/mail.ts';
import type { Mail } from '../../core/ports/ports.ts';
import type { Storage } from '../../core/ports/storage.ts';
import type { ApprovalContent } from '../../core/requests/approval-views.ts';
import type { Decided } from '../../core/requests/approvals.ts';
import { createKeyring, type Keyring } from '../../core/secrets/keyring.ts';
import type { ServiceOptions } from '../../core/service/create-service.ts';
import type { Service } from '../../core/service/service.ts';
import type { AnyApproval } from '../contracts/any-approval.ts';
import { expectDescribed } from '../described-outcome.ts';
import { eventsOn } from '../events-on.ts';
import {
  openTestService,
  type TestClock,
  type TestKey,
  type TestService,
  testClock,
  wireBytes,
} from '../open-service.ts';
import { sqliteOnClock } from '../store-clock.ts';

/** A service whose mailbox the test fills, and whose ports it can make fail. */

export const OWN = 'demo@countersign.test';
/** The account has written to this address. */
export const FRIEND = 'maya@atlas.example';
/** And to these, which make the sandbox fail: see `sandboxMail`. */
export const REFUSED = 'refused@sandbox.invalid';
export const PUT_OFF = 'tempfail@sandbox.invalid';
export const REFUSED_AFTER = 'after@sandbox.invalid';
export const LOST = 'lost@sandbox.invalid';
/** It has never written to this one. */
export const STRANGER = 'stranger@example.org';

export interface Scene extends TestService {
  readonly mail: SandboxMail;
  /** Empty. */
  readonly calendar: SandboxCalendar;
  readonly storage: Storage;
  readonly keyring: Keyring;
}

export interface SceneOptions
  extends Omit<Partial<ServiceOptions>, 'mail' | 'calendar' | 'storage' | 'clock'> {
  readonly clock?: TestClock;
  readonly timezone?: string;
  /** Of the account. */
  readonly settings?: unknown;
  readonly samples?: (owner: string) => readonly SampleMessage[];
  /** Replaces ports of the service, for faults that the sandbox cannot produce. */
  readonly mailAs?: (mail: SandboxMail) => Mail;
  readonly calendarAs?: (calendar: Calendar) => NonNullable<ServiceOptions['calendar']>;
  readonly storageAs?: (storage: Storage) => Storage;
}

export async function openScene(options: SceneOptions = {}): Promise<Scene> {
  const { samples = () => [letter('1')], mailAs, calendarAs, storageAs, ...rest } = options;
  const { secretKeys = [randomBytes(32)] } = options;
  const mail = sandboxMail({ samples: (owner) => [...samples(owner), writtenBefore(owner)] });
  const calendar = sandboxCalendar({ samples: [] });
  const clock = rest.clock ?? testClock();
  const storage = sqliteOnClock(':memory:', () => clock.now().getTime());
  const opened = await openTestService({
    ...rest,
    secretKeys,
    email: OWN,
    mail: mailAs?.(mail) ?? mail,
    calendar: calendarAs?.(eventsOn(calendar)) ?? calendar,
    storage: storageAs?.(storage) ?? storage,
    clock,
  });
  return { ...opened, mail, calendar, storage, keyring: createKeyring(secretKeys, randomBytes) };
}

/** A message in the inbox, a minute older than the one before it. */
export function letter(id: string, changes: Partial<SampleMessage> = {}): SampleMessage {
  return {
    folder: 'INBOX',
    minutesAgo: 60,
    id,
    from: `Maya Okafor <${FRIEND}>`,
    to: OWN,
    flags: [],
    subject: `Subject ${id}`,
    text: `Text ${id}\n`,
    ...changes,
  };
}

function writtenBefore(owner: string): SampleMessage {
  const to = [FRIEND, REFUSED, PUT_OFF, REFUSED_AFTER, LOST].join(', ');
  return letter('written', { folder: 'Sent', from: owner, to, minutesAgo: 100_000 });
}

/** The account of the scene's owner, for what other programs do in its mailbox. */
export function accountOf({ ownerId }: Pick<Scene, 'ownerId'>): MailAccount {
  return { ownerId, accountId: 1, email: OWN, settings: async () => ({}) };
}

export function sendTo(to: string, body = 'Text'): { to: string[]; subject: string; body: string } {
  return { to: [to], subject: 'Subject', body };
}

/** One call, with everything that its door knows. */
export async function answerOf(
  { service }: TestService,
  { apiKey }: { apiKey: string },
  tool: string,
  args: unknown = {},
  idempotencyKey?: string,
): Promise<Answer> {
  const admission = await service.calls.admitCaller({ token: apiKey, address: '192.0.2.1' });
  if (admission.kind !== 'admitted') throw new Error(`not admitted: ${admission.failure.code}`);
  const call = { tool, args, idempotencyKey, sizeBytes: wireBytes };
  const answer = await service.calls.runTool(admission.caller, call);
  expectDescribed(tool, answer.outcome);
  return answer;
}

/** `ok`, `empty`, `pending_approval`, or the code of an error. */
export function wordOf(outcome: Outcome): string {
  return outcome.status === 'error' ? outcome.code : outcome.status;
}

export function resultOf(outcome: Outcome): Record<string, unknown> {
  if (outcome.status !== 'ok' && outcome.status !== 'empty') {
    throw new Error(`expected a result, got ${JSON.stringify(outcome)}`);
  }
  return outcome.result;
}

export function detailsOf(outcome: Outcome): Record<string, unknown> {
  if (outcome.status !== 'error') throw new Error(`expected an error, got ${outcome.status}`);
  return { code: outcome.code, ...outcome.details };
}

const inResult = z.looseObject({ approval: z.looseObject({ id: z.string(), state: z.string() }) });

/** The approval in a response, pending or ended. */
export function approvalOf(outcome: Outcome): { id: string; state: string; [field: string]: unknown } {
  if (outcome.status === 'pending_approval') return { ...outcome.approval };
  return inResult.parse(resultOf(outcome)).approval;
}

export const pageSchema = z.looseObject({
  messages: z.array(
    z.strictObject({
      id: z.string(),
      account_id: z.int(),
      folder: z.string(),
      from: z.string(),
      subject: z.string(),
      date: z.string(),
    }),
  ),
  total: z.int(),
  returned: z.int(),
  has_more: z.boolean(),
  next_cursor: z.string().optional(),
});

/** The ids of the newest messages of a folder. */
export async function idsIn(key: TestKey, folder = 'inbox', limit = 50): Promise<string[]> {
  const page = pageSchema.parse(resultOf(await key.call('summarize_inbox', { folder, limit })));
  return page.messages.map(({ id }) => id);
}

export async function firstId(key: TestKey): Promise<string> {
  const [id] = await idsIn(key);
  if (id === undefined) throw new Error('the inbox is empty');
  return id;
}

/** Opens the page as the owner and presses Approve. */
export async function approve(
  { service, ownerId }: Scene,
  id: string,
): Promise<Decided & { readonly approval: AnyApproval }> {
  const digest = await digestOf(service, ownerId, id);
  const decided = await service.approvals.approve(ownerId, id, digest, { isRiskConfirmed: true });
  if (decided === undefined) throw new Error('there is no such approval');
  return decided;
}

export async function digestOf(service: Service, ownerId: string, id: string): Promise<string> {
  const view = await service.approvals.show(ownerId, id);
  if (view === undefined) throw new Error('there is no such approval');
  return view.approval.digest;
}

/** The owner's page of a request. */
export async function shownOf(
  { service, ownerId }: Pick<Scene, 'service' | 'ownerId'>,
  id: string,
): Promise<Extract<ApprovalContent, { kind: 'shown' }>> {
  const content = (await service.approvals.show(ownerId, id))?.content;
  if (content?.kind !== 'shown') throw new Error(`the request is not shown: ${content?.kind}`);
  return content;
}

/** The action of a request, as filed. */
export async function filedAction(
  { storage, keyring, ownerId }: Scene,
  id: string,
): Promise<Action<StoredAction, Result>> {
  const approval = await storage.approval(ownerId, id);
  const sealedPlan = await storage.plan(ownerId, id);
  if (approval === undefined || sealedPlan === undefined) throw new Error('nothing was filed');
  return openAction(keyring, approval, sealedPlan);
}

export async function stateOf({ storage, ownerId }: Scene, id: string): Promise<string | undefined> {
  return (await storage.approval(ownerId, id))?.state;
}

/** The format of instants in the contract: RFC 3339 in UTC. */
export function expectInstant(value: unknown): void {
  expect(value).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{3})?Z$/);
}
