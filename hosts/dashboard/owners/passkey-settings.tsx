import type { SecondStepView } from '../../../core/owners/second-steps.ts';
import { ownAddress } from '../../http/host-name.ts';
import { Field, Form } from '../forms/forms.tsx';
import { LinkOut } from '../links.tsx';
import { notFoundPage } from '../problem.tsx';
import { Quoted } from '../third-party-text.tsx';
import { type OwnerVisit, type Reply, redirect } from '../visit.ts';
import { When } from '../when.tsx';
import { NEW_PASSKEY_FIELD, newPasskeyBinding, PasskeyForm, passkeyPlace } from './passkeys.tsx';
import { recoveryCodesPage } from './recovery-codes.tsx';
import { SettingsRow } from './settings-row.tsx';

export function PasskeyRow(props: {
  passkey: SecondStepView['passkeys'][number];
  token: string;
  zone: string;
  /** The host name of this page; undefined if browsers have no passkeys here. */
  host: string | undefined;
}) {
  const { passkey, token, zone, host } = props;
  return (
    <SettingsRow
      title={
        <>
          Passkey <Quoted text={passkey.name} />
        </>
      }
      button="Remove the passkey"
      action={`/settings/passkeys/${passkey.id}/remove`}
      token={token}
    >
      {passkey.host === host ? null : `only at ${passkey.host} · `}added{' '}
      <When at={passkey.addedAt} zone={zone} />
      {passkey.lastUsedAt === null ? (
        ' · not used yet'
      ) : (
        <>
          {' '}
          · last used <When at={passkey.lastUsedAt} zone={zone} />
        </>
      )}
      <details>
        <summary>Rename</summary>
        <Form action={`/settings/passkeys/${passkey.id}/rename`} token={token} label="Rename the passkey">
          <Field label="New name" name="passkey_name" required maxLength={60} value={passkey.name} />
          <button type="submit" class="outline">
            Save the name
          </button>
        </Form>
      </details>
    </SettingsRow>
  );
}

/** The form that adds a passkey, or why passkeys do not work at this address. */
export async function newPasskey(visit: OwnerVisit) {
  const { service, owner, token } = visit;
  const place = passkeyPlace(visit);
  const binding = newPasskeyBinding(visit);
  if (place === undefined || binding === undefined)
    return <NoPasskeys address={ownAddress(service.dashboardUrl)} />;
  const creates = await service.secondSteps.newPasskey(owner.ownerId, binding);
  return (
    <PasskeyForm
      action="/settings/passkeys"
      token={token}
      label="New passkey"
      button="Add a passkey"
      place={place}
      challenge={creates.challenge}
      creates={{ ...creates, email: owner.email }}
    >
      <p class="quiet">
        A passkey lets you in with your fingerprint, face or PIN, instead of password and code. It belongs to{' '}
        {place.host} and works nowhere else.
      </p>
      <Field label="Name of the passkey" name="passkey_name" required maxLength={60} placeholder="My phone" />
    </PasskeyForm>
  );
}

/** @param address  a better address of this dashboard */
function NoPasskeys({ address }: { address: string | undefined }) {
  return (
    <p class="quiet">
      Passkeys need a host name and https, so you cannot use them at this address.{' '}
      {address === undefined ? (
        'Whoever runs Countersign can give it one (COUNTERSIGN_DASHBOARD_URL).'
      ) : (
        <>
          On this machine, open <LinkOut to={`${address}/settings`}>{new URL(address).host}</LinkOut> for
          them.
        </>
      )}
    </p>
  );
}

export async function addPasskey(visit: OwnerVisit): Promise<Reply> {
  const { service, owner, fields } = visit;
  const place = passkeyPlace(visit);
  const binding = newPasskeyBinding(visit);
  if (place === undefined || binding === undefined) return notFoundPage();
  const answer = fields.get(NEW_PASSKEY_FIELD) ?? '';
  const name = fields.get('passkey_name')?.trim() ?? '';
  const added = await service.secondSteps.addPasskey(owner.ownerId, { answer, place, binding, name });
  if (added === 'not_accepted') return redirect('/settings?notice=passkey_refused');
  if (added === 'limit') return redirect('/settings?notice=passkey_limit');
  if (added.recoveryCodes === null) return redirect('/settings?notice=passkey_added');
  return recoveryCodesPage('The passkey is added.', added.recoveryCodes);
}

export async function removePasskey({ service, owner, session, param }: OwnerVisit): Promise<Reply> {
  if (session.kind === 'app') return notFoundPage();
  await service.secondSteps.removePasskey(owner.ownerId, param);
  return redirect('/settings?notice=passkey_removed');
}

export async function renamePasskey({ service, owner, session, param, fields }: OwnerVisit): Promise<Reply> {
  if (session.kind === 'app') return notFoundPage();
  await service.secondSteps.renamePasskey(owner.ownerId, param, fields.get('passkey_name')?.trim() ?? '');
  return redirect('/settings?notice=passkey_renamed');
}
