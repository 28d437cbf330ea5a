import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { postgresStorage } from '../../../adapters/postgres/storage.ts';
import { sqliteStorage } from '../../../adapters/sqlite/storage.ts';
import type { Storage } from '../../../core/ports/storage.ts';
import { createKeyring } from '../../../core/secrets/keyring.ts';
import type { Service } from '../../../core/service/service.ts';
import { sizeOf } from '../../only-long.ts';
import { quickHash } from '../../quick-password.ts';
import { bundleForChild } from '../../run-typescript.ts';
import { titledWithout } from '../../servers/missing-servers.ts';
import { type MovableDatabases, movableDatabases } from '../../servers/movable-databases.ts';
import { missingPostgres, type Postgres, startPostgres } from '../../servers/postgres.ts';
import {
  deviceCookie,
  deviceOf,
  FROM_MS,
  openForm,
  openSite,
  plainCookie,
  type SignInAnswer,
  type SignInSite,
  type Visitor,
} from './sign-in-site.ts';

const EMAIL = 'owner@example.org';
const PASSWORD = 'correct horse battery';
const RIGHT = { email: EMAIL, password: PASSWORD };
const WRONG = { email: EMAIL, password: 'wrong horse battery' };
const SECRET_KEY = randomBytes(32);
const SIGNER = createKeyring([SECRET_KEY], randomBytes);
const HOME = '198.51.100.1';
const AWAY = '198.51.100.2';

interface Place {
  readonly location: string;
  connect(): Storage;
}

const missing = missingPostgres();
let databases: MovableDatabases | undefined;

async function sqlitePlace(): Promise<Place> {
  const folder = await mkdtemp(join(tmpdir(), 'countersign-sign-in-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  const location = join(folder, 'countersign.db');
  return { location, connect: () => sqliteStorage({ file: location }) };
}

async function postgresPlace(): Promise<Place> {
  const database = await databases?.take();
  onTestFinished(() => database?.giveBack());
  const location = database?.connectionString ?? '';
  return { location, connect: () => postgresStorage({ connectionString: location }) };
}

describe('attacks on signing in, on SQLite', () => {
  attacks(sqlitePlace, sizeOf('sign-in attacks: emails', 10_050, 200));
});

describe.skipIf(missing.length > 0)(titledWithout(missing, 'attacks on signing in, on Postgres'), () => {
  let postgres: Postgres | undefined;
  beforeAll(async () => {
    postgres = await startPostgres();
    databases = movableDatabases(postgres);
  });
  afterAll(async () => {
    await databases?.drop();
    await postgres?.stop();
  });
  attacks(postgresPlace, 200);
});

function attacks(newPlace: () => Promise<Place>, junkEmails: number): void {
  let place: Place;
  let nowMs: number;
  let site: SignInSite;
  let visitor: Visitor;

  const open = async (storage = place.connect(), between?: (service: Service) => Service): Promise<void> => {
    site = await openSite(storage, SECRET_KEY, () => nowMs, between);
    visitor = await openForm(site.port);
  };
  const knownDevice = async (): Promise<string> => {
    const answer = await visitor.signIn(HOME, RIGHT);
    expect(answer.status).toBe(303);
    return deviceOf(answer);
  };
  const statuses = (answers: readonly SignInAnswer[], status: number) =>
    answers.filter((answer) => answer.status === status);

  beforeEach(async () => {
    nowMs = FROM_MS;
    place = await newPlace();
    const storage = place.connect();
    site = await openSite(storage, SECRET_KEY, () => nowMs);
    onTestFinished(() => site.close());
    const { ownerId } = await site.service.owners.create({ email: EMAIL });
    await storage.setPassword(ownerId, quickHash(PASSWORD), SIGNER);
    visitor = await openForm(site.port);
  });

  it('ten failed tries from the owner’s own address delay neither a known device nor another address', async () => {
    const device = await knownDevice();
    const answers = await Promise.all(Array.from({ length: 10 }, () => visitor.signIn(HOME, WRONG)));
    // One runs, one waits, and the others are refused. Whoever comes after these two may be the third.
    const checked = statuses(answers, 422).length;
    expect(checked).toBeGreaterThanOrEqual(2);
    expect(checked + statuses(answers, 429).length).toBe(10);
    for (let nth = checked; nth < 3; nth++) expect((await visitor.signIn(HOME, WRONG)).status).toBe(422);
    const put = await visitor.signIn(HOME, RIGHT);
    expect([put.status, put.retryAfter]).toEqual([429, '5']);
    expect(put.body).toContain('Too many tries. You can try again in 5 seconds.');
    expect((await visitor.signIn(HOME, RIGHT, device)).status).toBe(303);
    expect((await visitor.signIn(AWAY, RIGHT)).status).toBe(303);
    nowMs += 5000;
    expect((await visitor.signIn(HOME, RIGHT)).status).toBe(303);
  });

  it('an attack on the owner from thirty addresses delays a new device by a second', async () => {
    let checked = 0;
    for (let n = 0; n < 30; n++) {
      if ((await visitor.signIn(`203.0.113.${n}`, WRONG)).status === 422) checked += 1;
    }
    expect(checked).toBe(10);
    const put = await visitor.signIn(AWAY, RIGHT);
    expect(put.body).toContain('Too many tries. You can try again in 1 second.');
    nowMs += 1000;
    expect((await visitor.signIn(AWAY, RIGHT)).status).toBe(303);
  });

  it(`${junkEmails.toLocaleString('en')} junk emails do not reset the tries of one email, and lock nobody out`, async () => {
    const device = await knownDevice();
    for (let n = 0; n < 3; n++) expect((await visitor.signIn(AWAY, WRONG)).status).toBe(422);
    const junk = async (nth: number) => {
      const from = `10.${Math.floor(nth / 65_536)}.${Math.floor(nth / 256) % 256}.${nth % 256}`;
      return visitor.signIn(from, { email: `junk-${nth}@example.org`, password: 'wrong' });
    };
    let next = 0;
    await Promise.all(
      Array.from({ length: 50 }, async () => {
        while (next < junkEmails) expect([422, 429]).toContain((await junk(next++)).status);
      }),
    );
    const put = await visitor.signIn(AWAY, RIGHT);
    expect([put.status, put.retryAfter]).toEqual([429, '5']);
    expect((await visitor.signIn(AWAY, RIGHT, device)).status).toBe(303);
    expect((await visitor.signIn(HOME, RIGHT)).status).toBe(303);
  });

  it('of 300 tries at once five are accepted, and a known device goes first', async () => {
    const device = await knownDevice();
    await site.close();
    const taken: string[] = [];
    let release: () => void = () => {};
    const released = new Promise<void>((resolve) => {
      release = resolve;
    });
    let entered = 0;
    const storage = place.connect();
    const watched: Storage = {
      ...storage,
      async takePasswordTry(request) {
        taken.push(request.deviceHash === null ? 'stranger' : 'device');
        if (taken.length === 1) await released;
        return storage.takePasswordTry(request);
      },
    };
    await open(watched, (service) => ({
      ...service,
      sessions: {
        ...service.sessions,
        signIn(request) {
          entered += 1;
          return service.sessions.signIn(request);
        },
      },
    }));
    const answered: SignInAnswer[] = [];
    const tries = Array.from({ length: 300 }, async (_, n) => {
      const from = `203.0.${Math.floor(n / 256)}.${n % 256}`;
      const junk = { email: `junk-${n}@example.org`, password: 'wrong' };
      answered.push(await visitor.signIn(from, junk));
    });
    // The first try holds the store until it is released, so the others have come and gone by then.
    await expect.poll(() => answered.length).toBe(295);
    for (const { status, retryAfter, body } of answered) {
      expect([status, retryAfter]).toEqual([429, '5']);
      expect(body).toContain('Many passwords are being checked right now. You can try again in 5 seconds.');
    }
    const owner = visitor.signIn(HOME, RIGHT, device);
    await expect.poll(() => entered).toBe(301);
    release();
    expect((await owner).status).toBe(303);
    await Promise.all(tries);
    expect(taken).toEqual(['stranger', 'device', 'stranger', 'stranger', 'stranger', 'stranger']);
    expect(answered.slice(295).map(({ status }) => status)).toEqual([422, 422, 422, 422, 422]);
  });

  it('a restart keeps the tries and the device', async () => {
    const device = await knownDevice();
    for (let n = 0; n < 3; n++) expect((await visitor.signIn(AWAY, WRONG)).status).toBe(422);
    await site.close();
    await open();
    expect((await visitor.signIn(AWAY, RIGHT)).retryAfter).toBe('5');
    expect((await visitor.signIn(AWAY, RIGHT, device)).status).toBe(303);
    nowMs += 5000;
    expect((await visitor.signIn(AWAY, RIGHT)).status).toBe(303);
  });

  it('two processes count together, and know each other’s devices', async () => {
    const bundle = await bundleForChild(join(import.meta.dirname, 'sign-in-process.ts'));
    const visitors = await Promise.all(
      [0, 1].map(async () => {
        const args = [bundle, place.location, SECRET_KEY.toString('hex')];
        const child = spawn(process.execPath, args, { stdio: ['pipe', 'pipe', 'inherit'] });
        onTestFinished(() => void child.kill());
        const { value } = await createInterface({ input: child.stdout })[Symbol.asyncIterator]().next();
        return openForm(Number(value));
      }),
    );
    const [one, other] = visitors;
    if (one === undefined || other === undefined) throw new Error('two processes have two visitors');
    const device = deviceOf(await one.signIn(HOME, RIGHT));
    expect((await one.signIn(AWAY, WRONG)).status).toBe(422);
    expect((await other.signIn(AWAY, WRONG)).status).toBe(422);
    expect((await one.signIn(AWAY, WRONG)).status).toBe(422);
    for (const side of visitors) expect((await side.signIn(AWAY, RIGHT)).retryAfter).toBe('5');
    expect((await other.signIn(AWAY, RIGHT, device)).status).toBe(303);
  });

  it('an unknown email gets the same answers as the owner’s, try by try', async () => {
    const seen = async (email: string, network: string) => {
      const answers = [];
      for (const from of [1, 1, 1, 1, 2, 2].map((host) => `${network}.${host}`)) {
        const { status, retryAfter, setCookies, body } = await visitor.signIn(from, { ...WRONG, email });
        answers.push({ status, retryAfter, setCookies, body: body.replaceAll(email, 'EMAIL') });
      }
      return answers;
    };
    expect(await seen('nobody@example.org', '203.0.113')).toEqual(await seen(EMAIL, '198.18.0'));
  });

  it('an oversized email or password is refused before anything is stored or hashed', async () => {
    await site.close();
    const storage = place.connect();
    let tries = 0;
    const watched: Storage = {
      ...storage,
      takePasswordTry(request) {
        tries += 1;
        return storage.takePasswordTry(request);
      },
    };
    await open(watched);
    for (let n = 0; n < 50; n++) {
      const long = { email: `${n}@${'x'.repeat(60_000)}.org`, password: PASSWORD };
      expect((await visitor.signIn(HOME, long)).status).toBe(422);
    }
    expect((await visitor.signIn(HOME, { ...RIGHT, password: 'x'.repeat(60_000) })).status).toBe(422);
    expect(tries).toBe(0);
    expect((await visitor.signIn(HOME, RIGHT)).status).toBe(303);
  });

  it('the device cookie stays in the browser, grants no access, and ends with the password', async () => {
    const answer = await visitor.signIn(HOME, RIGHT);
    const header = answer.setCookies.find((cookie) => cookie.includes('-device=')) ?? '';
    expect(header).toMatch(
      new RegExp(
        `^countersign-${site.port}-device=[\\w-]+; Path=/; HttpOnly; SameSite=Lax; Max-Age=34560000$`,
      ),
    );
    const device = deviceOf(answer);
    // As the device cookie, and as a session.
    for (const name of [deviceCookie(site.port), `countersign-${site.port}`]) {
      const headers = { cookie: `${name}=${device}` };
      const url = `http://127.0.0.1:${site.port}/approvals`;
      const page = await fetch(url, { headers, redirect: 'manual' });
      expect([page.status, page.headers.get('location')]).toEqual([303, '/sign-in?next=%2Fapprovals']);
    }

    for (let n = 0; n < 3; n++) await visitor.signIn(HOME, WRONG);
    await site.service.owners.create({ email: 'other@example.org', password: PASSWORD });
    const changedInside = device.replace(
      /^(.{40})./,
      (_all, head: string) => `${head}${device[40] === 'A' ? 'B' : 'A'}`,
    );
    for (const madeUp of [changedInside, `${device}AAAA`, device.slice(0, -8), 'x', '']) {
      expect((await visitor.signIn(HOME, RIGHT, madeUp)).status).toBe(429);
    }
    expect((await visitor.signIn(HOME, { ...RIGHT, email: 'other@example.org' }, device)).status).toBe(429);
    expect((await visitor.signIn(HOME, RIGHT, device)).status).toBe(303);

    const owner = await site.service.owners.byEmail(EMAIL);
    await site.service.owners.setPassword(owner?.ownerId ?? '', 'another long password');
    const changed = { email: EMAIL, password: 'another long password' };
    expect((await visitor.signIn(HOME, changed, device)).status).toBe(429);
    const anew = await visitor.signIn(AWAY, changed, device);
    expect(anew.status).toBe(303);
    expect(deviceOf(anew)).not.toBe(device);
  });

  it('a password that changes while it is checked grants no access', async () => {
    await site.close();
    const storage = place.connect();
    const watched: Storage = {
      ...storage,
      async takePasswordTry(request) {
        const taken = await storage.takePasswordTry(request);
        const { ownerId = '' } = (await storage.ownerByEmail(EMAIL)) ?? {};
        await storage.setPassword(ownerId, 'scrypt$131072$changed$meanwhile', SIGNER);
        return taken;
      },
    };
    await open(watched);
    const answer = await visitor.signIn(HOME, RIGHT);
    expect(answer.status).toBe(422);
    expect(answer.setCookies.map(plainCookie).filter((cookie) => !cookie.includes('-sign-in='))).toEqual([]);
  });
}
