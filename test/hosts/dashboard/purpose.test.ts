import { describe, expect, it } from 'vitest';
import { approvalOf } from '../../core/scene.ts';
import { openDashboard } from './open-dashboard.ts';

const RLO = '\u202e';
const ZERO_WIDTH = '\u200b';

describe('why the program asks', () => {
  it('is on the page of the request as plain text, whatever it contains', async () => {
    const dashboard = await openDashboard();
    const cookie = await dashboard.cookie();
    const purpose = `See https://evil.example/x <a href="//evil.example">Approve</a> ${RLO}now${ZERO_WIDTH} ok”`;
    const letter = { to: ['ada@example.net'], subject: 'Hello', body: 'Hello Ada', purpose };
    const { id } = approvalOf(await dashboard.key.call('send_email', letter));
    const { body } = await dashboard.send({ path: `/approvals/${id}`, headers: { cookie } });
    const shown = /<p id="purpose">(.*?)<\/p>/s.exec(body)?.[1] ?? '';
    expect(shown).toBe(
      'The program says why it asks: “<bdi>See https://evil.example/x &lt;a href=&quot;//evil.example&quot;>Approve&lt;/a> ⟨U+202E⟩now⟨U+200B⟩ ok”</bdi>”',
    );
    const list = await dashboard.send({ path: '/approvals', headers: { cookie } });
    expect(list.body).toContain(id);
    expect(list.body).not.toContain('evil.example');
  });

  it('leaves no line if the program did not say', async () => {
    const dashboard = await openDashboard();
    const id = await dashboard.ask({});
    const headers = { cookie: await dashboard.cookie() };
    expect((await dashboard.send({ path: `/approvals/${id}`, headers })).body).not.toContain('id="purpose"');
  });
});
