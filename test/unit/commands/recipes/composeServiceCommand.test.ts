import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { composeServiceCommand } from '../../../../src/commands/recipes/composeServiceCommand.ts';
import { withEdits } from '../../../../src/commands/recipes/insertService.ts';
import { container, idOf } from '../../inventory/support/nouns.ts';
import { containerRow, openCommandLab, type CommandLab } from '../../support/commandLab.ts';
import { json } from '../../support/fakeEngine.ts';
import { check, ESCAPE, file, give, pick } from '../../support/scriptedUi.ts';

const ID = 'gantry.containers.composeService';

describe('Save as Compose Service', () => {
  let lab: CommandLab;
  let folder: string;
  /** The inspect response of the container. */
  let wire: { Config: object; HostConfig: object };
  /** The texts of files in the editor, by their names. */
  let texts: Map<string, string>;
  /** What the user sees when asked whether to insert. */
  let reviewed: string[];
  /** Whether a file in the editor had other changes. */
  let isDirty: boolean;

  beforeEach(async () => {
    folder = mkdtempSync(join(tmpdir(), 'gantry-service-'));
    texts = new Map();
    reviewed = [];
    isDirty = false;
    wire = {
      Config: { Image: 'nginx', Env: ['DB_PASSWORD=p$1', 'API_TOKEN=t', 'MODE=dev'] },
      HostConfig: { AutoRemove: true },
    };
    lab = await openCommandLab((request, response) => {
      if (request.path.startsWith('/images/')) json(response, 200, { Id: 'x', Config: {} });
      else json(response, 200, { Id: idOf('c'), Name: '/web', ...wire });
    });
    lab.ui.changeText = async (path, change, confirm) => {
      const name = path.slice(folder.length + 1);
      const before = texts.get(name) ?? '';
      const after = withEdits(before, (await change(before)).edits);
      if (confirm) reviewed.push(after);
      if (confirm && !(await confirm())) return undefined;
      texts.set(name, after);
      return !isDirty;
    };
    lab.register([composeServiceCommand()]);
  });
  afterEach(async () => {
    rmSync(folder, { recursive: true });
    await lab.close();
  });

  const run = (): Promise<unknown> => lab.run(ID, containerRow(container('c', { name: 'web' })));
  const compose = (): string => join(folder, 'compose.yaml');
  const info = (): readonly string[] => lab.ui.of('info').map(({ text }) => text);

  const YAML = `services:
  web:
    image: nginx
    container_name: web
    environment:
      DB_PASSWORD: \${DB_PASSWORD}
      API_TOKEN: \${API_TOKEN}
      MODE: dev
`;
  const ENV = "DB_PASSWORD='p$1'\nAPI_TOKEN=t\n";
  const SHARED = 'The values of DB_PASSWORD, API_TOKEN are in the file .env. Do not share it.';
  const LEFT = 'Some container settings cannot be saved. Not included: autoRemove.';

  it('returns the texts to a caller, with secrets only in that for .env', async () => {
    const result = { yaml: YAML, env: ENV, leftOut: ['autoRemove'] };
    assert.deepEqual(await lab.call(ID, { id: idOf('c') }), result);
    assert.deepEqual(lab.ui.shown, []);
    await assert.rejects(lab.call(ID, { id: '' }), /The ID is empty/);
  });

  it('writes a new file, and adds the variables to .env', async () => {
    texts.set('.env', 'A=1');
    lab.ui.act(check('DB_PASSWORD', 'API_TOKEN'), give(file(compose())));
    assert.deepEqual(await run(), { yaml: YAML, env: ENV, leftOut: ['autoRemove'] });
    assert.equal(readFileSync(compose(), 'utf8'), YAML);
    assert.equal(texts.get('.env'), `A=1\n${ENV}`);
    assert.equal(lab.ui.of('saveDialog')[0]?.detail, 'compose.yaml');
    assert.equal(lab.ui.of('openFile').length, 1);
    assert.deepEqual(info(), [`${LEFT} ${SHARED}`]);
  });

  it('writes the values that the user wants to have in the file', async () => {
    lab.ui.act(check('API_TOKEN'), give(file(compose())));
    await run();
    assert.match(readFileSync(compose(), 'utf8'), /DB_PASSWORD: p\$\$1/);
    assert.equal(texts.get('.env'), 'API_TOKEN=t\n');
  });

  it('replaces the file that the dialog has asked about', async () => {
    writeFileSync(compose(), 'old');
    lab.ui.act(check(), give(file(compose())));
    await run();
    assert.match(readFileSync(compose(), 'utf8'), /^services:/);
    assert.equal(texts.has('.env'), false);
  });

  it('changes no variable that is in .env', async () => {
    texts.set('.env', 'export API_TOKEN="other"\n');
    lab.ui.act(check('DB_PASSWORD', 'API_TOKEN'), give(file(compose())));
    await run();
    assert.equal(texts.get('.env'), `export API_TOKEN="other"\nDB_PASSWORD='p$1'\n`);
    assert.match(info()[0] ?? '', /The values of DB_PASSWORD are in the file \.env\./);
    assert.match(info()[0] ?? '', /Already in the file \.env, and not changed: API_TOKEN\./);
  });

  it('inserts into an open file, after the user has seen it', async () => {
    const before = 'services:\n  db: {image: x} # mine\n';
    texts.set('compose.yaml', before);
    lab.ui.open = [join(folder, 'a.yaml'), compose(), join(folder, 'composer.json')];
    lab.ui.act(check('DB_PASSWORD', 'API_TOKEN'), pick('compose.yaml'), pick('Insert'));
    assert.deepEqual(await run(), { yaml: YAML, env: ENV, leftOut: ['autoRemove'] });
    const after = before + YAML.slice('services:\n'.length);
    assert.deepEqual(reviewed, [after]);
    assert.equal(texts.get('compose.yaml'), after);
    assert.equal(texts.get('.env'), ENV);
    const [where, question] = lab.ui.of('pick');
    assert.deepEqual(
      where?.items?.map(({ label }) => label),
      ['New File...', 'compose.yaml'],
    );
    assert.equal(question?.detail, 'Insert the service web into compose.yaml?');
    assert.equal(lab.ui.of('openFile').length, 0);
  });

  it('changes nothing without consent', async () => {
    lab.ui.open = [compose()];
    const hide = check('DB_PASSWORD', 'API_TOKEN');
    const where = pick('compose.yaml');
    for (const answers of [
      [ESCAPE],
      [hide, ESCAPE],
      [hide, pick('New File...'), ESCAPE],
      [hide, where, ESCAPE],
      [hide, where, pick('Cancel')],
    ]) {
      lab.ui.act(...answers);
      assert.equal(await run(), undefined);
    }
    assert.equal(reviewed.length, 2);
    assert.equal(texts.size, 0);
    assert.deepEqual(info(), []);
  });

  it('does not insert into a file with an error, and says so', async () => {
    texts.set('compose.yaml', 'services: [');
    lab.ui.open = [compose()];
    lab.ui.act(check(), pick('compose.yaml'));
    await run();
    assert.match(lab.ui.of('error')[0]?.text ?? '', /cannot insert into this compose file/);
    assert.deepEqual(reviewed, []);
  });

  it('uses the volumes of the project that the file is of', async () => {
    const before = 'services:\n  db: {image: x}\nvolumes:\n  data:\n';
    texts.set('compose.yaml', before);
    const labels = {
      'com.docker.compose.project': 'shop',
      'com.docker.compose.service': 'web',
      'com.docker.compose.config-hash': 'x',
      'com.docker.compose.project.config_files': compose(),
    };
    wire = {
      Config: { Image: 'nginx', Labels: labels },
      HostConfig: { Binds: ['shop_data:/data'] },
    };
    lab.ui.open = [compose()];
    lab.ui.act(pick('compose.yaml'), pick('Insert'));
    await run();
    assert.match(texts.get('compose.yaml') ?? '', /- data:\/data\nvolumes:\n {2}data:\n$/);
    labels['com.docker.compose.project.config_files'] = '/else/compose.yaml';
    texts.set('compose.yaml', before);
    lab.ui.act(pick('compose.yaml'), pick('Insert'));
    await run();
    assert.match(texts.get('compose.yaml') ?? '', /- data-2:\/data\n[^]*name: shop_data/);
  });

  it('says what may be secret in the file, and that .env had other changes', async () => {
    wire.Config = { Image: 'nginx', Env: ['DB_PASSWORD=p'], Cmd: ['run', '--password=x'] };
    isDirty = true;
    lab.ui.act(check('DB_PASSWORD'), give(file(compose())));
    await run();
    assert.match(info()[0] ?? '', /Save the file \.env, which had unsaved changes\./);
    assert.match(info()[0] ?? '', /These values may contain secrets\..*: cmd\./);
  });

  it('has no secret in the question, and asks nothing about none', async () => {
    wire = { Config: { Image: 'nginx' }, HostConfig: {} };
    lab.ui.act(give(file(compose())));
    await run();
    assert.deepEqual(
      lab.ui.shown.map(({ kind }) => kind),
      ['saveDialog', 'openFile'],
    );
  });
});
