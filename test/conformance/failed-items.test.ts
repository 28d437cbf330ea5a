import { expect, it } from 'vitest';
import { isRecord } from '../../core/contract/result.ts';
import { MailError } from '../../core/ports/mail.ts';
import { CATALOGUE } from '../../core/tools/catalogue.ts';
import { approvalIn, expectFailure, ownDoor, refusedFields, resultIn } from './door.ts';
import { section } from './sections.ts';

// What the notes add: an answer about several messages may name only those that were not changed.

const BULK = [
  'archive_email',
  'delete_email',
  'move_email',
  'label_email',
  'mark_read',
  'mark_unread',
  'flag_email',
];

/** The second of its four messages cannot be flagged, and of the third it is not known. */
async function doorWithTrouble() {
  let first: number | undefined;
  const own = await ownDoor({
    plan: 'paid',
    mailAs: (mail) => ({
      ...mail,
      async setFlag(call, place, flag, on, start) {
        first ??= place.uid;
        if (place.uid === first + 1) throw new MailError('refused', 'no');
        if (place.uid === first + 2) throw new MailError('outcome_unknown', 'the line went dead');
        return mail.setFlag(call, place, flag, on, start);
      },
    }),
  });
  const ids = [await own.deliver(), await own.deliver(), await own.deliver(), await own.deliver()];
  return { own, ids, counts: { asked: 4, done: 2, failed: 1, unknown: 1 } };
}

section('Notes: What we add', () => {
  it('changes of several messages, and get_approval, take items; no other tool does', () => {
    const taking = CATALOGUE.filter(
      ({ inputSchema: { properties } }) => isRecord(properties) && Object.hasOwn(properties, 'items'),
    );
    expect(taking.map(({ name }) => name).toSorted()).toEqual([...BULK, 'get_approval'].toSorted());
  });

  it('items: failed leaves only what was not done, beside counts: at once, and when it is asked again', async () => {
    const { own, ids, counts } = await doorWithTrouble();
    const [, refused, lost] = ids;
    const items = [
      { id: refused, account_id: 1, done: false, code: 'upstream_mail_error' },
      { id: lost, account_id: 1, done: false, code: 'outcome_unknown' },
    ];
    const again = { idempotencyKey: 'once-only-once-only' };
    const answer = await own.tool('flag_email', { ids, items: 'failed' }, again);
    expect(resultIn(answer)).toEqual({ items, counts });
    expect(resultIn(await own.tool('flag_email', { ids, items: 'failed' }, again))).toEqual({
      items,
      counts,
    });
    const whole = resultIn(await own.tool('flag_email', { ids, items: 'all' }));
    expect(whole.items).toHaveLength(4);
    expect(whole).not.toHaveProperty('counts');
  });

  it('of an approval: by get_approval, by its route, after a wait, and from the call itself if it ran at once', async () => {
    const { own, ids, counts } = await doorWithTrouble();
    const asking = await own.key({ modes: { 'mail:organize': 'approval' } });
    const filed = await own.tool('flag_email', { ids, items: 'failed' }, { key: asking });
    const { id } = approvalIn(filed);
    // It is the same request: how the answer is written does not matter.
    const same = await own.tool('flag_email', { ids }, { key: asking });
    expect(same.json).toMatchObject({ code: 'pending_exists_for_target' });
    const waiting = own.tool(
      'get_approval',
      { approval_id: id, wait_s: 20, items: 'failed' },
      { key: asking },
    );
    await own.approve(id);
    const answers = [
      await waiting,
      await own.tool('get_approval', { approval_id: id, items: 'failed' }, { key: asking }),
      await own.call('GET', `/v1/approvals/${id}?items=failed`, { key: asking }),
    ];
    for (const answer of answers) {
      const { result } = approvalIn(answer);
      expect(result).toMatchObject({ done: true, counts });
      expect(isRecord(result) && result.items).toHaveLength(2);
    }
    const { result } = approvalIn(await own.call('GET', `/v1/approvals/${id}`, { key: asking }));
    expect(isRecord(result) && result.items).toHaveLength(4);

    const direct = await own.key({ modes: { 'mail:manage': 'direct' } });
    const archived = await own.tool('archive_email', { ids, items: 'failed' }, { key: direct });
    const all = { asked: 4, done: 4, failed: 0, unknown: 0 };
    expect(approvalIn(archived).result).toEqual({ done: true, action: 'archive', items: [], counts: all });
  });

  it('of one message: the route takes it, and an answer without items has no counts', async () => {
    const { own, ids } = await doorWithTrouble();
    const [id] = ids;
    const answer = await own.call('POST', `/v1/messages/${id}/flag`, { body: { items: 'failed' } });
    expect(resultIn(answer)).toMatchObject({ id, state: 'flagged' });
    expect(resultIn(answer)).not.toHaveProperty('counts');
  });

  it('anything else is refused', async () => {
    const { own, ids } = await doorWithTrouble();
    for (const items of ['some', 'FAILED', true, ['failed'], '']) {
      const refused = refusedFields(await own.tool('flag_email', { ids, items }));
      expect([...new Set(refused)]).toEqual(['items']);
    }
    expectFailure(await own.call('GET', '/v1/approvals/apr_1?items=done'), 400, 'invalid_arguments');
    expect(refusedFields(await own.tool('list_approvals', { items: 'failed' }))).toEqual(['items']);
  });
});
