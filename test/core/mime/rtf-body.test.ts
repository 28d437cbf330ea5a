import { Buffer } from 'node:buffer';
import { describe, expect, it } from 'vitest';
import { INCOMPLETE, parseMessage } from '../../../core/mime/parse.ts';
import { rtfBody } from '../../../core/mime/rtf-body.ts';
import { storedRtf, tnefOf } from './encoders.ts';

describe('the RTF of a message', () => {
  it.each([
    ['is too large', `a\\par ${'b'.repeat(3_000_000)}`],
    ['is nested too deeply', `a\\par ${'{'.repeat(20_000)}`],
    ['has too much before its text', `{\\pict ${'0'.repeat(3_000_000)}}a`],
  ])('that %s is read in part, and says so', async (_name, text) => {
    const rtf = storedRtf(`{\\rtf1\\ansi ${text}}`);
    expect(rtfBody(rtf)?.complete).toBe(false);
    expect(rtfBody(rtf)?.content.length).toBeLessThanOrEqual(2 * 1024 * 1024);
    const type = 'Content-Type: application/ms-tnef\r\n\r\n';
    const message = await parseMessage(Buffer.concat([Buffer.from(type), tnefOf({ files: [], rtf })]));
    expect(message.text.endsWith(INCOMPLETE)).toBe(true);
  });
});
