import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import type { ServerResponse } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { CommandContext } from '../../../../src/commands/frame/commandContext.ts';
import {
  importImageCommand,
  loadImagesCommand,
  loadInteractively,
} from '../../../../src/commands/images/loadImagesCommand.ts';
import { ImageChangedError } from '../../../../src/engine/images/imageChangedError.ts';
import { EngineError } from '../../../../src/engine/errors.ts';
import { openCommandLab } from '../../support/commandLab.ts';
import { json, type SeenRequest } from '../../support/fakeEngine.ts';
import { openLab, type Lab } from '../../support/lab.ts';
import { ENTER, file, give, ScriptedUi } from '../../support/scriptedUi.ts';

const OLD = `sha256:${'a'.repeat(64)}`;
const NEW = `sha256:${'b'.repeat(64)}`;

describe('commands/loadImagesCommand', () => {
  let ui: ScriptedUi;
  let lab: Lab;
  let folder: string;
  let path: string;
  beforeEach(() => {
    lab = openLab();
    folder = mkdtempSync(join(tmpdir(), 'gantry-load-'));
    path = join(folder, 'images.tar');
    writeFileSync(path, 'an archive');
  });
  afterEach(async () => {
    rmSync(folder, { recursive: true });
    await lab.close();
  });

  type Answered = (request: SeenRequest, response: ServerResponse) => void;

  async function contextOf(answer: Answered) {
    const { engine, connection } = await lab.fake(answer);
    const connect = () => Promise.resolve(connection);
    ui = new ScriptedUi();
    const context = {
      ui,
      window: {},
      engine: { connect },
      reveal: () => undefined,
    } as unknown as CommandContext;
    return { context, seen: engine.seen };
  }

  /** Returns responses for an engine on which a load of these images moves `app:1` from one image to another. */
  function loading(names: readonly string[]): Answered {
    let isLoaded = false;
    return ({ path: asked }, response) => {
      const now = { Id: isLoaded ? NEW : OLD, RepoTags: ['docker.io/library/app:1'] };
      if (asked === '/images/json') json(response, 200, [now]);
      else if (asked !== '/images/load') json(response, 200, now);
      else {
        isLoaded = true;
        response.end(names.map((stream) => JSON.stringify({ stream })).join('\n'));
      }
    };
  }

  async function messageOf(answer: Answered): Promise<string> {
    const { context } = await contextOf(answer);
    await loadInteractively(context, [path]);
    return ui.shown.at(-1)?.text ?? '';
  }

  it('reports that an image whose tag has moved is kept by its ID', async () => {
    assert.equal(
      await messageOf(loading(['Loaded image: app:1'])),
      'Loaded app:1. Tags moved from other images, which remain: app:1 (aaaaaaaaaaaa).',
    );
  });

  it('needs either one path or several', async () => {
    const { context } = await contextOf(loading([]));
    const command = loadImagesCommand(ui);
    const { signal } = new AbortController();
    for (const args of [{}, { path, paths: [path] }])
      await assert.rejects(
        async () => command.run(args, context, signal),
        /set either "path" or "paths"/,
      );
  });

  it('loads images even if they cannot be listed', async () => {
    const load = loading(['Loaded image: app:1']);
    const words = await messageOf((request, response) => {
      if (request.path === '/images/json') json(response, 500, { message: 'broken' });
      else load(request, response);
    });
    assert.equal(words, 'Loaded app:1.');
  });

  it('reports what it loaded even if the connection is lost right after', async () => {
    const { context } = await contextOf(loading(['Loaded image: app:1']));
    const connection = await context.engine.connect();
    let connects = 0;
    // Once for the list, and once for the load.
    const connect = () =>
      ++connects > 2 ? Promise.reject(new EngineError('refused')) : Promise.resolve(connection);
    Object.assign(context.engine, { connect });
    assert.deepEqual(await loadInteractively(context, [path]), { images: ['app:1'] });
    assert.equal(connects, 3);
    assert.match(ui.shown.at(-1)?.text ?? '', /^Loaded app:1\. Tags moved/);
  });

  it('reports which tags moved if a later archive fails', async () => {
    const load = loading(['Loaded image: app:1']);
    let loads = 0;
    const { context } = await contextOf((request, response) => {
      if (request.path === '/images/load' && ++loads > 1)
        json(response, 500, { message: 'not a tar archive' });
      else load(request, response);
    });
    await assert.rejects(loadInteractively(context, [path, path]), /not a tar archive/);
    const { kind, text } = ui.shown.at(-1) ?? {};
    assert.equal(kind, 'warn');
    assert.equal(text, 'Tags moved from other images, which remain: app:1 (aaaaaaaaaaaa).');
  });

  it('names the first of at most 10,000 images, whatever an engine lists', async () => {
    const many = Array.from({ length: 10_050 }, (_, at) => `x:${at}`);
    const words = await messageOf(loading([`Loaded image(s): ${many.join()}`]));
    assert.match(words, /^Loaded x:0, x:1, .*x:11 and 9988 more\.$/);
  });

  it('imports over a tag only if it still refers to the image that the user was warned of', async () => {
    const { context, seen } = await contextOf(({ path: asked }, response) => {
      if (asked === '/images/create') json(response, 200, { status: NEW });
      else json(response, 200, { Id: OLD, RepoTags: ['me/app:1'] });
    });
    const run = (holder: string | undefined) => {
      const args = { path, repository: 'me/app:1', seen: { holder } };
      return importImageCommand(ui).run(args, context, new AbortController().signal);
    };
    await assert.rejects(run(undefined), new ImageChangedError('tagReassigned'));
    assert.equal(seen.filter(({ method }) => method === 'POST').length, 0);
    assert.deepEqual(await run(OLD), { imageId: NEW });
  });

  it("leaves what the engine kept of a failed import, because nothing identifies it as Gantry's", async () => {
    const { context, seen } = await contextOf(({ path: asked }, response) => {
      if (asked === '/images/create') json(response, 500, { message: 'not a tar archive' });
      else json(response, 200, { Id: NEW, RepoTags: ['me/app:1'] });
    });
    const args = { path, repository: 'me/app:1' };
    const { signal } = new AbortController();
    await assert.rejects(importImageCommand(ui).run(args, context, signal), /not a tar/);
    assert(seen.every(({ method }) => method !== 'DELETE'));
  });

  it('imports the chosen archive after a name and Enter, and reveals the image', async () => {
    const commands = await openCommandLab((request, response) => {
      if (request.path === '/images/create') json(response, 200, { status: NEW });
      else json(response, 404, { message: 'no such image' });
    });
    commands.ui.act(give([file(path)]), give('me/app:1'), ENTER);
    const imported = await commands.run(importImageCommand(commands.ui));
    assert.deepEqual(imported, { imageId: NEW });
    const { query, body } = commands.engine.seen.at(-1) ?? assert.fail();
    assert.deepEqual([query.get('repo'), body], ['me/app:1', 'an archive']);
    assert.deepEqual(commands.revealed, ['me/app:1']);
    assert.deepEqual(
      commands.ui.shown.map(({ kind }) => kind),
      ['openDialog', 'input', 'pick', 'progress'],
    );
    await commands.close();
  });
});
