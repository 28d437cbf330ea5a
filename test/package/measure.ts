import { spawnSync } from 'node:child_process';
import { EXPORTED_NAMES } from './exported-names.ts';
import { bundledBytes, packageSizes } from './installed-size.ts';
import { packPackage } from './packed-package.ts';

/** Prints what an app gets that installs the package: its size on disk, in a bundle, and in time at import. */

const RUNS = 15;

const packed = await packPackage();
try {
  const project = await packed.install();

  const sizes = await packageSizes(project);
  const total = sizes.reduce((sum, { bytes }) => sum + bytes, 0);
  print('Installed, without a driver (target: under 50 MB)', megabytes(total));
  for (const { name, bytes } of sizes.filter((each) => each.bytes > 1_000_000))
    print(`  ${name}`, megabytes(bytes));

  const bundled = await bundledBytes(project, 'countersign/webhooks');
  print('countersign/webhooks alone in a bundle (target: under 20 KB)', `${(bundled / 1000).toFixed(1)} KB`);

  const bare = medianMs(project, '');
  print('Bare Node, median', `${bare.toFixed(0)} ms`);
  for (const name of EXPORTED_NAMES) {
    const target = name === 'countersign' ? ' (target: under 300 ms)' : '';
    const more = medianMs(project, `await import('${name}');`) - bare;
    print(`import('${name}') beyond that${target}`, `${more.toFixed(0)} ms`);
  }
} finally {
  await packed.remove();
}

function medianMs(folder: string, code: string): number {
  const times = Array.from({ length: RUNS }, () => {
    const start = performance.now();
    const { status, stderr } = spawnSync(process.execPath, ['--input-type=module', '--eval', code], {
      cwd: folder,
    });
    if (status !== 0) throw new Error(`The import failed: ${stderr.toString()}`);
    return performance.now() - start;
  });
  return times.sort((a, b) => a - b)[Math.floor(RUNS / 2)] ?? Number.NaN;
}

function megabytes(bytes: number): string {
  return `${(bytes / 1_000_000).toFixed(1)} MB`;
}

function print(what: string, value: string): void {
  console.log(`${what.padEnd(70)}${value.padStart(9)}`);
}
