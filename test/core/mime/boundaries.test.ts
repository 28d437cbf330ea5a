import { expect, it } from 'vitest';
import { readTree } from '../../../core/mime/mime-tree.ts';
import { parseMessage } from '../../../core/mime/parse.ts';

const TABLE = ['Content-Type: text/csv; name=plan.csv', 'Content-Disposition: attachment', '', 'room,42'];

async function seen(...lines: readonly string[]) {
  const { text, attachments } = await parseMessage(Buffer.from(lines.join('\r\n')));
  return { text, attachments: attachments.map(({ name }) => name) };
}

it('an inner multipart with the boundary of the outer one has its own parts, and the outer one goes on', async () => {
  const inner = [
    '--mm',
    'Content-Type: text/plain',
    '',
    'Plain',
    '--mm',
    'Content-Type: text/html',
    '',
    '<p>Plain</p>',
  ];
  const types = [
    'Content-Type: multipart/mixed; boundary=mm',
    '',
    '--mm',
    'Content-Type: multipart/alternative; boundary=mm',
    '',
  ];
  expect(await seen(...types, ...inner, '--mm--', '--mm', ...TABLE, '--mm--')).toEqual({
    text: 'Plain',
    attachments: ['plan.csv'],
  });
});

it('so has one two levels below', async () => {
  const message = [
    'Content-Type: multipart/mixed; boundary="sep"',
    '',
    '--sep',
    'Content-Type: multipart/alternative; boundary="b2_sep"',
    '',
    '--b2_sep',
    'Content-Type: text/plain',
    '',
    'Please see the plan.',
    '--b2_sep',
    'Content-Type: multipart/related; boundary="sep"; type="text/html"',
    '',
    '--sep',
    'Content-Type: text/html',
    '',
    '<p>Please see the plan.</p>',
    '--sep--',
    '',
    '--b2_sep--',
    '',
    '--sep',
    ...TABLE,
    '--sep--',
  ];
  expect(await seen(...message)).toEqual({ text: 'Please see the plan.', attachments: ['plan.csv'] });
});

it('a part ends at a delimiter of an outer multipart, although its own has not ended', async () => {
  const message = [
    'Content-Type: multipart/mixed; boundary=a',
    '',
    '--a',
    'Content-Type: multipart/mixed; boundary=b',
    '',
    '--b',
    '',
    'one',
    '--a',
    ...TABLE,
    '--b',
    '',
    'no part of b',
    '--a--',
  ];
  expect(await seen(...message)).toEqual({ text: 'one', attachments: ['plan.csv'] });
});

it('says that a message has more parts than are read', () => {
  const parts = '--a\n\nx\n'.repeat(1001);
  const { complete, root } = readTree(
    Buffer.from(`Content-Type: multipart/mixed; boundary=a\n\n${parts}--a--`),
  );
  expect([complete, root.parts.length]).toEqual([false, 1000]);
});
