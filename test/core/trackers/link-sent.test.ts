import { describe, expect, it, vi } from 'vitest';
import * as z from 'zod';
import { MailError } from '../../../core/ports/mail.ts';
import type { TestKey } from '../../open-service.ts';
import {
  approvalOf,
  approve,
  FRIEND,
  firstId,
  OWN,
  openScene,
  resultOf,
  type Scene,
  type SceneOptions,
  sendTo,
} from '../scene.ts';

const tracker = z.looseObject({
  tracker_id: z.int(),
  last_auto_link_at: z.string().optional(),
  links: z.array(
    z.looseObject({ subject: z.string(), folder: z.string(), added_by: z.string(), id: z.string() }),
  ),
});

interface Tracking extends Scene {
  readonly key: TestKey;
  track(keywords: string): Promise<number>;
  read(trackerId: number): Promise<z.infer<typeof tracker>>;
  subjectsOf(trackerId: number): Promise<string[]>;
  inSent(): Promise<number>;
}

async function open(options: SceneOptions = {}): Promise<Tracking> {
  const scene = await openScene(options);
  const key = await scene.addKey('full', {
    'mail:send': 'direct',
    'mail:reply': 'direct',
    'calendar:write': 'direct',
    'trackers:remove': 'direct',
  });
  const read = async (trackerId: number) =>
    tracker.parse(resultOf(await key.call('get_tracker', { tracker_id: trackerId })));
  const account = { ownerId: scene.ownerId, accountId: 1, email: OWN, settings: async () => ({}) };
  return {
    ...scene,
    key,
    read,
    async track(keywords) {
      const created = resultOf(await key.call('create_tracker', { title: keywords, keywords }));
      return z.object({ tracker_id: z.int() }).parse(created).tracker_id;
    },
    subjectsOf: async (trackerId) => (await read(trackerId)).links.map(({ subject }) => subject),
    // One copy is there from the start: `writtenBefore`.
    inSent: async () => (await scene.mail.messages(account, 'Sent')).length - 1,
  };
}

/** Runs what is due again after a failure. */
async function recover({ clock, service }: Scene): Promise<void> {
  clock.shift(60_000);
  await service.recover();
}

describe('a sent message', () => {
  it('is linked to the trackers whose keywords it contains, as its copy in Sent', async () => {
    const { key, track, read, subjectsOf } = await open();
    const atlas = await track('atlas, moon landing');
    const other = await track('nobody');
    await key.call('send_email', { ...sendTo(FRIEND, 'About the\nmoon landing'), subject: 'New' });
    await expect.poll(() => subjectsOf(atlas)).toEqual(['New']);
    await key.call('send_reply', { id: await firstId(key), body: 'Atlas, of course' });
    await expect.poll(() => subjectsOf(atlas)).toEqual(['Re: Subject 1', 'New']);
    await key.call('forward_email', { id: await firstId(key), to: [FRIEND], note: 'The Atlas letter' });
    await expect.poll(() => subjectsOf(atlas)).toEqual(['Fwd: Subject 1', 'Re: Subject 1', 'New']);
    await key.call('create_event', { title: 'Atlas', start: '2027-03-01T09:00', attendee: FRIEND });
    await expect.poll(async () => (await subjectsOf(atlas)).length).toBe(4);
    expect(await subjectsOf(other)).toEqual([]);
    const { links, last_auto_link_at } = await read(atlas);
    expect(last_auto_link_at).toBeDefined();
    expect(links.map(({ folder, added_by }) => [folder, added_by])).toEqual(
      links.map(() => ['Sent', 'auto']),
    );
    expect(resultOf(await key.call('get_email', { id: links.at(-1)?.id }))).toMatchObject({ subject: 'New' });
  });

  it('is linked only once the owner has approved it', async () => {
    const scene = await open();
    const { addKey, track, subjectsOf } = scene;
    const atlas = await track('subject');
    const waiting = await (await addKey('full')).call('send_email', sendTo(FRIEND));
    await scene.service.recover();
    expect(await subjectsOf(atlas)).toEqual([]);
    await approve(scene, approvalOf(waiting).id);
    await expect.poll(() => subjectsOf(atlas)).toEqual(['Subject']);
  });

  it('is linked later if that fails at any step, and is not sent or saved again', async () => {
    for (const step of ['messageWithId', 'readAll', 'waitingTrackers', 'linkToTracker'] as const) {
      const fails = vi.fn(() => Promise.reject(new MailError('unavailable', 'of the test')));
      let isFailing = true;
      const failing = <Port extends object>(port: Port): Port =>
        new Proxy(port, {
          get: (target, name, receiver) =>
            isFailing && name === step ? fails : Reflect.get(target, name, receiver),
        });
      const scene = await open({ mailAs: failing, storageAs: failing });
      const { key, track, subjectsOf, inSent, mail } = scene;
      isFailing = false;
      const first = await track('subject');
      const second = await track('text');
      isFailing = true;
      const sent = await key.call('send_email', sendTo(FRIEND));
      expect(approvalOf(sent).state).toBe('executed');
      await expect.poll(() => fails.mock.calls.length, { message: step }).toBe(1);
      isFailing = false;
      expect(await subjectsOf(first)).toEqual([]);
      await expect
        .poll(async () => {
          await recover(scene);
          return [await subjectsOf(first), await subjectsOf(second)];
        })
        .toEqual([['Subject'], ['Subject']]);
      await recover(scene);
      expect(await subjectsOf(first)).toEqual(['Subject']);
      expect([mail.transmitted().length, await inSent()]).toEqual([1, 1]);
    }
  });

  it('is not linked to a tracker that was resolved before, or created after it was sent', async () => {
    let isFailing = true;
    const scene = await open({
      storageAs: (storage) => ({
        ...storage,
        async waitingTrackers(ownerId) {
          if (isFailing) throw new Error('of the test');
          return storage.waitingTrackers(ownerId);
        },
      }),
    });
    const { key, track, subjectsOf } = scene;
    const [kept, resolved] = [await track('subject'), await track('subject, text')];
    await key.call('send_email', sendTo(FRIEND));
    await key.call('resolve_tracker', { tracker_id: resolved });
    scene.clock.shift(60_000);
    const later = await track('subject, later');
    isFailing = false;
    await expect
      .poll(async () => {
        await recover(scene);
        return subjectsOf(kept);
      })
      .toEqual(['Subject']);
    expect([await subjectsOf(resolved), await subjectsOf(later)]).toEqual([[], []]);
  });

  it('costs no look into the mailbox if the owner has no tracker with keywords', async () => {
    const looks = vi.fn();
    const { key, inSent, service } = await open({
      mailAs: (mail) => ({
        ...mail,
        messageWithId: (...args) => {
          looks();
          return mail.messageWithId(...args);
        },
      }),
    });
    await key.call('create_tracker', { title: 'By hand' });
    await key.call('send_email', sendTo(FRIEND));
    await expect.poll(inSent).toBe(1);
    await service.stop();
    expect(looks).not.toHaveBeenCalled();
  });
});
