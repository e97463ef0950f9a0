import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { CliCall } from '../../../../src/engine/cli/cliCall.ts';
import type { Command } from '../../../../src/commands/frame/command.ts';
import {
  fakeMemento,
  openCommandLab,
  type CommandLab,
  runAsEditor,
} from '../../support/commandLab.ts';

const { upChangesCommands } =
  await import('../../../../src/commands/upChanges/upChangesCommands.ts');

const [OLD, NEW] = ['a', 'b'].map((digit) => digit.repeat(64)) as [string, string];
/** Writes what the CLI writes of a project of two services, of which the second is new. */
const CLI = `#!/bin/sh
case "$*" in
  *--hash*) echo 'web ${NEW}'; echo 'db ${OLD}';;
  *) echo '{"dry-run":true,"id":"Container shop-web-1","status":"Recreate"}'
     echo '{"dry-run":true,"id":"Container shop-db-1","status":"Created"}';;
esac
`;

describe('what Up would change', () => {
  let lab: CommandLab;
  let folder: string;
  let files: readonly string[];
  let runs: readonly string[][];
  let commands: readonly Command[];
  let fails: boolean;
  let cli: string;

  beforeEach(async () => {
    folder = mkdtempSync(join(tmpdir(), 'gantry-preview-'));
    files = [join(folder, 'compose.yaml')];
    writeFileSync(join(folder, 'compose.yaml'), 'services: {}');
    writeFileSync(join(folder, 'cli'), CLI, { mode: 0o755 });
    runs = [];
    fails = false;
    cli = join(folder, 'cli');
    const member = (name: string): object => ({
      Id: name.padEnd(64, '0'),
      Names: [`/shop-${name}-1`],
      Image: 'bb:1',
      State: 'running',
      Labels: {
        'com.docker.compose.project': 'shop',
        'com.docker.compose.service': name,
        'com.docker.compose.config-hash': OLD,
        'com.docker.compose.project.config_files': files.join(','),
      },
    });
    const services = {
      memory: fakeMemento(),
      findCompose: () =>
        Promise.resolve({
          ...{ file: cli, prefix: [], hasFolder: true },
          ...{ hasJson: true, hasDryRun: true },
        }),
    };
    lab = await openCommandLab(
      ({ path }, response) => {
        response.setHeader('content-type', 'application/json');
        response.end(
          JSON.stringify(path === '/containers/json' ? [member('web'), member('old')] : []),
        );
      },
      { window: services },
    );
    lab.ui.folders = [folder];
    lab.ui.files = [join(folder, 'compose.yaml')];
    lab.ui.runTask = ({ args }: CliCall) => {
      runs = [...runs, [...args]];
      return fails ? Promise.reject(new Error('no terminal')) : Promise.resolve(0);
    };
    commands = upChangesCommands({ ui: lab.ui, showDetails: () => undefined });
  });
  afterEach(async () => {
    rmSync(folder, { recursive: true });
    await lab.close();
  });

  const open = () => commands[0] ?? assert.fail();
  const press = (button: string) => runAsEditor(commands, button);

  const changes = [
    { kind: 'container', name: 'shop-db-1', action: 'created' },
    { kind: 'container', name: 'shop-old-1', action: 'orphaned' },
    { kind: 'container', name: 'shop-web-1', action: 'recreated', reason: 'configuration' },
  ];

  it('is data for a caller, and shows no view', async () => {
    assert.deepEqual(await lab.call(open(), { project: 'shop' }), { changes });
    assert.equal(lab.ui.upChanges, undefined);
  });

  it('is refused if the dry run has no word that is known', async () => {
    cli = join(folder, 'other');
    const line = '{"id":"Container shop-web-1","status":"Fancied"}';
    writeFileSync(cli, `#!/bin/sh\necho '${line}'\n`, { mode: 0o755 });
    await assert.rejects(lab.call(open(), { project: 'shop' }), /dry run .* is not supported/);
  });

  it('is shown to the user, who can have it done or find it again', async () => {
    lab.ui.act(({ items = [] }) => items.at(0));
    await lab.run(open());
    const shown = lab.ui.upChanges ?? assert.fail('nothing is shown');
    assert.deepEqual([shown.name, shown.changes], [join(folder, 'compose.yaml'), changes]);
    await press('gantry.upChanges.refresh');
    assert.notEqual(lab.ui.upChanges, shown);
    assert.deepEqual(lab.ui.upChanges?.changes, changes);
    await press('gantry.upChanges.up');
    assert.equal(lab.ui.upChanges, undefined);
    assert.deepEqual(runs, [
      ['--progress=json', `--file=${join(folder, 'compose.yaml')}`, 'up', '--detach'],
    ]);
  });

  it('finds the project of a compose file and its override file', async () => {
    const override = join(folder, 'compose.override.yaml');
    writeFileSync(override, 'services: {}');
    files = [...files, override];
    lab.ui.act(({ items = [] }) => items.at(0));
    await lab.run(open());
    assert.deepEqual(lab.ui.upChanges?.changes, changes);
  });

  it('finds the project of a compose file that was created without the override file', async () => {
    writeFileSync(join(folder, 'compose.override.yaml'), 'services: {}');
    lab.ui.act(({ items = [] }) => items.at(0));
    await lab.run(open());
    assert.deepEqual(lab.ui.upChanges?.changes, changes);
  });

  it('is closed by a button, and explains why Up failed', async () => {
    lab.ui.act(({ items = [] }) => items.at(0));
    await lab.run(open());
    fails = true;
    await press('gantry.upChanges.up');
    assert.match(lab.ui.shown.at(-1)?.text ?? '', /Could not run Compose/);
    lab.ui.act(({ items = [] }) => items.at(0));
    await lab.run(open());
    await press('gantry.upChanges.close');
    assert.equal(lab.ui.upChanges, undefined);
  });
});
