import type { Reporter, TestModule } from 'vitest/node';
import { SECTIONS } from './sections.ts';

/** Prints one line per section after a run of the conformance suite, with the number of its checks. */
export function sectionReporter(): Reporter {
  return {
    onTestRunEnd(modules) {
      const walked = modules.filter(({ relativeModuleId }) =>
        relativeModuleId.startsWith('test/conformance/'),
      );
      if (walked.length > 0) process.stdout.write(`\n${report(walked)}\n`);
    },
  };
}

interface Checks {
  passed: number;
  failed: number;
  skipped: number;
}

function report(modules: readonly TestModule[]): string {
  const sections = new Map<string, Checks>();
  for (const suite of modules.flatMap((module) => [...module.children.suites()])) {
    const checks = sections.get(suite.name) ?? { passed: 0, failed: 0, skipped: 0 };
    for (const test of suite.children.allTests()) {
      const { state } = test.result();
      checks[state === 'passed' || state === 'skipped' ? state : 'failed'] += 1;
    }
    sections.set(suite.name, checks);
  }
  const names = new Set<string>([...SECTIONS, ...sections.keys()]);
  const width = Math.max(...[...names].map((name) => name.length));
  return [...names]
    .map((name) => {
      const { passed = 0, failed = 0, skipped = 0 } = sections.get(name) ?? {};
      const rest = [failed > 0 ? `${failed} failed` : '', skipped > 0 ? `${skipped} skipped` : ''].filter(
        Boolean,
      );
      return `${name.padEnd(width)}  ${[`${passed} checks hold`, ...rest].join(', ')}`;
    })
    .join('\n');
}
