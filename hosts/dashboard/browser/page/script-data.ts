import type { ScriptData } from '../../page-protocol.ts';

// Only known while the script runs for the first time.
const { currentScript } = document;

/** What the page told its script. */
export function scriptData(name: keyof ScriptData): string | undefined {
  return currentScript === null ? undefined : dataOf(currentScript, name);
}

/** The same of a page that was fetched. */
export function dataOf(script: HTMLOrSVGScriptElement, name: keyof ScriptData): string | undefined {
  return script.dataset[name];
}
