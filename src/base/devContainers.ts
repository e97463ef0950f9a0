/** The extension of Microsoft that attaches VS Code to containers. */
export const DEV_CONTAINERS = 'ms-vscode-remote.remote-containers';

/**
 * Whether an editor can have that extension, or has it: its license and the Marketplace allow it only in VS Code of
 * Microsoft, and it does not run in a browser.
 *
 * @param editor `vscode.env`.
 */
export function canHaveDevContainers(
  { appName, appHost }: { readonly appName: string; readonly appHost: string },
  isInstalled: boolean,
): boolean {
  return isInstalled || (appHost === 'desktop' && /^Visual Studio Code\b/.test(appName));
}
