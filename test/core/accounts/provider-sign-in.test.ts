import { describe, expect, it } from 'vitest';
import type { SignInPurpose } from '../../../core/accounts/mail-sign-ins.ts';
import { answerOf, grantingProvider } from '../../granting-provider.ts';
import { openScene } from '../scene.ts';

const EMAIL = 'ann@example.org';
const CONNECT: SignInPurpose = { kind: 'connect', email: EMAIL };

async function open() {
  const [first, second] = [grantingProvider('first'), grantingProvider('second')];
  const scene = await openScene({ mailProviders: [first, second] });
  const { service, ownerId } = scene;
  const finish = async (parameters: URLSearchParams, request = {}) => {
    const usual = { ownerId, sessionId: 'session', providerId: 'first', parameters };
    return (await service.mailSignIns.takeAnswer({ ...usual, ...request })).finish();
  };
  const begin = (purpose = CONNECT, providerId = 'first') =>
    answerOf(service, { ownerId, providerId, purpose });
  const accounts = () => service.accounts.list(ownerId);
  return { ...scene, first, second, begin, finish, accounts };
}

describe('a sign-in at a provider', () => {
  it('is finished once, and only by the session and the owner that began it', async () => {
    const { service, begin, finish, accounts, first } = await open();
    const other = await service.owners.create({ email: 'other@example.org' });
    for (const request of [{ sessionId: 'another' }, { ownerId: other.ownerId }]) {
      const answer = await begin();
      await expect(finish(answer, request)).rejects.toMatchObject({ code: 'invalid_sign_in' });
    }
    expect(first.redeemed).toBe(0);
    const answer = await begin();
    const both = await Promise.allSettled([finish(answer), finish(answer)]);
    expect(both.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected']);
    expect(first.redeemed).toBe(1);
    expect(await accounts()).toHaveLength(2);
    expect(await service.accounts.list(other.ownerId)).toEqual([]);
  });

  it('sends no code of one provider to another', async () => {
    const { begin, finish, first, second } = await open();
    // As when a page of the second provider leads the browser to the first one.
    await expect(finish(await begin(CONNECT, 'first'), { providerId: 'second' })).rejects.toMatchObject({
      code: 'invalid_sign_in',
    });
    expect([first.redeemed, second.redeemed]).toEqual([0, 0]);
  });

  it('that is repeated is at the same provider: its tokens go to the servers of the account', async () => {
    const { begin, finish, accounts, second } = await open();
    const { accountId } = await finish(await begin());
    const again: SignInPurpose = { kind: 'again', accountId };
    const before = await accounts();
    await expect(begin(again, 'second')).rejects.toMatchObject({ code: 'not_found' });
    expect(second.redeemed).toBe(0);
    expect(await accounts()).toEqual(before);
    expect(await finish(await begin(again))).toEqual({ kind: 'again', accountId });
  });

  it('names another mailbox so that nothing in it can mislead', async () => {
    const { begin, finish, first, accounts } = await open();
    first.grants = {
      accessToken: 'a',
      refreshToken: 'r',
      expiresInS: 1,
      addresses: ['b\u202eob\u001b@x.org'],
    };
    await expect(finish(await begin())).rejects.toMatchObject({
      code: 'other_mailbox',
      message: expect.stringContaining('as b⟨U+202E⟩ob⟨U+001B⟩@x.org, and not as ann@example.org'),
    });
    expect(await accounts()).toHaveLength(1);
  });
});
