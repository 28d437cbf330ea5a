import type { readCommands, readStatements } from '../../core/provenance/read-state.ts';
import type { Texts } from './dialect.ts';

export const READ_TEXTS: Texts<typeof readStatements & typeof readCommands> = {
  reads_between: ({ prefix, by }) => `
    SELECT read_id, at_ms, hashes FROM ${prefix}reads${by('reads_of_owner')}
    WHERE owner_id = @owner_id AND at_ms > @after_ms AND (at_ms, read_id) < (@before_ms, @before_id)
    ORDER BY at_ms DESC, read_id DESC LIMIT @limit`,
  remember_read: ({ prefix }) => `
    INSERT INTO ${prefix}reads (owner_id, read_id, at_ms, credential_id, hashes, phrases, sealed)
    SELECT owner_id, CAST(@read_id AS text), CAST(@at_ms AS bigint), CAST(@credential_id AS text), CAST(@hashes AS text),
      CAST(@phrases AS text), CAST(@sealed AS text)
    FROM ${prefix}owners WHERE owner_id = @owner_id
    ON CONFLICT (owner_id, read_id) DO UPDATE SET at_ms = excluded.at_ms, sealed = excluded.sealed`,
};
