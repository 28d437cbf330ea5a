import type { Command } from './command.ts';

/**
 * The commands by their first word. A command loads only its own modules, so that `countersign mcp`, which a client
 * starts, is there at once.
 */
export const COMMANDS: Readonly<Record<string, () => Promise<readonly Command[]>>> = {
  serve: async () => [(await import('./serve.ts')).serve],
  'setup-link': async () => [(await import('./owners/setup-link.ts')).setupLink],
  owner: async () => (await import('./owners/owner.ts')).OWNER_COMMANDS,
  account: async () => (await import('./accounts/account.ts')).ACCOUNT_COMMANDS,
  key: async () => (await import('./keys/key.ts')).KEY_COMMANDS,
  webhook: async () => (await import('./events/webhook.ts')).WEBHOOK_COMMANDS,
  mcp: async () => [(await import('./mcp.ts')).mcp],
  doctor: async () => [(await import('./upkeep/doctor.ts')).doctor],
  backup: async () => [(await import('./upkeep/backup.ts')).backup],
  restore: async () => [(await import('./upkeep/backup.ts')).restore],
  secrets: async () => (await import('./upkeep/secrets.ts')).SECRETS_COMMANDS,
  version: async () => [(await import('./version.ts')).versionCommand],
};

export async function allCommands(): Promise<readonly Command[]> {
  return (await Promise.all(Object.values(COMMANDS).map((load) => load()))).flat();
}
