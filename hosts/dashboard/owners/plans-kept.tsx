import { isPlansKeptDays, PLANS_KEPT_DAYS } from '../../../core/owners/new-owner.ts';
import { Field, Form } from '../forms/forms.tsx';
import { problemPage } from '../problem.tsx';
import { type OwnerVisit, type Reply, redirect } from '../visit.ts';

/** How long the content of ended requests is kept. */
export function PlansKeptSection({ days, token }: { days: number; token: string }) {
  const { min, max } = PLANS_KEPT_DAYS;
  return (
    <section aria-labelledby="plans-kept">
      <h2 id="plans-kept">Content of requests</h2>
      <p class="quiet">
        Countersign keeps what a request was about, such as the message that it sent, for this long after its
        end. Then the content is erased for good. What was decided, and when, stays. A request that waits is
        never erased.
      </p>
      <Form action="/settings/plans-kept" token={token}>
        <Field
          label={`Days to keep the content (${min} to ${max})`}
          name="days"
          type="number"
          min={min}
          max={max}
          required
          value={String(days)}
        />
        <button type="submit" class="outline">
          Save the days
        </button>
      </Form>
    </section>
  );
}

export async function savePlansKept({ service, owner, fields }: OwnerVisit): Promise<Reply> {
  const plansKeptDays = Number(fields.get('days')?.trim() || Number.NaN);
  if (!isPlansKeptDays(plansKeptDays)) {
    const text = `Enter a whole number of days from ${PLANS_KEPT_DAYS.min} to ${PLANS_KEPT_DAYS.max}.`;
    return problemPage(422, 'Nothing was changed', text);
  }
  await service.owners.update(owner.ownerId, { plansKeptDays });
  return redirect('/settings?notice=plans_kept_saved');
}
