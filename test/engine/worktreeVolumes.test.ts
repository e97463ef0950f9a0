// Clones the volumes of a compose project for that of a worktree, and has Compose use them.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { stringify } from 'yaml';
import type { FilesAccess } from '../../src/commands/frame/commandContext.ts';
import { fillVolumes } from '../../src/commands/worktrees/fillVolumes.ts';
import { engineVariables } from '../../src/engine/cli/engineVariables.ts';
import { listContainers } from '../../src/engine/containers/containers.ts';
import type { Engine } from '../../src/engine/engine.ts';
import { runExec } from '../../src/engine/exec/runExec.ts';
import { temporaryImageOwner, temporaryOwner } from '../../src/engine/images/temporaryMarks.ts';
import { listImages } from '../../src/engine/images/images.ts';
import { removeLeftImage } from '../../src/engine/images/removeLeftImage.ts';
import { createVolume } from '../../src/engine/volumes/createVolume.ts';
import { VolumeContainers } from '../../src/engine/volumes/volumeContainers.ts';
import { listVolumes } from '../../src/engine/volumes/volumes.ts';
import { composeArguments } from '../../src/projects/cli/composeArguments.ts';
import type { ComposeRun } from '../../src/projects/cli/composeRun.ts';
import { projectOf } from '../../src/projects/projectLabels.ts';
import {
  separateProject,
  type SeparatedRun,
} from '../../src/projects/worktrees/separateProject.ts';
import { WorktreeOverrides } from '../../src/projects/worktrees/worktreeOverrides.ts';
import { PLUGINS } from '../bed/newestSystem.ts';
import { openCommandLab, type CommandLab } from '../unit/support/commandLab.ts';
import { pick } from '../unit/support/scriptedUi.ts';
import { describeOnDocker, Site } from './support.ts';

const FILE = join('/', process.env['GANTRY_BED_SYSTEM'] ?? '', PLUGINS, 'docker-compose');

/** What Compose says about a volume that is not as it would create it. */
const COMPLAINT = /already exists|doesn't match|recreate|warn/i;

/** Distributions differ in what they have. */
const describeWithCompose = existsSync(FILE) ? describeOnDocker : () => undefined;

describeWithCompose('the volumes of the project of a worktree', () => {
  const site = new Site();
  const { connection } = site;
  const owner = temporaryOwner(site.name());
  const base = site.name();
  let folder: string;
  let overrides: WorktreeOverrides;
  let lab: CommandLab;
  const runs: ComposeRun[] = [];

  before(async () => {
    folder = realpathSync(mkdtempSync(join(tmpdir(), 'gantry-worktrees-')));
    overrides = new WorktreeOverrides(join(folder, 'overrides'));
    mkdirSync(join(folder, 'shop/.git'), { recursive: true });
    writeFileSync(join(folder, 'shop/.git/HEAD'), 'ref: refs/heads/main\n');
    writeFileSync(join(folder, 'shop/compose.yaml'), composeFile());
    const engine = { connect: () => Promise.resolve(connection) } as unknown as Engine;
    const files = { volumes: new VolumeContainers(owner) } as FilesAccess;
    lab = await openCommandLab((_, response) => void response.destroy(), {
      engine,
      window: {
        files: () => Promise.resolve(files),
        worktrees: () => Promise.resolve(overrides),
      },
    });
  });
  after(async () => {
    for (const run of runs) compose(run, ['down', '--volumes', '--timeout=0']);
    for (const image of await listImages(connection, {}))
      if (temporaryImageOwner(image) === owner) await removeLeftImage(connection, image);
    rmSync(folder, { recursive: true, force: true });
    await lab.close();
    await site.leave();
  });

  function composeFile(): string {
    const web = {
      image: site.facts.image,
      command: ['sleep', '1000'],
      stop_signal: 'SIGKILL',
      network_mode: 'host',
      volumes: ['data:/data', 'cache:/cache'],
    };
    const data = { labels: { kept: 'yes' } };
    const volumes = { data, cache: { name: `${base}-cache` } };
    return stringify({ name: base, services: { web }, volumes });
  }

  /** Makes a worktree of the repository, as git does. */
  function worktree(name: string): string {
    const git = join(folder, 'shop/.git/worktrees', name);
    const root = join(folder, name);
    for (const one of [git, root]) mkdirSync(one, { recursive: true });
    writeFileSync(join(git, 'HEAD'), `ref: refs/heads/${name}\n`);
    writeFileSync(join(git, 'commondir'), '../..\n');
    writeFileSync(join(git, 'gitdir'), `${join(root, '.git')}\n`);
    writeFileSync(join(root, '.git'), `gitdir: ${git}\n`);
    writeFileSync(join(root, 'compose.yaml'), composeFile());
    return root;
  }

  function runIn(root: string): ComposeRun {
    const variables = engineVariables(connection.endpoint);
    const env = { ...process.env, ...variables };
    return {
      cli: { file: FILE, prefix: [], hasJson: false, hasDryRun: true, hasFolder: true },
      request: { files: [join(root, 'compose.yaml')] },
      containers: undefined,
      callOf: (args) => ({ file: FILE, args, env, variables }),
    };
  }

  async function separated(root: string): Promise<SeparatedRun> {
    const { signal } = new AbortController();
    const containers = await listContainers(connection, { all: true });
    const run = await separateProject(runIn(root), { connection, containers, overrides }, signal);
    runs.push(run);
    return run;
  }

  const fill = ({ separated: own }: SeparatedRun): Promise<boolean> =>
    fillVolumes(own, lab.context);

  /** Runs Compose, which must not fail, and returns what it says. */
  function compose({ request, callOf }: ComposeRun, verb: readonly string[]): string {
    const { project, files } = request;
    const name = project === undefined ? [] : [`--project-name=${project}`];
    const call = callOf([...name, ...files.map((file) => `--file=${file}`), ...verb]);
    const options = { env: call.env, encoding: 'utf8' } as const;
    const { status, stdout, stderr } = spawnSync(call.file, call.args, options);
    assert.equal(status, 0, stderr);
    return stdout + stderr;
  }

  const up = (run: ComposeRun): string =>
    compose(run, composeArguments(run.cli, 'up', { files: [] }));

  async function inContainerOf(project: string, script: string): Promise<string> {
    const all = await listContainers(connection, { all: true });
    const { id } = all.find((one) => projectOf(one) === project) ?? assert.fail(project);
    const { output, exitCode } = (await runExec(connection, id, ['sh', '-c', script])) ?? {};
    assert.equal(exitCode, 0, output);
    return output ?? '';
  }

  const volumeNames = async (project: string): Promise<readonly string[]> =>
    (await listVolumes(connection))
      .map(({ name }) => name)
      .filter((one) => one.startsWith(project))
      .sort();

  it('are cloned from the project with the name in the files, and Compose uses them as its own', async () => {
    const main = runIn(join(folder, 'shop'));
    runs.push(main);
    up(main);
    await inContainerOf(base, 'echo hello >/data/a && chown 7:8 /data/a && echo warm >/cache/b');
    const run = await separated(worktree('login'));
    const { project } = run.separated;
    lab.ui.act(pick(`Clone Volumes of ${base}`));
    assert.equal(await fill(run), true);
    assert.deepEqual(await volumeNames(project), [`${project}_cache`, `${project}_data`]);
    assert.doesNotMatch(up(run), COMPLAINT);
    const look = 'cat /data/a /cache/b && stat -c %u:%g /data/a';
    assert.equal(await inContainerOf(project, look), 'hello\nwarm\n7:8\n');
    await inContainerOf(project, 'echo changed >/data/a');
    assert.equal(await inContainerOf(base, 'cat /data/a'), 'hello\n');
    assert.doesNotMatch(up(run), COMPLAINT);
    const shown = () => lab.ui.shown.filter(({ kind }) => kind !== 'progress').length;
    const before = shown();
    assert.equal(await fill(await separated(join(folder, 'login'))), true);
    assert.equal(shown(), before);
  });

  it('are cloned from that of another worktree, and Compose removes them with the project', async () => {
    const run = await separated(worktree('search'));
    const { project } = run.separated;
    lab.ui.act((shown) => {
      const from = shown.items?.find(({ description }) => description === 'login');
      return from ?? assert.fail(JSON.stringify(shown.items));
    });
    assert.equal(await fill(run), true);
    const volume = (await listVolumes(connection)).find(({ name }) => name === `${project}_data`);
    assert.equal(volume?.labels['kept'], 'yes');
    assert.doesNotMatch(up(run), COMPLAINT);
    assert.equal(await inContainerOf(project, 'cat /data/a'), 'changed\n');
    const alone = { ...run, request: { project, files: [] } };
    compose(alone, ['down', '--volumes', '--timeout=0']);
    assert.deepEqual(await volumeNames(project), []);
  });

  it('would be complained about without the labels of the project', async () => {
    const run = await separated(worktree('plain'));
    await createVolume(connection, { name: `${run.separated.project}_data` });
    assert.match(up(run), COMPLAINT);
  });
});
