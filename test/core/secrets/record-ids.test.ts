import { randomBytes } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { approvalId, credentialId } from '../../../core/secrets/record-ids.ts';

describe('approval and key ids', () => {
  it('have their prefix, at most 26 characters, and are unique', () => {
    const ids = Array.from({ length: 100 }, () => approvalId(randomBytes));
    for (const id of ids) expect(id).toMatch(/^apr_[0-9]{15}$/);
    expect(new Set(ids).size).toBe(ids.length);
    expect(credentialId(randomBytes)).toMatch(/^key_[0-9a-f]{24}$/);
  });
});
