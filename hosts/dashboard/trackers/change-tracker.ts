import { ServiceError } from '../../../core/contract/errors.ts';
import type { TrackerFields } from '../../../core/trackers/tracker-storage.ts';
import { fieldErrors } from '../forms/field-errors.ts';
import { problemPage } from '../problem.tsx';
import { type OwnerVisit, type Reply, redirect } from '../visit.ts';
import { type Refused, STATUSES } from './tracker-forms.tsx';
import { trackerPage, trackersPage } from './trackers.tsx';

/** What the owner changes of trackers. It needs no approval and sends no webhook. */

export async function createTracker(visit: OwnerVisit): Promise<Reply> {
  const { service, owner, fields } = visit;
  const request = { ownerId: owner.ownerId, requestId: fields.get('request') ?? '', ...fieldsOf(fields, '') };
  const refused = await refusal(visit, () => service.trackers.create(request));
  return refused === undefined ? redirect('/trackers?notice=tracker_created') : trackersPage(visit, refused);
}

export async function editTracker(visit: OwnerVisit): Promise<Reply> {
  const { service, owner, fields } = visit;
  const trackerId = Number(visit.param);
  let isChanged = false;
  const refused = await refusal(visit, async () => {
    const change = { was: fieldsOf(fields, 'was_'), fields: fieldsOf(fields, '') };
    isChanged = await service.trackers.edit({ ownerId: owner.ownerId, trackerId, ...change });
  });
  if (refused !== undefined) return trackerPage(visit, refused);
  return isChanged
    ? redirect(`/trackers/${trackerId}?notice=tracker_saved`)
    : trackerPage(visit, { problems: [CHANGED], given: fields });
}

const CHANGED = 'The tracker was changed meanwhile, so nothing was saved. It is shown as it is now.';

export async function setTrackerStatus({ service, owner, param, fields }: OwnerVisit): Promise<Reply> {
  const status = STATUSES.find((known) => known === fields.get('status'));
  if (status === undefined) return problemPage(422, 'Nothing was done', 'This is not a status of a tracker.');
  await service.trackers.setStatus(owner.ownerId, Number(param), status);
  return redirect(`/trackers/${param}`);
}

export async function addTrackerNote(visit: OwnerVisit): Promise<Reply> {
  const { service, owner, param, fields } = visit;
  const note = { requestId: fields.get('request') ?? '', note: fields.get('text') ?? '' };
  const added = { ownerId: owner.ownerId, trackerId: Number(param), ...note };
  const refused = await refusal(visit, () => service.trackers.addNote(added));
  return refused === undefined ? redirect(`/trackers/${param}`) : trackerPage(visit, refused);
}

export async function unlinkFromTracker({ service, owner, param, fields }: OwnerVisit): Promise<Reply> {
  const link = { linkId: Number(fields.get('link')), createdAt: new Date(Number(fields.get('seen'))) };
  const isGone =
    Number.isSafeInteger(link.linkId) &&
    !Number.isNaN(link.createdAt.getTime()) &&
    (await service.trackers.unlink(owner.ownerId, Number(param), link));
  return redirect(`/trackers/${param}?notice=${isGone ? 'link_removed' : 'link_not_there'}`);
}

const FIELD_NAMES: Readonly<Record<string, string>> = {
  title: 'Title',
  keywords: 'Keywords',
  due: 'Due',
  note: 'Note',
};

/** Undefined: it is done. @throws what `act` throws, except wrong fields */
async function refusal({ fields }: OwnerVisit, act: () => Promise<unknown>): Promise<Refused | undefined> {
  try {
    await act();
    return undefined;
  } catch (error) {
    if (!(error instanceof ServiceError) || error.code !== 'invalid_arguments') throw error;
    const { errors } = fieldErrors.parse(error.details);
    return {
      problems: errors.map(({ field, message }) => `${FIELD_NAMES[field] ?? field}: ${message}.`),
      given: fields,
    };
  }
}

/** @param prefix of the names of the fields */
function fieldsOf(fields: URLSearchParams, prefix: string): TrackerFields {
  const read = (name: string) => (fields.get(`${prefix}${name}`) ?? '').trim();
  return { title: read('title'), keywords: read('keywords'), dueOn: read('due') || null };
}
