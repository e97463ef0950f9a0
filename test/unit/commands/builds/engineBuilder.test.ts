import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { engineBuilder } from '../../../../src/commands/builds/engineBuilder.ts';
import { english } from '../../../../src/l10n.ts';
import { ID, TarBuildLab } from '../../engine/tarBuild/support/tarBuildLab.ts';

describe('commands/engineBuilder', () => {
  let lab: TarBuildLab;
  beforeEach(async () => {
    lab = await TarBuildLab.open();
    lab.isPodman();
    lab.answers({ aux: { ID } });
  });
  afterEach(() => lab.close());

  const build = (): Promise<unknown> => {
    const { folder: context } = lab;
    const request = { context, dockerfile: join(context, 'Dockerfile'), tags: [] };
    const providers = {
      credentials: () => Promise.resolve(undefined),
      secret: () => Promise.reject(new Error('no secret')),
    };
    const { signal } = new AbortController();
    const controls = { ref: 'a', onEvent: () => undefined, signal };
    return engineBuilder(() => 'here', english).build(lab.connection, request, providers, controls);
  };

  it('explains what of the context cannot be sent, also in a tar', async () => {
    assert.deepEqual(await build(), { imageId: ID });
    writeFileSync(join(lab.folder, '.dockerignore'), '[a\n');
    await assert.rejects(build(), { message: 'The pattern [a in the ignore file is not valid.' });
  });
});
