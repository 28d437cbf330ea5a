import packageJson from '../../package.json' with { type: 'json' };

/** What an app imports. The contract suites need vitest, and the workers are started, not imported. */
export const EXPORTED_NAMES = Object.keys(packageJson.exports)
  .filter((name) => !/^\.\/(testing|package\.json|.*\/worker)$/.test(name))
  .map((name) => name.replace('.', 'countersign'));
