import { describe, expect, it, onTestFinished } from 'vitest';
import { checkActivity } from '../../../core/activity/check-activity.ts';
import { activity, addOwnerAndKey, at, SIGNER } from '../../contracts/storage/scene.ts';
import { titledWithout } from '../../servers/missing-servers.ts';
import { editedStores } from '../edited-store.ts';

/** What somebody could write, and what undoes it. Row 2 and checkpoint 2 are in the middle. */
const ROW = 'WHERE activity_id = 2';
const EDITS: Readonly<Record<string, readonly [edit: string, undo: string]>> = {
  at_ms: [`UPDATE activity SET at_ms = at_ms + 1 ${ROW}`, `UPDATE activity SET at_ms = at_ms - 1 ${ROW}`],
  kind: [`UPDATE activity SET kind = 'decision' ${ROW}`, `UPDATE activity SET kind = 'call' ${ROW}`],
  credential_id: [
    `UPDATE activity SET credential_id = NULL ${ROW}`,
    `UPDATE activity SET credential_id = (SELECT credential_id FROM credentials) ${ROW}`,
  ],
  tool: [`UPDATE activity SET tool = NULL ${ROW}`, `UPDATE activity SET tool = 'list_unread' ${ROW}`],
  outcome: [`UPDATE activity SET outcome = 'empty' ${ROW}`, `UPDATE activity SET outcome = 'ok' ${ROW}`],
  approval_id: [
    `UPDATE activity SET approval_id = 'a' ${ROW}`,
    `UPDATE activity SET approval_id = NULL ${ROW}`,
  ],
  duration_ms: [`UPDATE activity SET duration_ms = 13 ${ROW}`, `UPDATE activity SET duration_ms = 12 ${ROW}`],
  shown: [`UPDATE activity SET shown = '["x"]' ${ROW}`, `UPDATE activity SET shown = '[]' ${ROW}`],
  listed: [`UPDATE activity SET listed = '["x"]' ${ROW}`, `UPDATE activity SET listed = '[]' ${ROW}`],
  activity_id: [
    `UPDATE activity SET activity_id = 0 ${ROW}`,
    'UPDATE activity SET activity_id = 2 WHERE activity_id = 0',
  ],
  'the order': [
    `UPDATE activity SET activity_id = 90 ${ROW};
     UPDATE activity SET activity_id = 2 WHERE activity_id = 3; UPDATE activity SET activity_id = 3 WHERE activity_id = 90`,
    `UPDATE activity SET activity_id = 90 ${ROW};
     UPDATE activity SET activity_id = 2 WHERE activity_id = 3; UPDATE activity SET activity_id = 3 WHERE activity_id = 90`,
  ],
  'a deleted checkpoint': [
    'UPDATE checkpoints SET number = -2 WHERE number = 2',
    'UPDATE checkpoints SET number = 2 WHERE number = -2',
  ],
  'a signature': [
    "UPDATE checkpoints SET signature = 'x' || signature WHERE number = 2",
    'UPDATE checkpoints SET signature = substr(signature, 2) WHERE number = 2',
  ],
  'a deleted row': [`DELETE FROM activity ${ROW}`, ''],
};

for (const { name, open, missing } of editedStores()) {
  describe.skipIf(missing.length > 0)(
    titledWithout([...missing], `activity that was changed in ${name}`),
    () => {
      it('shows, whatever was changed, and does not when it is changed back', async () => {
        const { connect, sql } = await open();
        const storage = connect();
        onTestFinished(() => storage.close());
        const key = await addOwnerAndKey(storage);
        const { ownerId } = key;
        for (const minutes of [0, 30, 61, 125]) {
          const now = at(minutes * 60_000);
          await storage.finish({ caller: key, slotId: 's', claim: null, activity: activity(key), now });
          await storage.addCheckpoints({ ownerId, limit: 10, signer: SIGNER, now });
        }
        const faults = async () => (await checkActivity(storage, ownerId, SIGNER, at(0))).faults.length;
        expect(await storage.checkpoints(ownerId)).toHaveLength(3);
        expect(await faults()).toBe(0);
        for (const [what, [edit, undo]] of Object.entries(EDITS)) {
          await sql(edit);
          expect({ what, isFound: (await faults()) > 0 }).toEqual({ what, isFound: true });
          if (undo === '') continue;
          await sql(undo);
          expect({ what, faults: await faults() }).toEqual({ what, faults: 0 });
        }
      });
    },
  );
}
