import { createDecipheriv, createECDH, createPublicKey, hkdfSync, randomBytes, verify } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as z from 'zod';
import { makeCertificate } from './certificate.ts';

/** The receivers of notices, written from their specifications and without the code under test. */

export interface ReceivedNotice {
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
}

/** A real HTTPS server for push messages, topics and webhooks. */
export interface NoticeReceiver {
  readonly origin: string;
  readonly port: number;
  /** To trust it. */
  readonly ca: string;
  readonly requests: ReceivedNotice[];
  /** 201 with a Location unless set, as RFC 8030 says. */
  answer: (request: ReceivedNotice, response: ServerResponse, incoming: IncomingMessage) => void;
  close(): void;
}

export async function startNoticeReceiver(): Promise<NoticeReceiver> {
  const folder = mkdtempSync(join(tmpdir(), 'countersign-notices-'));
  const { certFile, keyFile } = await makeCertificate(folder);
  const ca = readFileSync(certFile, 'utf8');
  const server = createServer({ cert: ca, key: readFileSync(keyFile) }, (incoming, response) => {
    const pieces: Buffer[] = [];
    incoming.on('data', (piece: Buffer) => pieces.push(piece));
    incoming.once('end', () => {
      const request = { path: incoming.url ?? '', headers: incoming.headers, body: Buffer.concat(pieces) };
      receiver.requests.push(request);
      receiver.answer(request, response, incoming);
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const receiver: NoticeReceiver = {
    origin: `https://localhost:${port}`,
    port,
    ca,
    requests: [],
    answer: created,
    close() {
      server.closeAllConnections();
      server.close();
      rmSync(folder, { recursive: true });
    },
  };
  return receiver;
}

export function created(_request: ReceivedNotice, response: ServerResponse): void {
  response.writeHead(201, { location: '/message/1' }).end();
}

/** The keys of a browser that subscribed. */
export interface Subscriber {
  readonly p256dh: string;
  readonly auth: string;
  /** Decrypts a message. RFC 8291 and RFC 8188. */
  decrypt(body: Buffer): string;
}

export function newSubscriber(privateKey?: string, auth = randomBytes(16).toString('base64url')): Subscriber {
  const ecdh = createECDH('prime256v1');
  if (privateKey === undefined) ecdh.generateKeys();
  else ecdh.setPrivateKey(privateKey, 'base64url');
  return {
    p256dh: ecdh.getPublicKey('base64url'),
    auth,
    decrypt(body) {
      // RFC 8188, 2.1: salt (16), record size (4), length of the key id (1), key id.
      const salt = body.subarray(0, 16);
      const recordSize = body.readUInt32BE(16);
      const sender = body.subarray(21, 21 + body.readUInt8(20));
      const record = body.subarray(21 + sender.length);
      if (record.length > recordSize) throw new Error('more than one record');
      const bytes = (secret: Uint8Array, by: Uint8Array, info: Buffer, length: number) =>
        Buffer.from(hkdfSync('sha256', secret, by, info, length));
      const info = Buffer.concat([Buffer.from('WebPush: info\0'), ecdh.getPublicKey(), sender]);
      const secret = bytes(ecdh.computeSecret(sender), Buffer.from(auth, 'base64url'), info, 32);
      const key = bytes(secret, salt, Buffer.from('Content-Encoding: aes128gcm\0'), 16);
      const nonce = bytes(secret, salt, Buffer.from('Content-Encoding: nonce\0'), 12);
      const decipher = createDecipheriv('aes-128-gcm', key, nonce);
      decipher.setAuthTag(record.subarray(-16));
      const padded = Buffer.concat([decipher.update(record.subarray(0, -16)), decipher.final()]);
      const end = padded.lastIndexOf(2);
      if (end === -1 || padded.subarray(end + 1).some((byte) => byte !== 0)) throw new Error('wrong padding');
      return padded.subarray(0, end).toString();
    },
  };
}

const claims = z.object({ aud: z.string(), exp: z.number(), sub: z.string().optional() });

/** Checks the VAPID header as a push service does. RFC 8292. @returns its claims and the public key */
export function readVapid(header: string): { claims: z.infer<typeof claims>; publicKey: string } {
  const [, token = '', publicKey = ''] = /^vapid t=([\w.-]+), k=([\w-]{87})$/.exec(header) ?? [];
  const [head = '', body = '', signature = ''] = token.split('.');
  const decoded = (part: string): unknown => JSON.parse(Buffer.from(part, 'base64url').toString());
  z.object({ typ: z.literal('JWT'), alg: z.literal('ES256') }).parse(decoded(head));
  const point = Buffer.from(publicKey, 'base64url');
  const [x, y] = [point.subarray(1, 33).toString('base64url'), point.subarray(33).toString('base64url')];
  const key = createPublicKey({ format: 'jwk', key: { kty: 'EC', crv: 'P-256', x, y } });
  const isValid = verify(
    'sha256',
    Buffer.from(`${head}.${body}`),
    { key, dsaEncoding: 'ieee-p1363' },
    Buffer.from(signature, 'base64url'),
  );
  if (!isValid) throw new Error('the signature of the token is wrong');
  return { claims: claims.parse(decoded(body)), publicKey };
}
