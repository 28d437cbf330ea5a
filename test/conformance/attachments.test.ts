import { Buffer } from 'node:buffer';
import { expect, it } from 'vitest';
import { ownDoor, resultIn } from './door.ts';
import { section } from './sections.ts';

// What the notes add: attachments in parts.

function file(name: string, content = 'Text') {
  return { name, mime: 'text/plain', content: Buffer.from(content) };
}

section('Notes: What we add', () => {
  it('the text of an attachment comes in parts of max_chars, which make up the whole', async () => {
    const whole = 'A line with "quotes" and a 📜.\n'.repeat(100);
    const door = await ownDoor({
      given: {
        attachmentText: {
          extract: async () => ({ kind: 'text', text: whole, cut: false }),
          close: async () => undefined,
        },
      },
    });
    const path = `/v1/messages/${await door.deliver({ attachments: [file('a.txt')] })}/attachments/0`;
    const texts: string[] = [];
    let offset: unknown = 0;
    while (offset !== undefined) {
      const part = resultIn(await door.call('GET', `${path}?max_chars=2000&offset=${String(offset)}`));
      expect(part).toMatchObject({ text_offset: offset, text_chars: 3000 });
      texts.push(String(part.text).split('\n').slice(1, -1).join('\n'));
      offset = part.text_next_offset;
      expect(part.text_truncated).toBe(offset !== undefined);
    }
    expect(texts).toHaveLength(2);
    expect(texts.join('')).toBe(whole);
    expect(resultIn(await door.call('GET', `${path}?offset=3001`))).toMatchObject({
      text: expect.stringMatching(/^<<<.*>>>\n\n<<<.*>>>$/) as unknown,
      text_offset: 3001,
      text_truncated: false,
    });
  });
});
