import { describe, expect, it } from 'vitest';
import { approvalOf, FRIEND, idsIn, letter, openScene, STRANGER } from '../scene.ts';

const LINK = 'https://portal.overflow.example/login';
const many = (count: number, one: (n: number) => string) =>
  Array.from({ length: count }, (_, n) => one(n)).join('\n');

/** An agent has read a stranger's mail with this text, and a link below it. */
async function openedAfter(text: string) {
  const scene = await openScene({
    samples: () => [letter('1', { from: STRANGER, text: `${text}\n\n${LINK}\n` }), letter('2')],
  });
  const key = await scene.addKey('full', { 'mail:send': 'direct' });
  const [first = ''] = (await idsIn(key)).toReversed();
  const read = await key.call('get_email', { id: first });
  expect(read.status).toBe('ok');
  const send = (body: string) => key.call('send_email', { to: [FRIEND], subject: 'Hello', body });
  return { scene, send };
}

it.each([
  ['hundreds of quotations', many(200, (n) => `> a${n}\nb${n}`)],
  ['hundreds of signatures', many(200, (n) => `-- \na${n}`)],
])('a mail with %s keeps its link in the record', async (_what, text) => {
  const { scene, send } = await openedAfter(text);
  const { id } = approvalOf(await send(`Look: ${LINK}`));
  const view = await scene.service.approvals.show(scene.ownerId, id);
  expect(view?.findings.map(({ rule, severity }) => [severity, rule])).toEqual([['red', 'from_stranger']]);
});

it('a conversation of 50 messages with a quotation each is recorded whole', async () => {
  const quote = (n: number) => `On 4 May 2026 at 10:00, B <b@b.example> wrote:\n> See ${n}@b.example\n`;
  const samples = Array.from({ length: 50 }, (_, n) =>
    letter(`t${n}`, {
      from: STRANGER,
      minutesAgo: 500 - n,
      thread: Array.from({ length: n }, (_, before) => `t${before}`),
      text: `Own ${n}@a.example\n\n${quote(n)}\n`,
    }),
  );
  const scene = await openScene({ samples: () => samples });
  const key = await scene.addKey('full');
  const [id = ''] = await idsIn(key);
  expect(await key.call('get_thread', { id, limit: 50 })).toMatchObject({ result: { returned: 50 } });
  const send = { to: [FRIEND], subject: 'Hello', body: `Look: ${LINK}` };
  const approval = approvalOf(await key.call('send_email', send));
  const view = await scene.service.approvals.show(scene.ownerId, approval.id);
  expect(view?.findings.map(({ rule }) => rule)).not.toContain('reads_not_compared');
});

it('a send of more numbers than are compared waits', async () => {
  const { scene, send } = await openedAfter('Hello');
  const { id } = approvalOf(await send(Array.from({ length: 6000 }, (_, n) => n + 1000).join(' ')));
  const view = await scene.service.approvals.show(scene.ownerId, id);
  expect(view?.findings.map(({ rule }) => rule)).toContain('reads_not_compared');
});

/** Its link has no room in the record of the read. */
describe('a mail with thousands of addresses', () => {
  const opened = () => openedAfter(many(5200, (n) => `!${n.toString(36)}@b.cc`));

  it.each([
    ['a link', `Look: ${LINK}`],
    ['an address', 'Write to desk@overflow.example.'],
    ['an account number', 'Pay to DE02 1203 0000 0000 2020 51.'],
  ])('makes a direct send with %s wait', async (_what, body) => {
    const { scene, send } = await opened();
    const { id } = approvalOf(await send(body));
    const view = await scene.service.approvals.show(scene.ownerId, id);
    expect(view?.findings.map(({ rule }) => rule)).toContain('reads_not_compared');
  });

  it('does not hold a send that states nothing', async () => {
    const { send } = await opened();
    expect(await send('See you on Monday.')).toMatchObject({ status: 'ok', executed: true });
  });
});
