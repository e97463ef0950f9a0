// Builds in a window: a project of two stages with a private base image, from its Dockerfile to a container.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { bed } from '../../bed/env.ts';
import { REGISTRY_IMAGES } from '../../bed/registry-data.ts';
import type { Workbench } from '../../bed/vscode/workbench.ts';
import { until } from '../../bed/until.ts';
import { describeWindow, DOCKER_CONFIG, PLUGINS_FOLDER } from './describeWindow.ts';
import { addTo, fillIn, pickRow } from './forms.ts';
import { Keys } from './keys.ts';
import { says, terminalText } from './seen.ts';
import { ViewerTab } from './viewerTab.ts';

const KIND = process.env['GANTRY_BED_KIND'] ?? 'engine';
/** The engine of Debian 12 has no history of builds, and no buildx. */
const HAS_HISTORY = KIND === 'docker' && existsSync(join(PLUGINS_FOLDER, 'docker-buildx'));
const OPTIONS = { isJourney: true, size: { width: 1300, height: 850 } };

describeWindow(`builds, on ${KIND}`, OPTIONS, (window) => {
  const { lab } = window;
  let workbench: Workbench;
  /** The base image of the first stage, at first one that needs credentials. */
  let base: string;
  const locked = (): string => `${bed().lockedRegistry}/${REGISTRY_IMAGES.base}`;
  /** The image before that of the last build. */
  let last = '';
  const tag = lab.name('built');
  const container = lab.name('run');
  const shot = (name: string): Promise<void> => workbench.shot(`builds-${KIND}/${name}`);

  function write(command: string): void {
    const lines = [
      `FROM ${base} AS tools`,
      'ARG VERSION=1',
      `RUN echo "tools $VERSION ${tag}" > /version`,
      `FROM ${bed().image}`,
      'COPY --from=tools /version /version',
      `RUN --mount=type=secret,id=token ${command}`,
      'CMD ["cat", "/version"]',
      '',
    ];
    writeFileSync(join(window.folder, 'Dockerfile'), lines.join('\n'));
  }

  before(async () => {
    ({ workbench } = window);
    base = locked();
    await lab.forget(base);
    writeFileSync(join(window.folder, 'token'), 'hidden');
    write('echo about to fail; exit 3');
    await workbench.expand('Builds', true);
    // More room for the steps.
    for (const pane of ['Containers', 'Images']) await workbench.expand(pane, false);
  });

  beforeEach(function () {
    // After a failed step, the remaining ones are skipped.
    if (this.currentTest?.parent?.tests.some(({ state }) => state === 'failed')) this.skip();
  });

  after(async () => {
    for (const pane of ['Containers', 'Images']) await workbench.expand(pane, true);
    for (const image of [locked(), built(), last]) if (image !== '') await lab.forget(image);
  });

  /** The proposed tag: the name of the folder. */
  const built = (): string => basename(window.folder).toLowerCase();

  /** Waits for a row in Problems with the place and the text. */
  async function problemSays(words: RegExp): Promise<void> {
    const rows = workbench.page.locator('.markers-panel .monaco-list-row');
    await rows.filter({ hasText: words }).first().waitFor();
  }

  async function openForm(): Promise<void> {
    const { quick } = workbench;
    await quick.run('Gantry Images: Build Image...');
    await quick.pick('Select a Dockerfile', 'Dockerfile');
  }

  it('are refused a private base image with wrong credentials', async () => {
    const auth = Buffer.from(`${bed().username}:not-the-password`).toString('base64');
    const config = { auths: { [bed().lockedRegistry]: { auth } } };
    mkdirSync(join(window.folder, DOCKER_CONFIG));
    writeFileSync(join(window.folder, DOCKER_CONFIG, 'config.json'), JSON.stringify(config));
    await openForm();
    await addTo(workbench, 'Arguments', 'VERSION=2');
    await addTo(workbench, 'Secrets', 'token=file:token');
    await shot('form');
    await pickRow(workbench, 'Build');
    const text = await workbench.notices.says(/^Could not build/);
    assert.match(text, /127\.0\.0\.1:5056 rejected the credentials/);
    await shot('refused');
    await workbench.notices.clear();
  });

  it('fail with the step and its last lines in the message, and a problem at the line', async () => {
    const { quick, notices } = workbench;
    await quick.run('Gantry Registries: Sign In to a Registry...');
    await quick.asks('Sign In to a Registry');
    await workbench.quick.typeText(bed().lockedRegistry);
    await quick.accept(bed().lockedRegistry);
    await quick.type('User name', bed().username);
    await quick.type('Password or access token', bed().password);
    await notices.says(/^Signed in to/);
    await openForm();
    await pickRow(workbench, 'Build');
    const text = await notices.says(/^Could not build [^]*about to fail/);
    assert.match(text, /RUN --mount=type=secret,id=token .* failed/);
    await says(workbench, 'Builds', built(), / ago · failed: .*exit (?:code:|status) 3/);
    await shot('failed');
    await quick.run('Problems: Focus on Problems View');
    await problemSays(/exit (?:code:|status) 3.*\[Ln 6, Col 1\]/s);
    await shot('problem');
    await notices.clear();
  });

  it('show their output in the log viewer, step by step', async () => {
    const { page } = workbench;
    await workbench.contextMenu(
      workbench.row(built(), 'Builds').first(),
      'More',
      'Open Log Viewer',
    );
    const viewer = new ViewerTab(page);
    await viewer.says(/^about to fail$/);
    await viewer.says(/^ERROR: .*exit (?:code:|status) 3/);
    await shot('log-viewer');
    await workbench.closeEditors();
  });

  it('run again from their row when the file is corrected, with the first stage from the cache', async () => {
    write('test "$(cat /run/secrets/token)" = hidden');
    const failed = workbench.row(built(), 'Builds').first();
    await failed.hover();
    await shot('again');
    await workbench.inlineAction(failed, 'Build Again');
    const text = await workbench.notices.says(/^Built /);
    assert.match(text, /[1-9]\d* of \d+ steps cached/);
    await says(workbench, 'Builds', built(), / ago · \d.* · [1-9]\d* of \d+ cached$/);
    await until(async () => {
      const rows = await workbench.rows('Builds');
      return rows.some(
        ({ label, description }) =>
          /^\d\/\d RUN echo "tools/.test(label) && description === 'cached',
      );
    }, 'the step of the first stage is cached');
    await shot('built');
  });

  it('lead to a container of the result', async () => {
    await workbench.expand('Containers', true);
    await workbench.notices.press(/^Built /, 'Create Container...');
    await fillIn(workbench, 'Name', container);
    await pickRow(workbench, 'Create and Start');
    await says(workbench, 'Containers', container, /^Exited \(0\)/);
    const log = await lab.ask('GET', `/containers/${container}/logs?stdout=1`);
    assert.ok(log.includes(`tools 2 ${tag}`), log);
  });

  it('are compared with the last one, file by file', async () => {
    const { notices } = workbench;
    const inspected = await lab.ask('GET', `/images/${built()}/json`);
    last = (JSON.parse(inspected) as { readonly Id: string }).Id;
    // This image store removes an image when a build takes its last tag.
    if (bed().build.hasContainerdStore)
      await lab.ask('POST', `/images/${last}/tag?repo=${built()}&tag=last`);
    write('test "$(cat /run/secrets/token)" = hidden && echo more > /added.txt');
    await notices.clear();
    await openForm();
    await pickRow(workbench, 'Build');
    await notices.press(/^Built /, 'Compare with Last Build');
    await says(workbench, 'Changes', 'added.txt', /.*/);
    await shot('compared');
    await workbench.titleAction('Changes', 'Close Changes');
    await notices.clear();
  });

  it('are removed from the history with Delete, after a question', async () => {
    const { notices } = workbench;
    await new Keys(workbench).focus('Builds', built());
    await workbench.page.keyboard.press('Delete');
    const { message } = await notices.modal();
    assert.match(message, /^Remove the build .* from the history\?$/);
    await shot('remove');
    await notices.answer('Cancel');
  });

  it('are done by bake in a task, with the steps and the problem', async function () {
    if (!HAS_HISTORY) this.skip();
    const { quick, notices } = workbench;
    const target = { tool: { dockerfile: 'tool.Dockerfile' } };
    writeFileSync(join(window.folder, 'docker-bake.json'), JSON.stringify({ target }));
    const lines = [`FROM ${bed().image}`, `RUN echo "baked ${tag}"`, 'RUN exit 7', ''];
    writeFileSync(join(window.folder, 'tool.Dockerfile'), lines.join('\n'));
    await quick.run('Gantry Builds: Build with Bake...');
    await quick.pick('Select a bake file', 'docker-bake.json');
    await quick.check('Select targets and groups', ['tool']);
    await notices.says(/^Could not build with Bake: process .*exit code: 7/);
    await says(workbench, 'Builds', 'Bake tool', / ago · failed: .*exit code: 7/);
    // What comes before has scrolled away, or does so when the terminal shows that its process has ended.
    const end = '>>> RUN exit 7';
    await until(
      async () => (await terminalText(workbench)).includes(end),
      'the terminal shows the end',
    );
    await shot('bake');
    await quick.run('Problems: Focus on Problems View');
    await problemSays(/exit code: 7.*\[Ln 3, Col 1\]/s);
  });

  it('are shown live if another client started them', async function () {
    if (!HAS_HISTORY) this.skip();
    const name = lab.name('outside');
    base = bed().image;
    write(`: ${name}; while :; do sleep 1; done`);
    const env = { DOCKER_HOST: `unix://${bed().socket}`, HOME: window.folder };
    const command = ['build', '--tag', name, window.folder];
    const program = spawn(join(PLUGINS_FOLDER, 'docker-buildx'), command, { env, stdio: 'ignore' });
    const ended = once(program, 'exit');
    try {
      await says(workbench, 'Builds', name, /^\d+\.\ds$/);
      await workbench.toggle(workbench.row(name, 'Builds'));
      await says(workbench, 'Builds', name, /^\d.* · \d+ of \d+ steps$/);
      const step = await until(() => shellOf(name), 'the step runs');
      assert.equal(program.exitCode, null);
      await shot('outside');
      process.kill(step, 'SIGKILL');
      await ended;
    } finally {
      program.kill();
    }
    await says(workbench, 'Builds', name, / ago · failed: .*exit code: 137/);
    await workbench.quick.run('Problems: Focus on Problems View');
    await problemSays(/exit code: 137.*\[Ln 6, Col 1\]/s);
    await shot('outside-failed');
  });
});

/** Returns the PID of the shell whose command has this text. */
function shellOf(text: string): number | undefined {
  const pids = readdirSync('/proc').filter((name) => /^\d+$/.test(name));
  const found = pids.find((pid) => {
    const command = readFileSync(`/proc/${pid}/cmdline`, 'utf8');
    return command.startsWith('/bin/sh\0-c\0') && command.includes(text);
  });
  return found === undefined ? undefined : Number(found);
}
