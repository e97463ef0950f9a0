import assert from 'node:assert/strict';
import { GANTRY_STATES, manifest, read, texts } from './support/manifest.ts';

describe('the welcome views', () => {
  const welcomed = (view: string): readonly string[] =>
    manifest.contributes.viewsWelcome
      .filter((entry) => entry.view === view)
      .flatMap(({ when }) => /^gantry\.state == (\w+)$/.exec(when)?.[1] ?? []);

  it('have one text for every state, and none for other values', () => {
    const found = welcomed('gantry.containers');
    const states = GANTRY_STATES.filter((state) => state !== 'ready' || found.includes(state));
    assert.deepEqual([...found].sort(), [...states].sort());
  });

  it('explain problems only in the Containers view: the Images view has a line for it', () => {
    assert.deepEqual(welcomed('gantry.images'), ['connecting', 'off']);
  });

  it('offer a way out in every view that is not connected', () => {
    const { viewsWelcome } = manifest.contributes;
    const elsewhere = viewsWelcome.filter(({ contents }) => contents === '%welcome.notConnected%');
    assert.deepEqual(
      elsewhere.map(({ view }) => view),
      ['gantry.volumes', 'gantry.networks', 'gantry.builds'],
    );
    assert.match(texts['welcome.notConnected'] ?? '', /\(command:gantry\.engines\.diagnose\)/);
  });

  it('say that there is nothing only when that is known', () => {
    const { viewsWelcome } = manifest.contributes;
    const whenOf = (key: string) => viewsWelcome.find(({ contents }) => contents === key)?.when;
    const lists = [
      ['Volumes', '!gantry.volumes.isLoading'],
      ['Networks', '!gantry.networks.isLoading'],
      ['Builds', 'gantry.builds.isLoaded'],
    ] as const;
    for (const [name, known] of lists) {
      const awaited = known.startsWith('!') ? known.slice(1) : `!${known}`;
      const unfiltered = name === 'Builds' ? '' : ` && !gantry.${name.toLowerCase()}.isFiltered`;
      assert.equal(whenOf(`%welcome.no${name}%`), `gantry.state == ready && ${known}${unfiltered}`);
      assert.equal(whenOf(`%welcome.loading${name}%`), `gantry.state == ready && ${awaited}`);
    }
  });

  it('refer only to existing states in hints', () => {
    const hinted = manifest.contributes.viewsWelcome.flatMap(
      ({ when }) => /gantry\.state =~ \/\^\(([\w|]+)\)\$\//.exec(when)?.[1]?.split('|') ?? [],
    );
    assert.ok(hinted.length > 0);
    for (const state of hinted) assert.ok(GANTRY_STATES.includes(state), state);
  });

  for (const state of GANTRY_STATES) {
    if (state === 'ready' || state === 'connecting') continue;
    const [words = '', ...links] = (texts[`welcome.${state}`] ?? '').split('\n');

    it(`have a text for the state ${state} that reports what is wrong, with at most one button`, () => {
      assert.match(words, /^[A-Z].*\.$/);
      // VS Code shows a link on a line of its own as a button.
      const buttons = links.filter((link) => /^\[[^\]]+\]\(command:[^)]+\)$/.test(link));
      assert.ok(buttons.length <= 1, links.join());
      if (state === 'off') return;
      const others = links.filter((link) => !buttons.includes(link));
      assert.deepEqual(others, [
        '[Diagnose Connection](command:gantry.engines.diagnose) · [Retry](command:gantry.retry)',
      ]);
    });

    it(`have a heading for the state ${state} in docs/troubleshooting.md, in the same words`, () => {
      if (state === 'off') return;
      const found = read('docs/troubleshooting.md').matchAll(/^### (.+)$/gm);
      const headings = [...found].map(([, heading]) => heading);
      assert.ok(headings.includes(/^(.*?)[.:](?: |$)/.exec(words)?.[1]), words);
    });
  }
});
