import { expect, it } from 'vitest';
import { isRecord } from '../../core/contract/result.ts';
import { CATALOGUE } from '../../core/tools/catalogue.ts';
import { isWrite } from '../../core/tools/define-tool.ts';
import { approvalIn, doorOf, expectFailure, LOST, refusedFields, resultIn } from './door.ts';
import { section } from './sections.ts';

// What the notes add: every write may say why the agent asks.

const door = doorOf();

async function purposeOf(id: string): Promise<string | null | undefined> {
  const { service, ownerId } = door().server;
  return (await service.approvals.show(ownerId, id))?.purpose;
}

section('Notes: What we add', () => {
  it('every write tool takes a purpose, and no other tool does', () => {
    for (const tool of CATALOGUE) {
      const { properties } = tool.inputSchema;
      const takes = isRecord(properties) && Object.hasOwn(properties, 'purpose');
      expect([tool.name, takes]).toEqual([tool.name, isWrite(tool)]);
    }
  });

  it('a purpose is kept with the request for the owner, and the agent does not read it back', async () => {
    const { call, letter } = door();
    const purpose = 'Maya asked for the numbers.';
    const filed = await call('POST', '/v1/messages', { body: letter({ purpose }) });
    expect(filed).toMatchObject({ status: 202 });
    expect(filed.text).not.toContain(purpose);
    const { id } = approvalIn(filed);
    expect(await purposeOf(id)).toBe(purpose);
    expect((await call('GET', `/v1/approvals/${id}`)).text).not.toContain(purpose);
  });

  it.each(['archive', 'trash', 'mark-read', 'flag'])(
    'POST …/%s takes a purpose in its body',
    async (path) => {
      const { call, deliver, key } = door();
      const asking = await key({ modes: { 'mail:organize': 'approval' } });
      const body = { purpose: 'Sorting the inbox.' };
      const filed = await call('POST', `/v1/messages/${await deliver()}/${path}`, { body, key: asking });
      expect(await purposeOf(approvalIn(filed).id)).toBe('Sorting the inbox.');
    },
  );

  it('so do DELETE and POST …/confirm of an event, and PATCH of a tracker', async () => {
    const { call } = door();
    const body = { purpose: 'It is over.' };
    for (const [method, path] of [
      ['DELETE', '/v1/events/999'],
      ['POST', '/v1/events/999/confirm'],
    ] as const) {
      expectFailure(await call(method, path, { body }), 404, 'not_found');
    }
    const { tracker_id: id } = resultIn(await call('POST', '/v1/trackers', { body: { title: 'Roof' } }));
    const resolved = await call('PATCH', `/v1/trackers/${id}`, { body: { ...body, status: 'resolved' } });
    expect(await purposeOf(approvalIn(resolved).id)).toBe('It is over.');
  });

  it('a key that writes at once keeps it with its plan; a light write without a plan accepts it', async () => {
    const { call, letter, key, deliver } = door();
    const direct = await key({ modes: { 'mail:send': 'direct' } });
    const sent = await call('POST', '/v1/messages', { body: letter({ purpose: 'At once.' }), key: direct });
    expect(sent).toMatchObject({ status: 200, json: { executed: true } });
    expect(await purposeOf(approvalIn(sent).id)).toBe('At once.');
    const path = `/v1/messages/${await deliver()}/mark-read`;
    expect(await call('POST', path, { body: { purpose: 'Read it.' } })).toMatchObject({ status: 200 });
  });

  it('the same request with another purpose is the same request', async () => {
    const { call, letter, deliver, reject, approve } = door();
    const body = letter({ purpose: 'One reason.' });
    const ask = (purpose?: string) => call('POST', '/v1/messages', { body: { ...body, purpose } });
    const { id } = approvalIn(await ask('One reason.'));
    expect(approvalIn(await ask('Another reason.')).id).toBe(id);
    expect(approvalIn(await ask()).id).toBe(id);
    expect(await purposeOf(id)).toBe('One reason.');

    await reject(id);
    expectFailure(await ask('A third reason.'), 409, 'previously_rejected');

    const path = `/v1/messages/${await deliver()}/archive`;
    const first = approvalIn(await call('POST', path, { body: { purpose: 'Old.' } }));
    const again = await call('POST', path, { body: { purpose: 'Done.' } });
    expectFailure(again, 409, 'pending_exists_for_target', { approval_id: first.id });

    const lost = letter({ to: [LOST] });
    const unknown = approvalIn(await call('POST', '/v1/messages', { body: { ...lost, purpose: 'One.' } }));
    await approve(unknown.id);
    const retry = await call('POST', '/v1/messages', { body: { ...lost, purpose: 'Two.' } });
    expect(approvalIn(retry)).toMatchObject({ id: unknown.id, state: 'outcome_unknown' });
  });

  it('a repeat with the same Idempotency-Key and another purpose gets the first answer', async () => {
    const { call, letter } = door();
    const body = letter();
    const ask = (purpose?: string) =>
      call('POST', '/v1/messages', { body: { ...body, purpose }, idempotencyKey: 'purpose-1' });
    const first = await ask('One reason.');
    for (const again of [await ask('Another reason.'), await ask()]) {
      expect([again.text, again.headers.get('idempotent-replayed')]).toEqual([first.text, 'true']);
    }
    const other = { ...body, body: 'Other words.', purpose: 'One reason.' };
    const reused = await call('POST', '/v1/messages', { body: other, idempotencyKey: 'purpose-1' });
    expectFailure(reused, 422, 'idempotency_key_reused');
  });

  it.each([
    ['', 'nothing'],
    ['p'.repeat(201), 'more than 200 characters'],
    ['two\nlines', 'a line break'],
    ['a\tb', 'a TAB'],
    ['\u0000', 'NUL'],
    ['\u009b31m', 'a control character'],
    ['\ud800', 'a lone surrogate'],
    [7, 'a number'],
  ])('a purpose like %j is refused: %s', async (purpose, _why) => {
    const { call, letter } = door();
    const answer = await call('POST', '/v1/messages', { body: letter({ purpose }) });
    expect(refusedFields(answer)).toEqual(['purpose']);
  });

  it('a purpose alone does not change an event', async () => {
    const answer = await door().call('PATCH', '/v1/events/1', { body: { purpose: 'Why not.' } });
    expect(refusedFields(answer)).toEqual(['event_id']);
  });
});
