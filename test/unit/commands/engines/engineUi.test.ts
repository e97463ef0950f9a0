import assert from 'node:assert/strict';
import { engineUi } from '../../../../src/commands/engines/engineUi.ts';
import type { Ui } from '../../../../src/commands/ui/ui.ts';
import { ScriptedUi } from '../../support/scriptedUi.ts';

describe('commands/engineUi', () => {
  const shownBy = async (name: string | undefined) => {
    const shown = new ScriptedUi();
    // The methods of a class are not copied.
    const base = new Proxy(shown, {
      ownKeys: () => Object.getOwnPropertyNames(ScriptedUi.prototype).concat('l10n'),
      getOwnPropertyDescriptor: () => ({ enumerable: true, configurable: true }),
      get: (target, key) => {
        const value: unknown = Reflect.get(target, key);
        return typeof value === 'function' ? (value.bind(target) as unknown) : value;
      },
    }) as unknown as Ui;
    const ui = engineUi(base, () => name);
    await ui.confirm('Remove the container web?', 'It is running.', 'Remove');
    await ui.choose('Take down shop (podman)?', '', ['Take Down']);
    await ui.pick({ title: 'Pull Image', items: [] });
    await ui.pick({ liveTitle: () => 'Create Container', items: [] });
    await ui.pickMany({
      title: () => 'Prune Images',
      placeholder: '',
      items: [],
      isChecked: () => false,
    });
    await ui.input({ title: 'Rename web', prompt: 'New name' });
    await ui.input({ prompt: 'Without a title' });
    await ui.progress('Creating a container from a', 'late', () => Promise.resolve());
    await ui.saveDialog({ title: 'Save web', name: 'web.tar' });
    return shown.shown.map(({ kind, text, detail }) => [kind, text, detail]);
  };

  it('names the engine in titles and questions if there are several', async () => {
    assert.deepEqual(await shownBy('podman'), [
      ['confirm', 'Remove the container web?', 'It is running.\nEngine: podman.'],
      ['choose', 'Take down shop (podman)?', ''],
      ['pick', 'Pull Image (podman)', undefined],
      ['pick', 'Create Container (podman)', undefined],
      ['pickMany', 'Prune Images (podman)', ''],
      ['input', 'Rename web (podman)', 'New name'],
      ['input', '', 'Without a title'],
      ['progress', 'Creating a container from a (podman)', undefined],
      ['saveDialog', 'Save web (podman)', 'web.tar'],
    ]);
  });

  it('changes nothing if there is only one', async () => {
    assert.deepEqual(
      (await shownBy(undefined)).map(([, text]) => text),
      [
        'Remove the container web?',
        'Take down shop (podman)?',
        'Pull Image',
        'Create Container',
        'Prune Images',
        'Rename web',
        '',
        'Creating a container from a',
        'Save web',
      ],
    );
  });
});
