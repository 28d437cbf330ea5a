import { randomBytes } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it, onTestFinished } from 'vitest';
import { APPROVAL_STATES, type Approval, errorOf } from '../../../core/approvals/approval.ts';
import { approvalColumns, RESTORED_LEASE_MS } from '../../../core/approvals/approval-state.ts';
import { decisionText, isDecisionIntact, signedDecision } from '../../../core/approvals/signed-decision.ts';
import type { Storage } from '../../../core/ports/storage.ts';
import { createKeyring } from '../../../core/secrets/keyring.ts';
import {
  addKey,
  addOwner,
  addOwnerAndKey,
  approve,
  ask,
  DONE,
  LAPSED_MS,
  LEASE_MS,
  reclaim,
  run,
  SIGNER,
  settle,
  start,
} from '../../contracts/storage/scene.ts';
import { sizeOf } from '../../only-long.ts';
import { titledWithout } from '../../servers/missing-servers.ts';
import { editedStores } from '../edited-store.ts';
import { BY_OWNER, BY_POLICY } from './machine.ts';
import { FIRST, STEPS, walk } from './random-walk.ts';

const LIST = { credentialId: undefined, state: 'all', after: undefined } as const;

/** What somebody could write into the row of the approved request ID. Its owner has another one, OTHER, and another key, KEY. */
const EDITS: Readonly<Record<string, string>> = {
  digest: "digest = 'another plan'",
  credential_id: "credential_id = 'KEY'",
  account_id: 'account_id = 2',
  tool: "tool = 'forward_email'",
  permission_group: "permission_group = 'mail:reply'",
  action: "action = 'another'",
  approved_by: "approved_by = CASE approved_by WHEN 'owner' THEN 'policy' ELSE 'owner' END",
  approved_at_ms: 'approved_at_ms = approved_at_ms + 600000',
  decided_at_ms: 'decided_at_ms = 1',
  decided_in: "decided_in = 'ses_2'",
  'decision_signature, removed': 'decision_signature = NULL',
  'decision_signature, empty': "decision_signature = ''",
  'decision_signature, of another row':
    "decision_signature = (SELECT decision_signature FROM approvals WHERE approval_id = 'OTHER')",
};

/** As the owner's approval would have written it, and a lease that is over. */
const APPROVED_BY_HAND = `state = 'approved', approved_by = 'owner', fence = fence + 1, lease_until_ms = 0,
  decided_at_ms = created_at_ms, approved_at_ms = created_at_ms`;

for (const { name, open, missing } of editedStores()) {
  describe.skipIf(missing.length > 0)(
    titledWithout([...missing], `a decision that was written in ${name}`),
    () => {
      async function opened() {
        const { connect, sql } = await open();
        const storage = connect();
        onTestFinished(() => storage.close());
        const key = await addOwnerAndKey(storage);
        const other = await addKey(storage, key.ownerId);
        const edit = (set: string, id: string, otherId = '') =>
          sql(
            `UPDATE approvals SET ${set.replace('OTHER', otherId).replace('KEY', other.credentialId)} WHERE approval_id = '${id}'`,
          );
        return { storage, key, sql, edit };
      }
      const stateOf = async (storage: Storage, { ownerId, id }: Approval) => {
        const found = await storage.approval(ownerId, id);
        return { state: found?.state, error: found && errorOf(found) };
      };

      it('carries nothing out, whatever was changed in an approval', async () => {
        const { storage, key, edit } = await opened();
        const other = await run(storage, key);
        for (const [column, set] of Object.entries(EDITS)) {
          const { approval } = await approve(storage, await ask(storage, key, { targets: [column] }));
          await edit(set, approval.id, other.id);
          expect({ column, altered: await storage.alteredDecisions(key.ownerId, SIGNER) }).toEqual({
            column,
            altered: [approval.id],
          });
          expect({ column, started: await start(storage, approval) }).toEqual({ column, started: false });
          expect({ column, ...(await stateOf(storage, approval)) }).toEqual({
            column,
            state: 'failed',
            error: 'altered',
          });
        }
      });

      it('does not become the decision of another owner', async () => {
        const { storage, key, sql } = await opened();
        const victim = await addOwner(storage);
        const { approval } = await approve(storage, await ask(storage, key));
        for (const table of ['approvals', 'plans'])
          await sql(`UPDATE ${table} SET owner_id = '${victim}' WHERE approval_id = '${approval.id}'`);
        expect(await storage.alteredDecisions(victim, SIGNER)).toEqual([approval.id]);
        expect(await start(storage, { ...approval, ownerId: victim })).toBe(false);
      });

      it('is not taken over if nobody approved it, and ends honestly if somebody wrote that it started', async () => {
        const { storage, key, edit } = await opened();
        const [waiting, started] = [
          await ask(storage, key),
          await ask(storage, key, { requestHash: 'another', similarHash: 'another', targets: ['another'] }),
        ];
        await edit(APPROVED_BY_HAND, waiting.id);
        await edit(`${APPROVED_BY_HAND}, started_at_ms = created_at_ms`, started.id);
        expect(await reclaim(storage)).toEqual({ runs: [], followUps: [] });
        expect(await stateOf(storage, waiting)).toEqual({ state: 'failed', error: 'altered' });
        expect(await stateOf(storage, started)).toEqual({ state: 'outcome_unknown', error: null });
      });

      it('carries nothing out, whatever columns somebody filled, and is listed all the same', async () => {
        const { storage, key, edit } = await opened();
        const orNull = (value: string) => fc.constantFrom('NULL', value);
        const columns = fc.record({
          state: fc
            .oneof(fc.constant('approved'), fc.constantFrom(...APPROVAL_STATES))
            .map((state) => `'${state}'`),
          approved_by: fc.constantFrom('NULL', "'owner'", "'policy'"),
          approved_at_ms: orNull('created_at_ms'),
          decided_at_ms: orNull('created_at_ms'),
          decided_in: orNull("'ses_1'"),
          started_at_ms: orNull('created_at_ms'),
          executed_at_ms: orNull('created_at_ms'),
          ended_at_ms: orNull('created_at_ms'),
          rejection: orNull("'other'"),
          edited_hash: orNull("'hash'"),
          error: fc.constantFrom('NULL', "'password_refused'", "'sent_copy_refused'"),
          message_bytes: orNull('1'),
          result: orNull("'{}'"),
          fence: fc.constantFrom('0', '1'),
          lease_until_ms: fc.constantFrom('-1', '0', '1', '99999999999999'),
          decision_signature: fc.constantFrom('NULL', "''"),
        });
        let count = 0;
        await fc.assert(
          fc.asyncProperty(columns, async (changed) => {
            count += 1;
            const waiting = await ask(storage, key, { targets: [`${count}`] });
            const set = Object.entries(changed).map(([column, value]) => `${column} = ${value}`);
            await edit(set.join(', '), waiting.id);
            for (const fence of [0, 1]) expect(await start(storage, { ...waiting, fence })).toBe(false);
            expect(await reclaim(storage)).toEqual({ runs: [], followUps: [] });
            for (const fence of [0, 1, 2]) expect(await start(storage, { ...waiting, fence })).toBe(false);
            const { approvals } = await storage.approvals({ ...LIST, ownerId: key.ownerId, limit: 1000 });
            expect(approvals).toContainEqual(await storage.approval(key.ownerId, waiting.id));
            const end = await stateOf(storage, waiting);
            const lease = Number(changed.lease_until_ms);
            if (changed.state !== "'approved'") expect(`'${end.state}'`).toBe(changed.state);
            else if (lease !== RESTORED_LEASE_MS && changed.started_at_ms === 'NULL')
              expect(end).toEqual({ state: 'failed', error: 'altered' });
            else expect(end.state).toBe(lease > 1 ? 'approved' : 'outcome_unknown');
          }),
          { numRuns: sizeOf('properties: samples', 200, 40) },
        );
      });

      it('from a backup does not start, and no process that still runs renews its lease', async () => {
        const { storage, key, edit } = await opened();
        const { approval } = await approve(storage, await ask(storage, key));
        const { ownerId, id, fence } = approval;
        await edit(`lease_until_ms = ${RESTORED_LEASE_MS}`, id);
        await storage.renew({ ownerId, approval: { id, fence } }, LEASE_MS);
        expect(await start(storage, approval)).toBe(false);
        expect((await settle(storage, approval, DONE)).state).toBe('approved');
        expect(await reclaim(storage)).toEqual({ runs: [], followUps: [] });
        expect(await stateOf(storage, approval)).toEqual({ state: 'outcome_unknown', error: null });
      });

      it('is not followed up', async () => {
        const { storage, key, sql } = await opened();
        const waiting = await ask(storage, key);
        await sql(`INSERT INTO follow_ups VALUES ('${key.ownerId}', '${waiting.id}', 0)`);
        expect(await reclaim(storage)).toEqual({ runs: [], followUps: [] });
        expect(await reclaim(storage)).toEqual({ runs: [], followUps: [] });
      });

      it('counts if Countersign wrote it: by the owner, with changes, by policy, and after it was put off', async () => {
        const { storage, key } = await opened();
        const { approval } = await approve(storage, await ask(storage, key));
        const direct = await run(storage, key, { targets: ['direct'] });
        expect(await storage.alteredDecisions(key.ownerId, SIGNER)).toEqual([]);
        await settle(storage, approval, { type: 'not_now', error: 'password_refused', retryMs: LAPSED_MS });
        const { runs } = await reclaim(storage);
        const again = runs.find((one) => one.approval.id === approval.id)?.approval;
        expect(again && (await start(storage, again))).toBe(true);
        expect(await start(storage, direct)).toBe(true);
        expect((await settle(storage, direct, DONE)).state).toBe('executed');
      });
    },
  );
}

describe('the signed text of a decision', () => {
  const time = fc.date({ noInvalidDate: true, min: new Date(0), max: new Date(4e12) });
  const word = fc.oneof(fc.string(), fc.constantFrom('","', '1,"a"', 'null', '[]', ''));
  const signed = {
    ownerId: word,
    approvalId: word,
    credentialId: word,
    accountId: fc.option(fc.nat()),
    tool: word,
    permissionGroup: fc.constantFrom('mail:send' as const, 'mail:reply' as const),
    action: fc.option(word),
    digest: word,
    approvedBy: fc.constantFrom('owner' as const, 'policy' as const),
    approvedAt: time,
    decidedAt: fc.option(time),
    decidedIn: fc.option(word),
  };
  const moving = {
    state: fc.constantFrom(...APPROVAL_STATES),
    reasons: fc.array(word),
    createdAt: time,
    expiresAt: time,
    rejection: fc.constant(null),
    sealedNote: fc.constant(null),
    editedHash: fc.constant(null),
    sealedDiff: fc.constant(null),
    result: fc.constant(null),
    error: fc.constant(null),
    messageBytes: fc.constant(null),
    limitBytes: fc.constant(null),
    startedAt: fc.option(time),
    executedAt: fc.option(time),
    endedAt: fc.option(time),
    fence: fc.nat(),
    leaseUntilMs: fc.nat(),
  };
  const decided = fc.record(signed);
  const rest = fc.record(moving);

  it('differs for any two decisions, and stays as the request moves', () => {
    const keyring = createKeyring([randomBytes(32)], randomBytes);
    fc.assert(
      fc.property(decided, decided, rest, rest, (one, other, before, after) => {
        const isSame = JSON.stringify(one) === JSON.stringify(other);
        expect(decisionText({ ...one, ...before }) === decisionText({ ...other, ...after })).toBe(isSame);
        const signature = signedDecision({ ...one, ...before }, keyring);
        expect(isDecisionIntact({ ...one, ...after, ...signature }, keyring)).toBe(true);
      }),
    );
  });

  it('stays as the machine moves what was approved', () => {
    fc.assert(
      fc.property(FIRST, STEPS, (from, way) => {
        const texts = walk(from, way).flatMap((one) =>
          'authorization' in one ? [decisionText(approvalColumns(one))] : [],
        );
        expect(new Set(texts).size).toBeLessThanOrEqual(1);
      }),
    );
  });

  it('is the one that earlier versions signed', () => {
    expect([BY_OWNER, BY_POLICY].map((one) => decisionText(approvalColumns(one)))).toEqual([
      '[1,"owner","apr_1","key_1",1,"send_email","mail:send","send","seen","owner",null,1773144000000,1773144000000]',
      '[1,"owner","apr_1","key_1",1,"send_email","mail:send","send","seen","policy",null,1773144000000,null]',
    ]);
  });

  it('is not signed by another key', () => {
    const [mine, others] = [randomBytes(32), randomBytes(32)].map((key) => createKeyring([key], randomBytes));
    fc.assert(
      fc.property(decided, rest, (one, more) => {
        if (mine === undefined || others === undefined) throw new Error('there is no key');
        const signature = signedDecision({ ...one, ...more }, others);
        expect(isDecisionIntact({ ...one, ...more, ...signature }, mine)).toBe(false);
      }),
    );
  });
});
