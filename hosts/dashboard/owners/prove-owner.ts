import { createHash } from 'node:crypto';
import type { Demand } from '../../../core/owners/step-up.ts';
import type { DecidedWhere } from '../../../core/requests/approval-views.ts';
import { togetherDigest } from '../../../core/requests/decide-together.ts';
import { readSignedTime, signedTime } from '../forms/signed-time.ts';
import { readMembers } from '../requests/member-field.ts';
import type { OwnerVisit } from '../visit.ts';
import type { PasskeyOptions } from './passkey-options.ts';
import { challengeBinding, usedPasskeyPlace } from './passkeys.tsx';

/** If the owner chose *Prove it is you*, each decision carries a proof of who makes it. */

/** The form fields that say what is approved. */
const DECIDES: ReadonlySet<string> = new Set(['digest', 'member', 'confirms', 'to', 'subject', 'text']);

/** When the person was sent to the app's page that asks who they are, for this decision. */
export const PROVING_FIELD = 'proving';

/** The demand of approving the request of this visit. */
export async function demandForApprove({ service, owner, param }: OwnerVisit): Promise<Demand> {
  if (owner.proofFor === 'every_12_hours') return 'approve';
  const view = await service.approvals.show(owner.ownerId, param);
  return view?.needsProof === true ? 'prove' : 'approve';
}

/** The findings that the changes raise are not known before they are planned. */
export async function demandForChange({ owner }: OwnerVisit): Promise<Demand> {
  return owner.proofFor === 'every_12_hours' ? 'approve' : 'prove';
}

/** Requests that can be decided together write to nobody and have no red finding. */
export async function demandForTogether({ owner }: OwnerVisit): Promise<Demand> {
  return owner.proofFor === 'always' ? 'prove' : 'approve';
}

/** The digest that the proof of this form is for. */
function provenDigest(fields: URLSearchParams): string {
  const members = readMembers(fields);
  return fields.get('digest') ?? togetherDigest(members ?? []);
}

/** Where a decision of this visit is made: in the session, or in the app that signs its users in itself. */
export function decidedIn({ session, fields, provenAt }: OwnerVisit): DecidedWhere {
  return {
    ...(session.kind === 'own' && { sessionId: session.stored.id }),
    ...(provenAt && { proven: { provenAt, digest: provenDigest(fields) } }),
  };
}

/** What binds a passkey's challenge to the session and to everything that the form decides. */
export function decisionBinding(sessionId: string, fields: URLSearchParams): string {
  const decided = JSON.stringify([...fields].filter(([name]) => DECIDES.has(name)));
  const hash = createHash('sha256').update(decided).digest('base64url');
  return challengeBinding('approve', `${sessionId} ${hash}`);
}

/** How the owner proves it on the page of the request. */
export type ProofOffer =
  /** `options`: what the script gives to the passkey. */
  | { readonly kind: 'passkey'; readonly options: string }
  | { readonly kind: 'password'; readonly hasSecondStep: boolean };

/** Undefined: nothing more than a press is needed, or the app asks. */
export async function proofOffer(
  visit: OwnerVisit,
  { needsProof, digest }: { needsProof: boolean; digest: string },
): Promise<ProofOffer | undefined> {
  const { service, owner, session } = visit;
  if (!needsProof || session.kind === 'app') return undefined;
  const secondStep = await service.secondSteps.show(owner.ownerId);
  const place = usedPasskeyPlace(visit, secondStep);
  if (place === undefined) return { kind: 'password', hasSecondStep: secondStep !== null };
  const binding = decisionBinding(session.stored.id, new URLSearchParams({ digest }));
  const challenge = service.secondSteps.challenge(binding);
  const options: PasskeyOptions = { challenge, host: place.host };
  return { kind: 'passkey', options: JSON.stringify(options) };
}

/** For the way back from the app's page that asks who the person is. */
export function provingMark(visit: OwnerVisit): string {
  return signedTime(aboutOf(visit), visit.requests.storeNowMs);
}

/** Whether the person has proved who they are to the app since this decision sent them there. */
export function hasProvenInApp(visit: OwnerVisit, authenticatedAt: Date): boolean {
  const askedMs = readSignedTime(aboutOf(visit), visit.fields.get(PROVING_FIELD));
  return askedMs !== undefined && authenticatedAt.getTime() >= askedMs;
}

function aboutOf({ token, fields }: OwnerVisit) {
  return { token, about: `prove ${provenDigest(fields)}` };
}
