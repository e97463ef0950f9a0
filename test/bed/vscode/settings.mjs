import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** @typedef {Record<string, unknown>} Settings */

/**
 * The part of an extension's package.json that matters for serving it.
 *
 * @typedef {object} Manifest
 * @property {string} publisher
 * @property {string} name
 * @property {string} version
 * @property {{ configuration?: Section | Section[] }} [contributes]
 */

/** @typedef {{ properties?: Record<string, { scope?: string }> }} Section */

/** Nothing pops up, nothing is looked up outside this machine. */
const QUIET = {
  'chat.disableAIFeatures': true,
  'extensions.autoCheckUpdates': false,
  'extensions.autoUpdate': false,
  'extensions.ignoreRecommendations': true,
  'git.enabled': false,
  'security.workspace.trust.enabled': false,
  'telemetry.telemetryLevel': 'off',
  'workbench.colorTheme': 'Default Dark Modern',
  'workbench.enableExperiments': false,
  'workbench.secondarySideBar.defaultVisibility': 'hidden',
  'workbench.startupEditor': 'none',
  'workbench.tips.enabled': false,
};

/**
 * @param {string} extension folder of an unpacked extension
 * @returns {Manifest}
 */
export function manifestOf(extension) {
  /** @type {unknown} */
  const manifest = JSON.parse(readFileSync(join(extension, 'package.json'), 'utf8'));
  return /** @type {Manifest} */ (manifest);
}

/**
 * Keys that VS Code reads, in a page as in any remote window, from the machine's settings only.
 *
 * @param {readonly string[]} extensions
 */
function machineKeys(extensions) {
  const sections = extensions.flatMap(
    (extension) => manifestOf(extension).contributes?.configuration ?? [],
  );
  const properties = sections.flatMap((section) => Object.entries(section.properties ?? {}));
  return new Set(properties.filter(([, { scope }]) => scope === 'machine').map(([key]) => key));
}

/**
 * Keeps the settings files of a server; each key goes to the file where VS Code looks for it.
 *
 * @param {string} userDataDir
 * @param {readonly string[]} extensions
 * @returns {(changes: Settings) => void} writes them anew; an `undefined` takes a setting back
 */
export function settingsFiles(userDataDir, extensions) {
  const ofMachine = machineKeys(extensions);
  /** @type {Settings} */
  const current = { ...QUIET };
  return (changes) => {
    Object.assign(current, changes);
    for (const scope of ['User', 'Machine']) {
      const own = Object.entries(current).filter(
        ([key]) => ofMachine.has(key) === (scope === 'Machine'),
      );
      const folder = join(userDataDir, scope);
      mkdirSync(folder, { recursive: true });
      replaceFile(join(folder, 'settings.json'), JSON.stringify(Object.fromEntries(own)));
    }
  };
}

/**
 * Writes a file in one step: a VS Code that reads half of its settings asks for a reload.
 *
 * @param {string} file
 * @param {string} text
 */
function replaceFile(file, text) {
  if (existsSync(file) && readFileSync(file, 'utf8') === text) return;
  writeFileSync(`${file}.new`, text);
  renameSync(`${file}.new`, file);
}
