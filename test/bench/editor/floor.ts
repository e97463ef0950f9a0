import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { atEnd } from '../../bed/vscode/cleanup.mjs';

/** The line that the floor extension writes to an output channel. */
export const FLOOR_LINE = 'a line of the floor’s';

/** The floor: an extension that does as little as possible, with rows in memory and commands without requests. */
export interface Floor {
  readonly folder: string;
  remove(): void;
}

/**
 * Creates the floor extension in a temporary folder. It looks like Gantry and has all its data in memory.
 *
 * @param options `opensPage`: a click on a row opens an empty page.
 */
export function makeFloor(
  rows: number,
  { opensPage = false }: { readonly opensPage?: boolean } = {},
): Floor {
  const folder = mkdtempSync(join(tmpdir(), 'gantry-floor-'));
  const erase = (): void => {
    rmSync(folder, { recursive: true, force: true });
  };
  const released = atEnd(erase);
  mkdirSync(join(folder, 'dist'));
  writeFileSync(join(folder, 'package.json'), JSON.stringify(MANIFEST));
  writeFileSync(join(folder, 'dist/extension.cjs'), sourceFor(rows, opensPage));
  return {
    folder,
    remove() {
      erase();
      released();
    },
  };
}

const inline = (command: string): object => ({
  command,
  when: 'view == floor.containers',
  group: 'inline',
});

const MANIFEST = {
  name: 'floor',
  publisher: 'gantry-bench',
  version: '0.0.1',
  engines: { vscode: '^1.105.0' },
  main: './dist/extension.cjs',
  extensionKind: ['workspace'],
  contributes: {
    viewsContainers: { activitybar: [{ id: 'floor', title: 'Gantry', icon: '$(package)' }] },
    views: {
      floor: [
        { id: 'floor.containers', name: 'Containers' },
        { id: 'floor.images', name: 'Images' },
      ],
    },
    commands: [
      { command: 'floor.start', title: 'Start', icon: '$(play)' },
      { command: 'floor.logs', title: 'Show Logs', icon: '$(output)' },
      { command: 'floor.page', title: 'Open Page' },
    ],
    menus: { 'view/item/context': [inline('floor.start'), inline('floor.logs')] },
  },
};

function sourceFor(rows: number, opensPage: boolean): string {
  return `
const vscode = require('vscode');
exports.activate = () => {
  const rows = Array.from({ length: ${rows} }, (_, index) => ({ id: 'row-' + index, isUp: false }));
  const changes = new vscode.EventEmitter();
  const show = (id, roots) => vscode.window.createTreeView(id, {
    treeDataProvider: {
      onDidChangeTreeData: changes.event,
      getChildren: (row) => (row ? [] : roots),
      getTreeItem: ({ id, isUp }) => Object.assign(new vscode.TreeItem(id), {
        id,
        ${opensPage ? "command: { command: 'floor.page', title: '' }," : ''}
        description: isUp ? 'Up' : 'Exited',
        iconPath: new vscode.ThemeIcon('circle-filled', new vscode.ThemeColor('charts.green')),
      }),
    },
  });
  show('floor.containers', rows);
  show('floor.images', rows.slice(0, 1));
  vscode.commands.registerCommand('floor.start', (row) => {
    row.isUp = !row.isUp;
    changes.fire(row);
  });
  vscode.commands.registerCommand('floor.page', () => {
    const options = { enableScripts: true };
    const column = { viewColumn: vscode.ViewColumn.Active, preserveFocus: true };
    const panel = vscode.window.createWebviewPanel('floor.page', 'Page', column, options);
    panel.webview.html = '<!DOCTYPE html><html><body><div class="page">empty</div></body></html>';
  });
  vscode.commands.registerCommand('floor.logs', (row) => {
    const channel = vscode.window.createOutputChannel(row.id);
    channel.append(${JSON.stringify(FLOOR_LINE)} + ' ' + row.id + '\\n');
    channel.show(true);
  });
};
`;
}
