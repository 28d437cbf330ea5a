import { expect, it } from 'vitest';
import * as z from 'zod';
import { handleId } from '../../core/accounts/message-handle.ts';
import { PLAN_LIMITS } from '../../core/keys/limits.ts';
import { expectFailure, ownDoor, refusedFields, resultIn } from './door.ts';
import { section } from './sections.ts';

// What the notes add: a key can ask for its bounds.

const bounds = z.strictObject({
  targets_max: z.int(),
  waiting_max: z.int(),
  wait_s_max: z.int(),
  recipients_max: z.int(),
});

section('Notes: What we add', () => {
  it.each(['free', 'paid'] as const)(
    'get_me says the bounds of a key on the plan %s, and they hold',
    async (plan) => {
      const door = await ownDoor({ plan, planLimits: true, limits: { callsPerMinute: 100 } });
      const own = bounds.parse(resultIn(await door.tool('get_me')).bounds);
      const { messagesPerBulk, waitingPerKey } = PLAN_LIMITS[plan];
      expect(own).toMatchObject({ targets_max: messagesPerBulk, waiting_max: waitingPerKey });

      const ids = Array.from({ length: own.targets_max + 1 }, (_, n) => handleId(n));
      const tooMany = await door.tool('mark_read', { ids });
      expectFailure(tooMany, 400, 'too_many_targets', { max_targets: own.targets_max });
      // As many as that are looked for.
      expectFailure(await door.tool('mark_read', { ids: ids.slice(1) }), 404, 'not_found');

      const to = Array.from({ length: own.recipients_max + 1 }, (_, n) => `person-${n}@atlas.example`);
      expect(refusedFields(await door.tool('send_email', door.letter({ to })))).toContain('to');
      const waiting = await door.tool('send_email', door.letter({ to: to.slice(1) }));
      expect(waiting.status).toBe(202);
      for (let n = 1; n < own.waiting_max; n++) {
        expect((await door.tool('send_email', door.letter({ to: to.slice(1) }))).status).toBe(202);
      }
      expectFailure(await door.tool('send_email', door.letter()), 429, 'too_many_pending');

      const wait = { approval_id: 'apr_000000000000000', wait_s: own.wait_s_max };
      expectFailure(await door.tool('get_approval', wait), 404, 'not_found');
      const longer = await door.tool('get_approval', { ...wait, wait_s: own.wait_s_max + 1 });
      expect(refusedFields(longer)).toContain('wait_s');
    },
  );

  it('they are those that the owner, or whoever hosts it, has set', async () => {
    const door = await ownDoor({ limits: { messagesPerBulk: 3, waitingPerKey: 9, waitingPerOwner: 2 } });
    const { bounds: own } = resultIn(await door.tool('get_me'));
    expect(own).toMatchObject({ targets_max: 3, waiting_max: 2 });
  });
});
