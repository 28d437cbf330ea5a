import type { ComponentChildren } from 'preact';
import * as z from 'zod';
import { endpointUrl } from '../../../core/contract/endpoint-url.ts';
import { ServiceError } from '../../../core/contract/errors.ts';
import { SUBSCRIBED_TYPES, type SubscribedType } from '../../../core/events/webhook-event.ts';
import type { WebhookEndpoint } from '../../../core/events/webhooks.ts';
import type { Credential } from '../../../core/keys/live-key.ts';
import { effectiveMode, type Plan } from '../../../core/keys/permissions.ts';
import type { Owner } from '../../../core/owners/owner-state.ts';
import { Choice, Field, Form, Problems, SubmitOrLeave } from '../forms/forms.tsx';
import { IntegrationsTabs } from '../keys/integrations-tabs.tsx';
import { DISABLED_TEXTS, EVENT_TITLES } from '../labels.ts';
import { Link } from '../links.tsx';
import { Notice } from '../notice.tsx';
import { notFoundPage } from '../problem.tsx';
import { Quoted } from '../third-party-text.tsx';
import { visibleText } from '../visible-text.ts';
import { type OwnerVisit, page, type Reply, redirect } from '../visit.ts';
import { When, whenText } from '../when.tsx';

export function webhooksPage(visit: OwnerVisit): Promise<Reply> {
  return listPage(visit, []);
}

const endpointForm = z.object({
  keyId: z.string().min(1, 'Key: choose one from the list.'),
  url: z
    .string()
    .trim()
    .refine(
      (url) => endpointUrl(url) !== undefined,
      'URL: enter an address that begins with https://, without a password or a #.',
    ),
  types: z
    .array(z.enum(SUBSCRIBED_TYPES, 'Events: choose from the list.'))
    .min(1, 'Events: choose at least one.'),
});

export async function addEndpoint(visit: OwnerVisit): Promise<Reply> {
  const { service, owner, fields } = visit;
  if (!service.webhooks.canSend) return listPage(visit, [NOT_SENT]);
  const form = endpointForm.safeParse({
    keyId: fields.get('key') ?? '',
    url: fields.get('url') ?? '',
    types: fields.getAll('types'),
  });
  if (!form.success) return listPage(visit, [...new Set(form.error.issues.map((issue) => issue.message))]);
  let added: { readonly endpointId: string; readonly secret: string };
  try {
    added = await service.webhooks.add({ ownerId: owner.ownerId, ...form.data });
  } catch (error) {
    const problem = error instanceof ServiceError ? ADD_PROBLEMS.get(error.code) : undefined;
    if (problem === undefined) throw error;
    return listPage(visit, [problem]);
  }
  return secretPage(visit, added.endpointId, added.secret, 'The endpoint is added.');
}

const NOT_SENT = 'No webhooks are sent here. The service was started without a webhook sender.';

const ADD_PROBLEMS: ReadonlyMap<string, string> = new Map([
  ['not_found', 'Key: choose one that is neither revoked nor expired.'],
  // The form itself has been checked, so only the limit is left.
  ['invalid_arguments', 'Your plan allows no more endpoints. Remove one first.'],
]);

export async function rotateSecret(visit: OwnerVisit): Promise<Reply> {
  const { service, owner, param } = visit;
  const { secret } = await service.webhooks.rotateSecret(owner.ownerId, param);
  return secretPage(visit, param, secret, 'The secret is rotated.');
}

export async function sendTestEvent({ service, owner, param }: OwnerVisit): Promise<Reply> {
  await service.webhooks.sendTest(owner.ownerId, param);
  return redirect(`/integrations/webhooks/${param}?notice=test_sent`);
}

export async function enableEndpoint({ service, owner, param }: OwnerVisit): Promise<Reply> {
  await service.webhooks.enable(owner.ownerId, param);
  return redirect('/integrations/webhooks?notice=endpoint_enabled');
}

/** Asks for confirmation, because the secret and the deliveries cannot be restored. */
export async function removeEndpointPage({ service, owner, token, param }: OwnerVisit): Promise<Reply> {
  const endpoint = await findEndpoint({ service, owner, param });
  if (endpoint === undefined) return notFoundPage();
  return page(
    'Remove endpoint',
    <section class="narrow">
      <h1>Remove endpoint</h1>
      <p>
        Remove <Quoted text={endpoint.url} />? Events are no longer sent to it, and Countersign deletes its
        secret and its deliveries.
      </p>
      <Form action={`${pathOf(endpoint)}/remove`} token={token}>
        <SubmitOrLeave submit="Remove" leave="Keep it" to="/integrations/webhooks" />
      </Form>
    </section>,
  );
}

export async function removeEndpoint({ service, owner, param }: OwnerVisit): Promise<Reply> {
  await service.webhooks.remove(owner.ownerId, param);
  return redirect('/integrations/webhooks?notice=endpoint_removed');
}

/** The endpoint that the path names. Undefined if the owner has no such endpoint. */
export async function findEndpoint({
  service,
  owner,
  param,
}: Pick<OwnerVisit, 'service' | 'owner' | 'param'>): Promise<WebhookEndpoint | undefined> {
  const endpoints = await service.webhooks.list(owner.ownerId);
  return endpoints.find(({ endpointId }) => endpointId === param);
}

export function pathOf({ endpointId }: WebhookEndpoint): string {
  return `/integrations/webhooks/${endpointId}`;
}

/** Returned directly as the response to the form: a secret is shown once, so it has no URL of its own. */
async function secretPage(
  visit: OwnerVisit,
  endpointId: string,
  secret: string,
  done: string,
): Promise<Reply> {
  const endpoint = await findEndpoint({ ...visit, param: endpointId });
  if (endpoint === undefined) return notFoundPage();
  const { url, overlapUntil } = endpoint;
  return page(
    'Endpoint secret',
    <section class="narrow">
      <h1>Endpoint secret</h1>
      <p role="status">{done}</p>
      {overlapUntil === null ? null : (
        <p class="note">
          Until <When at={overlapUntil} zone={visit.owner.timezone} /> both secrets sign each request, so the
          receiver can change over without a gap.
        </p>
      )}
      <p>
        Requests to <Quoted text={url} /> are signed with this secret. It is shown only once: copy it now, and
        hand it to the receiver in a safe way.
      </p>
      <code class="secret" id="endpoint-secret">
        {secret}
      </code>
      <p>
        The receiver verifies each request before it reads the body. <code>rawBody</code> is the body as it
        came, not parsed:
      </p>
      <code class="exact" id="verify">
        {VERIFY}
      </code>
      <p class="quiet">
        Without this package: in the header <code>Service-Signature</code>, each <code>v1</code> is the hex
        HMAC-SHA256 of <code>t</code>, a full stop and the body. The key is the whole secret. Accept the
        request if one of them matches and <code>t</code> is at most 300 seconds off.
      </p>
      <p>
        <Link class="button-like" to={pathOf(endpoint)}>
          I have copied it
        </Link>
      </p>
    </section>,
  );
}

const VERIFY = `import { verifyWebhook } from 'countersign/webhooks';

const event = verifyWebhook(rawBody, request.headers, secret);`;

async function listPage(visit: OwnerVisit, problems: readonly string[]): Promise<Reply> {
  const { service, owner, query } = visit;
  const [endpoints, keys] = await Promise.all([
    service.webhooks.list(owner.ownerId),
    service.keys.list(owner.ownerId),
  ]);
  return page(
    'Webhooks',
    <>
      <h1>Integrations</h1>
      <IntegrationsTabs current="webhooks" />
      <Notice code={query.get('notice')} />
      <Problems problems={problems} />
      <section aria-labelledby="endpoints">
        <h2 id="endpoints">Endpoints</h2>
        {endpoints.length > 0 ? null : (
          <p class="quiet">
            No endpoint yet. Countersign posts each event of a key to its endpoints, with ids only: never a
            subject, a sender or a text.
          </p>
        )}
        {endpoints.map((endpoint) => (
          <EndpointCard endpoint={endpoint} keys={keys} visit={visit}>
            <Link class="button-like" to={pathOf(endpoint)}>
              Deliveries
            </Link>
          </EndpointCard>
        ))}
      </section>
      <section aria-labelledby="add">
        <h2 id="add">Add an endpoint</h2>
        <AddForm
          visit={visit}
          keys={keys.filter(({ isAltered, revokedAt }) => !isAltered && revokedAt === null)}
        />
      </section>
    </>,
    problems.length === 0 ? 200 : 422,
  );
}

/** One endpoint with its state and what can be done with it. `children`: more actions. */
export function EndpointCard(props: {
  endpoint: WebhookEndpoint;
  keys: readonly Credential[];
  visit: OwnerVisit;
  children?: ComponentChildren;
}) {
  const { endpoint, visit } = props;
  const { owner, token } = visit;
  const path = pathOf(endpoint);
  const key = keyOf(endpoint, props.keys);
  const { state, text } = stateOf(endpoint, key);
  return (
    <article class="key" id={endpoint.endpointId}>
      <div class="row-head">
        <strong>
          <Quoted text={endpoint.url} />
        </strong>
        <span class="state" data-state={state}>
          {STATE_TITLES[state]}
        </span>
      </div>
      <div class="quiet">
        {endpoint.endpointId} · key <Quoted text={key?.name ?? endpoint.keyId} /> ·{' '}
        {endpoint.types.map((type) => EVENT_TITLES[type]).join(', ')} · added{' '}
        <When at={endpoint.createdAt} zone={owner.timezone} />
      </div>
      {text === undefined ? null : <p class="note">{text}</p>}
      {endpoint.failingSince === null || state !== 'failing' ? null : (
        <p class="note">
          Every attempt since <When at={endpoint.failingSince} zone={owner.timezone} /> has failed. After five
          days without a delivery, the endpoint is disabled.
        </p>
      )}
      {endpoint.types.includes('message.received') && key !== undefined && !readsMail(key, owner.plan) ? (
        <p class="note">The key may not read mail, so this endpoint gets no events about new mail.</p>
      ) : null}
      {endpoint.overlapUntil === null ? null : (
        <div class="quiet">
          the previous secret signs too until <When at={endpoint.overlapUntil} zone={owner.timezone} />
        </div>
      )}
      <div class="actions">
        {text === undefined ? <Action to={`${path}/test`} token={token} name="Send test event" /> : null}
        {endpoint.disabled === null ? null : <Action to={`${path}/enable`} token={token} name="Enable" />}
        <Action to={`${path}/rotate`} token={token} name="Rotate secret" />
        {props.children}
        <Link class="button-like" to={`${path}/remove`}>
          Remove
        </Link>
      </div>
    </article>
  );
}

function Action({ to, token, name }: { to: string; token: string; name: string }) {
  return (
    <Form action={to} token={token}>
      <button type="submit" class="outline">
        {name}
      </button>
    </Form>
  );
}

const STATE_TITLES = {
  on: 'On',
  failing: 'Failing',
  disabled: 'Disabled',
  key_revoked: 'Key revoked',
  key_changed: 'Key changed',
} as const;

/** `text`: why nothing is sent to the endpoint. Undefined if events are sent. */
function stateOf(
  { disabled, failingSince }: WebhookEndpoint,
  key: Credential | undefined,
): { readonly state: keyof typeof STATE_TITLES; readonly text?: string } {
  if (disabled !== null) return { state: 'disabled', text: DISABLED_TEXTS[disabled] };
  if (key?.isAltered) {
    return {
      state: 'key_changed',
      text: 'Its key was changed outside Countersign, so nothing is sent to it.',
    };
  }
  if (key !== undefined && key.revokedAt !== null) {
    return { state: 'key_revoked', text: 'Its key is revoked, so nothing is sent to it.' };
  }
  return { state: failingSince === null ? 'on' : 'failing' };
}

/** Whether events are sent to the endpoint. */
export function isSending(endpoint: WebhookEndpoint, keys: readonly Credential[]): boolean {
  return stateOf(endpoint, keyOf(endpoint, keys)).text === undefined;
}

function keyOf({ keyId }: WebhookEndpoint, keys: readonly Credential[]): Credential | undefined {
  return keys.find(({ credentialId }) => credentialId === keyId);
}

function readsMail({ modes }: Credential, plan: Plan): boolean {
  return effectiveMode('mail:read', modes['mail:read'], plan) !== 'off';
}

/** @param props `keys`: those that can be chosen */
function AddForm({ visit, keys }: { visit: OwnerVisit; keys: readonly Credential[] }) {
  const { service, owner, token, fields } = visit;
  if (!service.webhooks.canSend) return <p>{NOT_SENT}</p>;
  if (keys.length === 0) {
    return (
      <p>
        An endpoint belongs to a key. <Link to="/integrations">Create a key</Link> first.
      </p>
    );
  }
  const types: readonly string[] = fields.size === 0 ? SUBSCRIBED_TYPES : fields.getAll('types');
  return (
    <Form action="/integrations/webhooks" token={token} label="Add endpoint">
      <div class="columns">
        <Choice
          id="key"
          label="Key"
          name="key"
          value={fields.get('key') ?? ''}
          options={keys.map((key) => [key.credentialId, keyText(key, owner)] as const)}
        />
        <Field
          label="URL"
          name="url"
          type="url"
          value={fields.get('url') ?? ''}
          placeholder="https://example.org/hook"
          required
        />
      </div>
      <fieldset>
        <legend>Events</legend>
        {SUBSCRIBED_TYPES.map((type) => (
          <TypeChoice type={type} isChosen={types.includes(type)} />
        ))}
      </fieldset>
      <button type="submit">Add endpoint</button>
    </Form>
  );
}

/** Keys can share a name, so the time of creation tells them apart. */
function keyText({ name, createdAt }: Credential, { timezone, language }: Owner): string {
  return `${visibleText(name)}, created ${whenText(createdAt, timezone, language)}`;
}

function TypeChoice({ type, isChosen }: { type: SubscribedType; isChosen: boolean }) {
  return (
    <label>
      <input type="checkbox" name="types" value={type} checked={isChosen} />
      {EVENT_TITLES[type]} <span class="quiet">{type}</span>
    </label>
  );
}
