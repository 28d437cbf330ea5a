import { randomBytes } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { inlineReader } from '../../../adapters/reader/inline-reader.ts';
import type { SandboxMail } from '../../../adapters/sandbox/mail.ts';
import type { Mail } from '../../../core/ports/ports.ts';
import { createService } from '../../../core/service/create-service.ts';
import { silentLog, testClock } from '../../open-service.ts';
import { approvalOf, approve, FRIEND, openScene, sendTo, stateOf } from '../scene.ts';
import { handClock, settled } from './hand-clock.ts';

/**
 * A service with a send that has started, and whose mail server answers when the test says so.
 * @param hears  whether the mail port ends a call that is aborted, as it should
 */
async function openSending(hears = true) {
  const hand = handClock();
  const logged: string[] = [];
  let answer = (): void => {};
  const answered = new Promise<void>((resolve) => {
    answer = resolve;
  });
  let begun = (): void => {};
  const underWay = new Promise<void>((resolve) => {
    begun = resolve;
  });
  const slow = (mail: SandboxMail): Mail => ({
    ...mail,
    transmit: (call, message, start) =>
      mail.transmit(call, message, async () => {
        const isStarted = await start();
        begun();
        await new Promise<void>((resolve, reject) => {
          void answered.then(resolve);
          if (hears) call.signal.addEventListener('abort', () => reject(new Error('cut')));
        });
        return isStarted;
      }),
  });
  const log = (message: string) => void logged.push(message);
  const secretKeys = [randomBytes(32)];
  const scene = await openScene({
    clock: { ...hand.clock, shift: () => undefined },
    secretKeys,
    mailAs: slow,
    log: { info: log, warn: log, error: log },
    // The test looks at what a stop has left.
    storageAs: (storage) => ({ ...storage, close: async () => undefined }),
  });
  const key = await scene.addKey('full');
  const { id } = approvalOf(await key.call('send_email', sendTo(FRIEND)));
  const decided = approve(scene, id);
  await underWay;
  return { ...hand, scene, id, decided, answer, logged, secretKeys };
}

describe('a stop during a slow send', () => {
  it('waits for the server, which accepts the message after 12 s', async () => {
    const { scene, id, moveTo, timers, answer, decided } = await openSending();
    scene.service.start();
    const stopped = scene.service.stop();
    await moveTo(12_000);
    answer();
    await stopped;
    expect(await decided).toMatchObject({ approval: { state: 'executed' } });
    expect(await stateOf(scene, id)).toBe('executed');
    expect(timers.size).toBe(0);
  });

  it.each([
    { withinMs: undefined, endsMs: 30_000, hears: true },
    { withinMs: 5000, endsMs: 5000, hears: true },
    { withinMs: 5000, endsMs: 5000, hears: false },
  ])('ends after its time and leaves nothing running: %j', async ({ withinMs, endsMs, hears }) => {
    const { scene, id, moveTo, nowMs, timers, answer, decided, logged, secretKeys } =
      await openSending(hears);
    scene.service.start();
    let endedMs: number | undefined;
    const stopped = scene.service.stop(withinMs).then(() => {
      endedMs = nowMs();
    });
    await moveTo(60_000);
    await stopped;
    expect(endedMs).toBe(endsMs);
    expect(timers.size).toBe(0);
    // The owner who pressed Approve is told that it is under way.
    expect(await decided).toMatchObject({ won: true, approval: { state: 'approved' } });

    answer();
    await settled();
    await moveTo(120_000);
    expect(timers.size).toBe(0);
    expect(logged).not.toContain('a settlement was not stored; retrying');
    expect(logged).toContain('a run is left to recovery');
    expect(await stateOf(scene, id)).toBe('approved');

    const next = createService({
      storage: scene.storage,
      mail: { ...scene.mail, messageWithId: async () => undefined },
      reader: inlineReader(),
      clock: { ...testClock(), now: () => new Date(scene.clock.now().getTime()) },
      random: (bytes) => randomBytes(bytes),
      log: silentLog,
      secretKeys,
      baseUrl: scene.service.baseUrl,
      dashboardUrl: scene.service.dashboardUrl,
    });
    await next.recover();
    expect(await stateOf(scene, id)).toBe('outcome_unknown');
    await next.stop();
  });
});
