import type { Command } from './command.ts';

/**
 * The commands by their first word. A command loads only its own modules, so that `countersign mcp`, which a client
 * starts, is there at once.
 */
export const COMMANDS: Readonly<Record<string, () => Promise<readonly Command[]>>> = {
  serve: async () => [(await import('./serve.ts')).serve],
  'setup-link': async () => [(await import('./setup-link.ts')).setupLink],
  owner: async () => (await import('./owner.ts')).OWNER_COMMANDS,
  account: async () => (await import('./account.ts')).ACCOUNT_COMMANDS,
  key: async () => (await import('./key.ts')).KEY_COMMANDS,
  webhook: async () => (await import('./webhook.ts')).WEBHOOK_COMMANDS,
  mcp: async () => [(await import('./mcp.ts')).mcp],
  doctor: async () => [(await import('./doctor.ts')).doctor],
  backup: async () => [(await import('./backup.ts')).backup],
  restore: async () => [(await import('./backup.ts')).restore],
  secrets: async () => (await import('./secrets.ts')).SECRETS_COMMANDS,
  version: async () => [(await import('./version.ts')).versionCommand],
};

export async function allCommands(): Promise<readonly Command[]> {
  return (await Promise.all(Object.values(COMMANDS).map((load) => load()))).flat();
}
