import { describe, expect, it } from 'vitest';
import type { ServerRole, ServerState } from '../../../core/ports/account-health.ts';
import type { Storage } from '../../../core/ports/storage.ts';
import { USUAL_ROLES } from '../../folder-roles.ts';
import type { Store } from '../storage.ts';
import { aChannel, addChannel } from './notice-scene.ts';
import { addKey, addOwner, addOwnerAndKey, ask, at, NOON, reject, SIGNER } from './scene.ts';
import { anApp } from './second-steps.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
/** After the default delay of 5 minutes. */
const DUE = at(6 * MINUTE_MS);
const FAILED = { kind: 'failed', reason: 'It cannot be reached.', retryAfterMs: null } as const;

async function ownersToNotify(storage: Storage, now: Date) {
  const owners = await storage.ownersToNotify({ after: '', limit: 10, now });
  return owners.map(({ ownerId }) => ownerId);
}

export function noticePromises(store: Store): void {
  describe('notices', () => {
    it('keep the settings of each owner', async () => {
      const { storage } = store();
      const ownerId = await addOwner(storage);
      expect(await storage.noticeSettings(ownerId)).toEqual({ delayMin: 5, quiet: null });
      const settings = { delayMin: 30, quiet: { fromMin: 1320, toMin: 420 } };
      expect(await storage.setNoticeSettings(ownerId, settings)).toBe(true);
      expect(await storage.noticeSettings(ownerId)).toEqual(settings);
      expect(await storage.noticeSettings('nobody')).toBeUndefined();
      expect(await storage.setNoticeSettings('nobody', settings)).toBe(false);
    });

    it('have at most the given number of channels, also if two are added at once', async () => {
      const { storage, second } = store();
      const other = await second();
      const ownerId = await addOwner(storage);
      const add = (by: Storage, channelId: string) =>
        by.addNoticeChannel({ channel: aChannel(ownerId, { channelId }), most: 1 });
      const ends = await Promise.all([add(storage, 'ntc_1'), add(other, 'ntc_2')]);
      expect(ends.toSorted()).toEqual(['added', 'too_many']);
      const [channel] = await storage.noticeChannels(ownerId);
      expect(channel).toEqual(aChannel(ownerId, { channelId: channel?.channelId ?? '' }));
      expect(await storage.removeNoticeChannel('nobody', channel?.channelId ?? '')).toBe(false);
      expect(await storage.removeNoticeChannel(ownerId, channel?.channelId ?? '')).toBe(true);
      expect(await storage.noticeChannels(ownerId)).toEqual([]);
      const nobody = { channel: aChannel('nobody'), most: 1 };
      expect(await storage.addNoticeChannel(nobody)).toBe('no_owner');
    });

    it('cover accounts that only the owner can mend, once for each time they break', async () => {
      const { storage } = store();
      const { ownerId } = await addOwnerAndKey(storage);
      await storage.addAccount({
        ...{ ownerId, label: 'work', email: 'work@example.org', signature: '' },
        ...{ seal: () => 'settings', folderRoles: USUAL_ROLES, now: NOON },
      });
      await addChannel(storage, ownerId);
      const report = (state: ServerState, now: Date, server: ServerRole = 'reading') =>
        storage.reportServer({ ownerId, accountId: 1, revision: 1, server, state, reason: null, now });
      const claim = async (now: Date) => {
        const isListed = (await ownersToNotify(storage, now)).length > 0;
        const claimed = await storage.claimNotice({ ownerId, now });
        return { isListed, toMend: claimed?.toMend, waiting: claimed?.waiting };
      };
      const NOTHING = { isListed: false, toMend: undefined, waiting: undefined };
      // It may pass by itself.
      await report('no_answer', NOON);
      expect(await claim(DUE)).toEqual(NOTHING);
      await report('password_refused', NOON);
      await report('password_refused', NOON, 'sending');
      expect(await claim(DUE)).toEqual({ isListed: true, toMend: 1, waiting: 0 });
      await report('password_refused', DUE);
      expect(await claim(at(3 * HOUR_MS))).toEqual(NOTHING);
      await report('working', at(3 * HOUR_MS));
      await report('password_refused', at(3 * HOUR_MS));
      expect(await claim(at(4 * HOUR_MS))).toEqual({ isListed: true, toMend: 1, waiting: 0 });
      await report('working', at(5 * HOUR_MS));
      await report('certificate_changed', at(5 * HOUR_MS));
      await storage.ownerLooked(ownerId);
      expect(await claim(at(9 * HOUR_MS))).toEqual(NOTHING);
    });

    it('cover a change of the password, the second step or the recovery codes, at once and once', async () => {
      const { storage } = store();
      const ownerId = await addOwner(storage);
      const claim = async (now = NOON) => {
        const isListed = (await ownersToNotify(storage, now)).length > 0;
        return [isListed, (await storage.claimNotice({ ownerId, now }))?.hasAccessChanged];
      };
      const times = async () => Object.values((await storage.accessChanges(ownerId)) ?? {});
      const count = async () => (await times()).filter((time) => time !== null).length;
      // The first password changes nothing, and changes before the first channel have nowhere to go.
      await storage.setPassword(ownerId, 'first', SIGNER);
      expect(await count()).toBe(0);
      await storage.setPassword(ownerId, 'second', SIGNER);
      await addChannel(storage, ownerId);
      expect([await count(), await claim()]).toEqual([1, [false, undefined]]);

      await storage.updateOwner({ signer: SIGNER, ownerId, passwordHash: 'third' });
      // Whoever changed it may look at the dashboard, and confirm it.
      await storage.ownerLooked(ownerId);
      await storage.confirmAccessChanges(ownerId, new Date(9e14));
      expect([await count(), await claim(), await claim()]).toEqual([0, [true, true], [false, undefined]]);

      await storage.changeSecondStep(ownerId, anApp(), SIGNER);
      await storage.setNoticeSettings(ownerId, { delayMin: 5, quiet: { fromMin: 0, toMin: 1439 } });
      expect(await claim()).toEqual([true, undefined]);
      await storage.setNoticeSettings(ownerId, { delayMin: 5, quiet: null });
      expect([await claim(), await count()]).toEqual([[true, true], 1]);

      const proof = { kind: 'recovery_code', hash: 'one' } as const;
      const take = () =>
        storage.takeSecondStep({
          signer: SIGNER,
          ownerId,
          proof,
          deviceHash: null,
          newDeviceHash: 'd',
          now: NOON,
        });
      expect([await take(), await claim(), await count()]).toEqual([
        ...[{ kind: 'right', isKnownDevice: false }, [true, true], 2],
      ]);
      // A wrong code changes nothing, and neither does a new name.
      await take();
      await storage.changeSecondStep(ownerId, { type: 'rename_passkey', id: 'none', name: 'x' }, SIGNER);
      expect(await claim()).toEqual([false, undefined]);

      const changed = (await storage.accessChanges(ownerId))?.second_step;
      await storage.confirmAccessChanges(ownerId, new Date((changed?.getTime() ?? 0) - 1));
      expect(await count()).toBe(2);
      await storage.confirmAccessChanges(ownerId, changed ?? NOON);
      expect((await storage.accessChanges(ownerId))?.second_step).toBeNull();
      expect(await storage.accessChanges('nobody')).toBeUndefined();
    });

    it('use a channel only once its code was entered, in time and after few tries', async () => {
      const { storage } = store();
      const key = await addOwnerAndKey(storage);
      const { ownerId } = key;
      const code = { mac: 'right', untilMs: at(HOUR_MS).getTime(), triesLeft: 2 };
      const enter = (channelId: string, codeMac: string, now = NOON) =>
        storage.confirmNoticeChannel({ ownerId, channelId, codeMac, now });
      await ask(storage, key);
      await addChannel(storage, ownerId, { channelId: 'ntc_1', kind: 'mail', code });
      expect(await ownersToNotify(storage, DUE)).toEqual([]);
      expect(await storage.claimNotice({ ownerId, now: DUE })).toBeUndefined();
      expect(await enter('ntc_1', 'wrong')).toBe('wrong');
      expect((await storage.noticeChannels(ownerId))[0]?.code).toEqual({ ...code, triesLeft: 1 });
      expect(await enter('ntc_1', 'right')).toBe('confirmed');
      expect(await enter('ntc_1', 'right')).toBe('ended');
      expect(await storage.noticeChannels(ownerId)).toMatchObject([{ channelId: 'ntc_1', code: null }]);
      expect(await ownersToNotify(storage, DUE)).toEqual([ownerId]);
      await addChannel(storage, ownerId, { channelId: 'ntc_2', code });
      expect(await enter('ntc_2', 'wrong')).toBe('wrong');
      expect(await enter('ntc_2', 'wrong')).toBe('ended');
      expect(await enter('ntc_2', 'right')).toBe('ended');
      await addChannel(storage, ownerId, { channelId: 'ntc_3', code });
      expect(await enter('ntc_3', 'right', at(HOUR_MS))).toBe('ended');
      expect(await storage.noticeChannels(ownerId)).toHaveLength(1);
    });

    it('cover everything that waits, once, and name the request only if it is alone', async () => {
      const { storage } = store();
      const key = await addOwnerAndKey(storage);
      const { ownerId } = key;
      await addChannel(storage, ownerId);
      const first = await ask(storage, key);
      expect(await storage.claimNotice({ ownerId, now: NOON })).toBeUndefined();
      expect(await storage.ownersToNotify({ after: '', limit: 10, now: DUE })).toEqual([
        {
          isAccessNoticeDue: false,
          ...{ ownerId, timezone: 'Europe/Zurich', settings: { delayMin: 5, quiet: null } },
          ...{ lastNoticeAt: null, oldest: first.createdAt, retryAt: null },
        },
      ]);
      expect(await storage.claimNotice({ ownerId, now: DUE })).toMatchObject({
        ...{ waiting: 1, approvalId: first.id },
        channels: [{ channelId: 'ntc_1' }],
      });
      expect(await storage.claimNotice({ ownerId, now: at(HOUR_MS * 2) })).toBeUndefined();
      expect(await ownersToNotify(storage, DUE)).toEqual([]);
      await ask(storage, key);
      expect(await storage.claimNotice({ ownerId, now: at(7 * MINUTE_MS) })).toBeUndefined();
      const later = at(6 * MINUTE_MS + HOUR_MS);
      expect(await storage.claimNotice({ ownerId, now: later })).toMatchObject({
        ...{ waiting: 2, approvalId: null },
      });
    });

    it('are started by one of two processes', async () => {
      const { storage, second } = store();
      const other = await second();
      const key = await addOwnerAndKey(storage);
      const { ownerId } = key;
      await addChannel(storage, ownerId);
      await ask(storage, key);
      const claimed = await Promise.all([
        storage.claimNotice({ ownerId, now: DUE }),
        other.claimNotice({ ownerId, now: DUE }),
      ]);
      expect(claimed.filter((one) => one !== undefined)).toHaveLength(1);
    });

    it('leave out requests that were decided or have expired', async () => {
      const { storage } = store();
      const key = await addOwnerAndKey(storage);
      const { ownerId } = key;
      await addChannel(storage, ownerId);
      const decided = await ask(storage, key);
      expect(await ownersToNotify(storage, DUE)).toEqual([ownerId]);
      await reject(storage, decided);
      expect(await ownersToNotify(storage, DUE)).toEqual([]);
      const expiring = await ask(storage, key);
      expect(await ownersToNotify(storage, expiring.expiresAt)).toEqual([]);
      expect(await storage.claimNotice({ ownerId, now: expiring.expiresAt })).toBeUndefined();
    });

    it('cease once the owner has looked, until something new waits', async () => {
      const { storage } = store();
      const key = await addOwnerAndKey(storage);
      const { ownerId } = key;
      await addChannel(storage, ownerId);
      await ask(storage, key);
      await storage.claimNotice({ ownerId, now: DUE });
      await ask(storage, key);
      await storage.ownerLooked(ownerId);
      expect(await storage.claimNotice({ ownerId, now: at(3 * HOUR_MS) })).toBeUndefined();
      expect(await ownersToNotify(storage, at(3 * HOUR_MS))).toEqual([]);
      await ask(storage, key);
      // The last notice no longer counts.
      expect(await storage.claimNotice({ ownerId, now: DUE })).toMatchObject({ waiting: 3 });
    });

    it('are tried again if they failed, later each time, and not once the owner has looked', async () => {
      const { storage } = store();
      const key = await addOwnerAndKey(storage);
      const { ownerId } = key;
      const { channelId } = await addChannel(storage, ownerId);
      await addChannel(storage, ownerId, { channelId: 'ntc_well' });
      await ask(storage, key);
      await storage.claimNotice({ ownerId, now: DUE });
      await storage.endNotice({ ownerId, channelId: 'ntc_well', end: { kind: 'sent' }, now: DUE });
      await storage.endNotice({ ownerId, channelId, end: FAILED, now: DUE });
      const minutesLater = (minutes: number) => new Date(DUE.getTime() + minutes * MINUTE_MS);
      expect(await storage.noticeChannels(ownerId)).toMatchObject([
        {
          channelId,
          tries: 1,
          retryAt: minutesLater(1),
          failingSince: DUE,
          problem: FAILED.reason,
        },
        { channelId: 'ntc_well', tries: 0, retryAt: null, failingSince: null, problem: null },
      ]);
      expect(await storage.claimNotice({ ownerId, now: minutesLater(0.5) })).toBeUndefined();
      expect(await ownersToNotify(storage, minutesLater(1))).toEqual([ownerId]);
      expect(await storage.claimNotice({ ownerId, now: minutesLater(1) })).toMatchObject({
        ...{ waiting: 1, channels: [{ channelId }] },
      });
      expect(await storage.claimNotice({ ownerId, now: minutesLater(1) })).toBeUndefined();
      await storage.endNotice({ ownerId, channelId, end: FAILED, now: minutesLater(1) });
      expect((await storage.noticeChannels(ownerId))[0]).toMatchObject({
        ...{ tries: 2, retryAt: minutesLater(3), failingSince: DUE },
      });
      await storage.claimNotice({ ownerId, now: minutesLater(3) });
      await storage.ownerLooked(ownerId);
      await storage.endNotice({ ownerId, channelId, end: FAILED, now: minutesLater(3) });
      expect((await storage.noticeChannels(ownerId))[0]).toMatchObject({
        ...{ tries: 0, retryAt: null, failingSince: DUE, problem: FAILED.reason },
      });
    });

    it('are given up after six tries', async () => {
      const { storage } = store();
      const key = await addOwnerAndKey(storage);
      const { ownerId } = key;
      const { channelId } = await addChannel(storage, ownerId);
      await ask(storage, key);
      let now = DUE;
      for (let tries = 1; tries <= 6; tries += 1) {
        expect(await storage.claimNotice({ ownerId, now })).toMatchObject({ waiting: 1 });
        await storage.endNotice({ ownerId, channelId, end: FAILED, now });
        now = new Date(now.getTime() + HOUR_MS);
      }
      expect(await storage.claimNotice({ ownerId, now })).toBeUndefined();
      expect(await ownersToNotify(storage, now)).toEqual([]);
    });

    it('are not tried again once nothing waits, and at once after an interruption', async () => {
      const { storage } = store();
      const key = await addOwnerAndKey(storage);
      const { ownerId } = key;
      const { channelId } = await addChannel(storage, ownerId);
      const waiting = await ask(storage, key);
      await storage.claimNotice({ ownerId, now: DUE });
      await storage.endNotice({ ownerId, channelId, end: { kind: 'interrupted' }, now: DUE });
      expect(await storage.claimNotice({ ownerId, now: DUE })).toMatchObject({ waiting: 1 });
      await storage.endNotice({ ownerId, channelId, end: FAILED, now: DUE });
      await reject(storage, waiting);
      expect(await storage.claimNotice({ ownerId, now: at(HOUR_MS) })).toBeUndefined();
      expect((await storage.noticeChannels(ownerId))[0]).toMatchObject({ tries: 0, retryAt: null });
    });

    it('wait for the end of the quiet hours, and so do their retries', async () => {
      const { storage } = store();
      const key = await addOwnerAndKey(storage);
      const { ownerId } = key;
      const { channelId } = await addChannel(storage, ownerId);
      // NOON is 13:00 in Zurich.
      const quiet = { fromMin: 13 * 60, toMin: 14 * 60 };
      await storage.setNoticeSettings(ownerId, { delayMin: 0, quiet });
      await ask(storage, key);
      expect(await storage.claimNotice({ ownerId, now: at(HOUR_MS - 1) })).toBeUndefined();
      expect(await storage.claimNotice({ ownerId, now: at(HOUR_MS) })).toMatchObject({ waiting: 1 });
      await storage.endNotice({ ownerId, channelId, end: FAILED, now: at(HOUR_MS) });
      await storage.setNoticeSettings(ownerId, { delayMin: 0, quiet: { fromMin: 0, toMin: 1439 } });
      expect(await storage.claimNotice({ ownerId, now: at(2 * HOUR_MS) })).toBeUndefined();
    });

    it('forget a channel that is gone', async () => {
      const { storage } = store();
      const key = await addOwnerAndKey(storage);
      const { ownerId } = key;
      const { channelId } = await addChannel(storage, ownerId);
      await ask(storage, key);
      await storage.claimNotice({ ownerId, now: DUE });
      await storage.endNotice({ ownerId, channelId, end: { kind: 'gone' }, now: DUE });
      expect(await storage.noticeChannels(ownerId)).toEqual([]);
      await storage.endNotice({ ownerId, channelId, end: FAILED, now: DUE });
      expect(await storage.noticeChannels(ownerId)).toEqual([]);
    });

    it('list owners in the order of their ids, a page at a time', async () => {
      const { storage } = store();
      const owners: string[] = [];
      for (let n = 0; n < 3; n += 1) {
        const ownerId = await addOwner(storage);
        await ask(storage, await addKey(storage, ownerId));
        await addChannel(storage, ownerId, { channelId: 'ntc_1' });
        await addChannel(storage, ownerId, { channelId: 'ntc_2' });
        owners.push(ownerId);
      }
      const [first = '', ...others] = owners.toSorted();
      const page = await storage.ownersToNotify({ after: first, limit: 1, now: DUE });
      expect(page.map(({ ownerId }) => ownerId)).toEqual(others.slice(0, 1));
      expect(await ownersToNotify(storage, DUE)).toEqual([first, ...others]);
    });
  });
}
