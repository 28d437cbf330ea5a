import { describe, expect, it } from 'vitest';
import { newApproval } from '../../../core/approvals/approval.ts';
import type { Group } from '../../../core/keys/permissions.ts';
import type { ApprovalGist, ApprovalSummary } from '../../../core/requests/approval-views.ts';
import type { Severity } from '../../../core/safety/finding.ts';
import {
  arrangedRequests,
  type ListItem,
  nextItem,
  requestsTogether,
  togetherId,
} from '../../../hosts/dashboard/requests/arranged-requests.ts';

const NOON = Date.UTC(2026, 10, 22, 12);
const MOVE: ApprovalGist = { kind: 'targets', subject: 'Hi', from: 'a@b.example', more: 0, accountIds: [1] };
const REPLY: ApprovalGist = { kind: 'message', to: ['a@b.example'], subject: 'Hi', thread: 'one' };

/** @param at  minutes after noon when it was filed, which is also the order of expiry */
function request(
  id: string,
  at: number,
  given: {
    gist?: ApprovalGist;
    tool?: string;
    group?: Group;
    key?: string;
    severities?: readonly Severity[];
  } = {},
): ApprovalSummary {
  const { gist = MOVE, tool = 'archive_email', group = 'mail:manage', key = 'key', severities = [] } = given;
  const filed = {
    ownerId: 'own',
    id,
    credentialId: key,
    accountId: 1,
    tool,
    group,
    action: null,
    digest: 'd',
  };
  const verdict = { kind: 'ask', reasons: [] } as const;
  return {
    approval: newApproval(filed, verdict, 0, new Date(NOON + at * 60_000)),
    keyName: key,
    title: tool,
    gist,
    findings: severities.map((severity) => ({ rule: `rule_${severity}`, severity })),
  };
}

const send = (id: string, at: number, severities: readonly Severity[] = []) =>
  request(id, at, {
    gist: { ...REPLY, thread: undefined },
    tool: 'send_email',
    group: 'mail:send',
    severities,
  });
const reply = (id: string, at: number, severities: readonly Severity[] = []) =>
  request(id, at, { gist: REPLY, tool: 'send_reply', group: 'mail:reply', severities });

const ids = (items: readonly ListItem[]) =>
  items.map((item) =>
    item.kind === 'one'
      ? item.summary.approval.id
      : [item.kind, ...item.summaries.map(({ approval }) => approval.id)].join(' '),
  );

describe('the order of requests that wait', () => {
  it('is by risk, then by the end of their time', () => {
    const waiting = [
      send('late', 9),
      send('note', 1, ['info']),
      send('amber', 5, ['info', 'amber']),
      send('red', 8, ['amber', 'red']),
      send('early', 0),
    ];
    expect(ids(arrangedRequests(waiting))).toEqual(['red', 'amber', 'early', 'note', 'late']);
  });

  it('puts moves of one key and tool together where the first would be, without those that have a finding', () => {
    const waiting = [
      request('m1', 1),
      send('s1', 2),
      request('m2', 3),
      request('held', 4, { severities: ['amber'] }),
      request('noted', 5, { severities: ['info'] }),
      request('other', 6, { key: 'second' }),
    ];
    expect(ids(arrangedRequests(waiting))).toEqual(['held', 'together m1 m2 noted', 's1', 'other']);
  });

  it('keeps moves into different folders apart', () => {
    const into = (id: string, at: number, folder: string) =>
      request(id, at, { gist: { ...MOVE, into: folder }, tool: 'move_email' });
    const waiting = [into('a1', 1, 'A'), into('b1', 2, 'B'), into('a2', 3, 'A'), into('b2', 4, 'B')];
    expect(ids(arrangedRequests(waiting))).toEqual(['together a1 a2', 'together b1 b2']);
  });

  it('shows replies in one thread side by side, though each is decided by itself', () => {
    const waiting = [reply('r1', 3), send('s1', 2), reply('r2', 9, ['red'])];
    expect(ids(arrangedRequests(waiting))).toEqual(['thread r2 r1', 's1']);
    expect(togetherId(reply('r1', 3))).toBeUndefined();
  });

  it.each(['mail:send', 'mail:reply', 'calendar:write'] as const)(
    'puts no requests of %s together',
    (group) => {
      expect(togetherId(request('one', 1, { group }))).toBeUndefined();
    },
  );

  it('finds the requests of a group by its name, and none under another', () => {
    const waiting = [request('m1', 1), request('m2', 2), send('s1', 3)];
    const id = togetherId(request('m1', 1)) ?? '';
    expect(requestsTogether(waiting, id).map(({ approval }) => approval.id)).toEqual(['m1', 'm2']);
    expect(requestsTogether(waiting, 'a'.repeat(16))).toEqual([]);
  });

  it('opens the request behind the decided one, then the first, then none', () => {
    const [first, second, third] = [send('one', 1), send('two', 2), send('three', 3)];
    const opens = (waiting: readonly ApprovalSummary[], decided: ApprovalSummary | undefined) => {
      const next = nextItem(arrangedRequests(waiting), decided);
      return next && ids([next])[0];
    };
    expect(opens([first, third], second)).toBe('three');
    expect(opens([first, second], third)).toBe('one');
    expect(opens([first, second], undefined)).toBe('one');
    expect(opens([], third)).toBeUndefined();
  });
});
