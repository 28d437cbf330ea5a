import { describe, expect, it } from 'vitest';
import { PRESETS } from '../../../core/keys/permissions.ts';
import { callWith } from '../../open-service.ts';
import { assistantPage } from './assistant-page.ts';
import { type Dashboard, openDashboard } from './open-dashboard.ts';

/** The integrations page, without a browser. */
async function openAgents() {
  const dashboard = await openDashboard();
  const cookie = await dashboard.cookie();
  const get = async (path: string) => (await dashboard.send({ path, headers: { cookie } })).body;
  const submit = (path: string, form: Record<string, string>) =>
    dashboard.submit({ path, headers: { cookie }, form });
  return { dashboard, path: `/integrations/${dashboard.key.keyId}`, get, submit };
}

/** Removes the tags, and joins white space. */
function textOf(html: string): string {
  const [, main = ''] = /<main[^>]*>(.*)<\/main>/s.exec(html) ?? [];
  return main.replaceAll(/<[^>]*>/g, '').replaceAll(/\s+/g, ' ');
}

/** The hidden fields of the form with this label. */
function fieldsOf(html: string, label: string): Record<string, string> {
  const [form = ''] = new RegExp(`<form[^>]*aria-label="${label}".*?</form>`, 's').exec(html) ?? [];
  const fields = [...form.matchAll(/<input type="hidden" name="([^"]+)" value="([^"]*)"/g)];
  return Object.fromEntries(fields.map(([, name = '', value = '']) => [name, value]));
}

const live = async ({ service, ownerId }: Dashboard) =>
  (await service.keys.list(ownerId)).filter(({ revokedAt }) => revokedAt === null);

const NEW = { name: 'Assistant', preset: 'full', days: '90' };

describe('a card', () => {
  it('says what the key may do, when it was used and how much waits', async () => {
    const { dashboard, get } = await openAgents();
    const unused = textOf(await get('/integrations'));
    expect(unused).toContain('It reads mail, the calendar and trackers. On its own, it marks mail as read');
    expect(unused).toContain('It asks you before it sends new mail, replies to mail');
    expect(unused).toContain('not used in the last 90 days · nothing waits for you');
    await dashboard.ask({});
    await dashboard.ask({ subject: 'Another' });
    const used = textOf(await get('/integrations'));
    expect(used).toMatch(/last used .* \(what it did\) · 2 requests wait for you/);
  });
});

describe('the form of a new key', () => {
  it('says what each preset contains', async () => {
    const { get } = await openAgents();
    const page = textOf(await get('/integrations'));
    for (const { title } of Object.values(PRESETS)) expect(page).toContain(`${title}It reads mail`);
  });

  it('creates one key and rotates it once, however often it is sent', async () => {
    const { dashboard, get, submit } = await openAgents();
    const { service } = dashboard;
    await service.keys.revoke(dashboard.ownerId, dashboard.key.keyId);
    const form = { ...fieldsOf(await get('/integrations'), 'Create key'), ...NEW };
    const created = await Promise.all([1, 2, 3].map(() => submit('/integrations', form)));
    expect(created.map(({ status }) => status).toSorted()).toEqual([200, 409, 409]);
    expect(textOf(created.find(({ status }) => status === 409)?.body ?? '')).toContain('Nothing was done');
    const [key, ...others] = await live(dashboard);
    expect(others).toEqual([]);

    const path = `/integrations/${key?.credentialId}/rotate`;
    const seen = /name="seen" value="(\d+)"/.exec(await get(path))?.[1] ?? '';
    const rotated = await Promise.all([1, 2, 3].map(() => submit(path, { seen })));
    expect(rotated.filter(({ status }) => status === 200)).toHaveLength(1);
    expect((await submit(path, { seen })).status).toBe(409);
    const keys = [...created, ...rotated].flatMap(
      ({ body }) => /id="api-key">(svc_pat_\w+)</.exec(body)?.[1] ?? [],
    );
    expect(keys).toHaveLength(2);
    for (const apiKey of keys)
      expect(await callWith(service, apiKey, 'get_me')).toMatchObject({ status: 'ok' });
    // Another form is another key.
    expect(
      (await submit('/integrations', { ...fieldsOf(await get('/integrations'), 'Create key'), ...NEW }))
        .status,
    ).toBe(200);
    expect(await live(dashboard)).toHaveLength(2);
  });
});

describe('a form', () => {
  it('asks once more before a program may do things that are hard to undo without asking', async () => {
    const { dashboard, path, submit } = await openAgents();
    const modeOf = async () => (await live(dashboard)).map(({ modes }) => modes['mail:send']);
    const changes = { 'mail:send': 'direct', 'mail:reply': 'direct', 'mail:organize': 'off' };
    const asked = await submit(`${path}/modes`, changes);
    expect(asked.status).toBe(200);
    expect(textOf(asked.body)).toContain('Send new mailReply to mail');
    expect(await modeOf()).toEqual(['approval']);
    const confirmed = fieldsOf(asked.body, 'Without asking');
    expect(confirmed).toMatchObject({ ...changes, direct_confirmed: 'mail:send,mail:reply' });
    // The confirmation counts only for these groups.
    const more = await submit(`${path}/modes`, { ...confirmed, 'calendar:write': 'direct' });
    expect(textOf(more.body)).toContain('Change the calendar');
    expect(await modeOf()).toEqual(['approval']);
    expect((await submit(`${path}/modes`, confirmed)).status).toBe(303);
    expect(await modeOf()).toEqual(['direct']);
    // What it had before is not asked about again, nor is what is easy to undo.
    expect((await submit(`${path}/modes`, { 'mail:send': 'direct', 'mail:organize': 'direct' })).status).toBe(
      303,
    );

    const created = await submit('/integrations', { ...NEW, 'calendar:write': 'direct' });
    expect(textOf(created.body)).toContain('Assistant will do this on its own.');
    expect(await live(dashboard)).toHaveLength(1);
    const again = fieldsOf(created.body, 'Without asking');
    expect((await submit('/integrations', again)).body).toContain('id="api-key"');
    expect((await live(dashboard)).map(({ modes }) => modes['calendar:write'])).toContain('direct');
  });

  it('asks the same before an assistant is let in that way', async () => {
    const { dashboard, get, submit } = await openAgents();
    const path = await assistantPage(dashboard);
    const consent = { ...fieldsOf(await get(path), 'Sign-in'), preset: 'full', days: '7' };
    const asked = await submit(`${path}/allow`, { ...consent, 'mail:reply': 'direct' });
    expect(textOf(asked.body)).toContain('will do this on its own.');
    expect(await live(dashboard)).toHaveLength(1);
    const allowed = await submit(`${path}/allow`, fieldsOf(asked.body, 'Without asking'));
    expect(textOf(allowed.body)).toContain('You have let the assistant in.');
  });

  it('that revokes a key says first what that does', async () => {
    const { dashboard, path, get, submit } = await openAgents();
    const id = await dashboard.ask({});
    const page = textOf(await get(`${path}/revoke`));
    expect(page).toContain('Its waiting request is cancelled.');
    expect(page).toContain('This cannot be undone.');
    expect(await live(dashboard)).toHaveLength(1);
    expect((await submit(`${path}/revoke`, {})).status).toBe(303);
    expect((await dashboard.service.approvals.show(dashboard.ownerId, id))?.approval.state).toBe('cancelled');
    for (const gone of ['revoke', 'rotate', 'first-call']) {
      expect(textOf(await get(`${path}/${gone}`))).toContain('Not found');
    }
  });
});
