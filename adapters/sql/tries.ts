import type { FailedTries } from '../../core/gate/pace.ts';
import { integer, type Row } from './row.ts';

export function readTries(row: Row | undefined): FailedTries | undefined {
  return row && { failures: integer(row, 'failures'), lastMs: integer(row, 'last_ms') };
}
