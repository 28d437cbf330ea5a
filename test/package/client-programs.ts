/**
 * The same small program on each generated client, by its generator. All print the same lines. What the generator wrote
 * lies beside it, as docs/agents.md says.
 */

/** What a program takes from outside, and what it prints. Types of Node are not among the packages. */
const HEAD = `
declare const process: { readonly env: Readonly<Record<string, string | undefined>> };
const { COUNTERSIGN_URL: baseUrl = '', COUNTERSIGN_KEY: key = '', COUNTERSIGN_SUBJECT: subject = '' } = process.env;
const body = { to: ['ada@example.org'], subject, body: 'Hello.' };
const wrong = { ...body, to: ['nobody'] };
`;

/** The second call has the same key, so it files nothing. */
const WAITS = `
const waiting = await send();
console.log('waits', waiting?.state, waiting?.tool, (await send())?.id === waiting?.id);
`;

export const PROGRAMS: Readonly<Record<string, string>> = {
  'openapi-typescript': `
import createClient from 'openapi-fetch';
import type { components, paths } from './openapi-typescript.ts';
${HEAD}
const client = createClient<paths>({ baseUrl, headers: { authorization: \`Bearer \${key}\` } });

const unread = await client.GET('/v1/messages', { params: { query: { unread: true, limit: 2 } } });
if (unread.data?.status === 'ok') console.log('unread', unread.data.result.messages.map(({ subject }) => subject).join());
// @ts-expect-error: a list never waits, so the types must not be open to any status
if (unread.data?.status === 'pending_approval') console.log('waits');

async function send(): Promise<components['schemas']['UndecidedApproval'] | undefined> {
  const header = { 'Idempotency-Key': 'openapi-typescript' };
  const { data } = await client.POST('/v1/messages', { params: { header }, body });
  return data?.status === 'pending_approval' ? data.approval : undefined;
}
${WAITS}

const refused = await client.POST('/v1/messages', { body: wrong });
if (refused.error?.code === 'invalid_arguments') console.log('refused', refused.error.details.errors.map(({ field }) => field).join());

const none = await client.GET('/v1/approvals/{approval_id}', { params: { path: { approval_id: 'apr_0000000000000000000000' } } });
if (none.error?.code === 'not_found') console.log('not found', none.error.error, none.error.details?.reason);
`,

  'hey-api': `
import { getApproval, listMessages, sendEmail, type UndecidedApproval } from './hey-api';
import { client } from './hey-api/client.gen';
${HEAD}
client.setConfig({ baseUrl, auth: key });

const unread = await listMessages({ query: { unread: true, limit: 2 } });
if (unread.data?.status === 'ok') console.log('unread', unread.data.result.messages.map(({ subject }) => subject).join());
// @ts-expect-error: a list never waits, so the types must not be open to any status
if (unread.data?.status === 'pending_approval') console.log('waits');

async function send(): Promise<UndecidedApproval | undefined> {
  const { data } = await sendEmail({ headers: { 'Idempotency-Key': 'hey-api' }, body });
  return data?.status === 'pending_approval' ? data.approval : undefined;
}
${WAITS}

const refused = await sendEmail({ body: wrong });
if (refused.error?.code === 'invalid_arguments') console.log('refused', refused.error.details.errors.map(({ field }) => field).join());

const none = await getApproval({ path: { approval_id: 'apr_0000000000000000000000' } });
if (none.error?.code === 'not_found') console.log('not found', none.error.error, none.error.details?.reason);
`,

  orval: `
import { getApproval, listMessages, sendEmail, type UndecidedApproval } from './orval.ts';
${HEAD}
const options = { headers: { authorization: \`Bearer \${key}\` } };

const unread = await listMessages({ unread: true, limit: 2 }, options);
if (unread.status === 200 && unread.data.status === 'ok') console.log('unread', unread.data.result.messages.map(({ subject }) => subject).join());
// @ts-expect-error: a list never waits, so the types must not be open to any status
if (unread.status === 200 && unread.data.status === 'pending_approval') console.log('waits');

async function send(): Promise<UndecidedApproval | undefined> {
  const { data } = await sendEmail(body, { 'Idempotency-Key': 'orval' }, options);
  return data.status === 'pending_approval' ? data.approval : undefined;
}
${WAITS}

const refused = await sendEmail(wrong, {}, options);
if (refused.status === 400 && refused.data.code === 'invalid_arguments') console.log('refused', refused.data.details.errors.map(({ field }) => field).join());

const none = await getApproval('apr_0000000000000000000000', {}, options);
if (none.status === 404 && none.data.code === 'not_found') console.log('not found', none.data.error, none.data.details?.reason);
`,

  oazapfts: `
import { defaults, getApproval, listMessages, sendEmail, type UndecidedApproval } from './oazapfts.ts';
${HEAD}
defaults.baseUrl = baseUrl;
defaults.headers = { authorization: \`Bearer \${key}\` };

const unread = await listMessages({ unread: true, limit: 2 });
if (unread.status === 200 && unread.data.status === 'ok') console.log('unread', unread.data.result.messages.map(({ subject }) => subject).join());
// @ts-expect-error: a list never waits, so the types must not be open to any status
if (unread.status === 200 && unread.data.status === 'pending_approval') console.log('waits');

async function send(): Promise<UndecidedApproval | undefined> {
  const { data } = await sendEmail(body, { idempotencyKey: 'oazapfts' });
  return data.status === 'pending_approval' ? data.approval : undefined;
}
${WAITS}

const refused = await sendEmail(wrong);
if (refused.status === 400 && refused.data.code === 'invalid_arguments') console.log('refused', refused.data.details.errors.map(({ field }) => field).join());

const none = await getApproval('apr_0000000000000000000000');
if (none.status === 404 && none.data.code === 'not_found') console.log('not found', none.data.error, none.data.details?.reason);
`,

  // It takes the first answer that is no error for the only one, so the program says what a 202 has.
  'swagger-typescript-api': `
import { Api, type PendingApproval, type UndecidedApproval } from './swagger-typescript-api.ts';
${HEAD}
const { v1 } = new Api({ baseUrl, baseApiParams: { secure: true, headers: { authorization: \`Bearer \${key}\` } } });

const unread = await v1.listMessages({ unread: true, limit: 2 });
if (unread.data.status === 'ok') console.log('unread', unread.data.result.messages.map(({ subject }) => subject).join());
// @ts-expect-error: a list never waits, so the types must not be open to any status
if (unread.data.status === 'pending_approval') console.log('waits');

async function send(): Promise<UndecidedApproval | undefined> {
  const answer = await v1.sendEmail(body, { headers: { 'Idempotency-Key': 'swagger-typescript-api' } });
  const data: unknown = answer.data;
  return answer.status === 202 ? (data as PendingApproval).approval : undefined;
}
${WAITS}

const refused = await v1.sendEmail(wrong);
if (refused.error?.code === 'invalid_arguments') console.log('refused', refused.error.details.errors.map(({ field }) => field).join());

const none = await v1.getApproval('apr_0000000000000000000000');
if (none.error?.code === 'not_found') console.log('not found', none.error.error, none.error.details?.reason);
`,
};
