import { Choice, Form } from '../forms/forms.tsx';
import { type OwnerVisit, type Reply, redirect } from '../visit.ts';
import { When } from '../when.tsx';

export function TimeZoneSection({ zone, token, now }: { zone: string; token: string; now: Date }) {
  // An app or the command line may have set a name that this runtime knows but does not list.
  const zones = [...new Set(['UTC', zone, ...Intl.supportedValuesOf('timeZone')])].sort();
  return (
    <section aria-labelledby="time-zone">
      <h2 id="time-zone">Time zone</h2>
      <p class="quiet">
        For all times here, and for the days that programs ask for. It is now <When at={now} zone={zone} />.
      </p>
      <Form action="/settings/time-zone" token={token}>
        <Choice
          id="timezone"
          label="Time zone"
          name="timezone"
          options={zones.map((one) => [one, one.replaceAll('_', ' ')])}
          value={zone}
        />
        <button type="submit" class="outline">
          Save the time zone
        </button>
      </Form>
    </section>
  );
}

export async function saveTimeZone({ service, owner, fields }: OwnerVisit): Promise<Reply> {
  await service.owners.update(owner.ownerId, { timezone: fields.get('timezone') ?? '' });
  return redirect('/settings?notice=time_zone_saved');
}
