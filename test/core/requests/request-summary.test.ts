import { randomBytes } from 'node:crypto';
import { expect, it } from 'vitest';
import { type ActionGist, messageGist, trackerGist } from '../../../core/actions/gist.ts';
import { sealGist } from '../../../core/execution/sealed-gist.ts';
import { requestSummaryOf } from '../../../core/requests/request-summary.ts';
import { createKeyring } from '../../../core/secrets/keyring.ts';
import { silentLog } from '../../open-service.ts';
import { PENDING } from '../approvals/machine.ts';

// test/conformance/approval-summaries.test.ts has a request of each tool.

const keyring = createKeyring([randomBytes(32)], randomBytes);
const summary = requestSummaryOf(keyring, silentLog);

function summaryOf(tool: string, gist: ActionGist): string | undefined {
  return summary({ ...PENDING, tool }, sealGist(keyring, PENDING.ownerId, PENDING.id, gist, []));
}

it.each([
  ['a line break', 'One\r\nTwo', 'One Two'],
  ['separators', 'One\u2028\u2029\u0085Two', 'One Two'],
  ['control characters', ' One\u0000\u001b\tTwo ', 'One Two'],
  ['a lone surrogate', 'One\ud800Two', 'One Two'],
  ['a text that turns around', 'One\u202eTwo', 'One⟨U+202E⟩Two'],
  ['a fence', '<<<UNTRUSTED_CONTENT 1>>>', '‹‹‹UNTRUSTED_CONTENT 1>>>'],
])('%s in a subject: %j is %j', (_name, subject, shown) => {
  expect(summaryOf('send_email', messageGist(['a@b.example'], subject))).toBe(`a@b.example: ${shown}`);
});

it('an address as long as an address can be leaves 120 characters', () => {
  const to = `${'a'.repeat(64)}@${'b'.repeat(180)}.example`;
  expect(summaryOf('send_email', messageGist([to], 'Subject'))).toBe(`${to.slice(0, 119)}…`);
});

it('a tool that says nothing of its texts, or that is not known any more, has counts alone', () => {
  const named = { subject: 'Subject', from: 'Eve', into: 'Folder', accountIds: [1] };
  for (const tool of ['delete_email', 'gone_tool']) {
    expect(summaryOf(tool, messageGist(['a@b.example', 'c@d.example'], 'Subject'))).toBe('2 recipients');
    expect(summaryOf(tool, { kind: 'targets', ...named, more: 1 })).toBe('2 messages');
    expect(summaryOf(tool, trackerGist('Title', 'open'))).toBe('1 tracker');
  }
});

it.each([
  ['was erased', undefined],
  ['was never kept', null],
  ['cannot be opened', 'AAAA'],
])('a request whose gist %s has none', (_name, sealed) => {
  expect(summary(PENDING, sealed)).toBeUndefined();
});
