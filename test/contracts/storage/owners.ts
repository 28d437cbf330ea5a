import { describe, expect, it } from 'vitest';
import type { Store } from '../storage.ts';
import { addOwner, NOON, SIGNER } from './scene.ts';
import { addPerson, aSession, begin } from './session-scene.ts';

const OWNER = {
  ownerId: 'user-1',
  email: 'Ada.Ünal@Example.org',
  timezone: 'Europe/Zurich',
  language: 'de-CH',
  plansKeptDays: 90,
  proofFor: 'leaving',
  plan: 'free',
  limits: { callsPerMinute: 5 },
  passwordHash: 'hash',
  signer: SIGNER,
  now: NOON,
} as const;

export function ownerPromises(store: Store): void {
  describe('owners', () => {
    it('are found by id, and by email in upper or lower case', async () => {
      const { storage } = store();
      expect(await storage.addOwner(OWNER)).toBe(true);
      const { passwordHash, signer: _signer, now: _now, ...facts } = OWNER;
      const owner = { ...facts, activeAccountId: null };
      expect(await storage.owner('user-1')).toEqual(owner);
      expect(await storage.ownerByEmail('ADA.ÜNAL@EXAMPLE.ORG')).toEqual(owner);
      expect((await storage.secondStep('user-1'))?.passwordHash).toBe(passwordHash);
      expect(await storage.owner('USER-1')).toBeUndefined();
      expect(await storage.ownerByEmail('ada@example.org')).toBeUndefined();
    });

    it('are not added twice, by id or by email in upper or lower case', async () => {
      const { storage } = store();
      expect(await storage.addOwner(OWNER)).toBe(true);
      expect(await storage.addOwner({ ...OWNER, email: 'other@example.org', plan: 'paid' })).toBe(false);
      expect(
        await storage.addOwner({
          ...OWNER,
          ownerId: 'user-2',
          email: 'ada.ünal@example.ORG',
        }),
      ).toBe(false);
      expect(await storage.owner('user-1')).toMatchObject({ email: OWNER.email, plan: 'free' });
      expect(await storage.owner('user-2')).toBeUndefined();
    });

    it('are listed page by page, in the order of the bytes of their ids', async () => {
      const { storage } = store();
      expect(await storage.owners({ after: '', limit: 9 })).toEqual([]);
      const ids = ['10', '9', 'Z', 'a', 'user 1', 'ä', '\u{FF21}', '😀'];
      for (const ownerId of ids.toReversed()) {
        await storage.addOwner({
          ...OWNER,
          ownerId,
          email: `${ids.indexOf(ownerId)}@example.org`,
        });
      }
      const listed: string[] = [];
      for (;;) {
        const page = await storage.owners({ after: listed.at(-1) ?? '', limit: 3 });
        listed.push(...page.map(({ ownerId }) => ownerId));
        if (page.length < 3) break;
      }
      expect(listed).toEqual(ids);
      expect(await storage.owners({ after: 'ä', limit: 1 })).toEqual([await storage.owner('\u{FF21}')]);
    });

    it('change field by field', async () => {
      const { storage } = store();
      await storage.addOwner(OWNER);
      const changed = {
        ...({ email: 'ada@lovelace.example', timezone: 'UTC', plan: 'paid', limits: {} } as const),
        ...{ language: 'fa', plansKeptDays: 365, proofFor: 'always' },
      };
      const facts: Record<string, unknown> = { ...(await storage.owner('user-1')) };
      for (const [field, value] of Object.entries(changed)) {
        expect(await storage.updateOwner({ signer: SIGNER, ownerId: 'user-1', [field]: value })).toBe(
          'updated',
        );
        facts[field] = value;
        expect(await storage.owner('user-1')).toEqual(facts);
      }
      expect(await storage.ownerByEmail('ADA@lovelace.example')).toEqual(facts);
      expect((await storage.secondStep('user-1'))?.passwordHash).toBe('hash');
      expect(await storage.ownerByEmail(OWNER.email)).toBeUndefined();
      expect(await storage.updateOwner({ signer: SIGNER, ownerId: 'user-2', plan: 'free' })).toBe(
        'not_found',
      );
    });

    it('may write their own email in another way, and cannot take that of another owner', async () => {
      const { storage } = store();
      await storage.addOwner(OWNER);
      await storage.addOwner({ ...OWNER, ownerId: 'user-2', email: 'bob@example.org' });
      const before = await storage.owner('user-2');
      const change = { signer: SIGNER, ownerId: 'user-2', email: 'ada.ünal@example.ORG', timezone: 'UTC' };
      expect(await storage.updateOwner(change)).toBe('email_taken');
      expect(await storage.owner('user-2')).toEqual(before);
      expect(await storage.updateOwner({ signer: SIGNER, ownerId: 'user-2', email: 'BOB@example.org' })).toBe(
        'updated',
      );
      expect(await storage.owner('user-2')).toEqual({ ...before, email: 'BOB@example.org' });
    });

    it('cannot both take an email at the same time', async () => {
      const { storage, second } = store();
      const other = await second();
      for (let n = 0; n < 10; n += 1) {
        const [one, two] = [await addOwner(storage), await addOwner(storage)];
        const email = `${n}@example.org`;
        const answers = await Promise.all([
          storage.updateOwner({ signer: SIGNER, ownerId: one, email }),
          other.updateOwner({ signer: SIGNER, ownerId: two, email }),
        ]);
        expect(answers.toSorted()).toEqual(['email_taken', 'updated']);
      }
    });

    it('lose their sessions and known devices with a new password', async () => {
      const { storage } = store();
      const ownerId = await addPerson(storage);
      await begin(storage, aSession(ownerId, 'ses_1'));
      expect(await storage.updateOwner({ signer: SIGNER, ownerId, timezone: 'UTC' })).toBe('updated');
      expect(await storage.sessions(ownerId, SIGNER, NOON)).toHaveLength(1);
      expect(await storage.updateOwner({ signer: SIGNER, ownerId, passwordHash: 'new' })).toBe('updated');
      expect(await storage.sessions(ownerId, SIGNER, NOON)).toEqual([]);
      expect((await storage.secondStep(ownerId))?.passwordHash).toBe('new');
    });

    it('may have no password, and receive one later', async () => {
      const { storage } = store();
      await storage.addOwner({ ...OWNER, passwordHash: null });
      expect((await storage.secondStep('user-1'))?.passwordHash).toBe(null);
      expect(await storage.setPassword('user-1', 'new', SIGNER)).toBe(true);
      expect((await storage.secondStep('user-1'))?.passwordHash).toBe('new');
      expect(await storage.setPassword('user-2', 'new', SIGNER)).toBe(false);
    });
  });
}
