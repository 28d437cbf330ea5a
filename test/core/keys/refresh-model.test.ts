import { randomBytes } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { NO_FENCES } from '../../../core/keys/fences.ts';
import { credentials, secrets } from '../../../core/keys/key-state.ts';
import type { CredentialFacts } from '../../../core/keys/key-storage.ts';
import { PRESETS } from '../../../core/keys/permissions.ts';
import { addSignIn, type RefreshEnd, refreshSignIn } from '../../../core/keys/sign-in-storage.ts';
import { createKeyring } from '../../../core/secrets/keyring.ts';
import { type RowChange, stored } from '../../../core/state/change.ts';
import { readRow } from '../../../core/state/query.ts';

const signer = createKeyring([Buffer.alloc(32, 7)], randomBytes);
const START_MS = 1_000_000;
const LASTS_MS = 300_000;
const REPEATED_MS = 60_000;
const KEY = { ownerId: 'owner', credentialId: 'key_1', signer };

const tokens = (n: number, nowMs: number) => ({
  accessHash: `access ${n}`,
  accessExpiresAt: new Date(nowMs + 3_600_000),
  refreshHash: `refresh ${n}`,
});

/** A sign-in of which every change is applied, as a store does. */
function signIn() {
  let facts: CredentialFacts | undefined;
  function apply(changes: readonly RowChange[]): void {
    for (const change of changes) {
      if (change.op === 'run' || change.op === 'put_rows') throw new Error(`the model knows no ${change.op}`);
      const { secrets: own = [], credential } = facts ?? {};
      const hash = change.key.secret_hash;
      const others = own.filter((one) => one.secretHash !== hash);
      const values = change.op === 'delete' ? {} : change.values;
      if (change.table === credentials.name) {
        const before = credential === undefined ? {} : stored(credentials, credential);
        const changed = readRow(credentials, { ...before, ...change.key, ...values });
        facts = { pending: [], unstarted: [], ...facts, credential: changed, secrets: own };
      } else if (facts === undefined) {
        throw new Error(`${change.table} before the credential`);
      } else if (change.table !== secrets.name) {
        throw new Error(`the model knows no ${change.table}`);
      } else if (change.op === 'delete') {
        facts = { ...facts, secrets: others };
      } else {
        expect(others.length < own.length).toBe(change.op === 'update');
        const before = own.find((one) => one.secretHash === hash);
        const row = { ...(before === undefined ? {} : stored(secrets, before)), ...change.key, ...values };
        facts = { ...facts, secrets: [...others, readRow(secrets, row)] };
      }
    }
  }
  const consent = { name: 'n', modes: PRESETS.read.modes, fences: NO_FENCES };
  const ends = { expiresAt: new Date(START_MS + LASTS_MS), now: new Date(START_MS) };
  apply(
    addSignIn(undefined, { ...KEY, ...consent, ...ends, tokens: tokens(0, START_MS) }, randomBytes).changes,
  );
  return {
    secrets: () => facts?.secrets ?? [],
    /** @param next  the number of the tokens that replace it */
    use(n: number, next: number, nowMs: number): RefreshEnd {
      const request = { tokens: tokens(next, nowMs), sealedTokens: `${next}`, now: new Date(nowMs) };
      const judged = refreshSignIn(facts, { ...KEY, refreshHash: `refresh ${n}`, ...request }, randomBytes);
      apply(judged.changes);
      return judged.answer;
    },
  };
}

/** Uses of refresh tokens: how many tokens before the current one, and the time since the last use. */
const uses = fc.array(
  fc.record({
    back: fc.oneof({ weight: 3, arbitrary: fc.constant(0) }, fc.nat(3)),
    passesMs: fc.oneof(
      fc.nat(2000),
      fc.integer({ min: REPEATED_MS - 2, max: REPEATED_MS + 2 }),
      fc.nat(LASTS_MS),
    ),
  }),
  { maxLength: 12 },
);

describe('the refresh tokens of a sign-in', () => {
  it('work once, repeat their answer for a minute while they are the last used one, and else end it', () => {
    fc.assert(
      fc.property(uses, (steps) => {
        const tried = signIn();
        let nowMs = START_MS;
        let current = 0;
        let usedAtMs = Number.NEGATIVE_INFINITY;
        let isOver = false;
        for (const { back, passesMs } of steps) {
          nowMs += passesMs;
          const n = Math.max(0, current - back);
          const end = tried.use(n, current + 1, nowMs);
          if (isOver || nowMs >= START_MS + LASTS_MS) {
            expect(end).toEqual({ kind: 'ended' });
          } else if (n === current) {
            expect(end.kind).toBe('refreshed');
            current += 1;
            usedAtMs = nowMs;
          } else if (n === current - 1 && nowMs < usedAtMs + REPEATED_MS) {
            expect(end).toMatchObject({ kind: 'repeated', sealedTokens: `${current}` });
          } else {
            expect(end).toEqual({ kind: 'reused' });
            isOver = true;
          }
          // One may be used, one repeats its answer, and the access tokens are bounded.
          expect(tried.secrets().filter(({ sealedTokens }) => sealedTokens !== null).length).toBeLessThan(2);
          expect(tried.secrets().length).toBeLessThanOrEqual(6);
        }
      }),
    );
  });
});
