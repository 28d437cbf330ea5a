import { describe, expect, it } from 'vitest';
import { moveDeliveries, type WebhookFacts } from '../../../core/events/delivery-storage.ts';
import { HEALTHY } from '../../../core/events/endpoint-health.ts';
import { type Fences, NO_FENCES } from '../../../core/keys/fences.ts';
import { PRESETS } from '../../../core/keys/permissions.ts';
import { signedCredential } from '../../../core/keys/signed-rows.ts';
import { at, NOON, SIGNER } from '../../contracts/storage/scene.ts';

/** New mail in account 1, and a decided request, for one endpoint of a key. */
function facts(changes: { pausedAt?: Date; fences?: Partial<Fences>; mayRead?: boolean }): WebhookFacts {
  const { pausedAt = null, fences = {}, mayRead = true } = changes;
  const ids = { ownerId: 'owner', credentialId: 'key' };
  const credential = signedCredential(
    {
      ...ids,
      kind: 'pat',
      name: 'agent',
      modes: { ...PRESETS.full.modes, 'mail:read': mayRead ? 'on' : 'off' },
      fences: { ...NO_FENCES, ...fences },
      pausedAt,
      revision: 1,
      createdAt: NOON,
      expiresAt: at(1000),
      overlapUntil: null,
      revokedAt: null,
    },
    SIGNER,
  );
  const endpoint = {
    ...ids,
    endpointId: 1,
    url: 'https://hooks.example.org/',
    types: ['message.received', 'approval.decided'] as const,
    sealedSecret: 'sealed',
    previous: null,
    health: HEALTHY,
    createdAt: NOON,
  };
  return {
    plan: 'paid',
    limits: {},
    accountIds: [1],
    lastEndpointId: 1,
    lastSequence: 2,
    endpoints: [{ endpoint, position: 0 }],
    credentials: [credential],
    news: [
      {
        id: 'evt_1',
        sequence: 1,
        credentialId: null,
        createdAt: NOON,
        type: 'message.received',
        data: { account_id: 1, message_id: 'm1_x' },
      },
      {
        id: 'evt_2',
        sequence: 2,
        credentialId: 'key',
        createdAt: NOON,
        type: 'approval.decided',
        data: { approval_id: 'apr_1', state: 'executed', account_id: 1 },
      },
    ],
    deliveries: [],
    due: [],
  };
}

describe('the event of new mail', () => {
  it.each([
    { what: 'may read mail', changes: {}, received: true },
    { what: 'may not read mail', changes: { mayRead: false }, received: false },
    { what: 'is paused', changes: { pausedAt: NOON }, received: false },
    { what: 'is bound to the account', changes: { fences: { accounts: [1] } }, received: true },
    { what: 'is bound to another account', changes: { fences: { accounts: [2] } }, received: false },
    { what: 'has ended', changes: { fences: { until: NOON } }, received: false },
    { what: 'is bound to recipients', changes: { fences: { recipients: ['a.example'] } }, received: true },
  ])('to a key that $what: delivered: $received', ({ changes, received }) => {
    const room = { limit: 10, room: () => 10, leaseMs: 1000 };
    const request = { ownerId: 'owner', ends: [], ...room, signer: SIGNER, now: NOON };
    const { answer } = moveDeliveries(facts(changes), request, NOON.getTime());
    const types = answer.begun.map(({ event }) => event.type);
    expect(types).toEqual(received ? ['message.received', 'approval.decided'] : ['approval.decided']);
  });
});
