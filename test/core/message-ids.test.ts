import { describe, expect, it } from 'vitest';
import type { ListedMessage } from '../../core/mail/listed-message.ts';
import type { MailCall } from '../../core/ports/mail.ts';
import { answerOf, detailsOf, firstId, idsIn, letter, openScene, resultOf } from './scene.ts';

const CALLS: [tool: string, args: (id: string) => object][] = [
  ['get_email', (id) => ({ id })],
  ['get_thread', (id) => ({ id })],
  ['list_attachments', (id) => ({ id })],
  ['read_attachment', (id) => ({ id, index: 0 })],
  ['forward_email', (id) => ({ id, to: ['ada@example.org'] })],
  ['archive_email', (id) => ({ id })],
  ['delete_email', (id) => ({ ids: [id] })],
  ['move_email', (id) => ({ id, target_folder: 'Archive' })],
  ['label_email', (id) => ({ id, label: 'Label' })],
  ['mark_unread', (id) => ({ id })],
  ['flag_email', (id) => ({ ids: [id] })],
  ['send_reply', (id) => ({ id, body: 'Text' })],
  ['mark_read', (id) => ({ id })],
  ['mark_read', (id) => ({ ids: [id] })],
];

describe.each(CALLS)('an id given to %s', (tool, argsFor) => {
  it('that was not issued here is invalid; one of another owner is not found', async () => {
    const scene = await openScene();
    const key = await scene.addKey('full');
    const id = await firstId(key);
    const { ownerId } = await scene.service.owners.create({ email: 'eve@example.org' });
    await scene.service.accounts.connect({ ownerId, email: 'eve@example.org', settings: {} });
    const theirs = await scene.service.keys.create({ ownerId, name: 'eve', preset: 'full' });
    const { outcome } = await answerOf(scene, theirs, tool, argsFor(id));
    expect(detailsOf(outcome)).toEqual({ code: 'not_found', reason: 'message' });
    const otherCheck = `${id.slice(0, -1)}${(Number(id.at(-1)) + 1) % 10}`;
    for (const forged of ['m1_A', `m1_${'A'.repeat(160)}`, `${id}A`, otherCheck, `x${id}`, '']) {
      expect(detailsOf(await key.call(tool, argsFor(forged)))).toEqual({ code: 'invalid_message_id' });
    }
  });
});

/** The same mailbox with a new uidValidity for its inbox, as after the server rebuilt it. Uids start again. */
function rebuilt(row: ListedMessage): ListedMessage {
  return { ...row, place: { ...row.place, uidValidity: '999', uid: row.place.uid + 100 } };
}

describe('a message that is no longer where its id says', () => {
  async function open(samples = [letter('1'), letter('2')]) {
    let moved = false;
    const scene = await openScene({
      samples: () => samples,
      mailAs: (mail) => ({
        ...mail,
        async row(call: MailCall, place) {
          if (!moved) return mail.row(call, place);
          if (place.uidValidity !== '999') return undefined;
          const page = await mail.list(call, {
            path: place.path,
            unread: false,
            order: 'uid',
            after: undefined,
            limit: 50,
          });
          return page.rows.map(rebuilt).find((row) => row.place.uid === place.uid);
        },
        async find(call: MailCall, wanted) {
          const rows = await mail.find(call, wanted);
          return moved ? rows.map(rebuilt) : rows;
        },
        async setFlag(call: MailCall, place, flag, on, start) {
          if (!moved) return mail.setFlag(call, place, flag, on, start);
          const [row] = (
            await mail.list(call, {
              path: place.path,
              unread: false,
              order: 'uid',
              after: undefined,
              limit: 50,
            })
          ).rows.filter((one) => one.place.uid === place.uid - 100);
          if (row === undefined) throw new Error('the wrong message would have been changed');
          return mail.setFlag(call, row.place, flag, on, start);
        },
      }),
    });
    return {
      scene,
      move() {
        moved = true;
      },
    };
  }

  it('is found again by a unique match, and only that one is changed', async () => {
    const { scene, move } = await open();
    const key = await scene.addKey('full');
    const ids = await idsIn(key);
    move();
    const [id = ''] = ids;
    expect(resultOf(await key.call('mark_read', { id }))).toMatchObject({
      id,
      state: 'read',
      matches_request: true,
    });
  });

  it('is not found if two messages match', async () => {
    const twin = letter('twin', { subject: 'Twin' });
    const { scene, move } = await open([twin, twin]);
    const key = await scene.addKey('full');
    const ids = await idsIn(key);
    expect(new Set(ids).size).toBe(2);
    move();
    for (const id of ids) {
      expect(detailsOf(await key.call('mark_read', { id }))).toEqual({
        code: 'not_found',
        reason: 'message',
      });
    }
  });
});

describe('an id', () => {
  it('is the same each time the message is listed', async () => {
    const scene = await openScene();
    const key = await scene.addKey('full');
    const before = await idsIn(key);
    await key.call('mark_read', { ids: before });
    expect(await idsIn(await scene.addKey('read'))).toEqual(before);
  });
});
