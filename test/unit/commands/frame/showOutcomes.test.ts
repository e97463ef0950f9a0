import assert from 'node:assert/strict';
import type { TargetCommand } from '../../../../src/commands/frame/command.ts';
import { showOutcomes, type TargetOutcome } from '../../../../src/commands/frame/showOutcomes.ts';
import type { CommandTarget } from '../../../../src/commands/frame/targets.ts';
import { EngineError } from '../../../../src/engine/errors.ts';
import { ScriptedUi } from '../../support/scriptedUi.ts';

describe('commands/frame/showOutcomes', () => {
  const command = {
    failureTitle: (name: string) => `Could not stop ${name}`,
    message: (_result: unknown, { name }: CommandTarget) => `${name} is already stopped.`,
  } as unknown as TargetCommand;
  const target = (at: number): CommandTarget =>
    ({ id: `${at}`, name: `web-${at}` }) as unknown as CommandTarget;

  async function told(
    count: number,
    of: (target: CommandTarget) => TargetOutcome,
  ): Promise<string> {
    const ui = new ScriptedUi();
    const all = Array.from({ length: count }, (_, at) => of(target(at)));
    await showOutcomes(ui, command, all, []);
    return ui.shown[0]?.text ?? '';
  }

  it('names the first of many failures, each on one line, and how many more there are', async () => {
    const engineMessage = 'no\nreason';
    const error = new EngineError('conflict', { engineMessage });
    const fail = (one: CommandTarget): TargetOutcome => ({ target: one, error });
    assert.match(
      await told(208, fail),
      /^208 of 208 failed\. web-0: no reason · web-1: .* · web-4: no reason · 203 more$/,
    );
    assert.equal(await told(2, fail), '2 of 2 failed. web-0: no reason · web-1: no reason');
  });

  it('shows the first of many sentences, and how many more there are', async () => {
    const text = await told(208, (one) => ({ target: one, result: '' }));
    assert.match(text, /^web-0 is already stopped\. .*web-4 is already stopped\. And 203 more\.$/);
  });
});
