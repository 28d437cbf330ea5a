import type { Database } from 'better-sqlite3';
import { addEndingKeys, addKnownDomains } from './known-domains-schema.ts';
import { SCHEMA_1 } from './schema-1.ts';
import { SCHEMA_2 } from './schema-2.ts';
import { SCHEMA_3 } from './schema-3.ts';
import { SCHEMA_4 } from './schema-4.ts';
import { SCHEMA_5 } from './schema-5.ts';
import { SCHEMA_6 } from './schema-6.ts';
import { SCHEMA_7 } from './schema-7.ts';
import { SCHEMA_8 } from './schema-8.ts';
import { SCHEMA_9 } from './schema-9.ts';
import { SCHEMA_10 } from './schema-10.ts';
import { SCHEMA_11 } from './schema-11.ts';
import { SCHEMA_12 } from './schema-12.ts';
import { SCHEMA_13 } from './schema-13.ts';
import { SCHEMA_14 } from './schema-14.ts';
import { SCHEMA_15 } from './schema-15.ts';
import { SCHEMA_16 } from './schema-16.ts';
import { SCHEMA_17 } from './schema-17.ts';
import { SCHEMA_18 } from './schema-18.ts';
import { SCHEMA_19 } from './schema-19.ts';
import { SCHEMA_20 } from './schema-20.ts';
import { SCHEMA_21 } from './schema-21.ts';
import { SCHEMA_22 } from './schema-22.ts';
import { SCHEMA_23 } from './schema-23.ts';
import { SCHEMA_24 } from './schema-24.ts';
import { SCHEMA_25 } from './schema-25.ts';
import { SCHEMA_26 } from './schema-26.ts';
import { SCHEMA_27 } from './schema-27.ts';
import { SCHEMA_28 } from './schema-28.ts';
import { SCHEMA_29 } from './schema-29.ts';
import { SCHEMA_31 } from './schema-31.ts';
import { SCHEMA_32 } from './schema-32.ts';
import { SCHEMA_33 } from './schema-33.ts';
import { SCHEMA_35 } from './schema-35.ts';

/** SQL, or a function for what SQL cannot compute. */
export type Migration = string | ((db: Database) => void);

/** Migration n upgrades a file from version n - 1 to n. A released migration is never edited. */
export const MIGRATIONS: readonly Migration[] = [
  SCHEMA_1,
  SCHEMA_2,
  SCHEMA_3,
  SCHEMA_4,
  SCHEMA_5,
  SCHEMA_6,
  SCHEMA_7,
  SCHEMA_8,
  SCHEMA_9,
  SCHEMA_10,
  SCHEMA_11,
  SCHEMA_12,
  SCHEMA_13,
  SCHEMA_14,
  SCHEMA_15,
  SCHEMA_16,
  SCHEMA_17,
  SCHEMA_18,
  SCHEMA_19,
  SCHEMA_20,
  SCHEMA_21,
  SCHEMA_22,
  SCHEMA_23,
  SCHEMA_24,
  SCHEMA_25,
  SCHEMA_26,
  SCHEMA_27,
  SCHEMA_28,
  SCHEMA_29,
  addKnownDomains,
  SCHEMA_31,
  SCHEMA_32,
  SCHEMA_33,
  addEndingKeys,
  SCHEMA_35,
];

/**
 * Upgrades the file to this program's version, in one transaction, so that two processes that start at once
 * do it only once. A file of this version needs no lock.
 * @throws Error if a newer program wrote the file
 */
export function migrate(db: Database): void {
  const newest = MIGRATIONS.length;
  if (versionOf(db) === newest) return;
  db.transaction(() => {
    const version = versionOf(db);
    if (version > newest) {
      throw new Error(
        `it has schema version ${version}, and this program knows versions up to ${newest}. ` +
          'Start the newer program that wrote it, or restore a copy from before the upgrade.',
      );
    }
    runMigrations(db, MIGRATIONS.slice(version));
    db.pragma(`user_version = ${newest}`);
  }).immediate();
}

function versionOf(db: Database): number {
  return Number(db.pragma('user_version', { simple: true }));
}

export function runMigrations(db: Database, migrations: readonly Migration[]): void {
  for (const one of migrations) typeof one === 'string' ? db.exec(one) : one(db);
}
