import { expect, it } from 'vitest';
import { parseMessage } from '../../../core/mime/parse.ts';

const WORDS = '=?utf-8?B?R3LDvG5lLnBkZg==?=';

it.each([
  [
    'a plain form beside the one with a charset',
    'filename="Gr_n.pdf"; filename*=UTF-8\'\'Gr%C3%BCn.pdf',
    'Grün.pdf',
  ],
  ['the same in the other order', 'filename*=UTF-8\'\'Gr%C3%BCn.pdf; filename="Gr_n.pdf"', 'Grün.pdf'],
  [
    'the same in pieces',
    'filename="Gr_n.pdf"; filename*0*=UTF-8\'\'Gr%C3%BC; filename*1="n.pdf"',
    'Grün.pdf',
  ],
  ['ISO 8859-1', "filename*=iso-8859-1''Gr%FCn.pdf", 'Grün.pdf'],
  ['percent signs without a charset', 'filename*=M%C3%BCnchen.pdf', 'München.pdf'],
  ['percent signs that are its own', 'filename="100%25.pdf"', '100%25.pdf'],
  ['words in quotes', `filename="${WORDS}"`, 'Grüne.pdf'],
  ['none, but another name', 'filename=""', 'Type.pdf'],
  ['brackets without quotes', 'filename=Plan (1).pdf', 'Plan (1).pdf'],
  ['brackets in quotes', 'filename="Plan (1).pdf"', 'Plan (1).pdf'],
  ['a comment', 'filename=Plan.pdf (the new one)', 'Plan.pdf'],
  ['a name in another parameter', 'comment="; filename=x"; filename*=UTF-8\'\'Gr%C3%BCn.pdf', 'Grün.pdf'],
])('a file name is read: %s', async (_name, parameters, name) => {
  const source = [
    'Content-Type: application/pdf; name="Type.pdf"',
    `Content-Disposition: attachment; ${parameters}`,
    '',
    'x',
  ].join('\n');
  const { attachments } = await parseMessage(Buffer.from(source));
  expect(attachments.map((one) => one.name)).toEqual([name]);
});
