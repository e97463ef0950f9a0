import assert from 'node:assert/strict';
import { serviceInFile } from '../../../../src/commands/builds/composeService.ts';
import type { CommandContext } from '../../../../src/commands/frame/commandContext.ts';
import { container } from '../../inventory/support/nouns.ts';
import { inProject } from '../../views/support/stage.ts';

describe('the service of a compose file', () => {
  it('belongs to the only project that was created from the file, and to none of several', async () => {
    const of = (letter: string, project: string) =>
      container(letter, {
        labels: {
          ...inProject(project, 'web', 1),
          'com.docker.compose.project.config_files': '/shop/dev.yaml',
        },
      });
    const projectIn = async (...all: readonly ReturnType<typeof of>[]) => {
      const inventory = { containers: new Map(all.map((one) => [one.id, one])) };
      const context = { inventory } as unknown as CommandContext;
      return (await serviceInFile('/shop/dev.yaml', 'web', context)).project;
    };
    assert.equal(await projectIn(of('a', 'prod')), 'prod');
    assert.equal(await projectIn(of('a', 'prod'), of('b', 'shop')), undefined);
  });
});
