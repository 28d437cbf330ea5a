import {
  type Demand,
  demandForFences,
  demandForModes,
  demandForResume,
} from '../../../core/owners/step-up.ts';
import { publicBase } from '../../http/public-base.ts';
import { DisabledEndpoints } from '../events/disabled-endpoints.tsx';
import { orProblems } from '../forms/field-errors.ts';
import { Problems } from '../forms/forms.tsx';
import { stepAfter, WhatNext } from '../next-step.tsx';
import { Notice } from '../notice.tsx';
import { Quoted } from '../third-party-text.tsx';
import { type OwnerVisit, page, type Reply, redirect } from '../visit.ts';
import { When } from '../when.tsx';
import { AgentConfiguration } from './agent-configuration.tsx';
import { confirmDirect } from './confirm-direct.tsx';
import { CreateKeyForm } from './create-key-form.tsx';
import { readFences } from './fence-fields.tsx';
import { IntegrationsTabs } from './integrations-tabs.tsx';
import { AlteredKey, KeyCard } from './key-card.tsx';
import { readModes } from './permission-fields.tsx';
import { keyOf } from './visited-key.ts';

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
  if ('problems' in read) return integrationsPage(visit, read.problems);
  const saved = await orProblems(
    () => service.keys.setFences(owner.ownerId, param, read.fences),
    FIELD_NAMES,
  );
  return 'problems' in saved
    ? integrationsPage(visit, saved.problems)
    : redirect('/integrations?notice=fences_saved');
}

/** The fields of a form whose messages the service writes. */
const FIELD_NAMES = new Map([['until', 'Last day']]);

/** `setFences` itself rejects invalid fences. */
export async function demandForSetFences(visit: OwnerVisit): Promise<Demand> {
  const key = await keyOf(visit);
  const read = readFences(visit.fields, visit.owner.timezone);
  return key === undefined || 'problems' in read
    ? 'change'
    : demandForFences(key.fences, read.fences, key.modes);
}

export async function setModes(visit: OwnerVisit): Promise<Reply> {
  const modes = readModes(visit.fields);
  if (modes === undefined) return integrationsPage(visit, ['Modes: choose one from each list.']);
  const key = await keyOf(visit);
  const asks = key && confirmDirect(visit, key.name, key.modes, modes);
  if (asks !== undefined) return asks;
  await visit.service.keys.setModes(visit.owner.ownerId, visit.param, modes);
  return redirect('/integrations?notice=modes_saved');
}

/** `setModes` itself rejects unknown keys and invalid modes. */
export async function demandForSetModes(visit: OwnerVisit): Promise<Demand> {
  const key = await keyOf(visit);
  const changes = readModes(visit.fields);
  return key === undefined || changes === undefined ? 'change' : demandForModes(key.modes, changes);
}

/** @param problems  of the form that this page answers */
export async function integrationsPage(visit: OwnerVisit, problems: readonly string[] = []): Promise<Reply> {
  const { service, owner, query } = visit;
  const { ownerId, timezone } = owner;
  const [endpoints, keys, accounts, use] = await Promise.all([
    service.webhooks.list(ownerId),
    service.keys.list(ownerId),
    service.accounts.list(ownerId),
    service.keys.use(ownerId),
  ]);
  const step = stepAfter(accounts, use);
  const altered = keys.filter(({ isAltered }) => isAltered);
  const live = keys.filter(({ isAltered, revokedAt }) => !isAltered && revokedAt === null);
  const signIns = live.filter(({ kind }) => kind === 'oauth');
  const liveKeys = live.filter(({ kind }) => kind === 'pat');
  const revoked = keys.filter(({ isAltered, revokedAt }) => !isAltered && revokedAt !== null);
  const cards = (credentials: typeof keys) =>
    credentials.map((credential) => (
      <KeyCard
        credential={credential}
        use={use.get(credential.credentialId)}
        visit={visit}
        accounts={accounts}
      />
    ));
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
          <AlteredKey credential={key} />
        ))}
        {liveKeys.length === 0 ? <p class="quiet">No program has a key.</p> : null}
        {live.length === 0 ? <WhatNext step={step} /> : null}
        {cards(liveKeys)}
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
          {cards(signIns)}
        </section>
      )}
      <section aria-labelledby="create">
        <h2 id="create">Create a key</h2>
        <CreateKeyForm visit={visit} accounts={accounts} />
      </section>
      <section aria-labelledby="configuration">
        <h2 id="configuration">Configure an agent</h2>
        <p class="quiet">
          A new key is shown with this, filled in. For a key that you have, put it in the place of YOUR_KEY.
        </p>
        <AgentConfiguration baseUrl={service.baseUrl} apiKey="YOUR_KEY" isFolded />
      </section>
      {revoked.length === 0 ? null : (
        <section aria-labelledby="revoked">
          <h2 id="revoked">Revoked</h2>
          <ul class="rows">
            {revoked.map((key) => (
              <li>
                <Quoted text={key.name} />
                <div class="quiet">
                  created <When at={key.createdAt} zone={timezone} /> · revoked{' '}
                  <When at={key.revokedAt ?? key.createdAt} zone={timezone} />
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
