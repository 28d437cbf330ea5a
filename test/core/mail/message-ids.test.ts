import { describe, expect, it } from 'vitest';
import { linkedIds } from '../../../core/mail/linked-ids.ts';
import { parseHeaders } from '../../../core/mail/message-headers.ts';
import { inReplyToIds, messageIdOf, referenceIds } from '../../../core/mail/message-ids.ts';

const LONG = `<${'a1b2c3d4e5'.repeat(26)}@kuhl.example>`;

it.each([
  ['<1@kuhl.example>', '<1@kuhl.example>'],
  ['<2025 1104 77@kuhl.example>', '<2025110477@kuhl.example>'],
  [LONG, LONG],
  ['1@kuhl.example', '<1@kuhl.example>'],
  ['<no-at>', '<no-at>'],
  ['=?utf-8?q?=3C1=40kuhl=2Eexample=3E?=', '<1@kuhl.example>'],
  ['<=?utf-8?q?x?=@kuhl.example>', '<=?utf-8?q?x?=@kuhl.example>'],
  ['<a@x> <b@x>', '<a@x>'],
  ['Grüße <é@x>', null],
  ['none', null],
  ['', null],
])('Message-ID: %s', (value, id) => {
  expect(messageIdOf(value)).toBe(id);
});

it.each([
  ['<1@x> <2@x>', ['<1@x>', '<2@x>']],
  ['<1@x>,<2@x>', ['<1@x>', '<2@x>']],
  ['<1@x <2@x>', ['<2@x>']],
  ['<1\t@x>', ['<1@x>']],
  ['1@x 2@x', ['<1@x>', '<2@x>']],
  ['', []],
])('References: %s', (value, ids) => {
  expect(referenceIds(value)).toEqual(ids);
});

it.each([
  ['<1@x>', ['<1@x>']],
  ['<1@x> <2@x>', ['<1@x>', '<2@x>']],
  ['Message from Bob <bob@x> of "Tue, 4 Nov 2025 10:01:00 +0100." <1@x>', ['<1@x>']],
  ['Your message of "Tue, 4 Nov 2025 10:03:00 +0100" from Bob <bob@x>, <1@x>', ['<1@x>']],
  ['<1@x> from "Bob <bob@x>" at Nov 4, 25 10:01:00 am', ['<1@x>']],
  ['<1@x> (message from Bob <bob@x> on Tue, 4 Nov 2025)', ['<1@x>']],
  ['Your message of "Tue, 4 Nov 2025" <1@x>', ['<1@x>']],
  ['=?utf-8?q?=3Croot-with-a-long-i?= =?utf-8?q?d=40x=3E?=', ['<root-with-a-long-id@x>']],
  ['root@x', ['<root@x>']],
  ['your question', []],
  ['Message from bob@x of "Tue, 4 Nov 2025"', []],
])('In-Reply-To: %s', (value, ids) => {
  expect(inReplyToIds(value)).toEqual(ids);
});

describe('the messages that a message answers', () => {
  it.each([
    ['References: <1@x> <2@x>\nIn-Reply-To: <2@x>', ['<1@x>', '<2@x>']],
    ['References:\nIn-Reply-To: <1@x>', ['<1@x>']],
    ['References: <1@x>\nReferences: <2@x>', ['<1@x>', '<2@x>']],
    ['In-Reply-To: Message from Bob <bob@x> <1@x>', ['<1@x>']],
    ['In-Reply-To: <1@x>', ['<1@x>']],
  ])('%j', (fields, ids) => {
    const header = Buffer.from(`Message-ID: <3@x>\n${fields}\n\n`);
    expect(parseHeaders(header).references).toEqual(ids);
    expect(linkedIds(header)).toEqual(['<3@x>', ...ids]);
  });
});
