import { writeSync } from 'node:fs';
import type { Reporter, TestCase, TestCollection, TestModule, TestSuite } from 'vitest/node';

interface Outcome {
  passed: number;
  failed: number;
  skipped: number;
  /** What was skipped. A suite that was skipped as a whole is one entry; so is a file, for each reason that it names. */
  skippedTitles: Set<string>;
  /** Whether a skipped suite named what it needs. */
  lacksPrograms: boolean;
}

/** The end of a skipped suite's title, as `titledWithout` writes it. */
const NEEDS = / \(skipped: needs (.*)\)$/;

const INSTALL = 'On Debian, as root, `CI=true npm test` installs what is missing here and runs everything.\n';

/**
 * Names what was skipped at the very end. Its last line is only the number of tests that passed, failed and
 * were skipped. It writes when the process exits, after everything else.
 */
export function countReporter(): Reporter {
  let outcome: Outcome | undefined;
  return {
    onInit() {
      process.once('exit', () => {
        if (outcome !== undefined) writeSync(1, report(outcome));
      });
    },
    onTestRunEnd(modules, unhandledErrors) {
      outcome = countModules(modules);
      outcome.failed += unhandledErrors.length;
    },
  };
}

function report({ passed, failed, skipped, skippedTitles, lacksPrograms }: Outcome): string {
  const titles = [...skippedTitles].map((title) => `  - ${title}\n`);
  const loud =
    titles.length === 0 ? '' : `\nSKIPPED, so not proven:\n${titles.join('')}${lacksPrograms ? INSTALL : ''}`;
  return `${loud}\n${passed} passed, ${failed} failed, ${skipped} skipped\n`;
}

function countModules(modules: readonly TestModule[]): Outcome {
  const outcome: Outcome = {
    passed: 0,
    failed: 0,
    skipped: 0,
    skippedTitles: new Set(),
    lacksPrograms: false,
  };
  for (const module of modules) {
    // A file that could not be loaded has no tests to count. It counts as one failure itself.
    if (module.errors().length > 0) outcome.failed += 1;
    for (const test of module.children.allTests()) count(test, outcome);
    for (const suite of module.children.allSuites()) {
      // A failed hook skips its suite's tests. The suite counts as one failure.
      if (suite.errors().length > 0) outcome.failed += 1;
    }
    nameSkipped(module.children, module.relativeModuleId, outcome);
  }
  return outcome;
}

function count(test: TestCase, outcome: Outcome): void {
  const { state } = test.result();
  if (state === 'passed') outcome.passed += 1;
  else if (state === 'skipped') outcome.skipped += 1;
  // A test that started and never ended counts as failed.
  else outcome.failed += 1;
}

function nameSkipped(children: TestCollection, file: string, outcome: Outcome): void {
  for (const child of children) {
    if (isSkipped(child)) {
      const needs = NEEDS.exec(child.name)?.[1];
      outcome.skippedTitles.add(
        needs === undefined ? `${file} > ${child.fullName}` : `${file}: needs ${needs}`,
      );
      if (needs !== undefined) outcome.lacksPrograms = true;
    } else if (child.type === 'suite') nameSkipped(child.children, file, outcome);
  }
}

function isSkipped(child: TestCase | TestSuite): boolean {
  return (child.type === 'suite' ? child.state() : child.result().state) === 'skipped';
}
