import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  isRedirectUri,
  isRegistered,
  programScheme,
  receivingHost,
  withParameters,
} from '../../../../core/keys/sign-in/redirect-uri.ts';
import { anyGrapheme } from '../../../any-character.ts';

const host = fc.domain();
const path = fc.stringMatching(/^\/[a-z0-9/_-]{0,20}$/);
const port = fc.integer({ min: 1024, max: 65_535 });

describe('a redirect address', () => {
  it.each([
    ['https://assistant.example/callback'],
    ['https://assistant.example:8443/callback?x=1'],
    ['http://127.0.0.1/callback'],
    ['http://[::1]:4000/callback'],
    ['http://localhost:4000'],
    ['com.example.app:/callback'],
    ['cursor://anysphere.cursor-mcp/oauth/callback'],
    ['warp://mcp/oauth2callback'],
    ['zed://oauth/callback?x=1'],
  ])('may be %s', (uri) => {
    expect(isRedirectUri(uri)).toBe(true);
  });

  // Sources: microsoft/vscode, issue 278512; erp-mafia/accounted, pull request 2225.
  it.each([
    [
      'Cursor',
      'cursor://anysphere.cursor-mcp/oauth/callback',
      'https://www.cursor.com/agents/mcp/oauth/callback',
      'http://localhost:8787/callback',
    ],
    [
      'VS Code',
      'https://insiders.vscode.dev/redirect',
      'https://vscode.dev/redirect',
      'http://127.0.0.1/',
      'http://127.0.0.1:33418/',
    ],
  ])('may be each one that %s registers', (_editor, ...uris) => {
    expect(uris.filter((uri) => !isRedirectUri(uri))).toEqual([]);
  });

  it('has any free port, if an editor registers a loopback address', () => {
    expect(isRegistered('http://127.0.0.1:59656/', ['http://127.0.0.1/'])).toBe(true);
  });

  it.each([
    ['http://assistant.example/callback'],
    ['http://127.0.0.1.evil.example/callback'],
    ['http://localhost.evil.example/callback'],
    ['http://localhost@evil.example/callback'],
    ['https:assistant.example'],
    ['https:///assistant.example'],
    ['https://assistant.example\\@evil.example/'],
    ['https://assistant.example/#'],
    ['//assistant.example/callback'],
    ['/callback'],
    ['javascript:alert(1)//https://assistant.example'],
    ['JavaScript://assistant.example/%0aalert(1)'],
    ['data:text/html,x'],
    ['blob:https://assistant.example/x'],
    ['vbscript:x'],
    ['about:blank'],
    ['file:///etc/passwd'],
    ['mailto:a@b.example'],
    ['ftp://assistant.example/'],
    ['ms-settings:display'],
    ['search-ms:query=x'],
    ['tel:112'],
    ['ssh://assistant.example/'],
    ['chrome://settings/callback'],
    ['intent://callback/#Intent'],
    ['sms://112/callback'],
    ['smb://assistant.example/share'],
    ['ws://assistant.example/'],
    ['steam+app://run/callback'],
    ['warp:callback'],
    ['warp:/callback'],
    ['warp://user@mcp/callback'],
    ['wp://mcp/callback'],
    ['vscode-remote://assistant.example/'],
    ['https://assistant.example/\u202e'],
    ['https://assistant.example/\n'],
    [''],
  ])('is never %j', (uri) => {
    expect(isRedirectUri(uri)).toBe(false);
  });

  it('is compared character by character, except for the port of a loopback address', () => {
    fc.assert(
      fc.property(host, host, path, path, (one, other, here, there) => {
        const registered = `https://${one}${here}`;
        fc.pre(isRedirectUri(registered));
        expect(isRegistered(registered, [registered])).toBe(true);
        const requested = `https://${other}${there}`;
        expect(isRegistered(requested, [registered])).toBe(requested === registered);
        expect(isRegistered(`https://${one}:8443${here}`, [registered])).toBe(false);
        expect(isRegistered(`http://127.0.0.1${here}`, [registered])).toBe(false);
      }),
    );
    fc.assert(
      fc.property(port, port, path, path, (one, other, here, there) => {
        const registered = [`http://127.0.0.1:${one}${here}`];
        expect(isRegistered(`http://127.0.0.1:${other}${here}`, registered)).toBe(true);
        expect(isRegistered(`http://127.0.0.1:${other}${there}`, registered)).toBe(here === there);
        expect(isRegistered(`http://localhost:${other}${here}`, registered)).toBe(false);
        expect(isRegistered(`http://127.0.0.1@evil.example:${other}${here}`, registered)).toBe(false);
        expect(isRegistered(`http://127.0.0.1:${other}@evil.example${here}`, registered)).toBe(false);
        expect(isRegistered(`https://127.0.0.1:${other}${here}`, registered)).toBe(false);
      }),
    );
  });

  it('keeps its own parameters when others are added, and cannot leave its host by them', () => {
    fc.assert(
      fc.property(host, fc.string({ unit: anyGrapheme }), (one, state) => {
        const registered = `https://${one}/callback?keep=a%20b`;
        const back = withParameters(registered, { code: 'c', state });
        expect(back.startsWith(`${registered}&`)).toBe(true);
        const url = new URL(back);
        expect([url.host, url.searchParams.get('keep')]).toEqual([receivingHost(registered), 'a b']);
        expect([url.searchParams.get('state'), url.hash]).toEqual([state, '']);
      }),
    );
  });

  it('names its host, or no host for a program on the computer', () => {
    expect(receivingHost('https://assistant.example:8443/callback')).toBe('assistant.example:8443');
    expect(receivingHost('http://127.0.0.1:4000/callback')).toBeUndefined();
    expect(receivingHost('com.example.app://evil.example/callback')).toBeUndefined();
    expect(programScheme('https://assistant.example/callback')).toBeUndefined();
    expect(programScheme('http://127.0.0.1:4000/callback')).toBeUndefined();
    expect(programScheme('Warp://mcp/callback')).toBe('warp:');
  });
});
