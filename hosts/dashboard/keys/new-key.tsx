import * as z from 'zod';
import { ROTATION_OVERLAP_HOURS } from '../../../core/keys/credential.ts';
import { PRESETS } from '../../../core/keys/permissions.ts';
import { orProblems } from '../forms/field-errors.ts';
import { Link } from '../links.tsx';
import { Quoted } from '../third-party-text.tsx';
import { type OwnerVisit, type PageReply, page, type Reply } from '../visit.ts';
import { AgentConfiguration, Copied, testCommand } from './agent-configuration.tsx';
import { confirmDirect } from './confirm-direct.tsx';
import { SETUP_FIELD } from './create-key-form.tsx';
import { readFences } from './fence-fields.tsx';
import { AwaitedCall } from './first-call.tsx';
import { integrationsPage } from './integrations.tsx';
import { permissionForm, readModes } from './permission-fields.tsx';

const keyForm = permissionForm.extend({
  name: z.string().trim().min(1, 'Name: enter a name.').max(100, 'Name: at most 100 characters.'),
});

/** Creates a key, and shows it. The same form creates it only once. */
export async function createKey(visit: OwnerVisit): Promise<Reply> {
  const { service, owner, fields } = visit;
  const form = keyForm.safeParse({
    name: fields.get('name') ?? '',
    preset: fields.get('preset') ?? '',
    days: fields.get('days') ?? '',
  });
  const modes = readModes(fields);
  if (!form.success) {
    return integrationsPage(visit, [...new Set(form.error.issues.map((issue) => issue.message))]);
  }
  if (modes === undefined) return integrationsPage(visit, ['Modes: choose one from each list.']);
  const read = readFences(fields, owner.timezone);
  if ('problems' in read) return integrationsPage(visit, read.problems);
  const { name, preset } = form.data;
  const asks = confirmDirect(visit, name, PRESETS[preset].modes, modes);
  if (asks !== undefined) return asks;
  const { fences } = read;
  const requestId = fields.get('request') ?? undefined;
  const created = await orProblems(
    () => service.keys.create({ ownerId: owner.ownerId, ...form.data, modes, fences, requestId }),
    FIELD_NAMES,
  );
  if ('problems' in created) {
    const isRepeated = created.problems.some((problem) => problem.startsWith(REPEATED));
    return isRepeated ? repeatedPage(name) : integrationsPage(visit, created.problems);
  }
  const { keyId, apiKey } = created.value;
  const next = fields.has(SETUP_FIELD) ? '/setup' : '/integrations';
  return page(
    'New key',
    <section>
      <KeyShown name={name} apiKey={apiKey} done="The key is created." />
      <h2>Try it</h2>
      <p>Run this in a terminal, or let your agent call:</p>
      <Copied text={testCommand(service.baseUrl, apiKey)} />
      <AwaitedCall keyId={keyId} zone={owner.timezone} />
      <KeyUse baseUrl={service.baseUrl} apiKey={apiKey} next={next} />
    </section>,
  );
}

const REPEATED = 'This form';
/** The fields of a form whose messages the service writes. */
const FIELD_NAMES = new Map([
  ['until', 'Last day'],
  ['requestId', REPEATED],
]);

/** Returned directly as the response to the form: a key is shown once and not stored, so it has no URL of its own. */
export function rotatedKeyPage(baseUrl: string, name: string, apiKey: string): PageReply {
  return page(
    'New key',
    <section>
      <KeyShown
        name={name}
        apiKey={apiKey}
        done={`The key is rotated. The old one keeps working for ${ROTATION_OVERLAP_HOURS} hours.`}
      />
      <KeyUse baseUrl={baseUrl} apiKey={apiKey} next="/integrations" />
    </section>,
  );
}

/** The browser sent the form again, and the key cannot be shown again. */
export function repeatedPage(name: string): PageReply {
  return page(
    'Nothing was done',
    <section class="narrow">
      <h1>Nothing was done</h1>
      <p>
        This form was sent before, and the key of <Quoted text={name} /> was shown then. A key is shown only
        once. If you did not copy it, rotate it under Integrations: that makes a new one.
      </p>
      <p>
        <Link class="button-like" to="/integrations">
          Go to the integrations
        </Link>
      </p>
    </section>,
    409,
  );
}

function KeyShown({ name, apiKey, done }: { name: string; apiKey: string; done: string }) {
  return (
    <>
      <h1>New key</h1>
      <p>{done}</p>
      <p>
        This is the key of <Quoted text={name} />. It is shown only once: copy it now, and hand it to the
        program in a safe way.
      </p>
      <code class="secret" id="api-key">
        {apiKey}
      </code>
    </>
  );
}

/** @param props  `next`: the page to continue with */
function KeyUse({ baseUrl, apiKey, next }: { baseUrl: string; apiKey: string; next: string }) {
  return (
    <>
      <h2>Configure your agent</h2>
      <AgentConfiguration baseUrl={baseUrl} apiKey={apiKey} />
      <p>
        <Link class="button-like" to={next}>
          I have copied it
        </Link>
      </p>
    </>
  );
}
