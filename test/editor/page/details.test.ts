import assert from 'node:assert/strict';
import { readContainerFacts } from '../../../src/engine/facts/readContainerFacts.ts';
import { containerHead } from '../../../src/details/sections/containerHead.ts';
import { containerSections } from '../../../src/details/sections/containerSections.ts';
import { keyedSections } from '../../../src/details/sections/keyedSections.ts';
import type { DetailsContent, PageProcess } from '../../../src/details/protocol.ts';
import { inspected } from '../../unit/engine/facts/recordedContainers.ts';
import { FAINT_TEXTS } from './faintTexts.ts';
import { DetailsLab, row } from './openDetails.ts';
import { THEMES } from './themes.ts';

/** A container as Docker has it, unhealthy, in a compose project. */
function unhealthy(): DetailsContent {
  const { container, image } = inspected('docker28');
  const { facts, hidden } = readContainerFacts(container, image);
  const described = {
    ...facts,
    name: 'shop-web-1',
    project: 'shop',
    service: 'web',
    composeFiles: ['/home/me/shop/compose.yaml'],
    restartCount: 2,
    wasStopped: false,
    mounts: facts.mounts.map((mount) =>
      mount.type === 'bind' ? { ...mount, workspaceFolder: '/home/me/shop' } : mount,
    ),
  };
  const isMasked = (key: string): boolean => hidden.reveal(key) !== undefined;
  return content({
    title: 'shop-web-1',
    subtitle: 'Container',
    head: containerHead(described),
    sections: keyedSections(containerSections(described, { engine: 'default', isMasked })).sections,
  });
}

function content(parts: Partial<DetailsContent>): DetailsContent {
  return {
    title: 'web',
    subtitle: 'Container',
    head: { tone: 'good', sentence: 'Running since today.', why: [] },
    notice: '',
    isLoading: false,
    isPinned: false,
    sections: [],
    ...parts,
  };
}

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
