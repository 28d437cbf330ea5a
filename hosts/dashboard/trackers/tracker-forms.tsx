import { randomUUID } from 'node:crypto';
import type { Tracker, TrackerLink, TrackerStatus } from '../../../core/trackers/tracker-storage.ts';
import { Field, Form, Problems } from '../forms/forms.tsx';

/** The forms by which the owner changes trackers. */

/** What a form could not do: why, and what the owner entered. */
export interface Refused {
  readonly problems: readonly string[];
  readonly given: URLSearchParams;
}

export const STATUSES = ['open', 'waiting', 'resolved'] as const satisfies readonly TrackerStatus[];

const STATUS_BUTTONS: Record<TrackerStatus, string> = {
  open: 'Set open',
  waiting: 'Set waiting',
  resolved: 'Resolve',
};

export function NewTrackerForm({ token, refused }: { token: string; refused: Refused | undefined }) {
  return (
    <details open={refused !== undefined}>
      <summary>New tracker</summary>
      <Problems problems={refused?.problems ?? []} />
      <Form action="/trackers" token={token} label="New tracker">
        <input type="hidden" name="request" value={refused?.given.get('request') ?? randomUUID()} />
        <TrackerInputs given={refused?.given} tracker={undefined} />
        <button type="submit">Create tracker</button>
      </Form>
    </details>
  );
}

export function TrackerForms(props: { tracker: Tracker; token: string; refused: Refused | undefined }) {
  const { tracker, token, refused } = props;
  const path = `/trackers/${tracker.trackerId}`;
  const isNote = refused?.given.has('text') ?? false;
  return (
    <>
      <Problems problems={refused?.problems ?? []} />
      <div class="actions">
        {STATUSES.filter((status) => status !== tracker.status).map((status) => (
          <Form action={`${path}/status`} token={token}>
            <input type="hidden" name="status" value={status} />
            <button type="submit" class="outline secondary">
              {STATUS_BUTTONS[status]}
            </button>
          </Form>
        ))}
      </div>
      <details open={refused !== undefined && !isNote}>
        <summary>Edit</summary>
        <Form action={`${path}/edit`} token={token} label="Edit">
          <input type="hidden" name="was_title" value={tracker.title} />
          <input type="hidden" name="was_keywords" value={tracker.keywords} />
          <input type="hidden" name="was_due" value={tracker.dueOn ?? ''} />
          <TrackerInputs given={isNote ? undefined : refused?.given} tracker={tracker} />
          <button type="submit">Save</button>
        </Form>
      </details>
      <details open={isNote}>
        <summary>Add a note</summary>
        <Form action={`${path}/notes`} token={token} label="Add a note">
          <input
            type="hidden"
            name="request"
            value={(isNote ? refused?.given.get('request') : null) ?? randomUUID()}
          />
          <label>
            Note
            <textarea name="text" rows={4} required>
              {`\n${(isNote ? refused?.given.get('text') : null) ?? ''}`}
            </textarea>
          </label>
          <button type="submit">Add note</button>
        </Form>
      </details>
    </>
  );
}

function TrackerInputs({
  given,
  tracker,
}: {
  given: URLSearchParams | undefined;
  tracker: Tracker | undefined;
}) {
  const value = (name: string, now: string | null | undefined) => given?.get(name) ?? now ?? '';
  return (
    <>
      <Field label="Title" name="title" required maxlength={200} value={value('title', tracker?.title)} />
      <Field
        label="Keywords, separated by commas; mail that contains one is linked"
        name="keywords"
        maxlength={500}
        value={value('keywords', tracker?.keywords)}
      />
      <Field label="Due" name="due" type="date" value={value('due', tracker?.dueOn)} />
    </>
  );
}

export function UnlinkForm(props: { trackerId: number; link: TrackerLink; token: string }) {
  const { trackerId, link, token } = props;
  return (
    <Form action={`/trackers/${trackerId}/unlink`} token={token}>
      <input type="hidden" name="link" value={String(link.linkId)} />
      <input type="hidden" name="seen" value={String(link.createdAt.getTime())} />
      <button type="submit" class="outline secondary">
        Remove
      </button>
    </Form>
  );
}
