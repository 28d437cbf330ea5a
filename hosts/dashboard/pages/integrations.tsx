import * as z from 'zod';
import { KEY_DAYS_DEFAULT, KEY_DAYS_MAX } from '../../../core/gate/credential.ts';
import { NO_FENCES } from '../../../core/gate/fences.ts';
import {
  effectiveMode,
  GROUPS,
  type Group,
  type Mode,
  type Modes,
  modesOf,
  type Plan,
  PRESETS,
  type Preset,
} from '../../../core/gate/permissions.ts';
import { type Demand, demandForFences, demandForModes, demandForResume } from '../../../core/gate/step-up.ts';
import type { Account } from '../../../core/ports/account.ts';
import type { Credential } from '../../../core/ports/credential-storage.ts';
import { publicBase } from '../../http/public-base.ts';
import { DisabledEndpoints } from '../disabled-endpoints.tsx';
import { FenceFields, fenceTexts, readFences } from '../fence-fields.tsx';
import { orProblems } from '../field-errors.ts';
import { Choice, Field, Form, Problems } from '../forms.tsx';
import { IntegrationsTabs } from '../integrations-tabs.tsx';
import { Link } from '../links.tsx';
import { Notice } from '../notice.tsx';
import { Quoted } from '../third-party-text.tsx';
import { visibleText } from '../visible-text.ts';
import { type OwnerVisit, page, type Reply, redirect } from '../visit.ts';
import { When } from '../when.tsx';
import { GROUP_TITLES, MODE_TITLES } from '../words.ts';

export function integrationsPage(visit: OwnerVisit): Promise<Reply> {
  return listPage(visit, []);
}

const presetNames: readonly Preset[] = ['read', 'organise', 'full'];

/** What a new key or sign-in may do, and for how long. Its modes are apart, in `readModes`. */
export const permissionForm = z.object({
  preset: z.enum(presetNames, 'Preset: choose one from the list.'),
  days: z
    .string()
    .trim()
    .regex(/^\d{1,3}$/, `Days: enter a number from 1 to ${KEY_DAYS_MAX}.`)
    .transform(Number)
    .refine((days) => days >= 1 && days <= KEY_DAYS_MAX, `Days: enter a number from 1 to ${KEY_DAYS_MAX}.`),
});

const keyForm = permissionForm.extend({
  name: z.string().trim().min(1, 'Name: enter a name.').max(100, 'Name: at most 100 characters.'),
});

export async function createKey(visit: OwnerVisit): Promise<Reply> {
  const { service, owner, fields } = visit;
  const form = keyForm.safeParse({
    name: fields.get('name') ?? '',
    preset: fields.get('preset') ?? '',
    days: fields.get('days') ?? '',
  });
  const modes = readModes(fields);
  if (!form.success) return listPage(visit, [...new Set(form.error.issues.map((issue) => issue.message))]);
  if (modes === undefined) return listPage(visit, ['Modes: choose one from each list.']);
  const read = readFences(fields, owner.timezone);
  if ('problems' in read) return listPage(visit, read.problems);
  const { fences } = read;
  const created = await orProblems(
    () => service.keys.create({ ownerId: owner.ownerId, ...form.data, modes, fences }),
    FIELD_NAMES,
  );
  if ('problems' in created) return listPage(visit, created.problems);
  const { apiKey } = created.value;
  return keyPage(service.baseUrl, form.data.name, apiKey, 'The key is created.');
}

export async function rotateKey(visit: OwnerVisit): Promise<Reply> {
  const { service, owner, param } = visit;
  const { apiKey } = await service.keys.rotate(owner.ownerId, param);
  const key = await keyOf(visit);
  const done = 'The key is rotated. The old one keeps working for 24 hours.';
  return keyPage(service.baseUrl, key?.name ?? '', apiKey, done);
}

export async function revokeKey({ service, owner, param }: OwnerVisit): Promise<Reply> {
  await service.keys.revoke(owner.ownerId, param);
  return redirect('/integrations?notice=key_revoked');
}

export async function pauseKey({ service, owner, param }: OwnerVisit): Promise<Reply> {
  await service.keys.pause(owner.ownerId, param);
  return redirect('/integrations?notice=key_paused');
}

export async function resumeKey({ service, owner, param }: OwnerVisit): Promise<Reply> {
  await service.keys.resume(owner.ownerId, param);
  return redirect('/integrations?notice=key_resumed');
}

export async function demandForResumeKey(visit: OwnerVisit): Promise<Demand> {
  const key = await keyOf(visit);
  return key === undefined ? 'change' : demandForResume(key.modes);
}

export async function setFences(visit: OwnerVisit): Promise<Reply> {
  const { service, owner, param, fields } = visit;
  const read = readFences(fields, owner.timezone);
  if ('problems' in read) return listPage(visit, read.problems);
  const saved = await orProblems(
    () => service.keys.setFences(owner.ownerId, param, read.fences),
    FIELD_NAMES,
  );
  return 'problems' in saved
    ? listPage(visit, saved.problems)
    : redirect('/integrations?notice=fences_saved');
}

/** `setFences` itself rejects invalid fences. */
export async function demandForSetFences(visit: OwnerVisit): Promise<Demand> {
  const key = await keyOf(visit);
  const read = readFences(visit.fields, visit.owner.timezone);
  return key === undefined || 'problems' in read
    ? 'change'
    : demandForFences(key.fences, read.fences, key.modes);
}

async function keyOf({ service, owner, param }: OwnerVisit): Promise<Credential | undefined> {
  return (await service.keys.list(owner.ownerId)).find(({ credentialId }) => credentialId === param);
}

/** The fields of a form whose messages the service writes. */
const FIELD_NAMES = new Map([['until', 'Last day']]);

export async function withdrawSignIn({ service, owner, param }: OwnerVisit): Promise<Reply> {
  await service.keys.revoke(owner.ownerId, param);
  return redirect('/integrations?notice=sign_in_withdrawn');
}

export async function setModes(visit: OwnerVisit): Promise<Reply> {
  const modes = readModes(visit.fields);
  if (modes === undefined) return listPage(visit, ['Modes: choose one from each list.']);
  await visit.service.keys.setModes(visit.owner.ownerId, visit.param, modes);
  return redirect('/integrations?notice=modes_saved');
}

/** `setModes` itself rejects unknown keys and invalid modes. */
export async function demandForSetModes(visit: OwnerVisit): Promise<Demand> {
  const key = await keyOf(visit);
  const changes = readModes(visit.fields);
  return key === undefined || changes === undefined ? 'change' : demandForModes(key.modes, changes);
}

/** The groups with a chosen mode; undefined if one of them is invalid. */
export function readModes(fields: URLSearchParams): Partial<Modes> | undefined {
  const chosen: Partial<Record<Group, Mode>> = {};
  for (const group of GROUPS) {
    const value = fields.get(group) ?? '';
    if (value === '') continue;
    const mode = modesOf(group).find((known) => known === value);
    if (mode === undefined) return undefined;
    chosen[group] = mode;
  }
  return chosen;
}

/** Returned directly as the response to the form: a key is shown once and not stored, so it has no URL of its own. */
function keyPage(baseUrl: string, name: string, apiKey: string, done: string): Reply {
  const api = publicBase(baseUrl);
  return page(
    'New key',
    <section class="narrow">
      <h1>New key</h1>
      <p role="status">{done}</p>
      <p>
        This is the key of <Quoted text={name} />. It is shown only once: copy it now, and hand it to the
        program in a safe way.
      </p>
      <code class="secret" id="api-key">
        {apiKey}
      </code>
      <p>
        The program sends it as <code>Authorization: Bearer</code> with each request, to the REST API at{' '}
        <code>{api.address('/v1')}</code> or, if it speaks MCP, to <code>{api.address('/mcp')}</code>.
      </p>
      <p>
        <Link class="button-like" to="/integrations">
          I have copied it
        </Link>
      </p>
    </section>,
  );
}

async function listPage(visit: OwnerVisit, problems: readonly string[]): Promise<Reply> {
  const { service, owner, token, query } = visit;
  const endpoints = await service.webhooks.list(owner.ownerId);
  const [keys, accounts] = await Promise.all([
    service.keys.list(owner.ownerId),
    service.accounts.list(owner.ownerId),
  ]);
  const altered = keys.filter(({ isAltered }) => isAltered);
  const live = keys.filter(({ isAltered, revokedAt }) => !isAltered && revokedAt === null);
  const signIns = live.filter(({ kind }) => kind === 'oauth');
  const liveKeys = live.filter(({ kind }) => kind === 'pat');
  const revoked = keys.filter(({ isAltered, revokedAt }) => !isAltered && revokedAt !== null);
  return page(
    'Integrations',
    <>
      <h1>Integrations</h1>
      <IntegrationsTabs current="keys" />
      <Notice code={query.get('notice')} />
      <DisabledEndpoints endpoints={endpoints} />
      <Problems problems={problems} />
      <section aria-labelledby="keys">
        <h2 id="keys">Keys</h2>
        {altered.map((key) => (
          <AlteredKey credential={key} token={token} />
        ))}
        {liveKeys.length === 0 ? <p class="quiet">No program has a key.</p> : null}
        {liveKeys.map((key) => (
          <LiveKey
            credential={key}
            plan={owner.plan}
            zone={owner.timezone}
            token={token}
            accounts={accounts}
          />
        ))}
      </section>
      {service.mcpUrl === undefined && signIns.length === 0 ? null : (
        <section aria-labelledby="sign-ins">
          <h2 id="sign-ins">Sign-ins of assistants</h2>
          {service.mcpUrl === undefined ? null : (
            <p>
              An assistant that signs in needs no key. Give it this address:{' '}
              <code>{publicBase(service.mcpUrl).address('/mcp')}</code>
            </p>
          )}
          {signIns.length === 0 ? <p class="quiet">No assistant is signed in.</p> : null}
          {signIns.map((signIn) => (
            <LiveKey
              credential={signIn}
              plan={owner.plan}
              zone={owner.timezone}
              token={token}
              accounts={accounts}
            />
          ))}
        </section>
      )}
      <section aria-labelledby="create">
        <h2 id="create">Create a key</h2>
        <CreateForm
          plan={owner.plan}
          zone={owner.timezone}
          token={token}
          fields={visit.fields}
          accounts={accounts}
        />
      </section>
      {revoked.length === 0 ? null : (
        <section aria-labelledby="revoked">
          <h2 id="revoked">Revoked</h2>
          <ul class="rows">
            {revoked.map((key) => (
              <li>
                <Quoted text={key.name} />
                <div class="quiet">
                  created <When at={key.createdAt} zone={owner.timezone} /> · revoked{' '}
                  <When at={key.revokedAt ?? key.createdAt} zone={owner.timezone} />
                </div>
              </li>
            ))}
          </ul>
        </section>
      )}
    </>,
    problems.length === 0 ? 200 : 422,
  );
}

/** Shows nothing else of it: somebody else wrote that. */
function AlteredKey({ credential, token }: { credential: Credential; token: string }) {
  return (
    <article class="key">
      <div class="row-head">
        <strong>
          <Quoted text={credential.name} />
        </strong>
        <div class="actions">
          <Form action={`/integrations/${credential.credentialId}/revoke`} token={token}>
            <button type="submit" class="outline secondary">
              Revoke
            </button>
          </Form>
        </div>
      </div>
      <p role="alert">This key was changed outside Countersign. Revoke it and create a new one.</p>
    </article>
  );
}

/** A live key, or the live sign-in of an assistant. */
function LiveKey(props: {
  credential: Credential;
  plan: Plan;
  zone: string;
  token: string;
  accounts: readonly Account[];
}) {
  const { credential, plan, zone, token, accounts } = props;
  const { pausedAt, fences } = credential;
  const fenced = fenceTexts(fences, accounts, zone);
  const path = `/integrations/${credential.credentialId}`;
  return (
    <article class="key">
      <div class="row-head">
        <strong>
          <Quoted text={credential.name} />
        </strong>
        <div class="actions">
          <Form action={`${path}/${pausedAt === null ? 'pause' : 'resume'}`} token={token}>
            <button type="submit" class="outline">
              {pausedAt === null ? 'Pause' : 'Resume'}
            </button>
          </Form>
          {credential.kind === 'oauth' ? (
            <Form action={`${path}/withdraw`} token={token}>
              <button type="submit" class="outline secondary">
                Withdraw
              </button>
            </Form>
          ) : (
            <>
              <Form action={`${path}/rotate`} token={token}>
                <button type="submit" class="outline">
                  Rotate
                </button>
              </Form>
              <Form action={`${path}/revoke`} token={token}>
                <button type="submit" class="outline secondary">
                  Revoke
                </button>
              </Form>
            </>
          )}
        </div>
      </div>
      <div class="quiet">
        created <When at={credential.createdAt} zone={zone} /> · expires{' '}
        <When at={credential.expiresAt} zone={zone} />
        {credential.overlapUntil === null ? null : (
          <>
            {' '}
            · the previous one works until <When at={credential.overlapUntil} zone={zone} />
          </>
        )}
      </div>
      {pausedAt === null ? null : (
        <p class="note">
          Paused since <When at={pausedAt} zone={zone} />. It can only read and withdraw its own requests.
          What waits runs only if you approve it.
        </p>
      )}
      {fenced.length === 0 ? null : (
        <div class="quiet">
          Fences: <Quoted text={fenced.join(' · ')} />
        </div>
      )}
      <Form action={`${path}/modes`} token={token} label={`Modes of ${visibleText(credential.name)}`}>
        <div class="columns modes">
          {GROUPS.map((group) => (
            <ModeChoice
              of={credential.credentialId}
              group={group}
              plan={plan}
              value={credential.modes[group]}
            />
          ))}
        </div>
        <button type="submit" class="outline">
          Save modes
        </button>
      </Form>
      <details class="fences">
        <summary>Fences</summary>
        <Form action={`${path}/fences`} token={token} label={`Fences of ${visibleText(credential.name)}`}>
          <FenceFields of={credential.credentialId} fences={fences} accounts={accounts} zone={zone} />
          <button type="submit" class="outline">
            Save fences
          </button>
        </Form>
      </details>
    </article>
  );
}

function CreateForm(props: {
  plan: Plan;
  zone: string;
  token: string;
  fields: URLSearchParams;
  accounts: readonly Account[];
}) {
  const { plan, zone, token, fields, accounts } = props;
  // The fields may be those of another form of this page.
  const read = readFences(fields.has('name') ? fields : new URLSearchParams(), zone);
  return (
    <Form action="/integrations" token={token} label="Create key">
      <div class="columns">
        <Field label="Name" name="name" value={fields.get('name') ?? ''} required />
      </div>
      <PermissionFields plan={plan} fields={fields} />
      <details open={'problems' in read}>
        <summary>Fences: only some accounts, recipients, or until a day</summary>
        <FenceFields
          of="new"
          fences={'fences' in read ? read.fences : NO_FENCES}
          accounts={accounts}
          zone={zone}
        />
      </details>
      <button type="submit">Create key</button>
    </Form>
  );
}

/** The fields of `permissionForm` and `readModes`. */
export function PermissionFields({ plan, fields }: { plan: Plan; fields: URLSearchParams }) {
  return (
    <>
      <div class="columns">
        <Choice
          id="preset"
          label="Preset"
          name="preset"
          value={fields.get('preset') ?? 'read'}
          options={presetNames.map((preset) => [preset, PRESETS[preset].title] as const)}
        />
        <Field
          label="Days"
          name="days"
          type="number"
          min={1}
          max={KEY_DAYS_MAX}
          value={fields.get('days') ?? String(KEY_DAYS_DEFAULT)}
          required
        />
      </div>
      <details>
        <summary>Modes other than the preset's</summary>
        <div class="columns modes">
          {GROUPS.map((group) => (
            <ModeChoice
              of="new"
              group={group}
              plan={plan}
              value={fields.get(group) ?? ''}
              otherwise="as the preset says"
            />
          ))}
        </div>
      </details>
    </>
  );
}

/** Offers only the modes of the group. `of`: the key's id; `otherwise`: the text for choosing none. */
function ModeChoice(props: { of: string; group: Group; plan: Plan; value: string; otherwise?: string }) {
  const { group, plan } = props;
  const options = modesOf(group).map((mode) => [mode, modeText(group, mode, plan)] as const);
  return (
    <Choice
      id={`${props.of}-${group}`}
      label={
        <>
          {GROUP_TITLES[group]} <small>{group}</small>
        </>
      }
      name={group}
      value={props.value}
      options={props.otherwise === undefined ? options : [['', props.otherwise], ...options]}
    />
  );
}

function modeText(group: Group, mode: Mode, plan: Plan): string {
  const counts = effectiveMode(group, mode, plan);
  return counts === mode ? MODE_TITLES[mode] : `${MODE_TITLES[mode]} (on your plan: ${MODE_TITLES[counts]})`;
}
