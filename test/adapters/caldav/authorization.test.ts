import { createHash } from 'node:crypto';
import { describe, expect, it, onTestFinished } from 'vitest';
import { caldavCalendar } from '../../../adapters/caldav/calendar.ts';
import { digestChallenge, digestHeader } from '../../../adapters/caldav/digest.ts';
import { inlineReader } from '../../../adapters/reader/inline-reader.ts';
import type { AccessToken, MailCall } from '../../../core/ports/mail.ts';
import type { Asked } from '../../servers/caldav-answers.ts';
import { type Script, startScriptedCaldav } from '../../servers/scripted-caldav.ts';

const MUFASA = {
  ...{ user: 'Mufasa', pass: 'Circle of Life', method: 'GET', uri: '/dir/index.html', count: 1 },
};
/** The example of RFC 7616, 3.9.1. */
const CHALLENGES =
  'Digest realm="http-auth@example.org", qop="auth, auth-int", algorithm=SHA-256, ' +
  'nonce="7ypf/xlj9XXwfDPEoM4URrv/xwf94BcCAzFZH4GiTo0v", opaque="FQhe/qaU925kfnzjCev0ciny7QMkPqMAFRtzCUYo5tdS", ' +
  'Digest realm="http-auth@example.org", qop="auth, auth-int", algorithm=MD5, ' +
  'nonce="7ypf/xlj9XXwfDPEoM4URrv/xwf94BcCAzFZH4GiTo0v", opaque="FQhe/qaU925kfnzjCev0ciny7QMkPqMAFRtzCUYo5tdS"';
const CLIENT_NONCE = 'f2/wE4q74E6zIJEtWaHKaf5wv/H5QzzpXusqGemxURZJ';

function answerTo(challenges: string): string {
  const challenge = digestChallenge(challenges);
  if (challenge === undefined) throw new Error('no challenge');
  return digestHeader(challenge, MUFASA, CLIENT_NONCE);
}

describe('digest authentication', () => {
  it('answers the strongest challenge of RFC 7616', () => {
    expect(answerTo(CHALLENGES)).toContain(
      'response="753927fa0e85d155564e2e272a28d1802ca10daf4496794697cf8db5856cb6c1"',
    );
  });

  it('answers with MD5 if the server knows nothing better', () => {
    const md5 = CHALLENGES.slice(CHALLENGES.lastIndexOf('Digest'));
    expect(answerTo(md5)).toContain('response="8ca523f5e9506fed4657c9700eebdbec"');
    expect(answerTo(`Basic realm="x", ${md5}`)).toContain('algorithm=MD5');
  });

  it.each([
    'Basic realm="x"',
    'Digest',
    'Digest realm="x"',
    'Digest realm="x", nonce="y", algorithm=SHA-512-256',
    'Digest realm="x", nonce="y", qop="auth-int"',
    'Digest realm="x',
    `Digest ${'x=1,'.repeat(5000)}`,
    `Digest ${'"'.repeat(9999)}`,
  ])('has no answer to %#', (challenges) => {
    expect(digestChallenge(challenges)).toBeUndefined();
  });
});

const md5 = (text: string) => createHash('md5').update(text).digest('hex');

/** A server that takes Digest only, with nonces that are good for `uses` requests. */
function digestServer(uses = 1000) {
  let nonce = 0;
  let used = 0;
  let accepted = 0;
  const script: Script = ({ method, path, headers }: Asked, response) => {
    const sent = headers.authorization ?? '';
    const part = (name: string) => new RegExp(`${name}="?([^",]*)`).exec(sent)?.[1] ?? '';
    const expected = md5(
      `${md5('ada@example.org:dav:secret')}:${part('nonce')}:${part('nc')}:${part('cnonce')}:auth:${md5(`${method}:${path}`)}`,
    );
    const isRight = sent.startsWith('Digest ') && part('response') === expected && part('uri') === path;
    const isFresh = part('nonce') === `n${nonce}` && Number.parseInt(part('nc'), 16) === used + 1;
    if (isRight && isFresh && used < uses) {
      used += 1;
      accepted += 1;
      return 'usual';
    }
    nonce += 1;
    used = 0;
    const stale = isRight ? ', stale=true' : '';
    response
      .writeHead(401, { 'www-authenticate': `Digest realm="dav", qop="auth", nonce="n${nonce}"${stale}` })
      .end();
    return 'answered';
  };
  return { script, accepted: () => accepted };
}

async function accountOn(
  script: Script,
  secret: { pass: string } | { oauth: true },
  accessToken?: AccessToken,
) {
  const server = await startScriptedCaldav(script);
  const calendar = caldavCalendar({ reader: inlineReader(), allowPrivateServers: true });
  onTestFinished(() => calendar.close());
  const caldav = { url: server.url, user: 'ada@example.org', ...secret };
  const account = {
    ...{ ownerId: 'o', accountId: 1, email: 'ada@example.org' },
    settings: async () => ({ caldav }),
    accessToken,
  };
  const call: MailCall = { account, signal: new AbortController().signal, deadlineMs: 10_000 };
  return { calendar, call, server };
}

const change = { calendar: '/home/calendar/', name: 'one.ics', ics: 'BEGIN:VCALENDAR', ifMatch: null };

describe('a calendar server that takes Digest only', () => {
  it('is read and changed, and a nonce that is too old is replaced', async () => {
    const { script, accepted } = digestServer(3);
    const { calendar, call, server } = await accountOn(script, { pass: 'secret' });
    expect(await calendar.calendars(call)).toHaveLength(1);
    let starts = 0;
    for (let count = 0; count < 5; count += 1) {
      await calendar.write(call, change, async () => {
        starts += 1;
        return true;
      });
    }
    expect(starts).toBe(5);
    expect(accepted()).toBeGreaterThan(8);
    // Only before the first challenge.
    expect(server.asked.filter(({ headers }) => headers.authorization?.startsWith('Basic '))).toHaveLength(1);
  });

  it('says that the password is wrong after one try', async () => {
    const { calendar, call, server } = await accountOn(digestServer().script, { pass: 'wrong' });
    await expect(calendar.calendars(call)).rejects.toMatchObject({ code: 'auth' });
    expect(server.asked).toHaveLength(2);
  });
});

describe('a calendar of an account that signs in at its provider', () => {
  const bearer =
    (token: string): Script =>
    ({ headers }, response) => {
      if (headers.authorization === `Bearer ${token}`) return 'usual';
      response.writeHead(401, { 'www-authenticate': 'Bearer error="invalid_token"' }).end();
      return 'answered';
    };

  it('is read and changed with its access token, and with a new one if that is refused', async () => {
    let current = 'old';
    const tokens: AccessToken = async (refused) => {
      if (refused === current) current = 'new';
      return current;
    };
    const { calendar, call } = await accountOn(bearer('new'), { oauth: true }, tokens);
    expect(await calendar.calendars(call)).toHaveLength(1);
    // So that the change meets a refusal, too.
    current = 'old';
    let starts = 0;
    await calendar.write(call, change, async () => {
      starts += 1;
      return true;
    });
    expect(starts).toBe(1);
  });

  it('reports a new token that is refused', async () => {
    const { calendar, call, server } = await accountOn(bearer('new'), { oauth: true }, async () => 'old');
    await expect(calendar.calendars(call)).rejects.toMatchObject({
      code: 'auth',
      message: 'the calendar server does not accept the sign-in at the provider',
    });
    expect(server.asked).toHaveLength(1);
  });
});
