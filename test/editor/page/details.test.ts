import assert from 'node:assert/strict';
import type { PageProcess } from '../../../src/details/protocol.ts';
import { content, killed, unhealthy, usage } from './detailsContents.ts';
import { FAINT_TEXTS } from './faintTexts.ts';
import { DetailsLab, row } from './openDetails.ts';
import { THEMES } from './themes.ts';

/** How many pixels of the last lines are below what is seen of them. */
const BELOW = `(() => {
  const pre = document.querySelector('.tail > pre');
  const lines = document.createRange();
  lines.selectNodeContents(pre);
  return lines.getBoundingClientRect().bottom - pre.getBoundingClientRect().bottom;
})()`;

const PROCESSES: readonly PageProcess[] = [
  process(0, '1', 'sh -c echo hi; sleep 1000'),
  process(1, '7', 'nginx: master process /usr/sbin/nginx -g daemon off;'),
  process(2, '8', 'nginx: worker process'),
];

function process(depth: number, pid: string, command: string): PageProcess {
  const numbers = { cpu: '0.1 %', memory: '1.2 MB', user: 'root' };
  return { ...numbers, key: pid, depth, pid, command };
}

const SECRETS = {
  id: 'environment',
  title: 'Environment',
  rows: [
    row('A', '1'),
    row('DB_PASSWORD', '••••••', { isSecret: true }),
    row('PORT', '80', { isLink: true }),
  ],
};

describe('details page', function () {
  this.timeout(60_000);
  const lab = new DetailsLab();
  after(() => lab.close());

  const focus = () =>
    lab.page.evaluate<string>(
      `document.activeElement.getAttribute('aria-label') ?? document.activeElement.textContent`,
    );
  const press = async (...keys: readonly string[]): Promise<void> => {
    for (const key of keys) await lab.page.keyboard.press(key);
  };

  for (const width of [400, 1400]) {
    it(`is readable at ${width} pixels in each theme`, async () => {
      await lab.open(unhealthy(), width);
      await lab.tell({ type: 'processes', processes: PROCESSES, problem: '' });
      await lab.tell({ type: 'usage', usage: usage() });
      await lab.page.getByText('worker process').waitFor();
      for (const [name, theme] of THEMES) {
        await lab.setTheme(theme);
        await lab.shot(`${name}-${width}`);
        assert.deepEqual(await lab.page.evaluate(FAINT_TEXTS), [], name);
      }
      await lab.page.locator('.processes').scrollIntoViewIfNeeded();
      await lab.shot(`processes-${width}`);
      const page = await lab.page.evaluate(`document.querySelector('.page').scrollWidth`);
      assert.ok(Number(page) <= width, String(page));
      assert.deepEqual(lab.complaints, []);
    });
  }

  for (const width of [400, 1400]) {
    it(`tells why a container died at ${width} pixels in each theme`, async () => {
      await lab.open(killed(), width);
      await lab.page.getByRole('heading', { name: 'Why did it die?' }).waitFor();
      for (const [name, theme] of THEMES) {
        await lab.setTheme(theme);
        await lab.shot(`died-${name}-${width}`);
        assert.deepEqual(await lab.page.evaluate(FAINT_TEXTS), [], name);
      }
      const page = await lab.page.evaluate(`document.querySelector('.page').scrollWidth`);
      assert.ok(Number(page) <= width, String(page));
      const why = lab.page.getByRole('list', { name: 'Why did it die?' });
      const rows = await why.getByRole('listitem').allInnerTexts();
      assert.match(rows[0] ?? '', /Killed: out of memory at its limit of 64 MiB\./);
      assert.ok(rows.some((row) => /Memory before it\s+62 MiB of 64 MiB \(97%\)/.test(row)));
      assert.ok(Number(await lab.page.evaluate(BELOW)) <= 0, 'the last line is seen');
      await why.getByRole('button', { name: 'Show Logs' }).click();
      await lab.hears('follow');
      await why.getByRole('button', { name: 'Copy Last lines' }).click();
      assert.equal((await lab.hears('copy')).key, 'exit Last lines');
    });
  }

  it('draws what the container uses, with words for screen readers, and nothing when it ended', async () => {
    await lab.open(content({ sections: [SECRETS] }));
    const cpu = lab.page.getByRole('img', { name: 'CPU: 12 %', exact: true });
    const section = lab.page.locator('section.usage');
    assert.equal(await section.isVisible(), false);
    await lab.tell({ type: 'usage', usage: usage() });
    await cpu.waitFor();
    const line = await cpu.locator('.spark-line').getAttribute('d');
    assert.equal(line?.match(/M/g)?.length, 2);
    assert.equal(await section.locator('[aria-live], [role=status]').count(), 0);
    await lab.page
      .getByText('The engine has not reported new values.')
      .waitFor({ state: 'hidden' });
    await lab.tell({ type: 'usage', usage: usage({ isOld: true }) });
    await lab.page.getByText('The engine has not reported new values.').waitFor();
    await lab.tell({ type: 'usage', usage: undefined });
    await section.waitFor({ state: 'hidden' });
    await lab.tell({ type: 'usage', usage: usage() });
    await cpu.waitFor();
    await lab.show('b', content({ sections: [SECRETS] }));
    await section.waitFor({ state: 'hidden' });
    assert.deepEqual(lab.complaints, []);
  });

  it('says first why a container is not well', async () => {
    await lab.open(unhealthy());
    const head = await lab.page.locator('.head').first().innerText();
    assert.match(head, /^Unhealthy: the health check failed 3 times in a row\.\n/);
    assert.match(head, /exited with code 3: not ready/);
  });

  it('moves through the rows of a section with the keyboard, and copies, reveals and follows', async () => {
    await lab.open(content({ sections: [SECRETS] }));
    await lab.page.getByRole('button', { name: 'Refresh' }).focus();
    await press('Tab');
    assert.match(await focus(), /^A/);
    await press('ControlOrMeta+c');
    assert.equal((await lab.hears('copy')).key, 'A');
    await press('ArrowDown', 'Enter');
    assert.equal((await lab.hears('reveal')).key, 'DB_PASSWORD');
    await lab.tell({ type: 'revealed', key: 'DB_PASSWORD', value: 'hunter2' });
    await lab.page.getByText('hunter2').waitFor();
    assert.match(await focus(), /^DB_PASSWORD/);
    await press('Enter');
    await lab.page.getByText('hunter2').waitFor({ state: 'detached' });
    await press('End', 'Enter');
    assert.equal((await lab.hears('follow')).key, 'PORT');
    await press('Tab', 'Tab');
    assert.equal(await focus(), 'Copy PORT');
  });

  it('keeps a secret out of the page until it is asked for, and forgets it with the object', async () => {
    await lab.open(content({ sections: [SECRETS] }));
    await lab.page.getByRole('button', { name: 'Show the value of DB_PASSWORD' }).click();
    await lab.tell({ type: 'revealed', key: 'DB_PASSWORD', value: 'hunter2' });
    await lab.page.getByText('hunter2').waitFor();
    await lab.show('b', content({ sections: [SECRETS] }));
    await lab.page.getByText('••••••').waitFor();
    assert.equal(await lab.page.getByText('hunter2').count(), 0);
  });

  it('keeps the focus when values change', async () => {
    await lab.open(content({ sections: [SECRETS] }));
    await lab.page.getByRole('button', { name: 'Copy PORT' }).focus();
    const changed = { ...SECRETS, rows: [row('A', '2'), ...SECRETS.rows.slice(1)] };
    await lab.tell({ type: 'content', content: content({ sections: [changed] }) });
    await lab.page.getByText('2', { exact: true }).waitFor();
    assert.equal(await focus(), 'Copy PORT');
  });

  it('pins, says what is out of date, and sends a signal', async () => {
    await lab.open(content({ sections: [SECRETS], notice: 'web no longer exists.' }));
    await lab.page.getByRole('alert').getByText('web no longer exists.').waitFor();
    await lab.page.getByRole('button', { name: 'Pin', exact: true }).click();
    assert.equal((await lab.hears('pin')).isOn, true);
    await lab.tell({ type: 'content', content: content({ isPinned: true }) });
    await lab.page.getByRole('button', { name: 'Unpin' }).waitFor();
    await lab.tell({ type: 'processes', processes: PROCESSES, problem: '' });
    await lab.page.getByRole('button', { name: 'Send a signal to process 7' }).click();
    assert.equal((await lab.hears('signal')).key, '7');
    await lab.tell({ type: 'processes', processes: undefined, problem: 'web is paused.' });
    await lab.page.getByText('web is paused.').waitFor();
    await lab.tell({ type: 'processes', processes: undefined, problem: '' });
    await lab.page.getByText('web is paused.').waitFor({ state: 'hidden' });
  });

  it('shows what an engine says as text only', async () => {
    const evil = '<img src=x onerror=alert(1)>';
    const rows = [row(evil, evil, { note: evil, block: evil })];
    const sections = [{ id: 'labels', title: 'Labels', rows }];
    await lab.open(content({ title: evil, sections }));
    assert.equal(await lab.page.locator('img').count(), 0);
    assert.equal(await lab.page.getByText(evil).count(), 5);
    assert.deepEqual(lab.complaints, []);
  });
});
