import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { NoticeSender } from '../../../core/ports/notice-sender.ts';
import { MINUTE_MS } from '../../../core/time/durations.ts';
import { formToken } from '../../../hosts/dashboard/forms/csrf.ts';
import { provenNonce, readProofKey } from '../../../hosts/dashboard/forms/form-proof.ts';
import { anyGrapheme } from '../../any-character.ts';
import { sessionToken } from '../../session-token.ts';
import { assistantPage } from './assistant-page.ts';
import { addApp } from './authenticator-app.ts';
import { newBrowserKey } from './browser-key.ts';
import {
  type Dashboard,
  EMAIL,
  openDashboard,
  PASSWORD,
  type PlainAnswer,
  shownSince,
} from './open-dashboard.ts';

/** The form token, which anyone who has the cookie can compute. */
function tokenOf(cookie: string): string {
  return formToken(cookie.split('=')[1] ?? '');
}

const ASKS = 'name="owner_password"';

function nothingDone(answer: PlainAnswer): void {
  expect(answer.status).toBe(403);
  expect(answer.body).toContain('Nothing has been done yet.');
  expect(answer.body).toContain(ASKS);
}

const RECEIVER = 'https://hooks.example.org/countersign';

function addEndpoint({ service, ownerId, key }: Dashboard) {
  return service.webhooks.add({ ownerId, keyId: key.keyId, url: RECEIVER });
}

const PUSH_KEYS = {
  p256dh: 'BP4z9KsN6nGRTbVYI_c7VJSPQTBtkgcy27mlmlMoZIIgDll6e3vCYLocInmYWAmS6TlzAC8wEqKK6PBru3jl7A8',
  auth: 'BTBZMqHH6r4Tts7J_aSIgg',
};

async function addNtfy({ service, ownerId }: Dashboard): Promise<string> {
  const channel = { kind: 'ntfy', server: 'https://ntfy.sh', topic: 'mine', token: null } as const;
  const added = await service.notices.add(ownerId, channel);
  return added.kind === 'added' ? added.channelId : '';
}

/** Sends nothing. @param sent  what it was asked to send */
function silentNotices(sent: unknown[] = []): NoticeSender {
  return {
    kinds: ['push', 'ntfy', 'webhook', 'mail'],
    async send(target) {
      sent.push(target);
      return { kind: 'sent' };
    },
    close: async () => undefined,
  };
}

function endpointFields({ key }: Dashboard) {
  return { key: key.keyId, url: RECEIVER, types: 'approval.decided' };
}

/** The page finds its requests anew, so any name will do for a form that must not get through. */
const TOGETHER = 'a'.repeat(16);

/** Files a request that could be decided together with others. @returns the value of its field */
async function toArchive({ key, service, ownerId }: Dashboard): Promise<string> {
  const listed = await key.call('summarize_inbox', { limit: 50 });
  if (listed.status !== 'ok') throw new Error(JSON.stringify(listed));
  for (const { id } of listed.result.messages as { id: string }[]) {
    const asked = await key.call('archive_email', { id });
    if (asked.status !== 'pending_approval') continue;
    const view = await service.approvals.show(ownerId, asked.approval.id);
    return `${asked.approval.id}.${view?.approval.digest}`;
  }
  throw new Error('no message is left');
}

describe('a cookie alone, with the token derived from it', () => {
  /** Every form that changes something, with plausible fields. */
  const forms = async (dashboard: Dashboard) => {
    const id = await dashboard.ask({});
    await dashboard.key.call('create_tracker', { title: 'Fence' });
    await dashboard.key.call('add_tracker_note', { tracker_id: 1, note: 'Green' });
    const [summary] = (await dashboard.service.approvals.list(dashboard.ownerId, { state: 'open', limit: 1 }))
      .approvals;
    const { sessionId } = dashboard.browserOf(await dashboard.cookie());
    const key = `/integrations/${dashboard.key.keyId}`;
    const channel = `/settings/notices/${await addNtfy(dashboard)}`;
    await addApp(dashboard, dashboard.ownerId);
    const another = await dashboard.service.secondSteps.newApp(dashboard.ownerId);
    const endpoint = `/integrations/webhooks/${(await addEndpoint(dashboard)).endpointId}`;
    return [
      [`/approvals/${id}/approve`, { digest: summary?.approval.digest ?? '' }],
      [
        `/approvals/${id}/change`,
        { digest: summary?.approval.digest ?? '', to: 'eve@example.org', subject: 'x', text: 'y' },
      ],
      [`/approvals/${id}/again`, {}],
      [`/approvals/${id}/reject`, {}],
      [`/approvals/${id}/reject/suspicious`, { note: 'no' }],
      [`/approvals/together/${TOGETHER}/approve`, { member: await toArchive(dashboard) }],
      [`/approvals/together/${TOGETHER}/reject`, { member: await toArchive(dashboard) }],
      ['/accounts', { email: 'work@example.org', password: 'hunter2' }],
      ['/accounts/find', { email: 'work@example.org' }],
      ['/accounts/password', { email: 'work@example.org' }],
      ['/accounts/1/check', {}],
      ['/accounts/1/password', { password: 'hunter2' }],
      ['/accounts/1/edit', { display_name: 'Eve', signature: 'x', label: 'y' }],
      ['/accounts/sign-in/google', { email: 'work@example.org' }],
      ['/accounts/1/sign-in', {}],
      ['/accounts/1/activate', {}],
      ['/accounts/1/folders', { sent: 'none' }],
      ['/accounts/1/senders', { authserv_id: 'mx.evil.example' }],
      ['/accounts/1/index', {}],
      ['/accounts/1/index/off', {}],
      ['/accounts/1/calendar', { calendar: 'Calendar' }],
      ['/accounts/1/remove', {}],
      ['/integrations', { name: 'mine', preset: 'full', days: '90' }],
      [`${key}/rotate`, {}],
      [`${key}/revoke`, {}],
      [`${key}/modes`, { 'mail:send': 'direct' }],
      [`${key}/pause`, {}],
      [`${key}/resume`, {}],
      [`${key}/fences`, { fence_recipients: 'evil.example' }],
      [`${key}/withdraw`, {}],
      [`${await assistantPage(dashboard)}/allow`, { preset: 'full', days: '180' }],
      ['/integrations/webhooks', endpointFields(dashboard)],
      [`${endpoint}/test`, {}],
      [`${endpoint}/rotate`, {}],
      [`${endpoint}/enable`, {}],
      [`${endpoint}/remove`, {}],
      [`${endpoint}/redeliver`, { sequence: '1' }],
      ['/trackers', { request: 'r', title: 'Forged' }],
      ['/trackers/1/edit', { was_title: 'Fence', title: 'Forged' }],
      ['/trackers/1/status', { status: 'resolved' }],
      ['/trackers/1/notes', { request: 'r', text: 'Forged' }],
      ['/trackers/1/link', { event: '1' }],
      ['/trackers/1/unlink', { link: '1', seen: '0' }],
      [`/settings/sessions/${sessionId}/end`, {}],
      ['/settings/sessions/end-others', {}],
      ['/settings/notices', { delay: '60', quiet_from: '00:00', quiet_to: '23:59' }],
      ['/settings/notices/push', { endpoint: RECEIVER, ...PUSH_KEYS }],
      ['/settings/notices/ntfy', { server: 'https://ntfy.sh', topic: 'mine' }],
      ['/settings/notices/webhook', { url: RECEIVER }],
      ['/settings/notices/mail', { address: 'thief@example.org' }],
      [`${channel}/confirm`, { code: '000000' }],
      [`${channel}/test`, {}],
      [`${channel}/remove`, {}],
      ['/settings/authenticator', {}],
      ['/settings/authenticator/add', { setup: another.setup, code: '000000' }],
      ['/settings/authenticator/remove', {}],
      ['/settings/time-zone', { timezone: 'Asia/Tokyo' }],
      ['/settings/date-language', { language: 'tr' }],
      ['/settings/plans-kept', { days: '7' }],
      ['/settings/proof-for', { level: 'always' }],
      ['/settings/export', {}],
      ['/settings/password', { new_password: PASSWORD, new_password_again: PASSWORD }],
      ['/settings/remove', { typed_email: EMAIL }],
      ['/settings/passkeys', { new_passkey: '{}', passkey_name: 'Forged' }],
      ['/settings/passkeys/one/remove', {}],
      ['/settings/passkeys/one/rename', { passkey_name: 'Forged' }],
      ['/settings/access-changes', { until: '9999999999999' }],
      ['/settings/recovery-codes', {}],
      ['/sign-out', {}],
    ] as [path: string, form: Record<string, string>][];
  };

  /** Everything that a form could have changed. */
  const stateOf = async ({ service, ownerId, mail }: Dashboard) => ({
    keys: await service.keys.list(ownerId),
    accounts: await service.accounts.list(ownerId),
    secondStep: await service.secondSteps.show(ownerId),
    health: await service.accounts.health(ownerId),
    owner: await service.owners.byId(ownerId),
    sessions: (await service.sessions.list(ownerId)).map(({ id }) => id).toSorted(),
    approvals: (await service.approvals.list(ownerId, { state: 'all', limit: 100 })).approvals,
    endpoints: await service.webhooks.list(ownerId),
    notices: [await service.notices.settings(ownerId), await service.notices.list(ownerId)],
    deliveries: await service.webhooks.deliveries(ownerId, 'wh_1', { limit: 10 }),
    trackers: await service.trackers.list(ownerId, { state: 'active', limit: 10 }),
    links: await service.trackers.show(ownerId, 1, { limit: 10 }),
    sent: mail.transmitted().length,
  });

  it('changes nothing through any form, with any forged proof', async () => {
    const looked: string[] = [];
    const notices: unknown[] = [];
    const dashboard = await openDashboard({
      noticeSender: silentNotices(notices),
      connect: {
        settings: (fields) => fields,
        async discover(email) {
          looked.push(email);
          return { kind: 'nothing', tried: [] };
        },
      },
    });
    const cookie = await dashboard.cookie();
    const origin = dashboard.url;
    const all = await forms(dashboard);
    const before = await stateOf(dashboard);
    const other = await newBrowserKey();
    const { sessionId } = dashboard.browserOf(cookie);
    for (const [path, form] of all) {
      const token = tokenOf(cookie);
      const fields = { form_token: token, ...shownSince(path, token, Date.now() - MINUTE_MS), ...form };
      // With a key of the thief's own that nobody vouched for.
      const strange = await other.sign({ origin, sessionId, path, fields });
      for (const form_proof of [undefined, '', 'made-up', strange]) {
        const proof = form_proof === undefined ? {} : { form_proof, proof_key: other.publicKey };
        const headers = { cookie, origin, 'sec-fetch-site': 'same-origin' };
        nothingDone(await dashboard.send({ path, headers, form: { ...fields, ...proof } }));
      }
    }
    expect(await stateOf(dashboard)).toEqual(before);
    expect(looked).toEqual([]);
    expect(notices).toEqual([]);
  });

  it('is tried on every form', async () => {
    const dashboard = await openDashboard({ noticeSender: silentNotices() });
    const folder = join(import.meta.dirname, '../../../hosts/dashboard');
    const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) =>
      name.endsWith('routes.ts'),
    );
    const source = files.map((name) => readFileSync(join(folder, name), 'utf8')).join('\n');
    // Forms that only show what was entered change nothing.
    const changing = source.match(/\bdemand: (?!'view')/g) ?? [];
    expect(await forms(dashboard)).toHaveLength(changing.length);
  });
});

describe('a signed form', () => {
  /** The page of a key, and the form that revokes it. */
  async function signedForm() {
    const dashboard = await openDashboard();
    const cookie = await dashboard.cookie();
    const { key, sessionId } = dashboard.browserOf(cookie);
    const path = `/integrations/${dashboard.key.keyId}/modes`;
    const fields = { form_token: tokenOf(cookie), 'mail:read': 'off' };
    const form_proof = await key.sign({ origin: dashboard.url, sessionId, path, fields });
    const send = (form: Record<string, string>, to = path, headers: Record<string, string> = {}) =>
      dashboard.send({ path: to, headers: { cookie, ...headers }, form });
    return { dashboard, cookie, key, sessionId, path, fields, form_proof, send };
  }

  it('counts once, and only with its own path and fields', async () => {
    const { dashboard, path, fields, form_proof, send } = await signedForm();
    const form = { ...fields, form_proof };
    nothingDone(await send({ ...form, 'mail:read': 'on' }));
    nothingDone(await send({ ...form, 'mail:send': 'direct' }));
    nothingDone(await send(form, `/integrations/${dashboard.key.keyId}/revoke`));
    nothingDone(await send(form, `${path}?notice=modes_saved`));
    nothingDone(await send({ form_proof, 'mail:read': 'off', form_token: fields.form_token }));
    expect((await send(form)).headers.location).toBe('/integrations?notice=modes_saved');
    nothingDone(await send(form));
  });

  it('counts once if it is sent three times at once', async () => {
    const { send, fields, form_proof } = await signedForm();
    const form = { ...fields, form_proof };
    const answers = await Promise.all([send(form), send(form), send(form)]);
    expect(answers.map(({ status }) => status).toSorted()).toEqual([303, 403, 403]);
  });

  it('is not valid for another session of the same browser key or another host name', async () => {
    const { dashboard, cookie, fields, form_proof, key, send, path, sessionId } = await signedForm();
    const { port } = new URL(dashboard.url);
    for (const host of [`localhost:${port}`, `countersign.localhost:${port}`]) {
      nothingDone(await send({ ...fields, form_proof }, path, { host, origin: `http://${host}` }));
    }
    const from = { address: '192.0.2.1', device: undefined, browser: 'Firefox' };
    const signedIn = await dashboard.service.sessions.signIn({
      email: EMAIL,
      password: PASSWORD,
      ...from,
      proofKey: key.publicKey,
    });
    const other = cookie.replace(/=.*/, `=${sessionToken(signedIn)}`);
    const otherFields = { ...fields, form_token: tokenOf(other) };
    const proof = await key.sign({ origin: dashboard.url, sessionId, path, fields: otherFields });
    nothingDone(await send({ ...otherFields, form_proof: proof }, path, { cookie: other }));
  });

  it('is not valid after its session has ended', async () => {
    const { dashboard, sessionId, fields, form_proof, send } = await signedForm();
    await dashboard.service.sessions.end(dashboard.ownerId, sessionId);
    const answer = await send({ ...fields, form_proof });
    expect(answer).toMatchObject({ status: 303, headers: { location: '/sign-in' } });
    const [key] = await dashboard.service.keys.list(dashboard.ownerId);
    expect(key?.modes['mail:read']).toBe('on');
  });
});

describe('provenNonce', () => {
  const form = { origin: 'http://127.0.0.1:8788', sessionId: 'ses_1', path: '/sign-out' };
  const texts = fc.dictionary(fc.string({ minLength: 1 }), fc.string({ unit: anyGrapheme }), { maxKeys: 4 });

  it('accepts what the browser signed, with line breaks as browsers send them', async () => {
    const key = await newBrowserKey();
    await fc.assert(
      fc.asyncProperty(texts, async (fields) => {
        const proof = await key.sign({ ...form, fields, nonce: 'n'.repeat(22) });
        const sent = Object.entries(fields).map(
          ([name, value]) => [name, value.replace(/\r\n|\r|\n/g, '\r\n')] as const,
        );
        expect(provenNonce({ ...form, fields: sent }, key.publicKey, proof)).toBe('n'.repeat(22));
      }),
    );
  });

  it('rejects any other part, order or key', async () => {
    const [key, other] = [await newBrowserKey(), await newBrowserKey()];
    const fields = { a: '1', b: '2' };
    const pairs = Object.entries(fields);
    const proof = await key.sign({ ...form, fields });
    const fits = (changes: Partial<Parameters<typeof provenNonce>[0]>, by = key.publicKey, shown = proof) =>
      provenNonce({ ...form, fields: pairs, ...changes }, by, shown) !== undefined;
    expect(fits({})).toBe(true);
    for (const changes of [
      { origin: 'http://127.0.0.1:3000' },
      { origin: 'http://localhost:8788' },
      { sessionId: 'ses_2' },
      { path: '/approvals' },
      { fields: pairs.toReversed() },
      { fields: pairs.slice(1) },
      { fields: [...pairs, ['c', '3']] as const },
      {
        fields: [
          ['a', '1'],
          ['b', '2 '],
        ] as const,
      },
      { fields: [['ab', '12']] as const },
    ]) {
      expect(fits(changes), JSON.stringify(changes)).toBe(false);
    }
    expect(fits({}, other.publicKey)).toBe(false);
    const [nonce = '', signature = ''] = proof.split('.');
    for (const shown of [
      '',
      nonce,
      `.${signature}`,
      `${'x'.repeat(22)}.${signature}`,
      `${nonce}.${'A'.repeat(86)}`,
      `${proof}A`,
      ` ${proof}`,
    ]) {
      expect(fits({}, key.publicKey, shown), shown).toBe(false);
    }
  });
});

describe('readProofKey', () => {
  it('accepts only a point of P-256', async () => {
    const { publicKey } = await newBrowserKey();
    expect(readProofKey(publicKey)).toBe(publicKey);
    const bytes = Buffer.from(publicKey, 'base64url');
    const changed = (at: number, to: number) => {
      const copy = Buffer.from(bytes);
      copy[at] = to;
      return copy.toString('base64url');
    };
    expect(readProofKey(null)).toBeNull();
    expect(readProofKey('')).toBeNull();
    expect(readProofKey(`${publicKey}=`)).toBeNull();
    expect(readProofKey(changed(0, 2))).toBeNull();
    expect(readProofKey(changed(64, (bytes[64] ?? 0) ^ 1))).toBeNull();
    expect(readProofKey(Buffer.alloc(65, 4).toString('base64url'))).toBeNull();
  });
});
