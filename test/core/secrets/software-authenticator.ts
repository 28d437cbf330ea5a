import { createHash, generateKeyPairSync, type KeyObject, sign } from 'node:crypto';
import { passkeyHandle } from '../../../core/secrets/webauthn.ts';

/** A passkey without a browser, which answers as the page's script sends it. It can lie about everything. */
export interface SoftwarePasskey {
  readonly id: string;
  create(challenge: string, lies?: Lies): string;
  use(challenge: string, lies?: Lies): string;
}

interface Lies {
  readonly origin?: string;
  readonly host?: string;
  readonly type?: string;
  readonly flags?: number;
  readonly signCount?: number;
  readonly crossOrigin?: boolean;
  readonly handle?: string;
}

type Kind = 'ec' | 'ed25519' | 'rsa';

export function softwarePasskey(ownerId: string, origin: string, kind: Kind = 'ec'): SoftwarePasskey {
  const { publicKey, privateKey } = keysOf(kind);
  const id = createHash('sha256')
    .update(publicKey.export({ format: 'der', type: 'spki' }))
    .digest();
  let count = 0;

  function parts(challenge: string, type: string, lies: Lies) {
    const client = Buffer.from(
      JSON.stringify({
        type: lies.type ?? type,
        challenge: Buffer.from(challenge).toString('base64url'),
        origin: lies.origin ?? origin,
        crossOrigin: lies.crossOrigin ?? false,
      }),
    );
    const head = Buffer.alloc(37);
    createHash('sha256')
      .update(lies.host ?? new URL(origin).hostname)
      .digest()
      .copy(head);
    count += 1;
    head.writeUInt8(lies.flags ?? (type === 'webauthn.create' ? 0x45 : 0x05), 32);
    head.writeUInt32BE(lies.signCount ?? count, 33);
    return { client, head };
  }

  return {
    id: id.toString('base64url'),
    create(challenge, lies = {}) {
      const { client, head } = parts(challenge, 'webauthn.create', lies);
      const length = Buffer.alloc(2);
      length.writeUInt16BE(id.length);
      return JSON.stringify({
        client: client.toString('base64url'),
        data: Buffer.concat([head, Buffer.alloc(16), length, id]).toString('base64url'),
        key: publicKey.export({ format: 'der', type: 'spki' }).toString('base64url'),
      });
    },
    use(challenge, lies = {}) {
      const { client, head } = parts(challenge, 'webauthn.get', lies);
      const signed = Buffer.concat([head, createHash('sha256').update(client).digest()]);
      return JSON.stringify({
        id: id.toString('base64url'),
        user: Buffer.from(lies.handle ?? passkeyHandle(ownerId), 'hex').toString('base64url'),
        client: client.toString('base64url'),
        data: head.toString('base64url'),
        signature: sign(kind === 'ed25519' ? null : 'sha256', signed, privateKey).toString('base64url'),
      });
    },
  };
}

function keysOf(kind: Kind): { publicKey: KeyObject; privateKey: KeyObject } {
  if (kind === 'ec') return generateKeyPairSync('ec', { namedCurve: 'P-256' });
  return kind === 'rsa'
    ? generateKeyPairSync('rsa', { modulusLength: 2048 })
    : generateKeyPairSync('ed25519');
}
