import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { showEngineDetails, viewCommands } from '../../../../src/commands/engines/viewCommands.ts';
import type { EngineError } from '../../../../src/engine/errors.ts';
import type { Engines } from '../../../../src/engines/engines.ts';
import { Inventory } from '../../../../src/inventory/inventory.ts';
import { gantryStateOf, unreachableMessage } from '../../../../src/views/engines/engineState.ts';
import { runAsEditor } from '../../support/commandLab.ts';
import { failure, openLab, type Lab } from '../../support/lab.ts';
import { give, ScriptedUi } from '../../support/scriptedUi.ts';

interface Manifest {
  readonly contributes: {
    readonly viewsWelcome: readonly { readonly contents: string; readonly when: string }[];
  };
}

describe('the commands Refresh and Retry', () => {
  it('ask each engine again', () => {
    const asked: string[] = [];
    const all = ['one', 'two'].map((name) => ({ retry: () => asked.push(name) }));
    const showDetails = (): undefined => undefined;
    const commands = viewCommands({ ui: new ScriptedUi(), showDetails }, {
      all,
    } as unknown as Engines);
    for (const id of ['gantry.refresh', 'gantry.retry']) runAsEditor(commands, id);
    assert.deepEqual(asked, ['one', 'two', 'one', 'two']);
  });
});

describe('the message for an address without an engine', () => {
  let lab: Lab;
  let ui: ScriptedUi;
  let folder: string;
  beforeEach(() => {
    lab = openLab();
    ui = new ScriptedUi();
    folder = mkdtempSync(join(tmpdir(), 'gantry-address-'));
  });
  afterEach(async () => {
    rmSync(folder, { recursive: true });
    await lab.close();
  });

  /** Shows the details of an engine that failed to connect with this error. */
  async function details(error: EngineError): Promise<void> {
    const inventory = new Inventory();
    inventory.setPhase({ kind: 'lost', error, hadRows: false });
    const unit = { name: 'Default', inventory, engine: { attempts: [] } };
    const engines = { all: [unit], areSeveral: false } as unknown as Engines;
    await showEngineDetails(ui, engines, { show: () => undefined });
  }

  const welcome = (error: EngineError): string => {
    const state = gantryStateOf({ kind: 'lost', error, hadRows: false });
    const { contributes } = readJson('package.json') as Manifest;
    const shown = contributes.viewsWelcome.find(({ when }) => when === `gantry.state == ${state}`);
    const texts = readJson('package.nls.json') as Readonly<Record<string, string>>;
    return texts[shown?.contents.replaceAll('%', '') ?? ''] ?? '';
  };

  for (const what of ['a folder', 'a plain file']) {
    it(`reports that the address is ${what}, not a socket`, async () => {
      const path = join(folder, 'place');
      if (what === 'a folder') mkdirSync(path);
      else writeFileSync(path, '');
      const error = await failure(lab.connect(`unix://${path}`).info(), 'notASocket');
      assert.match(welcome(error), /not a container engine/);
      assert.match(unreachableMessage(error, undefined), /\/place is not a socket/);
      ui.act(give('Copy'));
      await details(error);
      const [shown, copied] = ui.shown;
      assert.match(shown?.text ?? '', /\/place is not a socket/);
      assert.deepEqual(shown?.buttons, ['Open Log', 'Copy']);
      assert.ok(copied?.text.startsWith(`${shown.text}\n`), copied?.text);
    });
  }

  it('reports that the server returned a web page', async () => {
    const { engine, connection } = await lab.fake();
    engine.ping((_, response) => {
      response.setHeader('content-type', 'text/html').end('<html><body>Hello</body></html>');
    });
    const error = await failure(connection.info(), 'proxyPage');
    assert.match(welcome(error), /a web page, not the container engine API/);
    assert.match(welcome(error), /\[Retry\]\(command:gantry\.retry\)/);
    assert.match(unreachableMessage(error, undefined), /a web page, not the container engine API/);
  });
});

function readJson(name: string): unknown {
  return JSON.parse(readFileSync(new URL(`../../../../${name}`, import.meta.url), 'utf8'));
}
