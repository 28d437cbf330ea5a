import { PROOF_LEVELS, type ProofLevel } from '../../../core/owners/owner-proof.ts';
import { Choice, Form } from '../forms/forms.tsx';
import { notFoundPage, problemPage } from '../problem.tsx';
import { type OwnerVisit, type Reply, redirect } from '../visit.ts';

const LEVELS: Record<ProofLevel, string> = {
  every_12_hours: 'Every 12 hours',
  red: 'When something is marked as high risk',
  leaving: 'For everything that leaves, or is high risk',
  always: 'For each request',
};

/** When the owner has to prove again who they are before approving. */
export function ProofForSection({ level, token }: { level: ProofLevel; token: string }) {
  return (
    <section aria-labelledby="proof-for">
      <h2 id="proof-for">Prove it is you</h2>
      <p class="quiet">
        When approving asks for your passkey or password. An assistant that works in your browser can press a
        button, but it has neither of them. What leaves is mail, and invitations to events.
      </p>
      <Form action="/settings/proof-for" token={token}>
        <Choice
          id="proof-for-level"
          label="Ask who I am"
          name="level"
          options={PROOF_LEVELS.map((one) => [one, LEVELS[one]] as const)}
          value={level}
        />
        <button type="submit" class="outline">
          Save when to ask
        </button>
      </Form>
    </section>
  );
}

export async function saveProofFor({ service, owner, session, fields }: OwnerVisit): Promise<Reply> {
  if (session.kind === 'app') return notFoundPage();
  const proofFor = PROOF_LEVELS.find((level) => level === fields.get('level'));
  if (proofFor === undefined) return problemPage(422, 'Nothing was changed', 'Choose one of the answers.');
  await service.owners.update(owner.ownerId, { proofFor });
  return redirect('/settings?notice=proof_for_saved');
}
