import type { Window } from '../../core/gate/limits.ts';
import type { StoredUsage } from '../../core/ports/store.ts';
import { integer, type Row, text } from './row.ts';

/**
 * A row without a slot counts calls: of the credential's minute or, without a credential, of the owner's day.
 */
export function readUsage(rows: readonly Row[]): StoredUsage {
  let minute: Window | undefined;
  let day: Window | undefined;
  const slots: { slotId: string; leaseUntilMs: number }[] = [];
  for (const row of rows) {
    const timeMs = integer(row, 'time_ms');
    const slotId = text(row, 'slot_id');
    if (slotId !== '') slots.push({ slotId, leaseUntilMs: timeMs });
    else if (text(row, 'credential_id') === '') day = { startedAtMs: timeMs, count: integer(row, 'count') };
    else minute = { startedAtMs: timeMs, count: integer(row, 'count') };
  }
  return { minute, day, slots };
}
