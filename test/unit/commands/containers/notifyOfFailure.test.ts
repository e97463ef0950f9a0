import assert from 'node:assert/strict';
import type { CommandContext } from '../../../../src/commands/frame/commandContext.ts';
import { forwardFailures, type FailureNotifier } from '../../../../src/app/forwardFailures.ts';
import { notifyOfFailure } from '../../../../src/commands/containers/notifyOfFailure.ts';
import type { Container } from '../../../../src/engine/model.ts';
import { container } from '../../inventory/support/nouns.ts';
import { turn } from '../../support/fakeClock.ts';
import { openEngineLab, type EngineLab } from '../../support/engineLab.ts';

const INFO = { product: 'docker', engineApi: '1.41', api: '1.41' } as const;

describe('an unexpected exit of a container', () => {
  let lab: EngineLab;
  let isWanted: boolean;
  let loads: number;
  beforeEach(async () => {
    lab = await openEngineLab();
    isWanted = true;
    loads = 0;
    const context = { ui: lab.ui, titleOf: (name: string) => `${name} (work)` };
    const notifier: FailureNotifier = {
      notifyOfFailure: (failure) => notifyOfFailure(failure, context as unknown as CommandContext),
    };
    const load = (): Promise<FailureNotifier> => {
      loads += 1;
      return Promise.resolve(notifier);
    };
    forwardFailures(lab.engines.onDidFail, () => isWanted, load);
  });
  afterEach(() => lab.close());

  /** Lists the container as running, then as exited. */
  const end = async (exitCode: number, key = 'a'): Promise<void> => {
    const ended: Partial<Container> = { state: 'exited', exitCode };
    for (const changes of [{}, ended]) {
      const now = [container(key, { name: 'web', ...changes })];
      lab.engines.all[0]?.inventory.replaceAll(now, [], Date.now(), { kind: 'live', info: INFO });
    }
    await turn();
  };
  const warnings = () => lab.ui.of('warn').map(({ text, buttons }) => [text, buttons]);

  it('shows one warning with a button for its logs', async () => {
    await end(3);
    const text = 'web (work) exited unexpectedly with code 3.';
    assert.deepEqual(warnings(), [[text, ['Show Logs']]]);
  });

  it('shows nothing after exit code 0', async () => {
    await end(0);
    assert.deepEqual(warnings(), []);
  });

  it('shows and loads nothing while the setting is off', async () => {
    isWanted = false;
    await end(3);
    assert.deepEqual([warnings(), loads], [[], 0]);
    isWanted = true;
    await end(3, 'b');
    assert.deepEqual([warnings().length, loads], [1, 1]);
  });
});
