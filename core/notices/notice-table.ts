import { owners } from '../owners/owner-tables.ts';
import { STORED } from '../secrets/stored-purposes.ts';
import { instant, integer, sealed, text } from '../state/column.ts';
import { table } from '../state/table.ts';

export const noticeChannels = table(
  'notice_channels',
  {
    ownerId: text(),
    channelId: text(),
    kind: text(),
    sealedTarget: sealed(STORED.noticeTarget),
    /** JSON. NULL: the channel is confirmed. */
    code: text().orNull(),
    tries: integer(),
    retryAt: instant().orNull(),
    failingSince: instant().orNull(),
    problem: text().orNull(),
    createdAt: instant(),
  },
  { key: ['ownerId', 'channelId'], partOf: owners },
);
