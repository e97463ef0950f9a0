import '../support/fakeEditor.ts';
import assert from 'node:assert/strict';
import type { EngineUnit } from '../../../src/engines/engineUnit.ts';
import { ScriptedUi } from '../support/scriptedUi.ts';
import { Inventory } from '../../../src/inventory/inventory.ts';

const { CommandContexts } = await import('../../../src/app/commandContexts.ts');

describe('CommandContexts', () => {
  it('lead from the context of one engine to that of another', () => {
    const unitOf = (id: string) => ({ id, inventory: new Inventory() }) as unknown as EngineUnit;
    const all = [unitOf('docker'), unitOf('podman')] as const;
    const engines = {
      all,
      get: (id: string) => all.find((one) => one.id === id),
      onDidChange: () => ({ dispose: () => undefined }),
    };
    const [docker, podman] = all;
    const shared = { ui: new ScriptedUi(), window: { transfers: { drop: () => undefined } } };
    const contexts = new CommandContexts(engines as never, {} as never, shared as never);
    const { contextOf } = contexts.of(docker);
    assert.equal(contextOf('podman'), contexts.of(podman));
    assert.equal(contextOf('podman')?.unit, podman);
    assert.equal(contextOf('removed'), undefined);
    contexts.dispose();
  });
});
