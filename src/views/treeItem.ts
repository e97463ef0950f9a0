import * as vscode from 'vscode';
import { tooltipMarkdown, type RowPresentation, type TooltipRow } from './rowPresentation.ts';

/** Converts a row to a VS Code tree item. */
export function treeItem(
  id: string,
  look: RowPresentation,
  folding: vscode.TreeItemCollapsibleState,
): vscode.TreeItem {
  const item = new vscode.TreeItem(look.label, folding);
  item.id = id;
  item.description = look.description;
  item.contextValue = look.contextValue;
  item.accessibilityInformation = { label: look.accessibilityLabel };
  if (look.icon) {
    const { id: icon, color } = look.icon;
    item.iconPath = new vscode.ThemeIcon(icon, color ? new vscode.ThemeColor(color) : undefined);
  }
  return item;
}

/** Creates a tooltip without images, and without links from engines and images. */
export function treeTooltip(rows: readonly TooltipRow[]): vscode.MarkdownString {
  const tooltip = new vscode.MarkdownString(tooltipMarkdown(rows));
  tooltip.isTrusted = false;
  tooltip.supportHtml = false;
  return tooltip;
}
