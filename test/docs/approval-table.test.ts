import { describe, expect, it } from 'vitest';
import {
  APPROVAL_STATES,
  type Approval,
  type ApprovalEvent,
  reportedState,
  transition,
} from '../../core/approvals/approval.ts';
import { approvalOutcome } from '../../core/call/outcome.ts';
import { meaningForOwner } from '../../hosts/dashboard/labels.ts';
import { publicBase } from '../../hosts/http/public-base.ts';
import { ENVELOPE, statusOf } from '../../hosts/rest/answer.ts';
import { at, BY_OWNER, DAY_MS, EVENTS, MINUTE_MS, NOON, PLACES } from '../core/approvals/machine.ts';
import { codeIn, documentText, tableIn } from './documents.ts';

// docs/architecture.md shows the approval machine as two tables. They say what the machine does, no less and no more.

const page = documentText('docs/architecture.md');

/** Every kind of event. The compiler finds one that is missing. */
const PLAYED: { readonly [Type in ApprovalEvent['type']]: readonly ApprovalEvent[] } = {
  approve: [EVENTS.approve, EVENTS['approve with changes']],
  reject: [EVENTS.reject, EVENTS['reject with a reason']],
  expire: [EVENTS.expire],
  cancel: [EVENTS.cancel],
  start: [EVENTS.start],
  refuse: [EVENTS.refuse],
  not_now: [EVENTS['not now']],
  succeed: [EVENTS.succeed],
  lose: [EVENTS.lose],
  pause: [EVENTS.pause],
  reclaim: [EVENTS.reclaim],
};

const RESTORED: readonly Approval[] = Object.values(PLACES).flatMap((place) =>
  place.state === 'approved' ? [{ ...place, leaseUntilMs: 'restored' }] : [],
);
const BEFORE: readonly Approval[] = [...Object.values(PLACES), ...RESTORED];
const TIMES = [NOON, at(15 * MINUTE_MS), at(DAY_MS)];

const MOVES = BEFORE.flatMap((before) =>
  Object.entries(PLAYED).flatMap(([event, variants]) =>
    variants.flatMap((variant) =>
      TIMES.flatMap((now) => {
        const after = transition(before, variant, now);
        return after === undefined ? [] : [{ before, event, after }];
      }),
    ),
  ),
);

describe('the table of moves', () => {
  it('has every move of the machine, and no other', () => {
    const rows = tableIn(page, 'state', 'event', 'next state').flatMap(([from = '', event = '', to = '']) =>
      codeIn(to).map((next) => [...codeIn(from), ...codeIn(event), next].join(' ')),
    );
    const moves = MOVES.map(({ before, event, after }) => `${placeOf(before)} ${event} ${placeOf(after)}`);
    expect(rows.toSorted()).toEqual([...new Set(moves)].toSorted());
  });
});

describe('the table of states', () => {
  const rows = tableIn(page, 'state', 'the owner reads');

  it('has every state once, in the order of the code', () => {
    expect(rows.map(([state = '']) => codeIn(state))).toEqual(APPROVAL_STATES.map((state) => [state]));
  });

  it.each(rows)('says of %s what owner and key see', (state = '', owner = '', status = '', executed = '') => {
    const found = BEFORE.find((one) => codeIn(state).includes(one.state));
    if (found === undefined) throw new Error(`there is no ${state}`);
    const { authorization } = BY_OWNER;
    const approval = 'authorization' in found ? { ...found, authorization } : found;
    expect(meaningForOwner(approval).startsWith(owner)).toBe(true);
    const outcome = approvalOutcome(approval, { dashboardUrl: '', ownerWords: noWords }, NOON);
    expect([`${statusOf(outcome, ENVELOPE, publicBase('http://localhost')).status}`, executed]).toEqual([
      status,
      `\`${'executed' in outcome ? outcome.executed : undefined}\``,
    ]);
  });

  it('says which states a webhook reports', () => {
    const reported = MOVES.flatMap(({ before, after }) => {
      const state = reportedState(before, after);
      return state === undefined ? [] : [state];
    });
    const said = rows.flatMap(([state = '', , , , webhook]) => (webhook === '' ? [] : codeIn(state)));
    expect(said.toSorted()).toEqual([...new Set<string>(reported)].toSorted());
  });
});

function placeOf(approval: Approval): string {
  return approval.state === 'approved' && approval.startedAt !== null ? 'started' : approval.state;
}

function noWords() {
  return { note: null, diff: null };
}
