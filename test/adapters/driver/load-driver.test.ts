import { describe, expect, it } from 'vitest';
import { loadDriver } from '../../../adapters/driver/load-driver.ts';

const NODE = process.versions.node;

describe('loadDriver', () => {
  it('names the package, the version and the command if the package is missing', () => {
    expect(() => loadDriver('someStorage', 'countersign-no-such-driver', [3, 4])).toThrow(
      new Error(
        `someStorage needs the package countersign-no-such-driver, version 3 or 4 on Node ${NODE}, but it is not installed. Run: npm install countersign-no-such-driver@4`,
      ),
    );
  });

  it('does not load a version that does not work here', () => {
    expect(() => loadDriver('someStorage', 'pg', [7])).toThrow(
      /^someStorage needs the package pg, version 7 on Node .+, but version 8\.\d+\.\d+ is installed\. Run: npm install pg@7$/,
    );
  });

  it('loads the package if its version works here', () => {
    expect(loadDriver('someStorage', 'pg', [8])).toHaveProperty('Pool');
  });
});
