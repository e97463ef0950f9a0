import assert from 'node:assert/strict';
import type { ComposeBuild } from '../../../src/projects/composeBuild.ts';
import { readComposeFile } from '../../../src/projects/composeFile.ts';

async function buildOf(text: string): Promise<ComposeBuild | undefined> {
  const lines = text.split('\n').map((line) => `      ${line}\n`);
  const file = await readComposeFile(`services:\n  web:\n    build:\n${lines.join('')}`);
  return file?.services[0]?.build;
}

describe('projects/readComposeBuild', () => {
  it('reads a context alone, and one with Dockerfile, target and arguments', async () => {
    assert.deepEqual(await buildOf('./web'), { context: './web', args: {}, leftOut: [] });
    const text = ['context: web', 'dockerfile: prod.Dockerfile', 'target: run', 'args:'];
    assert.deepEqual(await buildOf([...text, '  PORT: 80', '  PRICE: $$5'].join('\n')), {
      ...{ context: 'web', dockerfile: 'prod.Dockerfile', target: 'run' },
      ...{ args: { PORT: '80', PRICE: '$5' }, leftOut: [] },
    });
  });

  it('leaves out what has variables, what comes from the environment, and what it does not know', async () => {
    const text = ['args:', '  - A=1', '  - B=${B}', '  - C', 'target: $STAGE', 'ssh: [default]'];
    assert.deepEqual(await buildOf(text.join('\n')), {
      ...{ context: '.', args: { A: '1' }, leftOut: ['ssh', 'args.B', 'args.C', 'target'] },
    });
  });

  it('is not there without a known context', async () => {
    assert.equal(await buildOf('$FOLDER'), undefined);
    assert.equal(await buildOf('context: ${FOLDER:-web}'), undefined);
    assert.equal(await buildOf(''), undefined);
  });
});
