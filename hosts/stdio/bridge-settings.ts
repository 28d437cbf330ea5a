import { readFileSync, statSync } from 'node:fs';
import { isApiKey } from '../../core/keys/credential.ts';

export interface BridgeSettings {
  /** Public address of the API host. */
  readonly baseUrl: string;
  readonly apiKey: string;
}

/** The settings that only `countersign mcp` reads. */
export const BRIDGE_ONLY_SETTINGS = ['COUNTERSIGN_API_KEY', 'COUNTERSIGN_API_KEY_FILE'] as const;

export const DEFAULT_BASE_URL = 'http://127.0.0.1:8787';

/**
 * Reads COUNTERSIGN_BASE_URL, and the key from COUNTERSIGN_API_KEY or from the file named by COUNTERSIGN_API_KEY_FILE.
 * Empty variables count as unset.
 * @throws Error with a message for the user, which never contains a value
 */
export function readBridgeSettings(env: NodeJS.ProcessEnv): BridgeSettings {
  const address = env.COUNTERSIGN_BASE_URL || DEFAULT_BASE_URL;
  const url = URL.canParse(address) ? new URL(address) : undefined;
  if (url === undefined || !/^https?:$/.test(url.protocol) || url.search + url.hash + url.username !== '') {
    throw new Error('COUNTERSIGN_BASE_URL: must be the address of the API, like https://api.example.org.');
  }
  return { baseUrl: url.href, apiKey: keyIn(env) };
}

function keyIn(env: NodeJS.ProcessEnv): string {
  const { COUNTERSIGN_API_KEY: inline, COUNTERSIGN_API_KEY_FILE: file } = env;
  if (inline && file) throw new Error('Set COUNTERSIGN_API_KEY or COUNTERSIGN_API_KEY_FILE, not both.');
  if (!inline && !file) {
    throw new Error(
      'There is no key. Create one on the dashboard (Integrations, Create key), and set COUNTERSIGN_API_KEY to it, or COUNTERSIGN_API_KEY_FILE to the path of a file that contains it.',
    );
  }
  const name = inline ? 'COUNTERSIGN_API_KEY' : 'COUNTERSIGN_API_KEY_FILE';
  const key = (inline || keyInFile(file ?? '')).trim();
  if (!isApiKey(key)) {
    throw new Error(
      `${name}: this is not a key. A key is svc_pat_ and 49 letters and digits. Copy all of it.`,
    );
  }
  return key;
}

function keyInFile(path: string): string {
  const problem = (why: string) => `COUNTERSIGN_API_KEY_FILE: ${path} ${why}`;
  try {
    // Windows has no such mode.
    if (process.platform !== 'win32' && (statSync(path).mode & 0o077) !== 0) {
      throw new Error(problem(`can be read by other users. Run: chmod 600 ${path}`));
    }
    return readFileSync(path, 'utf8');
  } catch (cause) {
    if (!(cause instanceof Error) || !('code' in cause)) throw cause;
    throw new Error(problem(`cannot be read (${String(cause.code)}).`), { cause });
  }
}
