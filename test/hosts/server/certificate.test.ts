import { copyFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { get } from 'node:https';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { connect as connectTls, type TLSSocket } from 'node:tls';
import { beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import { recordedHead } from '../../../hosts/http/arriving-head.ts';
import { certificateIn } from '../../../hosts/server/listeners/certificate.ts';
import { listen } from '../../../hosts/server/listeners/web-server.ts';
import { type Certificate, makeCertificate } from '../../servers/certificate.ts';
import { eventually } from '../../until.ts';

const folder = mkdtempSync(join(tmpdir(), 'countersign-tls-'));
const log = { info: vi.fn(), warn: vi.fn(), error: vi.fn() };

let first: Certificate;
let second: Certificate;
beforeAll(async () => {
  [first, second] = (await Promise.all(
    ['first', 'second'].map((name) => {
      mkdirSync(join(folder, name));
      return makeCertificate(join(folder, name));
    }),
  )) as [Certificate, Certificate];
  return () => rmSync(folder, { recursive: true });
});

interface Answer {
  readonly text: string;
  readonly fingerprint: string;
}

/** Requests `/` on a new connection. */
function request(port: number): Promise<Answer> {
  return new Promise((resolve, reject) => {
    // The tests compare fingerprints instead.
    get({ host: '127.0.0.1', port, rejectUnauthorized: false, agent: false }, (res) => {
      const { fingerprint256 } = (res.socket as TLSSocket).getPeerCertificate();
      let text = '';
      res.setEncoding('utf8').on('data', (chunk) => {
        text += chunk;
      });
      res.on('end', () => resolve({ text, fingerprint: fingerprint256.replaceAll(':', '').toLowerCase() }));
    }).on('error', reject);
  });
}

describe('a listener with a certificate', () => {
  it('keeps the bytes of a head that it cannot read', async () => {
    const web = await listen('127.0.0.1', 0, {
      certificate: certificateIn(first.certFile, first.keyFile, log),
    });
    onTestFinished(() => web.stop(0));
    web.answerWith(
      (_req, res) => res.end(),
      (_error, socket) => socket.end(recordedHead(socket)),
    );
    const pieces = ['POST / HTTP/1.1\r\nHost: x\r\n', 'Content-Length: abc\r\n\r\n'];
    const socket = connectTls({ host: '127.0.0.1', port: web.port, rejectUnauthorized: false });
    // Each is a record of its own, whatever packets TCP makes of them.
    for (const piece of pieces) socket.write(piece);
    expect(await text(socket)).toBe(pieces.join(''));
  });

  it('speaks TLS, and uses a renewed certificate for new connections', async () => {
    const [cert, key] = [join(folder, 'used.crt'), join(folder, 'used.key')];
    copyFileSync(first.certFile, cert);
    copyFileSync(first.keyFile, key);
    const web = await listen('127.0.0.1', 0, { certificate: certificateIn(cert, key, log, 20) });
    onTestFinished(() => web.stop(0));
    web.answerWith((_req, res) => res.end('safe'));
    expect(await request(web.port)).toEqual({ text: 'safe', fingerprint: first.fingerprint });

    // Between the two writes the files do not belong together: the old certificate stays.
    copyFileSync(second.certFile, cert);
    await eventually(() => expect(log.error).toHaveBeenCalled());
    expect((await request(web.port)).fingerprint).toBe(first.fingerprint);
    copyFileSync(second.keyFile, key);
    await eventually(async () => expect((await request(web.port)).fingerprint).toBe(second.fingerprint));
  });

  it('counts connections that have not finished their handshake', async () => {
    const certificate = certificateIn(first.certFile, first.keyFile, log);
    const limits = { total: 2, perAddress: 2 };
    const web = await listen('127.0.0.1', 0, { certificate, limits });
    onTestFinished(() => web.stop(0));
    web.answerWith((_req, res) => res.end('safe'));
    const silent = [1, 2, 3].map(() => {
      const socket = connect(web.port, '127.0.0.1');
      return new Promise<void>((resolve) =>
        socket.once('close', () => resolve()).on('error', () => undefined),
      );
    });
    // The third takes the place of the first, and a request takes that of the second.
    await silent[0];
    expect((await request(web.port)).text).toBe('safe');
    await silent[1];
  });

  it('keeps a connection with a request in progress when others come', async () => {
    const certificate = certificateIn(first.certFile, first.keyFile, log);
    const web = await listen('127.0.0.1', 0, { certificate, limits: { total: 1, perAddress: 1 } });
    onTestFinished(() => web.stop(0));
    let finish = (): void => {};
    const asked = new Promise<void>((resolve) => {
      web.answerWith((_req, res) => {
        finish = () => res.end('done');
        resolve();
      });
    });
    const answer = request(web.port);
    await asked;
    await expect(request(web.port)).rejects.toThrow();
    finish();
    expect((await answer).text).toBe('done');
  });

  it('names the setting of a file that is missing or not a certificate', () => {
    const missing = join(folder, 'missing.pem');
    expect(() => certificateIn(missing, first.keyFile, log).read()).toThrow('COUNTERSIGN_TLS_CERT: ');
    expect(() => certificateIn(first.certFile, missing, log).read()).toThrow('COUNTERSIGN_TLS_KEY: ');
    const text = join(folder, 'text.pem');
    writeFileSync(text, 'not a certificate');
    for (const [cert, key] of [
      [text, first.keyFile],
      [first.certFile, text],
      [first.certFile, second.keyFile],
    ] as const) {
      expect(() => certificateIn(cert, key, log).read()).toThrow('must be a certificate with its chain');
    }
  });
});
