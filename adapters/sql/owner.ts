import { OWNER_COLUMNS, type Owner, owners } from '../../core/owners/owner-state.ts';
import { readRow } from '../../core/state/query.ts';
import type { Row } from './row.ts';

const OWNER = { ...owners, columns: OWNER_COLUMNS };

export function readOwner(row: Row): Owner {
  return readRow(OWNER, row);
}
