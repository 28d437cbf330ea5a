/** What owners show besides the password when they sign in. */
export const SCHEMA_24 = `
ALTER TABLE owners ADD COLUMN second_step TEXT;         -- JSON; NULL: nothing
ALTER TABLE owners ADD COLUMN passkey_handle TEXT;      -- NULL: the owner has no passkey
CREATE UNIQUE INDEX owners_by_passkey_handle ON owners (passkey_handle) WHERE passkey_handle IS NOT NULL;
`;
