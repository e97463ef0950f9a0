// Saves a container as a service of a compose file that is open, and of a new one, by keys from the menu on.
import assert from 'node:assert/strict';
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Workbench } from '../../bed/vscode/workbench.ts';
import { until } from '../../bed/until.ts';
import { describeWindow } from './describeWindow.ts';
import { saveAs } from './forms.ts';
import { Keys } from './keys.ts';
import { seen } from './seen.ts';

const COMMAND = 'Save as Compose Service...';
const SECRETS = /These look like secrets/;
const WHERE = 'Select where to save the service';
const BEFORE = `services:
  # The database.
  db: { image: postgres:18 }

volumes:
  data:
`;

describeWindow('a container saved as a Compose service', { isJourney: true }, (window) => {
  const { lab } = window;
  let workbench: Workbench;
  let keys: Keys;
  let name: string;

  const path = (file: string): string => join(window.folder, file);
  const read = (file: string): string => readFileSync(path(file), 'utf8');
  const shot = (what: string): Promise<void> => workbench.shot(`compose-service/${what}`);
  const tab = (text: string) => workbench.page.locator('.tab', { hasText: text });

  before(async () => {
    ({ workbench } = window);
    keys = new Keys(workbench);
    writeFileSync(path('compose.yaml'), BEFORE);
    name = lab.name('shop');
    await lab.ask('POST', `/containers/create?name=${name}`, {
      Image: lab.image,
      Cmd: ['sh', '-c', 'echo $MODE; sleep 1000'],
      Env: ['MODE=dev', 'DB_PASSWORD=p$1 #'],
      HostConfig: { AutoRemove: true, Binds: ['/tmp:/there:ro'] },
    });
    await seen(workbench, 'Containers', name);
    await workbench.quick.openFile('compose.yaml');
    await tab('compose.yaml').waitFor();
  });

  after(() => {
    for (const file of ['compose.yaml', '.env']) rmSync(path(file), { force: true });
  });

  beforeEach(function () {
    // After a failed step, the remaining ones are skipped.
    if (this.currentTest?.parent?.tests.some(({ state: one }) => one === 'failed')) this.skip();
  });

  /** Opens the menu of the row, and keeps the secret out of the file. */
  async function save(): Promise<void> {
    await workbench.contextMenu(workbench.row(name, 'Containers'), 'More', COMMAND);
    await workbench.quick.asks(SECRETS);
    await keys.press('Enter');
    await workbench.quick.asks(WHERE);
  }

  async function choose(label: string): Promise<void> {
    await keys.choose(WHERE, label);
  }

  it('is shown in the open file before it is inserted, and not inserted on Escape', async () => {
    await save();
    await shot('where');
    await choose('compose.yaml');
    await workbench.quick.asks(`Insert the service ${name} into compose.yaml?`);
    const diff = workbench.page.locator('.monaco-diff-editor');
    await until(async () => (await diff.innerText()).includes('DB_PASSWORD'), 'the service');
    assert.equal(read('compose.yaml'), BEFORE);
    await workbench.quick.row('Insert').waitFor();
    await shot('diff');
    await workbench.quick.cancel();
    await until(async () => (await tab('before ↔ after').count()) === 0, 'the diff is closed');
    assert.equal(read('compose.yaml'), BEFORE);
    assert.equal(existsSync(path('.env')), false);
  });

  it('is inserted on Enter, and its secret added to .env', async () => {
    await save();
    await choose('compose.yaml');
    await keys.choose(/Insert the service/, 'Insert');
    await until(() => existsSync(path('.env')), 'the secret is saved');
    await until(() => read('compose.yaml') !== BEFORE, 'the file is saved');
    const service = [
      `  ${name}:`,
      `    image: ${lab.image}`,
      `    container_name: ${name}`,
      '    command: ["sh", "-c", "echo $$MODE; sleep 1000"]',
      '    environment:',
      '      MODE: dev',
      '      DB_PASSWORD: ${DB_PASSWORD}',
      '    volumes:',
      '      - /tmp:/there:ro',
      '',
    ].join('\n');
    const [start, end] = BEFORE.split(/(?<=}\n)/);
    assert.equal(read('compose.yaml'), `${start}${service}${end}`);
    await until(() => read('.env') === "DB_PASSWORD='p$1 #'\n", 'the variable');
    await workbench.notices.says(/Not included: autoRemove/);
    await until(async () => (await tab('before ↔ after').count()) === 0, 'the diff is closed');
    await shot('inserted');
    await workbench.notices.clear();
  });

  it('is written to a new file', async () => {
    await save();
    await choose('New File...');
    const proposal = path('compose.yaml');
    await until(
      async () => (await workbench.quick.box.inputValue()) === proposal,
      'the proposed name',
    );
    const file = await saveAs(workbench, window.folder, 'new.yaml');
    await tab('new.yaml').waitFor();
    assert.match(readFileSync(file, 'utf8'), /^services:\n {2}shop-[^]*\${DB_PASSWORD}\n/);
    const env = join(dirname(file), '.env');
    await until(() => existsSync(env), 'the secret is saved');
    assert.equal(readFileSync(env, 'utf8'), "DB_PASSWORD='p$1 #'\n");
    assert.equal(read('.env'), "DB_PASSWORD='p$1 #'\n");
    await shot('new-file');
  });

  it('is not inserted if the file changes while the user looks', async () => {
    await save();
    await choose('compose.yaml');
    await workbench.quick.asks(`Insert the service ${name}-2 into compose.yaml?`);
    const changed = `# mine\n${BEFORE}`;
    writeFileSync(path('compose.yaml'), changed);
    const diff = workbench.page.locator('.monaco-diff-editor');
    await until(async () => (await diff.innerText()).includes('mine'), 'the change');
    await keys.choose(/Insert the service/, 'Insert');
    await workbench.notices.says(/compose\.yaml has changed\. Nothing was inserted\./);
    assert.equal(read('compose.yaml'), changed);
    await workbench.notices.clear();
  });
});
