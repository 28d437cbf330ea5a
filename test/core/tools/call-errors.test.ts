import { describe, expect, it } from 'vitest';
import { type Failure, failure } from '../../../core/call/outcome.ts';
import { errorsOf } from '../../../core/tools/call-errors.ts';
import { CATALOGUE, findTool } from '../../../core/tools/catalogue.ts';
import { expectDescribed } from '../../described-outcome.ts';

// Each tool declares its own errors; the others follow from the steps of its call. The doors of the tests hold every
// failure that a test provokes to these lists.

function errorsOfTool(name: string): readonly string[] {
  const tool = findTool(name);
  return tool === undefined ? [] : [...errorsOf(tool)].toSorted();
}

const OF_EVERY_CALL = [
  'internal_error',
  'invalid_arguments',
  'invalid_idempotency_key',
  'temporarily_unavailable',
] as const;

describe('the errors of a call', () => {
  it.each([
    { tool: 'get_me', errors: [] },
    { tool: 'cancel_approval', errors: ['idempotency_in_progress', 'idempotency_key_reused', 'not_found'] },
    { tool: 'list_accounts', errors: ['no_mail_account_connected', 'not_permitted'] },
    {
      tool: 'get_email',
      errors: ['invalid_message_id', 'not_found', 'not_permitted', 'upstream_mail_error'],
    },
    {
      tool: 'create_tracker',
      errors: [
        'idempotency_in_progress',
        'idempotency_key_reused',
        'invalid_token',
        'not_permitted',
        'previously_rejected',
        'quota_exceeded',
        'too_many_pending',
      ],
    },
  ])('of $tool are those of its steps and its own', ({ tool, errors }) => {
    expect(errorsOfTool(tool)).toEqual([...OF_EVERY_CALL, ...errors].toSorted());
  });

  it('that every call of its kind can return are not declared by a tool again', () => {
    for (const tool of CATALOGUE) {
      const bare = errorsOf({ ...tool, errors: [] });
      expect(tool.errors.filter((code) => bare.has(code))).toEqual([]);
    }
  });
});

describe('the doors of the tests', () => {
  it('find an error that its tool does not declare', () => {
    const full = failure('not_found', { reason: 'tracker' });
    expect(() => expectDescribed('get_tracker', full)).not.toThrow();
    expect(() => expectDescribed('list_trackers', full)).toThrow('does not declare the error not_found');
    expect(() => expectDescribed('no_such_tool', failure('not_found', { reason: 'tool' }))).not.toThrow();
    expect(() => expectDescribed('no_such_tool', failure('internal_error'))).toThrow('does not declare');
  });

  it('find details that are not those of the code', () => {
    const { code, message } = failure('upstream_mail_error');
    const withDetails = (details: object) => ({ status: 'error', code, message, details }) as Failure;
    expect(() => expectDescribed('get_email', withDetails({ account_id: 1 }))).not.toThrow();
    expect(() => expectDescribed('get_email', withDetails({ account_id: 'one' }))).toThrow('account_id');
    expect(() => expectDescribed('get_email', withDetails({ server: 'imap' }))).toThrow('server');
    const bare = { ...failure('invalid_message_id'), details: { reason: 'x' } } as unknown as Failure;
    expect(() => expectDescribed('get_email', bare)).toThrow('has no details');
  });
});
