// Compares each option with a recorded list: in a request, in a `docker run` command, and as read from a
// container that was created with it. The first entry has all options, and so the order of flags and of a
// recipe.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { createSpec } from '../../../src/engine/containers/createSpec.ts';
import type { CreateArguments } from '../../../src/engine/options/options.ts';
import { containerSpec } from '../../../src/recipes/containerSpec.ts';
import { formatRunCommand } from '../../../src/recipes/formatRunCommand.ts';

interface Recorded {
  readonly args: CreateArguments;
  readonly body: Readonly<Record<string, unknown>>;
  readonly run: string;
  readonly read: CreateArguments;
}

const RECORDED = JSON.parse(
  readFileSync(new URL('optionValues.json', import.meta.url), 'utf8'),
) as readonly Recorded[];

describe('the options of a container', () => {
  for (const { args, body, run, read } of RECORDED) {
    it(`are the same in a request, in a command and read from a container: ${run}`, () => {
      const request = createSpec(args);
      assert.deepEqual(request.body, body);
      assert.equal(formatRunCommand(args), run);
      const { HostConfig, ...Config } = request.body;
      const Name = `/${request.name ?? ''}`;
      const spec = containerSpec({ Id: 'f'.repeat(64), Name, Config, HostConfig }, {});
      assert.equal(JSON.stringify(spec.args), JSON.stringify(read));
      assert.deepEqual(spec.unsupported, []);
    });
  }
});
