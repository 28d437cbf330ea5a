import type { ComponentChildren } from 'preact';
import { shortened } from '../../../core/text/shortened.ts';
import type { Tracker, TrackerLink } from '../../../core/trackers/tracker-storage.ts';
import { Link } from '../links.tsx';
import { Notice } from '../notice.tsx';
import { notFoundPage } from '../problem.tsx';
import { Quoted } from '../third-party-text.tsx';
import { type OwnerVisit, page, type Reply } from '../visit.ts';
import { LongDay, When } from '../when.tsx';
import { NewTrackerForm, type Refused, TrackerForms, UnlinkForm } from './tracker-forms.tsx';

const TRACKERS = 20;
/** Per tracker in the list; its own page has all of them. */
const NEWEST_LINKS = 5;
const LINKS = 50;

/** The active or the resolved trackers, newest first, each with its newest links. */
export async function trackersPage(visit: OwnerVisit, refused?: Refused): Promise<Reply> {
  const { service, owner, query, token } = visit;
  const { ownerId, timezone } = owner;
  const state = query.get('state') === 'resolved' ? 'resolved' : 'active';
  const before = numberIn(query.get('before'));
  const { trackers, more } = await service.trackers.list(ownerId, {
    state,
    limit: TRACKERS,
    ...(before && { before }),
  });
  const shown = await Promise.all(
    trackers.map(({ trackerId }) => service.trackers.show(ownerId, trackerId, { limit: NEWEST_LINKS })),
  );
  const last = trackers.at(-1);
  return page(
    'Trackers',
    <>
      <h1>Trackers</h1>
      <Notice code={query.get('notice')} />
      <NewTrackerForm token={token} refused={refused} />
      <p class="pages">
        <Link to="/trackers" aria-current={state === 'active' ? 'page' : undefined}>
          Active
        </Link>
        <Link to="/trackers?state=resolved" aria-current={state === 'resolved' ? 'page' : undefined}>
          Resolved
        </Link>
      </p>
      {trackers.length > 0 ? null : (
        <p class="quiet">
          {state === 'active'
            ? 'Nothing is being tracked. Create a tracker for something that you wait for: mail with its keywords is linked to it, and your agent can note what it does about it.'
            : 'No tracker has been resolved yet.'}
        </p>
      )}
      <ul class="rows" id="trackers">
        {shown.map((one) =>
          one === undefined ? null : (
            <li>
              <div class="row-head">
                <Link to={`/trackers/${one.tracker.trackerId}`}>
                  <Quoted text={one.tracker.title} />
                </Link>
                <StatusBadge status={one.tracker.status} />
              </div>
              <TrackerFacts tracker={one.tracker} zone={timezone} />
              <Links links={one.links.map(briefly)} zone={timezone} />
              {one.more ? (
                <p class="quiet">
                  <Link to={`/trackers/${one.tracker.trackerId}`}>All {one.total} links</Link>
                </p>
              ) : null}
            </li>
          ),
        )}
      </ul>
      {more && last !== undefined ? (
        <p class="pages">
          <Link to={`/trackers?state=${state}&before=${last.trackerId}`}>Older</Link>
        </p>
      ) : null}
    </>,
  );
}

/** One tracker with all its links. */
export async function trackerPage(visit: OwnerVisit, refused?: Refused): Promise<Reply> {
  const { service, owner, param, query, token } = visit;
  const upTo = numberIn(query.get('up_to'));
  const limit = LINKS + 1;
  const found = await service.trackers.show(owner.ownerId, Number(param), { limit, ...(upTo && { upTo }) });
  if (found === undefined) return notFoundPage();
  const { tracker, links, total } = found;
  const next = links[LINKS];
  return page(
    tracker.title,
    <article class="approval">
      <header>
        <h1>
          <Quoted text={tracker.title} />
        </h1>
        <StatusBadge status={tracker.status} />
      </header>
      <Notice code={query.get('notice')} />
      <TrackerFacts tracker={tracker} zone={owner.timezone} />
      <TrackerForms tracker={tracker} token={token} refused={refused} />
      <p>
        <Link class="button-like" to={`/trackers/${tracker.trackerId}/link`}>
          Link a message or event
        </Link>
      </p>
      <h2>{total === 1 ? 'One link' : `${total} links`}</h2>
      <Links
        links={links.slice(0, LINKS)}
        zone={owner.timezone}
        action={(link) => <UnlinkForm trackerId={tracker.trackerId} link={link} token={token} />}
      />
      <p class="pages">
        {upTo === undefined ? null : <Link to={`/trackers/${tracker.trackerId}`}>Newest</Link>}
        {next === undefined ? null : (
          <Link to={`/trackers/${tracker.trackerId}?up_to=${next.linkId}`}>Older</Link>
        )}
      </p>
    </article>,
  );
}

function numberIn(text: string | null): number | undefined {
  return text !== null && /^[1-9]\d{0,14}$/.test(text) ? Number(text) : undefined;
}

const STATUS_TITLES: Record<Tracker['status'], string> = {
  open: 'Open',
  waiting: 'Waiting',
  resolved: 'Resolved',
};

function StatusBadge({ status }: { status: Tracker['status'] }) {
  return (
    <span class="state" data-state={status}>
      {STATUS_TITLES[status]}
    </span>
  );
}

function TrackerFacts({ tracker, zone }: { tracker: Tracker; zone: string }) {
  const { summary, keywords, dueOn, createdAt, resolvedAt } = tracker;
  return (
    <dl class="facts">
      {summary.importance === 'normal' ? null : <Fact name="Importance">{summary.importance}</Fact>}
      {dueOn === null ? null : (
        <Fact name="Due">
          <LongDay on={dueOn} />
        </Fact>
      )}
      {keywords === '' ? null : (
        <Fact name="Keywords">
          <Quoted text={keywords} />
        </Fact>
      )}
      {summary.text === '' ? null : (
        <Fact name="Summary">
          <Quoted text={summary.text} />
        </Fact>
      )}
      {summary.nextAction === '' ? null : (
        <Fact name="Next">
          <Quoted text={summary.nextAction} />
        </Fact>
      )}
      <Fact name="Since">
        <When at={createdAt} zone={zone} />
        {tracker.addedByAgent ? ', by a program' : null}
        {resolvedAt === null ? null : (
          <>
            ; resolved <When at={resolvedAt} zone={zone} />
          </>
        )}
      </Fact>
    </dl>
  );
}

function Fact({ name, children }: { name: string; children: ComponentChildren }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  );
}

const BRIEF_CHARS = 300;

/** Shortens a long note for the list; the tracker's own page shows all of it. */
function briefly(link: TrackerLink): TrackerLink {
  const { content } = link;
  if (content.kind !== 'note') return link;
  return { ...link, content: { ...content, note: shortened(content.note, BRIEF_CHARS) } };
}

function Links(props: {
  links: readonly TrackerLink[];
  zone: string;
  /** What the owner can do with a link. */
  action?: (link: TrackerLink) => ComponentChildren;
}) {
  const { links, zone, action } = props;
  if (links.length === 0) return null;
  return (
    <ul class="links">
      {links.map((link) => (
        <li>
          <LinkText link={link} zone={zone} />
          {action === undefined ? null : <div class="actions">{action(link)}</div>}
        </li>
      ))}
    </ul>
  );
}

function LinkText({ link: { content, addedBy, createdAt }, zone }: { link: TrackerLink; zone: string }) {
  switch (content.kind) {
    case 'mail': {
      const { subject, from, date } = content.message;
      return (
        <>
          <div>
            <Quoted text={subject === '' ? '(no subject)' : subject} />
          </div>
          <div class="quiet">
            mail from <Quoted text={from} /> · <When at={date} zone={zone} />
            {addedBy === 'auto' ? ' · linked by its keywords' : addedBy === 'owner' ? ' · by you' : null}
          </div>
        </>
      );
    }
    case 'event':
      return (
        <>
          <div>
            <Quoted text={content.title} />
          </div>
          <div class="quiet">
            event · <When at={content.start} zone={zone} />
          </div>
        </>
      );
    case 'note':
      return (
        <>
          <div class="lines">
            <Quoted text={content.note} />
          </div>
          <div class="quiet">
            note · <When at={createdAt} zone={zone} />
            {addedBy === 'owner' ? ' · by you' : null}
          </div>
        </>
      );
  }
}
