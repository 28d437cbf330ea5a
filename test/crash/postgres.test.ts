import { afterAll, beforeAll, describe } from 'vitest';
import { onlyLong } from '../only-long.ts';
import { titledWithout } from '../servers/missing-servers.ts';
import { missingPostgres, type Postgres, startPostgres } from '../servers/postgres.ts';
import { crashProof } from './proof.ts';
import { CHANGED, INVITE, look, lookFor, prepare, SEND } from './sandbox-scene.ts';
import { keepInPostgres } from './scene.ts';

const missing = missingPostgres();

describe.skipIf(missing.length > 0)(titledWithout(missing, 'on Postgres'), () => {
  let postgres: Postgres;
  const made: string[] = [];
  beforeAll(async () => {
    postgres = await startPostgres();
  });
  afterAll(async () => {
    for (const url of made) await postgres.dropDatabase(url);
    await postgres?.stop();
  });

  const mailbox = async () => {
    const url = await postgres.createDatabase();
    made.push(url);
    return url;
  };

  crashProof('sandbox', 'direct', {
    mailbox,
    prepare: (folder, url) => {
      keepInPostgres(folder, url);
      return prepare(folder, 'direct', SEND);
    },
    look: async (folder) => {
      const { transmitted, inSent, linked } = await look(folder);
      return { transmitted, inSent, linked };
    },
    unknownFrom: 'storage.start',
    inGate: (call) => call === 'storage.start' || call === 'storage.settle',
  });
  onlyLong('crash: stages', () => {
    crashProof('sandbox, with changes of the owner', 'approve', {
      mailbox,
      prepare: (folder, url) => {
        keepInPostgres(folder, url);
        return prepare(folder, 'approve', SEND, CHANGED);
      },
      look: async (folder) => {
        const { transmitted, inSent, linked } = await lookFor(folder, CHANGED.subject ?? '');
        return { transmitted, inSent, linked };
      },
      unknownFrom: 'storage.start',
      inGate: () => false,
    });
    crashProof('sandbox calendar', 'approve', {
      mailbox,
      prepare: (folder, url) => {
        keepInPostgres(folder, url);
        return prepare(folder, 'approve', INVITE);
      },
      look,
      unknownFrom: 'calendar.write',
      inGate: () => false,
    });
  });
});
