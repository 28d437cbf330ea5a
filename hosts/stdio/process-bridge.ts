import { runBridge } from './bridge.ts';
import { type BridgeSettings, readBridgeSettings } from './bridge-settings.ts';

/**
 * Runs the bridge on this process, until its stdin closes or a signal asks it to end.
 * @throws Error with a message for the user, if a setting is wrong
 */
export async function bridgeProcess(): Promise<void> {
  const settings = readBridgeSettings(process.env);
  const report = (line: string) => void process.stderr.write(`countersign mcp: ${line}\n`);
  if (isUnprotected(settings)) {
    report(
      'COUNTERSIGN_BASE_URL is plain http to another machine, so the key can be read on the way. Use https.',
    );
  }
  const stop = new AbortController();
  for (const signal of ['SIGTERM', 'SIGINT'] as const) process.once(signal, () => stop.abort());
  await runBridge(settings, { input: process.stdin, output: process.stdout, report }, stop.signal);
}

function isUnprotected({ baseUrl }: BridgeSettings): boolean {
  const { protocol, hostname } = new URL(baseUrl);
  return protocol === 'http:' && !/^(localhost|127(\.\d+){3}|\[::1\]|.*\.localhost)$/.test(hostname);
}
