// Builds in a window: from the Dockerfile to the image, an error at its line, and a build with the cache.
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { promisify } from 'node:util';
import { bed } from '../../bed/env.ts';
import type { Workbench } from '../../bed/vscode/workbench.ts';
import { describeWindow, PLUGINS_FOLDER } from './describeWindow.ts';
import { addTo, pickRow } from './forms.ts';
import { says, seen } from './seen.ts';

const KIND = process.env['GANTRY_BED_KIND'] ?? 'engine';
const OPTIONS = { isJourney: true, size: { width: 1300, height: 850 } };

describeWindow(`builds, on ${KIND}`, OPTIONS, (window) => {
  const { lab } = window;
  let workbench: Workbench;
  const tag = lab.name('built');
  const shot = (name: string): Promise<void> => workbench.shot(`builds-${KIND}/${name}`);

  function write(command: string): void {
    const lines = [
      `FROM ${bed().image} AS tools`,
      'ARG VERSION=1',
      `RUN echo "tools $VERSION ${tag}" > /version`,
      `FROM ${bed().image}`,
      'COPY --from=tools /version /version',
      `RUN --mount=type=secret,id=token ${command}`,
      '',
    ];
    writeFileSync(join(window.folder, 'Dockerfile'), lines.join('\n'));
  }

  before(async () => {
    ({ workbench } = window);
    writeFileSync(join(window.folder, 'token'), 'hidden');
    write('echo about to fail; exit 3');
    await workbench.expand('Builds', true);
    // More room for the steps.
    for (const pane of ['Containers', 'Images']) await workbench.expand(pane, false);
  });

  after(async () => {
    for (const pane of ['Containers', 'Images']) await workbench.expand(pane, true);
  });

  /** The proposed tag: the name of the folder. */
  const built = (): string => basename(window.folder).toLowerCase();

  async function openForm(): Promise<void> {
    const { quick } = workbench;
    await quick.run('Gantry Images: Build Image...');
    await quick.pick('Select a Dockerfile', 'Dockerfile');
  }

  it('fail with the step and its last lines in the message, and a problem at the line', async () => {
    await openForm();
    await addTo(workbench, 'Arguments', 'VERSION=2');
    await addTo(workbench, 'Secrets', 'token=file:token');
    await shot('form');
    await pickRow(workbench, 'Build');
    const text = await workbench.notices.says(/Could not build/);
    assert.match(text, /RUN --mount=type=secret,id=token .* failed/);
    assert.match(text, /about to fail/);
    await says(workbench, 'Builds', built(), /^failed: .*exit code: 3/);
    await shot('failed');
    await workbench.quick.run('Problems: Focus on Problems View');
    await workbench.page
      .locator('.markers-panel .monaco-list-row', { hasText: 'exit code: 3' })
      .waitFor();
    await shot('problem');
  });

  it('build the corrected file, with the first stage from the cache', async () => {
    write('test -s /run/secrets/token && cat /version');
    await openForm();
    await pickRow(workbench, 'Build');
    const text = await workbench.notices.says(/^Built /);
    assert.match(text, /[1-9]\d* of \d+ steps cached/);
    await says(workbench, 'Builds', built(), / of \d+ steps cached$/);
    await seen(workbench, 'Builds', 'tools');
    await shot('built');
  });

  it('show those of the command line, whether they succeed or fail', async () => {
    const outside = lab.name('outside');
    write('true');
    await buildx('--tag', outside);
    await says(workbench, 'Builds', outside, / of \d+ steps cached$/);
    const broken = lab.name('broken');
    write('exit 7');
    await assert.rejects(buildx('--tag', broken));
    await says(workbench, 'Builds', broken, /^failed: .*exit code: 7/);
    await shot('outside');
  });

  /** Builds the folder as another client. */
  function buildx(...args: readonly string[]): Promise<unknown> {
    return promisify(execFile)(
      join(PLUGINS_FOLDER, 'docker-buildx'),
      ['build', ...args, window.folder],
      {
        env: { DOCKER_HOST: `unix://${bed().socket}`, HOME: window.folder },
      },
    );
  }
});
