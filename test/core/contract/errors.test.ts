import { describe, expect, it } from 'vitest';
import { ERRORS } from '../../../core/contract/errors.ts';

// Written by hand: a status does not change in passing.
const TABLE = `
| invalid_arguments | 400 |
| invalid_content_length | 400 |
| invalid_idempotency_key | 400 |
| invalid_message_id | 400 |
| token_in_url | 400 |
| too_many_targets | 400 |
| invalid_token | 401 |
| quota_exceeded | 402 |
| not_permitted | 403 |
| origin_not_allowed | 403 |
| not_found | 404 |
| method_not_allowed | 405 |
| idempotency_in_progress | 409 |
| no_mail_account_connected | 409 |
| pending_exists_for_target | 409 |
| previously_rejected | 409 |
| length_required | 411 |
| payload_too_large | 413 |
| unsupported_media_type | 415 |
| misdirected_request | 421 |
| idempotency_key_reused | 422 |
| busy | 429 |
| daily_limit_reached | 429 |
| rate_limited | 429 |
| too_many_pending | 429 |
| internal_error | 500 |
| upstream_mail_error | 502 |
| temporarily_unavailable, unavailable | 503 |
`;

describe('an error code', () => {
  it('has the status of the contract', () => {
    const rows = TABLE.trim()
      .split('\n')
      .map((row) => row.split('|').map((cell) => cell.trim()))
      .flatMap(([, codes = '', status]) => codes.split(', ').map((code) => [code, Number(status)]));
    const statuses = Object.entries(ERRORS).map(([code, { status }]) => [code, status]);
    expect(Object.fromEntries(statuses)).toEqual(Object.fromEntries(rows));
  });

  it('of status 429 or 503 always says when to try again', () => {
    const later = Object.values(ERRORS).filter(({ status }) => status === 429 || status === 503);
    expect(later).toHaveLength(6);
    for (const { details } of later) expect(Object.keys(details?.shape ?? {})).toContain('retry_after_s');
  });
});
