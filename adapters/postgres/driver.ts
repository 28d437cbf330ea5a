import type pg from 'pg';
import { loadDriver } from '../driver/load-driver.ts';

/** @throws Error that says what to install */
export function pgDriver(): typeof pg {
  // The types belong to the version that was checked.
  return loadDriver('postgresStorage', 'pg', [8]) as typeof pg;
}
