import type { Checkpoint, NumberedActivity } from '../../core/ports/checkpoint-storage.ts';
import { readActivity } from './activity.ts';
import { instant, integer, type Row, text } from './row.ts';

export function readCheckpoint(row: Row): Checkpoint {
  return {
    ownerId: text(row, 'owner_id'),
    number: integer(row, 'number'),
    firstId: integer(row, 'first_id'),
    lastId: integer(row, 'last_id'),
    count: integer(row, 'row_count'),
    hour: instant(row, 'hour_ms'),
    createdAt: instant(row, 'created_at_ms'),
    updatedAt: instant(row, 'updated_at_ms'),
    previousHash: text(row, 'previous_hash'),
    hash: text(row, 'hash'),
    signature: text(row, 'signature'),
  };
}

export function readNumberedActivity(row: Row): NumberedActivity {
  return { id: integer(row, 'activity_id'), activity: readActivity(row) };
}
