import assert from 'node:assert/strict';
import type { CommandContext } from '../../../../src/commands/frame/commandContext.ts';
import { showImportForm } from '../../../../src/commands/images/showImportForm.ts';
import type { Image } from '../../../../src/engine/model.ts';
import { json } from '../../support/fakeEngine.ts';
import { openLab, type Lab } from '../../support/lab.ts';
import { ENTER, ESCAPE, give, ScriptedUi, type Answer } from '../../support/scriptedUi.ts';

const HOLDER = `sha256:${'a'.repeat(64)}`;
const OTHER = `sha256:${'b'.repeat(64)}`;

const phase = { kind: 'live', info: { product: 'docker', engineApi: '1.41', api: '1.41' } };

describe('commands/showImportForm', () => {
  let ui: ScriptedUi;
  const images = new Map<string, Image>();
  const has = (id: string, ...tags: readonly string[]): void => {
    images.clear();
    images.set(id, { id, tags, digests: [], createdAt: '', size: 0 });
  };
  let lab: Lab;
  beforeEach(() => (lab = openLab()));
  afterEach(() => lab.close());

  const importAs = (name: string, ...then: readonly Answer[]) => importWith(name, { phase }, then);
  const importWith = (
    name: string,
    { phase: current, ...parts }: { readonly phase: object; readonly engine?: object },
    then: readonly Answer[],
  ) => {
    ui = new ScriptedUi(give(name), ...then);
    const context = { ui, inventory: { images, phase: current }, ...parts };
    return showImportForm('/tmp/root.tar', context as unknown as CommandContext);
  };

  it('imports after a name and Enter, because the first row is active', async () => {
    images.clear();
    const answer = await importAs('me/app:1', ENTER);
    assert.deepEqual(answer, { repository: 'me/app:1', seen: { holder: undefined } });
    assert.equal(ui.shown[1]?.active?.label, 'Import');
    assert.equal(await importAs('me/app:1', ESCAPE), undefined);
  });

  it('remembers the image that the user was warned of, not the one that has the tag later', async () => {
    has(HOLDER, 'me/app:1');
    const answer = await importAs('me/app:1', (overview) => {
      assert.match(overview.active?.detail ?? '', /Moves the only tag from aaaaaaaaaaaa/);
      has(OTHER, 'me/app:1');
      return overview.active;
    });
    assert.deepEqual(answer?.seen, { holder: HOLDER });
  });

  it('looks the tag up while the images are not listed, and asks before it is moved', async () => {
    images.clear();
    const { connection } = await lab.fake((_, response) => {
      json(response, 200, { Id: HOLDER, RepoTags: ['me/app:1', 'me/app:2'] });
    });
    const engine = { connect: () => Promise.resolve(connection) };
    const unlisted = { engine, phase: { ...phase, images: 'awaited' } };
    assert.equal(await importWith('me/app:1', unlisted, [ENTER, ESCAPE]), undefined);
    assert.equal(ui.of('confirm')[0]?.detail, 'Moves the tag from aaaaaaaaaaaa.');
    const answer = await importWith('me/app:1', unlisted, [ENTER, give('Move Tag')]);
    assert.deepEqual(answer?.seen, { holder: HOLDER });
    has(HOLDER, 'me/app:1');
    await importWith('me/app:1', unlisted, [ENTER]);
    assert.deepEqual(ui.of('confirm'), []);
  });
});
