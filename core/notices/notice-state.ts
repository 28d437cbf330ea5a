import * as z from 'zod';
import { owners } from '../owners/owner-state.ts';
import { NOTICE_KINDS } from '../ports/notice-target.ts';
import { STORED } from '../secrets/stored-purposes.ts';
import { flag, instant, integer, json, oneOf, sealed, text } from '../state/column.ts';
import { commands, select, statements } from '../state/query.ts';
import { type RowOf, table } from '../state/table.ts';
import { DEFAULT_NOTICE_SETTINGS } from './notice-rule.ts';

/** What is stored of notices. Which requests and accounts a notice covers is a column of their own tables. */

/** The code that the owner has to enter before a channel is used. */
const code = z.strictObject({ mac: z.string(), untilMs: z.int(), triesLeft: z.int() });

export const noticeChannels = table(
  'notice_channels',
  {
    ownerId: text(),
    /** `ntc_` and 16 characters. */
    channelId: text(),
    kind: oneOf(NOTICE_KINDS),
    /** A `NoticeTarget`. */
    sealedTarget: sealed(STORED.noticeTarget),
    /** NULL: the channel is confirmed. */
    code: json((value) => code.parse(value)).orNull(),
    /** Of the notice that is under way. 0: there is none. */
    tries: integer(),
    /** When it is tried again. NULL: it is not. */
    retryAt: instant().orNull(),
    /** Since when every notice has failed. NULL: the last one did not. */
    failingSince: instant().orNull(),
    /** Why the last one failed: a sentence for the owner, without an address. */
    problem: text().orNull(),
    createdAt: instant(),
  },
  { key: ['ownerId', 'channelId'], partOf: owners },
);
export type NoticeChannel = RowOf<typeof noticeChannels>;

/** An owner without a row has the usual settings. */
export const noticeSettings = table(
  'notice_settings',
  {
    ownerId: text(),
    delayMin: integer().startingAt(DEFAULT_NOTICE_SETTINGS.delayMin),
    quietFromMin: integer().orNull(),
    quietToMin: integer().orNull(),
    /** NULL: the owner has opened a page since, or there was none. */
    lastNoticeAt: instant().orNull(),
  },
  { key: ['ownerId'], partOf: owners },
);

export const channelsOfOwner = select(noticeChannels, { by: ['ownerId'], order: ['createdAt', 'channelId'] });
export const settingsOfOwner = select(noticeSettings, { by: ['ownerId'] });
export const ownerToNotify = select(owners, {
  by: ['ownerId'],
  only: ['timezone', 'accessNoticeDue', 'passwordChangedAt', 'secondStepChangedAt', 'recoveryCodeUsedAt'],
});

export const noticeStatements = statements({
  /** Pending requests before their end. `oldest`: of those that no notice covers. */
  waiting_for_notice: {
    params: { ownerId: text(), now: instant() },
    columns: { waiting: integer(), anyId: text().orNull(), oldest: instant().orNull() },
  },
  /** Accounts that only the owner can mend. `oldest`: since when the oldest of them waits that no notice covers. */
  accounts_to_mend: {
    params: { ownerId: text() },
    columns: { accounts: integer(), oldest: instant().orNull() },
  },
  /** Owners with a confirmed channel, for whom something waits, in the order of their ids. */
  owners_to_notify: {
    params: { after: text(), limit: integer(), now: instant() },
    columns: {
      ownerId: text(),
      timezone: text(),
      delayMin: integer().orNull(),
      quietFromMin: integer().orNull(),
      quietToMin: integer().orNull(),
      lastNoticeAt: instant().orNull(),
      accessNoticeDue: flag(),
      /** Of requests, and accounts to mend, that no notice covers. */
      oldest: instant().orNull(),
      /** The earliest. */
      retryAt: instant().orNull(),
    },
  },
});

export const noticeCommands = commands({
  /** Marks the pending requests as covered by a notice, or seen. */
  cover_requests: { ownerId: text() },
  /** Marks the accounts to mend so. */
  cover_servers: { ownerId: text() },
});
