import * as vscode from 'vscode';
import type { Disposable } from '../base/lifetime.ts';
import type { TreeNode } from './treeNode.ts';

/** A tree view whose rows are loaded when it is first visible. */
export class LazyTree implements vscode.TreeDataProvider<TreeNode>, Disposable {
  readonly #load: () => Promise<TreeSource>;
  readonly #changes = new vscode.EventEmitter<TreeNode[] | undefined>();
  readonly view: vscode.TreeView<TreeNode>;
  readonly onDidChangeTreeData = this.#changes.event;

  /** @param load called for the first rows; then at every call. */
  constructor(id: string, load: () => Promise<TreeSource>) {
    this.#load = load;
    this.view = vscode.window.createTreeView(id, {
      treeDataProvider: this,
      canSelectMany: true,
      showCollapseAll: true,
    });
  }

  /** Asks for these rows again; undefined for all. */
  refresh(nodes: readonly TreeNode[] | undefined): void {
    this.#changes.fire(nodes && [...nodes]);
  }

  async getChildren(node?: TreeNode): Promise<TreeNode[]> {
    return [...(await (await this.#load()).childrenOf(node))];
  }

  async getTreeItem(node: TreeNode): Promise<vscode.TreeItem> {
    return (await this.#load()).itemOf(node);
  }

  getParent(node: TreeNode): TreeNode | undefined {
    return node.parent;
  }

  async resolveTreeItem(item: vscode.TreeItem, node: TreeNode): Promise<vscode.TreeItem> {
    item.tooltip = (await this.#load()).tooltipOf(node);
    return item;
  }

  dispose(): void {
    this.view.dispose();
    this.#changes.dispose();
  }
}

export interface TreeSource {
  childrenOf(node: TreeNode | undefined): readonly TreeNode[] | Promise<readonly TreeNode[]>;
  itemOf(node: TreeNode): vscode.TreeItem;
  tooltipOf(node: TreeNode): vscode.MarkdownString;
}
