import * as z from 'zod';
import type { CallContext } from '../call/context.ts';
import { cursorAt, positionOf } from '../call/paging.ts';
import { cursor } from '../contract/schema.ts';
import { seenText, wordEnd } from '../text/seen-text.ts';
import type { Tracker, TrackerLink } from '../trackers/tracker-storage.ts';
import { defineRead, type Found } from './define-tool.ts';
import { pageShape } from './result-shapes.ts';
import {
  idsOfLinks,
  type LinkRow,
  linkRow,
  linkShape,
  linksOutside,
  noTracker,
  trackerId,
  trackerRow,
  trackerShape,
} from './tracker-fields.ts';
import { linkPassages, trackerPassages } from './tracker-passages.ts';

const TRACKERS_OF_PAGE = 100;
const LINKS_OF_PAGE = 50;
/** The most code points of a note in one answer. The rest comes with the next page. */
const NOTE_CHARS = 10_000;

export const listTrackers = defineRead({
  name: 'list_trackers',
  title: 'List trackers',
  words: { verb: 'list trackers', past: 'Listed %', many: 'trackers' },
  description:
    'Lists the active trackers (open and waiting), newest first. A tracker collects what belongs to one topic: messages, events and notes, with a summary.',
  group: 'trackers:read',
  errors: [],
  kind: 'read',
  input: z.strictObject({ cursor: cursor.optional() }),
  output: z.object({ trackers: z.array(trackerShape), ...pageShape }),
  async run(args, context) {
    const { ownerId } = context.owner;
    const [before] =
      args.cursor === undefined ? [undefined] : positionOf(context, args.cursor, z.tuple([z.int().min(1)]));
    const query = { ownerId, state: 'active', before, limit: TRACKERS_OF_PAGE } as const;
    const { trackers, total, more } = await context.ports.storage.trackers(query);
    if (trackers.length === 0) {
      const none = { trackers: [], total, returned: 0, has_more: false, reason: 'no_active_trackers' };
      return { kind: 'empty', result: none };
    }
    for (const tracker of trackers) context.listed(`tracker:${tracker.trackerId}`);
    context.read(trackers.flatMap((tracker) => trackerPassages(context, tracker, true)));
    return {
      kind: 'cut',
      most: trackers.length,
      at(n) {
        const last = trackers[n - 1];
        const hasMore = more || n < trackers.length;
        return {
          trackers: trackers.slice(0, n).map((tracker) => trackerRow(context, tracker)),
          total,
          returned: n,
          has_more: hasMore,
          ...(hasMore && last !== undefined ? { next_cursor: cursorAt(context, [last.trackerId]) } : {}),
        };
      },
    };
  },
});

/** The first link of a page, and how many code points of its note were shown before. */
const position = z.tuple([z.int().min(1), z.int().min(0)]);

const trackerWithLinks = trackerShape.extend({ links: z.array(linkShape), ...pageShape });

export const getTracker = defineRead({
  name: 'get_tracker',
  title: 'Read a tracker',
  words: { verb: 'read %', past: 'Read %', one: 'a tracker' },
  description:
    'Reads one tracker with the messages, events and notes that are linked to it, newest first. A long note continues in the next page.',
  group: 'trackers:read',
  errors: ['not_found'],
  kind: 'read',
  input: z.strictObject({ tracker_id: trackerId, cursor: cursor.optional() }),
  output: trackerWithLinks,
  async run(args, context) {
    const [upTo, noteOffset] =
      args.cursor === undefined ? [undefined, 0] : positionOf(context, args.cursor, position);
    const found = await context.ports.storage.tracker({
      ownerId: context.owner.ownerId,
      trackerId: args.tracker_id,
      upTo,
      limit: LINKS_OF_PAGE + 1,
    });
    if (found === undefined) throw noTracker();
    const { tracker, links, total } = found;
    context.shown(`tracker:${tracker.trackerId}`);
    const outside = await linksOutside(context, links);
    const inside = links.filter((link) => !outside.has(link));
    const ids = await idsOfLinks(context, inside);
    context.read([
      ...trackerPassages(context, tracker, false),
      ...inside.flatMap((link) => linkPassages(context, tracker, link, ids.get(link))),
    ]);
    return linksPage(context, tracker, links, { outside, ids }, total, noteOffset);
  },
});

/** @param links  those of the page, and the first of the next one */
function linksPage(
  context: CallContext,
  tracker: Tracker,
  links: readonly TrackerLink[],
  {
    outside,
    ids,
  }: { readonly outside: ReadonlySet<TrackerLink>; readonly ids: ReadonlyMap<TrackerLink, string> },
  total: number,
  noteOffset: number,
): Found<z.input<typeof trackerWithLinks>> {
  const facts = trackerRow(context, tracker);
  const rows = links.slice(0, LINKS_OF_PAGE).map((link, at) => {
    const row = linkRow(context, link, ids.get(link), outside.has(link));
    if (row.id !== undefined) context.listed(row.id);
    return { linkId: link.linkId, ...noted(row, at === 0 ? noteOffset : 0) };
  });
  if (rows.length === 0) {
    return { kind: 'result', result: { ...facts, links: [], total, returned: 0, has_more: false } };
  }
  return {
    kind: 'cut',
    // One step per character of a note. If the answer is too long, whole rows are left out from the end. A
    // note is cut only if not even one whole row fits.
    most: rows.length * NOTE_CHARS,
    at(n) {
      const count = Math.max(1, Math.floor(n / NOTE_CHARS));
      const parts = rows
        .slice(0, count)
        .map(({ linkId, upTo }) => ({ linkId, ...upTo(Math.min(n, NOTE_CHARS)) }));
      // A page ends with the first note that does not end in it.
      const cut = parts.findIndex(({ end }) => end !== undefined);
      const shown = cut === -1 ? parts : parts.slice(0, cut + 1);
      const last = parts[cut];
      const behind = links[count]?.linkId;
      const next = last === undefined ? behind && [behind, 0] : [last.linkId, last.end ?? 0];
      return {
        ...facts,
        links: shown.map(({ row }) => row),
        total,
        returned: shown.length,
        has_more: next !== undefined,
        ...(next ? { next_cursor: cursorAt(context, next) } : {}),
      };
    },
  };
}

/** Returns a row whose note can be cut. Counts the shown text. @param offset  where the note continues */
function noted(row: LinkRow, offset: number) {
  const { note } = row;
  const chars = note !== null ? Array.from(seenText(note)).slice(offset) : [];
  return {
    /** `end`: how much of the note was shown so far, if it continues. */
    upTo(most: number): { readonly row: LinkRow; readonly end: number | undefined } {
      const isWhole = chars.length <= most;
      if (isWhole && offset === 0) return { row, end: undefined };
      const shown = isWhole ? chars.length : wordEnd(chars, most);
      const part = { note: chars.slice(0, shown).join(''), note_offset: offset, note_truncated: !isWhole };
      return { row: { ...row, ...part }, end: isWhole ? undefined : offset + shown };
    },
  };
}
