import assert from 'node:assert/strict';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Locator } from 'playwright-core';
import { bed } from '../../bed/env.ts';
import type { PageElement } from '../../bed/vscode/dom.ts';
import type { Workbench } from '../../bed/vscode/workbench.ts';
import { until } from '../../bed/until.ts';
import { describeWindow } from './describeWindow.ts';
import { seen } from './seen.ts';

const SOURCE = Array.from({ length: 20 }, (_, at) => `// this is line ${at + 1}`).join('\n');
const LOG = `
echo '2026-08-01T08:00:00.123Z INFO  listening on 0.0.0.0:3000'
echo '2026-08-01T08:00:01.456Z WARN  product 4711: 2 left, retry in 250ms'
echo '2026-08-01T08:00:02.789Z ERROR order "4711" cannot be paid (/app/src/pay.go:7:11)'
echo '{"level":"error","message":"no such order","order":4712,"paid":false}'
echo 'level=debug caller=/app/src/gone.go:3 msg="not in the workspace"'
sleep 1
echo 'see https://example.com/orders' >&2
exit 3`;
/** More lines than the channel keeps, written as fast as possible. */
const FLOOD = `seq 1 20000 | sed 's/.*/line & of a container that writes as fast as it can/'`;

const OPTIONS = { isJourney: true, settings: { 'gantry.logs.outputLines': 1000 } };

describeWindow('the output channel of a log', OPTIONS, (window) => {
  const { lab } = window;
  let workbench: Workbench;

  before(async () => {
    const { folder } = window;
    ({ workbench } = window);
    mkdirSync(join(folder, 'src'));
    writeFileSync(join(folder, 'src/pay.go'), SOURCE);
    await lab.ask('POST', `/containers/create?name=${lab.name('web')}`, {
      Image: bed().image,
      Cmd: ['sh', '-c', LOG],
      WorkingDir: '/app',
      HostConfig: { Binds: [`${folder}:/app`] },
    });
    await lab.start(lab.name('web'));
  });

  /** Returns the part of the view with exactly this text. */
  function piece(text: string): Locator {
    return workbench.output.view.locator('.view-line span span', {
      hasText: new RegExp(`^${text}$`),
    });
  }

  async function colorOf(text: string): Promise<string> {
    return until(
      () =>
        piece(text)
          .first()
          .evaluate((element: PageElement) => {
            const page = globalThis as unknown as {
              getComputedStyle(one: PageElement): { readonly color: string };
            };
            return page.getComputedStyle(element).color;
          }),
      `a piece with "${text}"`,
    );
  }

  it('colors levels, numbers, strings and our own markers, in a dark and a light theme', async () => {
    const row = (await seen(workbench, 'Containers', lab.name('web'))).label;
    await workbench.inlineAction(workbench.row(row, 'Containers'), 'Show Logs');
    await workbench.output.says('[The container exited with code 3.]');
    for (const kind of ['vs-dark', 'vs']) {
      await workbench.page.locator(`.monaco-workbench.${kind}`).waitFor();
      const texts = ['INFO', 'WARN', 'ERROR', '4711', '"4711"', '\\[stderr\\]'];
      const colors = await Promise.all(texts.map(colorOf));
      assert.equal(new Set(colors).size, texts.length, colors.join());
      await workbench.shot(`output/${kind}`);
      await workbench.quick.run('Preferences: Toggle between Light/Dark Themes');
    }
  });

  it('links to the source that a line names, if the file exists', async () => {
    // Match a part of the class: it changes when the pointer is on the link with the key pressed.
    const link = workbench.output.view.locator('[class*="detected-link"]', { hasText: 'pay.go' });
    await link.first().click({ modifiers: ['ControlOrMeta'] });
    await workbench.page.getByRole('tab', { name: 'pay.go' }).waitFor();
    await workbench.page.locator('.statusbar', { hasText: /Ln 7, Col 11/ }).waitFor();
    await workbench.shot('output/source');
    const others = workbench.output.view.locator('.detected-link', { hasText: 'gone.go' });
    assert.equal(await others.count(), 0);
  });

  it('shows the end of a flood of which most lines are omitted', async () => {
    const row = await lab.running('flood', { cmd: ['sh', '-c', FLOOD] });
    await seen(workbench, 'Containers', row);
    await workbench.inlineAction(workbench.row(row, 'Containers'), 'Show Logs');
    await workbench.output.shows(`Gantry: ${row}`);
    await workbench.output.says(/line 20000 of .*\n\[The container exited with code 0\.\]/);
    const text = await until(async () => {
      const whole = await workbench.output.wholeText();
      return whole.startsWith('[') && whole;
    }, 'the whole text');
    const [head = '', ...lines] = text.split('\n').slice(0, -2);
    assert.match(head, /^\[\d+ older lines are not shown\. Use Open Log Viewer to see them\.\]$/);
    const first = 20_000 - lines.length + 1;
    assert.ok(lines.length <= 1000 && lines.length >= 749, String(lines.length));
    assert.deepEqual(
      lines,
      lines.map((_, at) => `line ${first + at} of a container that writes as fast as it can`),
    );
  });
});
