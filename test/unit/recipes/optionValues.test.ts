// Compares what each option becomes with a recorded list: in a request, on the line of `docker run`, and read of a
// container that was created so. The first entry has all options, and so the order of the flags and of a recipe.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { createSpec } from '../../../src/engine/options/createSpec.ts';
import type { CreateArguments } from '../../../src/engine/options/options.ts';
import { english } from '../../../src/l10n.ts';
import { containerSpec } from '../../../src/recipes/containerSpec.ts';
import { runCommandLine } from '../../../src/recipes/runCommandLine.ts';

interface Recorded {
  readonly args: CreateArguments;
  readonly body: Readonly<Record<string, unknown>>;
  readonly run: string;
  readonly read: CreateArguments;
}

const RECORDED = JSON.parse(
  readFileSync(new URL('optionValues.json', import.meta.url), 'utf8'),
) as readonly Recorded[];

describe('a container’s options', () => {
  for (const { args, body, run, read } of RECORDED) {
    it(`are the same in a request, on a line and read again: ${run}`, () => {
      const request = createSpec(args, english);
      assert.deepEqual(request.body, body);
      assert.equal(runCommandLine(args), run);
      const { HostConfig, ...Config } = request.body;
      const Name = `/${request.name ?? ''}`;
      const spec = containerSpec({ Id: 'f'.repeat(64), Name, Config, HostConfig }, {});
      assert.equal(JSON.stringify(spec.args), JSON.stringify(read));
      assert.deepEqual(spec.unsupported, []);
    });
  }
});
