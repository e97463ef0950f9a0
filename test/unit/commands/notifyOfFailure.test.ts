import assert from 'node:assert/strict';
import type { CommandContext } from '../../../src/commands/context.ts';
import { notifyOfFailure } from '../../../src/commands/notifyOfFailure.ts';
import type { Container } from '../../../src/engine/model.ts';
import { container } from '../inventory/support/nouns.ts';
import { openEngineLab, type EngineLab } from '../support/engineLab.ts';

const INFO = { product: 'docker', engineApi: '1.41', api: '1.41' } as const;

describe('an unexpected exit of a container', () => {
  let lab: EngineLab;
  beforeEach(async () => {
    lab = await openEngineLab();
    lab.engines.onDidFail((failure) => {
      const context = { ui: lab.ui, titleOf: (name: string) => `${name} (work)` };
      notifyOfFailure(failure, context as unknown as CommandContext);
    });
  });
  afterEach(() => {
    lab.close();
  });

  /** Lists the container as running, then as exited. */
  const end = (exitCode: number): void => {
    const ended: Partial<Container> = { state: 'exited', exitCode };
    for (const changes of [{}, ended]) {
      const now = [container('a', { name: 'web', ...changes })];
      lab.engines.all[0]?.inventory.replaceAll(now, [], Date.now(), { kind: 'live', info: INFO });
    }
  };
  const warnings = () => lab.ui.of('warn').map(({ text, buttons }) => [text, buttons]);

  it('shows one warning with a button for its logs', () => {
    end(3);
    const text = 'web (work) exited unexpectedly with code 3.';
    assert.deepEqual(warnings(), [[text, ['Show Logs']]]);
  });

  it('shows nothing after exit code 0', () => {
    end(0);
    assert.deepEqual(warnings(), []);
  });
});
