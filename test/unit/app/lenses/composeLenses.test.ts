import assert from 'node:assert/strict';
import type { Container } from '../../../../src/engine/model.ts';
import { composeLenses, type ComposeLens } from '../../../../src/app/lenses/composeLenses.ts';
import { readComposeFile } from '../../../../src/projects/composeFile.ts';
import { container } from '../../inventory/support/nouns.ts';

const PATH = '/shop/compose.yaml';
const TEXT = 'services:\n  db:\n    image: a\n  web:\n    image: b\n';

function member(service: string, more: Partial<Container> = {}): Container {
  return container('c', {
    name: service,
    state: 'created',
    labels: {
      'com.docker.compose.project': 'shop',
      'com.docker.compose.config-hash': 'hash',
      'com.docker.compose.service': service,
      'com.docker.compose.project.config_files': `/shop/base.yaml,${PATH}`,
    },
    ...more,
  });
}

async function lensesOf(
  containers: readonly Container[],
  { canRun = true, text = TEXT, path = PATH, ...more }: LensOptions = {},
): Promise<readonly ComposeLens[]> {
  const file = await readComposeFile(text);
  assert(file);
  const engines = new Map([['Docker', containers]]);
  const others = { isQuiet: false, isKnown: true, expectedOf: () => undefined };
  return composeLenses({ file, path, engines, canRun, ...others, ...more });
}

interface LensOptions extends Partial<Omit<Parameters<typeof composeLenses>[0], 'file'>> {
  readonly text?: string;
}

const titles = (lenses: readonly ComposeLens[]): readonly string[] =>
  lenses.map(({ line, title }) => `${line} ${title}`);

describe('the lenses of a compose file', () => {
  it('offer Up if nothing was created from it', async () => {
    const lenses = await lensesOf([]);
    assert.deepEqual(titles(lenses), ['0 Up', '1 Up', '3 Up']);
    const [all, db] = lenses;
    assert.deepEqual([all?.command, all?.argument], ['gantry.projects.up', { files: [PATH] }]);
    assert.deepEqual(db?.argument, { files: [PATH], services: ['db'] });
  });

  it('show the state and published ports of each service, with what can be done', async () => {
    const ports = [{ privatePort: 80, publicPort: 8080, protocol: 'tcp' }];
    const web = member('web', { id: 'a'.repeat(64), ports, state: 'running', health: 'healthy' });
    const lenses = await lensesOf([web, member('db', { id: 'b'.repeat(64), state: 'exited' })]);
    assert.deepEqual(titles(lenses), [
      ...['0 $(pass)\u00a01 of 2 up · 8080→80', '0 Up', '0 Start', '0 Stop', '0 Restart'],
      ...['0 Logs', '1 $(circle-outline)\u00a0exited', '1 Up', '1 Start', '1 Logs'],
      ...['3 $(pass)\u00a0running (healthy) · 8080→80', '3 Up', '3 Stop', '3 Restart', '3 Logs'],
    ]);
    const of = (at: number): readonly unknown[] => [lenses[at]?.command, lenses[at]?.argument];
    const engine = 'Docker';
    const up = { engine, project: 'shop', services: ['web'] };
    assert.deepEqual(of(11), ['gantry.projects.up', up]);
    const own = { engine, project: 'shop', service: 'web' };
    assert.deepEqual(of(12), ['gantry.projects.stop', own]);
    const logs = { engine, ids: ['a'.repeat(64)] };
    assert.deepEqual(of(14), ['gantry.containers.openLogViewer', logs]);
  });

  it('lead to the menu, which asks, if several projects were created from the file', async () => {
    const labels = { ...member('web').labels, 'com.docker.compose.project': 'copy' };
    const copy = member('web', { id: 'a'.repeat(64), labels });
    const here = member('web', { id: 'b'.repeat(64) });
    const engines = new Map([
      ['Docker', [here]],
      ['Podman', [copy]],
    ]);
    const ofOne = [copy, here];
    for (const more of [{ engines }, { engines: new Map([['Docker', ofOne]]) }]) {
      const lenses = await lensesOf([], more);
      assert.deepEqual(
        [...new Set(lenses.map(({ command }) => command))],
        ['gantry.projects.actions'],
      );
      const [all, , web] = lenses.map(({ argument }) => argument);
      assert.deepEqual([all, web], [{ file: PATH }, { file: PATH, service: 'web' }]);
    }
  });

  it('offer to build the image of a service that has a build', async () => {
    const text = 'services:\n  db:\n    image: a\n  web:\n    build: ./web\n';
    const lenses = await lensesOf([], { text });
    const builds = lenses.filter(({ build }) => build !== undefined);
    assert.deepEqual(builds, [{ line: 3, title: 'Build Image...', build: 'web' }]);
  });

  it('report that a service was not created', async () => {
    const lenses = await lensesOf([member('web', { state: 'running' })]);
    assert.ok(titles(lenses).includes('1 $(circle-outline)\u00a0not created'));
  });

  it('belong to a project of this file only', async () => {
    const other = member('web');
    const labels = { ...other.labels, 'com.docker.compose.project.config_files': '/compose.yaml' };
    assert.deepEqual(titles(await lensesOf([{ ...other, labels }])), ['0 Up', '1 Up', '3 Up']);
  });

  it('find the project of a file on a Windows drive, whose letter VS Code writes in lower case', async () => {
    const web = member('web');
    const files = 'com.docker.compose.project.config_files';
    const labels = { ...web.labels, [files]: 'C:\\shop\\compose.yaml' };
    const path = 'c:\\shop\\compose.yaml';
    assert.deepEqual(await lensesOf([{ ...web, labels }], { path }), await lensesOf([web]));
    const elsewhere = await lensesOf([{ ...web, labels }], { path: path.replace('c', 'd') });
    assert.deepEqual(titles(elsewhere), ['0 Up', '1 Up', '3 Up']);
  });

  it('do not offer Up in an untrusted workspace, but Start', async () => {
    const down = await lensesOf([member('web', { state: 'exited' })], { canRun: false });
    assert.ok(down.some(({ command }) => command === 'gantry.projects.start'));
    const lenses = await lensesOf([member('web', { state: 'running' })], { canRun: false });
    assert.ok(lenses.every(({ command }) => command !== 'gantry.projects.up'));
    assert.ok(lenses.some(({ command }) => command === 'gantry.projects.stop'));
    assert.deepEqual(
      lenses
        .filter(({ command }) => command === 'workbench.trust.manage')
        .map(({ title }) => title),
      ['Up Needs a Trusted Workspace'],
    );
  });

  it('count what is to be up: not a job that has completed, but a service that was not created', async () => {
    const text = [
      'services:',
      '  web: {}',
      '  job: {}',
      '  extra: {profiles: [x]}',
      '  many: {scale: 0}',
      '  none: {deploy: {replicas: 0}}',
      '  ai: {provider: {type: model}}',
    ].join('\n');
    const depends = 'job:service_completed_successfully:false';
    const web = member('web', { state: 'running' });
    const labels = { ...web.labels, 'com.docker.compose.depends_on': depends };
    const ended = { id: 'b'.repeat(64), state: 'exited' } as const;
    const statesOf = async (exitCode: number): Promise<readonly string[]> => {
      const job = member('job', { ...ended, exitCode });
      const lenses = await lensesOf([{ ...web, labels }, job], { text });
      return titles(lenses)
        .filter((title) => title.includes('$('))
        .slice(0, 3);
    };
    const icon = { up: '$(pass)\u00a0', down: '$(circle-outline)\u00a0' };
    assert.deepEqual(await statesOf(0), [
      ...[`0 ${icon.up}1 of 1 up`, `1 ${icon.up}running`, `2 ${icon.down}completed`],
    ]);
    assert.deepEqual(await statesOf(1), [
      ...[`0 ${icon.up}1 of 2 up`, `1 ${icon.up}running`, `2 ${icon.down}exited (1)`],
    ]);
    const some = titles(await lensesOf([web], { text }));
    assert.equal(some[0], `0 ${icon.up}1 of 2 up`);
  });

  it('are one for each service that opens a menu, if they are quiet', async () => {
    const text = 'services:\n  db:\n    image: a\n  web:\n    build: ./web\n';
    const ports = [{ privatePort: 80, publicPort: 8080, protocol: 'tcp' }];
    const web = member('web', { ports, state: 'running', health: 'unhealthy' });
    const lenses = await lensesOf([web], { text, isQuiet: true });
    assert.deepEqual(titles(lenses), [
      '0 $(warning)\u00a01 of 2 up · 1 unhealthy · 8080→80',
      '1 $(circle-outline)\u00a0not created',
      '3 $(warning)\u00a0running (unhealthy) · 8080→80',
    ]);
    const file = PATH;
    assert.deepEqual(
      lenses.map(({ command, argument }) => [command, argument]),
      [
        ['gantry.projects.actions', { file }],
        ['gantry.projects.actions', { file, service: 'db' }],
        ['gantry.projects.actions', { file, service: 'web', canBuild: true }],
      ],
    );
    assert.ok(lenses.every(({ tooltip }) => tooltip !== undefined));
    const restricted = await lensesOf([web], { text, isQuiet: true, canRun: false });
    assert.deepEqual(restricted, lenses);
  });

  it('say that the state is unknown if no engine is connected', async () => {
    const own = async (isKnown: boolean) => titles(await lensesOf([], { isQuiet: true, isKnown }));
    const all = (words: string) => [0, 1, 3].map((at) => `${at} $(circle-outline)\u00a0${words}`);
    assert.deepEqual(await own(true), all('not created'));
    assert.deepEqual(await own(false), all('state unknown'));
  });

  it('count as the row of the project: what its files expect, and single runs that are up', async () => {
    const labels = { ...member('db').labels, 'com.docker.compose.oneoff': 'True' };
    const web = member('web', { state: 'running' });
    const run = member('db', { id: 'e'.repeat(64), labels, state: 'running' });
    const first = async (expected: readonly string[] | undefined) =>
      titles(await lensesOf([web, run], { isQuiet: true, expectedOf: () => expected }))[0];
    assert.equal(await first(undefined), '0 $(pass)\u00a02 of 3 up');
    assert.equal(await first([]), '0 $(pass)\u00a02 of 2 up');
    assert.equal(await first(['web', 'db', 'included', 'overridden']), '0 $(pass)\u00a02 of 5 up');
  });

  it('are absent from a file without services', async () => {
    assert.deepEqual(await lensesOf([], { text: 'networks: {}' }), []);
    assert.deepEqual(await lensesOf([], { text: 'services: {}' }), []);
  });
});
