import { errorName } from '../../../core/ports/log.ts';
import type { ActivityEntry } from '../../../core/requests/activity-list.ts';
import { download } from '../download.ts';
import { visibleText } from '../visible-text.ts';
import type { OwnerVisit, Reply } from '../visit.ts';
import { wrongChoicePage } from './activity.tsx';
import { activityQuery, type ChosenActivity, chosenActivity } from './activity-filter.ts';
import { activityText } from './activity-words.ts';
import { BYTE_ORDER_MARK, csvRecord } from './csv.ts';

/** Rows in memory at a time. */
const ROWS = 500;

interface Format {
  readonly file: { readonly name: string; readonly type: string };
  readonly head: string;
  readonly separator: string;
  readonly tail: string;
  row(entry: ActivityEntry, keyName: string): string;
}

const CSV: Format = {
  file: { name: 'activity.csv', type: 'text/csv; charset=utf-8' },
  head:
    BYTE_ORDER_MARK +
    csvRecord([
      ...['Time (UTC)', 'Key', 'What happened', 'Kind', 'Tool', 'Outcome', 'Request', 'State of the request'],
      ...['Milliseconds', 'Shown or changed', 'Listed'],
    ]),
  separator: '',
  tail: '',
  row: (entry, keyName) =>
    csvRecord([
      entry.at.toISOString(),
      visibleText(keyName),
      visibleText(activityText(entry)),
      ...[entry.kind, entry.tool ?? '', entry.outcome, entry.approvalId ?? '', entry.request?.state ?? ''],
      ...[Math.round(entry.durationMs), entry.shown.length, entry.listed.length],
    ]),
};

const JSON_ROWS: Format = {
  file: { name: 'activity.json', type: 'application/json' },
  head: '[',
  separator: ',',
  tail: '\n]\n',
  row: (entry, keyName) => `\n${JSON.stringify(exported(entry, keyName))}`,
};

function exported(entry: ActivityEntry, keyName: string) {
  return {
    at: entry.at.toISOString(),
    kind: entry.kind,
    key_id: entry.credentialId,
    key_name: keyName,
    sentence: activityText(entry),
    tool: entry.tool,
    outcome: entry.outcome,
    approval_id: entry.approvalId,
    approval_state: entry.request?.state ?? null,
    duration_ms: entry.durationMs,
    shown: entry.shown,
    listed: entry.listed,
  };
}

export const activityCsv = (visit: OwnerVisit): Promise<Reply> => activityFile(visit, CSV);
export const activityJson = (visit: OwnerVisit): Promise<Reply> => activityFile(visit, JSON_ROWS);

/**
 * All chosen rows, newest first, written while they are read. Rows that are added meanwhile are left out. If a page of
 * rows cannot be read, the download breaks off: a file that is incomplete never looks complete.
 */
async function activityFile(visit: OwnerVisit, format: Format): Promise<Reply> {
  const chosen = chosenActivity(visit.query);
  if (chosen === undefined) return wrongChoicePage();
  return download(visit.head, format.file, chunksOf(visit, chosen, format));
}

async function* chunksOf(
  { service, owner, options }: OwnerVisit,
  chosen: ChosenActivity,
  { head, separator, tail, row }: Format,
): AsyncGenerator<string, undefined, undefined> {
  const query = activityQuery(chosen, owner.timezone);
  const keys = await service.keys.list(owner.ownerId);
  const names = new Map(keys.map(({ credentialId, name }) => [credentialId, name]));
  let before: ActivityEntry | undefined;
  let more = true;
  while (more) {
    const page = await service.owners
      .activity(owner.ownerId, { ...query, before, limit: ROWS })
      .catch((error) => {
        if (before !== undefined) options.log?.error('an export of the activity broke off', errorName(error));
        throw error;
      });
    const rows = page.entries.map((entry) => row(entry, names.get(entry.credentialId ?? '') ?? ''));
    yield (before === undefined ? head : separator) + rows.join(separator);
    before = page.entries.at(-1);
    more = page.more;
  }
  yield tail;
}
