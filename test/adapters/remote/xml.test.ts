import { describe, expect, it } from 'vitest';
import { inlineReader } from '../../../adapters/reader/inline-reader.ts';
import { eachXmlPart, UnreadableXml } from '../../../adapters/remote/xml.ts';
import type { Reader, Reading } from '../../../core/ports/reader.ts';
import type { XmlElement } from '../../../core/reading/xml-shapes.ts';

const options = { ownerId: 'o', signal: new AbortController().signal };

function document(text: string) {
  return { document: [Buffer.from(text)], contentType: '', root: 'a' };
}

async function partsOf(text: string, reader = inlineReader()): Promise<XmlElement[]> {
  const parts: XmlElement[] = [];
  await eachXmlPart(reader, document(text), options, (part) => parts.push(part));
  return parts;
}

/** A reader that answers anything with this. */
function answering(answer: Reading<unknown> | Error): Reader {
  return {
    read: async () => {
      if (answer instanceof Error) throw answer;
      return answer;
    },
    close: async () => {},
  };
}

const pieces = (...all: string[]) => answering({ kind: 'read', value: { kind: 'parts', pieces: all } });

describe('an XML document', () => {
  it('is read in the reader', async () => {
    expect(await partsOf('<a><b x="1">one<c/></b></a>')).toEqual([
      {
        name: 'b',
        attributes: { x: '1' },
        text: 'one',
        children: [{ name: 'c', attributes: {}, text: '', children: [] }],
      },
    ]);
  });

  it('with names that mean something to JavaScript is read like any other', async () => {
    const [part] = await partsOf('<a><__proto__ constructor="1">]],"</__proto__></a>');
    expect(part).toEqual({ name: '__proto__', attributes: { constructor: '1' }, text: ']],"', children: [] });
  });

  it('of thousands of parts leaves room for other work between them', async () => {
    let turns = 0;
    let counting = setImmediate(function count() {
      turns += 1;
      counting = setImmediate(count);
    });
    const charsInTurn = new Map<number, number>();
    const part = `<b>${'x'.repeat(1000)}</b>`;
    await eachXmlPart(inlineReader(), document(`<a>${part.repeat(5000)}</a>`), options, ({ text }) =>
      charsInTurn.set(turns, (charsInTurn.get(turns) ?? 0) + text.length),
    );
    clearImmediate(counting);
    const inTurns = [...charsInTurn.values()];
    expect(inTurns.reduce((sum, chars) => sum + chars)).toBe(5_000_000);
    expect(Math.max(...inTurns)).toBeLessThan(70_000);
  });

  it.each<[string, Reader, string]>([
    ['it is broken', inlineReader(), 'the XML is broken'],
    ['it takes too long', answering({ kind: 'unreadable', reason: 'too_slow' }), 'takes too long'],
    ['it is too large', answering({ kind: 'unreadable', reason: 'too_large' }), 'is too large'],
    ['its reading crashed', answering({ kind: 'unreadable', reason: 'broken' }), 'is broken'],
    ['the answer is no JSON', pieces('[', ']'), 'is broken'],
    ['the answer is no element', pieces('[{"name":"b"}]'), 'is broken'],
  ])('is unreadable if %s', async (_what, reader, words) => {
    const reading = partsOf('<a>', reader);
    await expect(reading).rejects.toThrow(UnreadableXml);
    await expect(reading).rejects.toThrow(words);
  });

  it('is not at fault if nobody can read it', async () => {
    const cause = new Error('closed');
    const reading = partsOf('<a/>', answering(cause));
    await expect(reading).rejects.toMatchObject({ message: 'the XML cannot be read now', cause });
    await expect(reading).rejects.not.toBeInstanceOf(UnreadableXml);
  });

  it('is no longer read once its call is over', async () => {
    const ending = new AbortController();
    const taken: string[] = [];
    const call = { ownerId: 'o', signal: ending.signal };
    const parts = eachXmlPart(pieces(PIECE, PIECE), document(''), call, ({ name }) => {
      taken.push(name);
      ending.abort(new Error('over'));
    });
    await expect(parts).rejects.toThrow('over');
    expect(taken).toEqual(['b']);
  });
});

const PIECE = '[{"name":"b","attributes":{},"children":[],"text":""}]';
