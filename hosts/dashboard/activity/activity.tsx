import type { ActivityEntry } from '../../../core/requests/activity-list.ts';
import { MINUTE_MS } from '../../../core/time/durations.ts';
import { CATALOGUE } from '../../../core/tools/catalogue.ts';
import { Choice, Field, SearchForm } from '../forms/forms.tsx';
import { Link } from '../links.tsx';
import { nextStep, WhatNext } from '../next-step.tsx';
import { problemPage } from '../problem.tsx';
import { Words } from '../requests/findings.tsx';
import { Quoted } from '../third-party-text.tsx';
import { visibleText } from '../visible-text.ts';
import { type OwnerVisit, type PageReply, page, type Reply } from '../visit.ts';
import { ExactTime, TimeSpan, When } from '../when.tsx';
import { activityQuery, activitySearch, type ChosenActivity, chosenActivity } from './activity-filter.ts';
import { type Run, runsOf } from './activity-runs.ts';
import { activitySentence } from './activity-words.ts';

const ROWS = 100;

/** Every call and decision as a sentence, newest first, grouped by run. */
export async function activityPage(visit: OwnerVisit): Promise<Reply> {
  const { service, owner, query } = visit;
  const chosen = chosenActivity(query);
  const before = readPlace(query.get('before'));
  if (chosen === undefined || before === 'wrong') return wrongChoicePage();
  const [{ entries, more }, keys] = await Promise.all([
    service.owners.activity(owner.ownerId, { ...activityQuery(chosen, owner.timezone), before, limit: ROWS }),
    service.keys.list(owner.ownerId),
  ]);
  const names = new Map(keys.map(({ credentialId, name }) => [credentialId, name]));
  const last = entries.at(-1);
  const isFiltered = activitySearch(chosen) !== '';
  return page(
    'Activity',
    <>
      <h1>Activity</h1>
      <Filter chosen={chosen} names={names} />
      {entries.length > 0 ? null : isFiltered || before !== undefined ? (
        <p class="quiet">There is nothing here.</p>
      ) : (
        <>
          <p class="quiet">No program has made a call yet.</p>
          <WhatNext step={await nextStep(visit)} />
        </>
      )}
      {runsOf(entries).map((run) => (
        <RunSection run={run} names={names} zone={owner.timezone} />
      ))}
      <p class="pages">
        {before === undefined ? null : <Link to={`/activity${activitySearch(chosen)}`}>Newest</Link>}
        {more && last !== undefined ? (
          <Link to={`/activity${activitySearch(chosen, { before: `${last.at.getTime()}.${last.id}` })}`}>
            Older
          </Link>
        ) : null}
      </p>
      {entries.length === 0 ? null : (
        <p class="quiet">
          Download {isFiltered ? 'everything that matches' : 'everything'} as{' '}
          <Link to={`/activity/export.csv${activitySearch(chosen)}`}>CSV</Link> or{' '}
          <Link to={`/activity/export.json${activitySearch(chosen)}`}>JSON</Link>. Activity is kept for 90
          days.
        </p>
      )}
    </>,
  );
}

/** Answers a URL that the page's own form and links cannot produce. */
export function wrongChoicePage(): PageReply {
  return problemPage(422, 'Activity', 'The address of this page is not valid. Open the activity again.');
}

function readPlace(text: string | null): { at: Date; id: number } | undefined | 'wrong' {
  if (text === null) return undefined;
  const [, ms, id] = /^(\d{1,15})\.(\d{1,15})$/.exec(text) ?? [];
  return ms === undefined ? 'wrong' : { at: new Date(Number(ms)), id: Number(id) };
}

function Filter({ chosen, names }: { chosen: ChosenActivity; names: ReadonlyMap<string, string> }) {
  const isFiltered = activitySearch(chosen) !== '';
  return (
    <details open={isFiltered}>
      <summary>Filter</summary>
      <SearchForm action="/activity" label="Filter">
        <div class="columns">
          <Choice
            id="filter-key"
            label="Key"
            name="key"
            value={chosen.key}
            options={[['', 'All keys'], ...[...names].map(([id, name]) => [id, visibleText(name)] as const)]}
          />
          <Choice
            id="filter-tool"
            label="Tool"
            name="tool"
            value={chosen.tool}
            options={[['', 'All tools'], ...CATALOGUE.map(({ name, title }) => [name, title] as const)]}
          />
          <Field label="Day" name="day" type="date" value={chosen.day} />
        </div>
        <div class="actions">
          <button type="submit" class="outline">
            Show
          </button>
          {isFiltered ? (
            <Link class="button-like" to="/activity">
              Show everything
            </Link>
          ) : null}
        </div>
      </SearchForm>
    </details>
  );
}

function RunSection(props: { run: Run; names: ReadonlyMap<string, string>; zone: string }) {
  const { run, names, zone } = props;
  const { credentialId, entries } = run;
  const end = entries[0].at;
  const start = entries.at(-1)?.at ?? end;
  const id = `run-${entries[0].id}`;
  return (
    <section class="run" aria-labelledby={id}>
      <h2 id={id}>
        {credentialId === null ? (
          'Countersign'
        ) : (
          <Quoted text={names.get(credentialId) ?? 'A key that is gone'} />
        )}
      </h2>
      <p class="quiet">
        {end.getTime() - start.getTime() < MINUTE_MS ? (
          <When at={end} zone={zone} />
        ) : (
          <TimeSpan start={start} end={end} allDay={false} zone={zone} />
        )}
      </p>
      <ol class="events">
        {repeatsOf(entries).map(({ entry, times }) => (
          <li>
            <ExactTime at={entry.at} zone={zone} />
            <span>
              <Words sentence={activitySentence(entry)} />
              {times === 1 ? null : <span class="quiet"> {times} times</span>}{' '}
              {entry.approvalId === null ? null : <Link to={`/approvals/${entry.approvalId}`}>Open</Link>}
            </span>
          </li>
        ))}
      </ol>
    </section>
  );
}

/** Programs poll, so consecutive rows that say the same become one, with the newest time. */
function repeatsOf(entries: Run['entries']): { entry: ActivityEntry; times: number }[] {
  const repeats: { entry: ActivityEntry; times: number; text: string }[] = [];
  for (const entry of entries) {
    const text = JSON.stringify([activitySentence(entry), entry.approvalId]);
    const last = repeats.at(-1);
    if (last?.text === text) last.times++;
    else repeats.push({ entry, times: 1, text });
  }
  return repeats;
}
