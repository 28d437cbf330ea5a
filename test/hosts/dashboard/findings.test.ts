import { describe, expect, it } from 'vitest';
import { markedParts } from '../../../hosts/dashboard/marked-parts.ts';
import { type Dashboard, openDashboard } from './open-dashboard.ts';

async function pageOf(dashboard: Dashboard, id: string) {
  const cookie = await dashboard.cookie();
  const { body } = await dashboard.send({ path: `/approvals/${id}`, headers: { cookie } });
  const digest = /name="digest" value="([^"]+)"/.exec(body)?.[1] ?? '';
  const approve = (fields: Record<string, string>) =>
    dashboard.submit({ path: `/approvals/${id}/approve`, headers: { cookie }, form: { digest, ...fields } });
  return { body, approve };
}

const RISKY = 'Please sign in at https://bank.example@evil.example/ today.';

describe('the page of a request', () => {
  it('with a red finding takes a ticked box to approve, which the server checks', async () => {
    const dashboard = await openDashboard();
    const id = await dashboard.ask({ body: RISKY });
    const { body, approve } = await pageOf(dashboard, id);
    expect(body).toMatch(/<input type="checkbox" name="risk" value="confirmed" required[^>]*>/);
    // Rejecting does not need the box.
    expect(body).toMatch(/<button type="submit" class="outline secondary" formNoValidate[^>]*>/i);
    for (const fields of [{}, { risk: 'no' }]) {
      const refused = await approve(fields);
      expect(refused.status).toBe(409);
      expect(refused.body).toContain('tick the box first');
      expect(dashboard.mail.transmitted()).toHaveLength(0);
    }
    expect((await approve({ risk: 'confirmed' })).status).toBe(303);
    expect(dashboard.mail.transmitted()).toHaveLength(1);
  });

  it('highlights the evidence in the text, and each finding leads to it', async () => {
    const dashboard = await openDashboard();
    const id = await dashboard.ask({ body: RISKY });
    const { body } = await pageOf(dashboard, id);
    expect(body).toContain('<mark id="mark-1" data-severity="red">https://bank.example@evil.example/</mark>');
    expect(body).toMatch(/<li data-severity="red">.*?evil\.example.*?<a href="#mark-1">Show<\/a><\/li>/s);
  });

  it('counts the findings above a long text, and leads to each place', async () => {
    const dashboard = await openDashboard();
    const filler = 'More text. '.repeat(80);
    const long = `${RISKY}\n${filler}\nOr at https://bank.example@evil.example/ tomorrow.`;
    const { body } = await pageOf(dashboard, await dashboard.ask({ body: long }));
    const count = body.match(/<li data-severity=/g)?.length;
    expect(body).toContain(`<h2 id="findings-count">${count} findings</h2>`);
    for (const id of ['mark-1', 'mark-2']) expect(body).toContain(`<mark id="${id}"`);
    expect(body).toMatch(
      /evil\.example.*?<a href="#mark-1">Show<\/a> <a href="#mark-2" aria-label="Show place 2">2<\/a><\/li>/s,
    );
    const short = await pageOf(dashboard, await dashboard.ask({ body: RISKY }));
    expect(short.body).not.toContain('findings-count');
  });

  it('says how many bytes leave', async () => {
    const dashboard = await openDashboard();
    const { body, approve } = await pageOf(dashboard, await dashboard.ask({ body: 'Grüße, '.repeat(200) }));
    await approve({});
    const [sent = expect.fail()] = dashboard.mail.transmitted();
    const size = new Intl.NumberFormat('en').format(sent.raw.length);
    expect(body).toContain(`<dd id="message-size">${size} bytes, headers included</dd>`);
  });

  it('gives out the exact bytes, which get only their Date when they leave', async () => {
    const dashboard = await openDashboard();
    const { body, approve } = await pageOf(dashboard, await dashboard.ask({ body: 'Grüße' }));
    const [, path = ''] = /href="([^"]+message\.eml)"/.exec(body) ?? [];
    const headers = { cookie: await dashboard.cookie() };
    const download = await dashboard.send({ path, headers });
    expect(download.headers).toMatchObject({
      'content-type': 'message/rfc822',
      'content-disposition': expect.stringMatching(/^attachment; filename="apr_[\w-]+\.eml"$/) as unknown,
    });
    await approve({});
    const [sent = expect.fail()] = dashboard.mail.transmitted();
    expect(download.body).toBe(
      Buffer.from(sent.raw)
        .toString('utf8')
        .replace(/^Date: .*\r\n/m, ''),
    );
    expect((await dashboard.send({ path: '/approvals/apr_none/message.eml', headers })).status).toBe(404);
  });

  it('of a key that always asks shows that as a quiet line, and no finding', async () => {
    const dashboard = await openDashboard();
    const first = await pageOf(dashboard, await dashboard.ask({}));
    expect((await first.approve({})).status).toBe(303);
    const { body } = await pageOf(dashboard, await dashboard.ask({ body: 'Hello again' }));
    expect(body).toContain('<p class="quiet">This key asks before every action of this kind.</p>');
    expect(body).not.toContain('id="findings"');
    expect(body).not.toContain('name="risk"');
  });
});

describe('marked parts', () => {
  const finding = (severity: 'info' | 'amber' | 'red', from: number, to: number) => ({
    rule: 'r',
    severity,
    sentence: [],
    marks: [{ in: 'text' as const, from, to }],
  });

  it('join marks that overlap, as severe as the most severe', () => {
    const found = [
      finding('amber', 5, 9),
      finding('red', 8, 12),
      finding('info', 12, 14),
      finding('info', 0, 0),
    ];
    expect(markedParts(found, 'text')).toEqual([
      { id: 'mark-1', from: 5, to: 12, severity: 'red' },
      { id: 'mark-2', from: 12, to: 14, severity: 'info' },
    ]);
    expect(markedParts([finding('red', 0, 3), finding('amber', 1, 2)], 'text')).toMatchObject([
      { severity: 'red' },
    ]);
  });
});
