import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** @typedef {Record<string, unknown>} Settings */

/**
 * The part of an extension's package.json that is needed to serve it.
 *
 * @typedef {object} Manifest
 * @property {string} publisher
 * @property {string} name
 * @property {string} version
 * @property {{ configuration?: Section | Section[] }} [contributes]
 */

/** @typedef {{ properties?: Record<string, { scope?: string }> }} Section */

/** Settings that suppress popups and network access. */
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
 * Returns the keys that VS Code, in a page as in any remote window, reads only from the machine settings.
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
 * Manages the settings files of a server; each key goes to the file in which VS Code expects it. An open page
 * only watches the machine's file, so later changes go there too.
 *
 * @param {string} userDataDir
 * @param {readonly string[]} extensions
 * @returns {(changes: Settings) => void} writes changes to the files; `undefined` resets a setting
 */
export function settingsFiles(userDataDir, extensions) {
  const keys = { User: new Set(Object.keys(QUIET)), Machine: machineKeys(extensions) };
  const ofMachine = machineKeys(extensions);
  /** @type {Settings} */
  const current = { ...QUIET };
  let isFirst = true;
  return (changes) => {
    Object.assign(current, changes);
    for (const key of Object.keys(changes))
      (isFirst && !ofMachine.has(key) ? keys.User : keys.Machine).add(key);
    isFirst = false;
    for (const scope of /** @type {const} */ (['User', 'Machine'])) {
      const own = Object.entries(current).filter(([key]) => keys[scope].has(key));
      const folder = join(userDataDir, scope);
      mkdirSync(folder, { recursive: true });
      replaceFile(join(folder, 'settings.json'), JSON.stringify(Object.fromEntries(own)));
    }
  };
}

/**
 * Writes a file atomically: VS Code asks for a reload if it reads half of its settings.
 *
 * @param {string} file
 * @param {string} text
 */
function replaceFile(file, text) {
  if (existsSync(file) && readFileSync(file, 'utf8') === text) return;
  writeFileSync(`${file}.new`, text);
  renameSync(`${file}.new`, file);
}
